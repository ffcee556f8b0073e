// A thread block from its first instruction to its last: turns of its warps, deadlock, names of threads in messages.
#include <algorithm>

#include "ptx/printer.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {

namespace {

constexpr uint32_t kQuantum = 4096;  // instructions a warp runs before the next one has its turn

std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

}  // namespace

Block::Block(LaunchContext& context, Dim3 at) : launch(context), position(at) {
  threads = launch.block.x * launch.block.y * launch.block.z;
  live_threads = threads;
  shared.assign(launch.entry.shared_bytes + launch.dynamic_shared_bytes, 0xcd);
  if (launch.check_uninitialized) shared_written.assign(shared.size(), 0);
  locals.resize(size_t{(threads + kLanes - 1) / kLanes} * kLanes);
  for (unsigned i = 0; i * kLanes < threads; ++i) warps.push_back(std::make_unique<Warp>(*this, i, launch.entry));
}

Status Block::run() {
  std::vector<Warp*> order;
  for (const auto& warp : warps) order.push_back(warp.get());
  while (live_threads != 0) {
    bool progress = false;
    if (launch.random) std::shuffle(order.begin(), order.end(), *launch.random);
    for (Warp* warp : order) {
      if (warp->running == 0) continue;
      const uint32_t quantum = launch.random ? uint32_t((*launch.random)() % 500) + 1 : kQuantum;
      progress |= run_warp(*this, *warp, quantum);
      if (error_) return std::move(*error_);
      if (launch.instructions > launch.instruction_budget) {
        Error error = runtime_error("the launch executed " + std::to_string(launch.instructions) +
                                        " warp instructions without ending; " + describe_waiting(),
                                    "Check for a loop that waits for something that no thread will do");
        error.file = launch.entry.module->name;
        error.kernel = std::string(launch.entry.function->name);
        return error;
      }
    }
    if (!progress) return deadlock();
  }
  return {};
}

std::string Block::describe_thread(const Warp& warp, unsigned lane) const {
  const auto at = [&](SpecialVector which) { return uint32_t(warp.special(which)[lane]); };
  return "thread " + triple(at(SpecialVector::kTidX), at(SpecialVector::kTidY), at(SpecialVector::kTidZ)) +
         " of block " + triple(position.x, position.y, position.z);
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
      const bool barrier = op.instruction && (op.instruction->opcode == ptx::Opcode::kBar ||
                                              op.instruction->opcode == ptx::Opcode::kBarrier);
      error.fix =
          barrier && !op.members
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
