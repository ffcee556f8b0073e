// Runtime functions of compiled code, a file each family. All are WarpFunctions (warp_context.h): arrays of 32 in,
// arrays of 32 out, at multiples of 64 bytes; only lanes of `mask` are looked at and written, unless the comment says
// otherwise.
#pragma once

#include <cstring>
#include <string_view>

#include "cpu/warp_context.h"
#include "device/device.h"

namespace ww::cpu {

// Argument or result number `index` where those before it have elements of the sizes given.
template <typename T>
const T* in_array(const void* in, size_t offset) {
  return reinterpret_cast<const T*>(static_cast<const std::byte*>(in) + offset);
}
template <typename T>
T* out_array(void* out, size_t offset) {
  return reinterpret_cast<T*>(static_cast<std::byte*>(out) + offset);
}

struct WarpFunctionRow {
  std::string_view name;
  WarpFunction function;
};

// By name, or null; each family searches its own.
WarpFunction find_warp_function(std::string_view name);
WarpFunction find_lane_function(std::string_view name);     // runtime_lanes.cpp: match, redux
WarpFunction find_vote_function(std::string_view name);     // runtime_votes.cpp: vote, shfl, elect
WarpFunction find_matrix_function(std::string_view name);   // runtime_matrix.cpp: ldmatrix, stmatrix, movmatrix
WarpFunction find_texture_function(std::string_view name);  // runtime_texture.cpp
WarpFunction find_block_function(std::string_view name);    // runtime_block.cpp: barriers, trap, clocks

// runtime_block.cpp: MeetFunction.
void meet(WarpContext* context, uint32_t mask, const void* in, void* out, WarpFunction function, const uint8_t* layout,
          uint32_t members_at);

// Matrix steps: runtime_mma.cpp. For lanes that run one by one: all shapes by one function.
WarpFunction find_lane_mma_function(std::string_view name);
MmaFunction find_mma_function(HostIsa isa, std::string_view name);

}  // namespace ww::cpu
