#include "device/launch_checks.h"

#include <algorithm>

namespace ww {
namespace {

uint64_t count_of(const Dim3& size) {
  return uint64_t{size.x} * size.y * size.z;
}

// A directive of three numbers, of which the first alone must be given.
Dim3 directive(const std::array<uint32_t, 3>& numbers) {
  return {numbers[0], std::max(numbers[1], 1u), std::max(numbers[2], 1u)};
}

// The grid is whole clusters of at most 8 blocks, what every GPU takes.
Status check_cluster(const KernelInfo& info, const Dim3& grid) {
  const Dim3& cluster = info.cluster;
  if (count_of(cluster) > 8)
    return refused_launch(info, "a cluster of too many blocks", std::to_string(count_of(cluster)), "at most 8");
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return {};
  return refused_launch(info, "the grid is not whole clusters", shape_of(grid) + " blocks",
                        "multiples of the kernel's .reqnctapercluster, " + shape_of(cluster));
}

}  // namespace

Error refused_launch(const KernelInfo& info, std::string message, std::string found, std::string expected) {
  Error error = usage_error(std::move(message));
  error.kernel = info.name;
  error.found = std::move(found);
  error.expected = std::move(expected);
  return error;
}

std::string shape_of(const Dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

Status check_launch(const KernelInfo& info, const Launch& launch) {
  const Dim3 &block = launch.block, &grid = launch.grid;
  const uint64_t threads = count_of(block);
  if (threads == 0 || threads > 1024 || block.z > 64)
    return refused_launch(info, "block of an illegal size", shape_of(block), "1 to 1024 threads, z at most 64");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return refused_launch(info, "grid of an illegal size", shape_of(grid),
                          "at least 1 in each direction, y and z at most 65535");
  const Dim3 required = directive(info.required_block), most = directive(info.max_block);
  if (required.x != 0 && (block.x != required.x || block.y != required.y || block.z != required.z))
    return refused_launch(info, "the block differs from .reqntid", shape_of(block), shape_of(required));
  if (most.x != 0 && threads > count_of(most))
    return refused_launch(info, "the block is larger than .maxntid", shape_of(block), "at most " + shape_of(most));
  WW_TRY(check_cluster(info, grid));
  if (launch.parameters.size() != info.parameter_bytes)
    return refused_launch(info, "the parameter block has the wrong size",
                          std::to_string(launch.parameters.size()) + " bytes",
                          std::to_string(info.parameter_bytes) + " bytes");
  return {};
}

Status check_cooperative(const KernelInfo& info, const Dim3& grid, uint64_t most) {
  if (count_of(grid) <= most) return {};
  return refused_launch(info, "a cooperative grid whose blocks can't all be there at the same time",
                        std::to_string(count_of(grid)) + " blocks",
                        "at most " + std::to_string(most) + " of this size");
}

}  // namespace ww
