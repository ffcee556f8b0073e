// Blocks that run together (.reqnctapercluster), and the barrier that they share. A launch without clusters has
// clusters of one block.
//
// Shared addresses: bits 24 and up are 0 for the block's own memory, r + 1 for that of the block of rank r (what mapa
// gives).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace ww::sim {

class Block;
class Warp;
struct Op;
struct LaunchContext;

constexpr unsigned kRankShift = 24;
constexpr uint32_t kOffsetMask = (1u << kRankShift) - 1;

class Cluster {
 public:
  // `shape`: blocks in each direction, `at`: the position of its first block in the grid.
  Cluster(LaunchContext& launch, Dim3 shape, Dim3 at);
  ~Cluster();

  // Runs about `turn` warp instructions, or until all threads have exited, or one fails.
  Status run(uint64_t turn);
  bool done() const { return live_ == 0; }

  uint32_t size() const { return shape_.x * shape_.y * shape_.z; }
  const Dim3& shape() const { return shape_; }
  Dim3 number() const { return {at_.x / shape_.x, at_.y / shape_.y, at_.z / shape_.z}; }
  Block& block(uint32_t rank) { return *blocks_[rank]; }

  // barrier.cluster: the lanes of `mask` arrive; they wait for the phase that they arrived in; they have exited.
  void arrive(Warp& warp, const Op& op, uint32_t mask);
  void wait(Warp& warp, const Op& op, uint32_t mask);
  void exited(Warp& warp, uint32_t mask);

 private:
  void complete();

  LaunchContext& launch_;
  Dim3 shape_, at_;
  std::vector<std::unique_ptr<Block>> blocks_;
  struct Waiter {
    Warp* warp;
    unsigned lane;
    const Op* op;
  };
  std::vector<Waiter> waiting_;
  uint32_t live_ = 0, arrived_ = 0;  // threads
};

}  // namespace ww::sim
