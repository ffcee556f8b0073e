// A thread block from its first instruction to its last: turns of its warps, deadlock, names of threads in messages.
#include <algorithm>
#include <bit>

#include "ptx/printer.h"
#include "sim/barrier.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {

namespace {

constexpr uint32_t kQuantum = 4096;  // instructions a warp runs before the next one has its turn

std::string triple(const std::array<uint32_t, 3>& xyz) {
  return "(" + std::to_string(xyz[0]) + "," + std::to_string(xyz[1]) + "," + std::to_string(xyz[2]) + ")";
}

}  // namespace

Block::Block(LaunchContext& context, Cluster& owner, Dim3 at, uint32_t number)
    : launch(context), cluster(owner), position(at), rank(number) {
  threads = launch.block.x * launch.block.y * launch.block.z;
  live_threads = threads;
  shared.assign(launch.entry.shared_bytes + launch.dynamic_shared_bytes, 0xcd);
  if (launch.check_uninitialized) shared_written.assign(shared.size(), 0);
  locals.resize(size_t{(threads + kLanes - 1) / kLanes} * kLanes);
  for (unsigned i = 0; i * kLanes < threads; ++i) warps.push_back(std::make_unique<Warp>(*this, i, launch.entry));
  for (const auto& warp : warps) order_.push_back(warp.get());
}

Result<bool> Block::round() {
  bool progress = false;
  if (launch.random) std::shuffle(order_.begin(), order_.end(), *launch.random);
  for (Warp* warp : order_) {
    if (warp->running == 0) continue;
    const uint64_t left = launch.instruction_budget - launch.instructions;
    if (left == 0) return endless(*warp);
    const uint32_t quantum = launch.random ? uint32_t((*launch.random)() % 500) + 1 : kQuantum;
    progress |= run_warp(*this, *warp, uint32_t(std::min<uint64_t>(quantum, left)));
    if (error_) return std::move(*error_);
  }
  return progress;
}

ThreadPosition Block::position_of(const Warp& warp, unsigned lane) const {
  const auto at = [&](SpecialVector which) { return uint32_t(warp.special(which)[lane]); };
  return {{position.x, position.y, position.z},
          {at(SpecialVector::kTidX), at(SpecialVector::kTidY), at(SpecialVector::kTidZ)}};
}

std::string Block::describe_thread(const Warp& warp, unsigned lane) const {
  const ThreadPosition at = position_of(warp, lane);
  return "thread " + triple(at.thread) + " of block " + triple(at.block);
}

std::string Block::describe_waiting() const {
  // One entry a place: the first thread and how many wait there.
  struct Place {
    const Op* op;
    const Warp* warp;
    unsigned lane;
    LaneState state;
    unsigned count;
  };
  std::vector<Place> places;
  for (const auto& warp : warps)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (warp->state[lane] == LaneState::kExited) continue;
      const auto& ops = warp->frames[lane]->function->ops;
      // A lane at a barrier has its program counter after it already.
      const uint32_t pc = warp->pc[lane] - (warp->state[lane] == LaneState::kAtBarrier ? 1 : 0);
      const Op* op = &ops[std::min<size_t>(pc, ops.size() - 1)];
      auto found = std::find_if(places.begin(), places.end(),
                                [&](const Place& p) { return p.op == op && p.state == warp->state[lane]; });
      if (found == places.end())
        places.push_back({op, warp.get(), lane, warp->state[lane], 1});
      else
        ++found->count;
    }
  std::string text;
  for (size_t i = 0; i < places.size() && i < 4; ++i) {
    const Place& place = places[i];
    if (i != 0) text += "; ";
    text += describe_thread(*place.warp, place.lane);
    if (place.count > 1) text += " and " + std::to_string(place.count - 1) + " more";
    text += place.state == LaneState::kRunning ? " at" : " waiting at";
    if (place.op->instruction) {
      const DecodedFunction& function = *place.warp->frames[place.lane]->function;
      text += " line " + std::to_string(place.op->instruction->location.line) + " (" +
              ptx::print(*function.module, *function.function, *place.op->instruction) + ")";
    } else {
      text += " the end of the kernel";
    }
  }
  if (places.size() > 4) text += "; ...";
  return text;
}

// `warp` would be the next to run.
Error Block::endless(const Warp& warp) const {
  Error error = runtime_error("the launch has not ended after " + std::to_string(launch.instructions) +
                                  " warp instructions; " + describe_waiting(),
                              "Check for a loop that never ends, or allow more instructions (--max-instructions)");
  const auto lane = unsigned(std::countr_zero(warp.running));
  const DecodedFunction& function = *warp.frames[lane]->function;
  error.file = function.module->name;
  error.kernel = std::string(launch.entry.function->name);
  if (const ptx::Instruction* next = function.ops[warp.pc[lane]].instruction) {
    error.line = next->location.line;
    error.column = next->location.column;
  }
  return error;
}

Error Block::deadlock() const {
  // Name the first place as the error's line; the message lists all.
  Error error = runtime_error("deadlock: no thread of the block can go on; " + describe_waiting());
  for (const auto& warp : warps) {
    bool sync = false;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (warp->state[lane] != LaneState::kAtWarpSync) continue;
      const Op& op = warp->frames[lane]->function->ops[warp->pc[lane]];
      sync = true;
      if (op.instruction && error.line == 0) {
        error.line = op.instruction->location.line;
        error.column = op.instruction->location.column;
      }
      error.fix =
          is_block_barrier(op)
              ? "A bar.sync that only some threads of a warp reach never opens: move it out of the divergent code"
              : "All lanes of a member mask must execute the same instruction";
    }
    if (sync) break;
  }
  if (error.line == 0)
    for (const auto& warp : warps)
      for (unsigned lane = 0; lane < kLanes && error.line == 0; ++lane)
        if (warp->state[lane] == LaneState::kAtBarrier) {
          const Op& op = warp->frames[lane]->function->ops[warp->pc[lane] - 1];
          error.line = op.instruction->location.line;
          error.column = op.instruction->location.column;
          error.fix = "Check that every thread which the barrier counts reaches it";
        }
  error.file = launch.entry.module->name;
  error.kernel = std::string(launch.entry.function->name);
  return error;
}

}  // namespace ww::sim
