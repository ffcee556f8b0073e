#include "sim/cluster.h"

#include <bit>

#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {

Cluster::Cluster(LaunchContext& launch, Dim3 shape, Dim3 at) : launch_(launch), shape_(shape), at_(at) {
  for (uint32_t rank = 0; rank < size(); ++rank) {
    const Dim3 position{at_.x + rank % shape_.x, at_.y + rank / shape_.x % shape_.y,
                        at_.z + rank / shape_.x / shape_.y};
    blocks_.push_back(std::make_unique<Block>(launch_, *this, position, rank));
    live_ += blocks_.back()->threads;
  }
}

Cluster::~Cluster() = default;

Status Cluster::run(uint64_t turn) {
  const uint64_t begin = launch_.instructions;
  while (live_ != 0 && launch_.instructions - begin < turn) {
    bool progress = false;
    for (const auto& block : blocks_) {
      if (block->live_threads == 0) continue;
      WW_ASSIGN(const bool own, block->round());
      progress |= own;
    }
    if (progress) continue;
    for (const auto& block : blocks_)
      if (block->live_threads != 0) return block->deadlock();
  }
  return {};
}

void Cluster::complete() {
  if (arrived_ == 0 || arrived_ < live_) return;
  arrived_ = 0;
  for (const auto& block : blocks_)
    for (const auto& warp : block->warps) warp->at_cluster_barrier = 0;
  for (const Waiter& waiter : waiting_) {
    const uint32_t bit = 1u << waiter.lane;
    Frame* own = waiter.warp->frame;
    waiter.warp->frame = waiter.warp->frames[waiter.lane];
    waiter.warp->trace(*waiter.op, bit);
    waiter.warp->frame = own;
    waiter.warp->state[waiter.lane] = LaneState::kRunning;
    waiter.warp->running |= bit;
  }
  waiting_.clear();
}

void Cluster::arrive(Warp& warp, const Op& op, uint32_t mask) {
  if ((warp.at_cluster_barrier & mask) != 0)
    return warp.fault(op, unsigned(std::countr_zero(warp.at_cluster_barrier & mask)),
                      "barrier.cluster.arrive twice without barrier.cluster.wait");
  warp.at_cluster_barrier |= mask;
  arrived_ += unsigned(std::popcount(mask));
  complete();
}

void Cluster::wait(Warp& warp, const Op& op, uint32_t mask) {
  const uint32_t waits = mask & warp.at_cluster_barrier;  // the others' phase is complete
  each_lane(waits, [&](unsigned lane) {
    waiting_.push_back({&warp, lane, &op});
    warp.state[lane] = LaneState::kAtBarrier;
  });
  warp.running &= ~waits;
  if (waits != mask) warp.trace(op, mask & ~waits);
}

void Cluster::exited(Warp& warp, uint32_t mask) {
  live_ -= unsigned(std::popcount(mask));
  arrived_ -= unsigned(std::popcount(warp.at_cluster_barrier & mask));
  warp.at_cluster_barrier &= ~mask;
  complete();
}

}  // namespace ww::sim
