#include "cpu/lane_mode.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "cpu/divergence.h"

namespace ww::cpu {

using llvm::BasicBlock;

static llvm::StringRef name_of(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr ? callee->getName() : llvm::StringRef();
}

// A barrier at which lanes of a warp may arrive one by one.
static bool is_meeting(const llvm::CallInst& call) {
  const llvm::StringRef name = name_of(call);
  return name == "ww.barrier.warp" || (name.starts_with("ww.barrier.") && call.hasFnAttr("ww.unaligned"));
}

// What hands values from lane to lane.
static bool is_exchange(const llvm::CallInst& call) {
  const llvm::StringRef name = name_of(call);
  return name.starts_with("ww.shfl.") || name.starts_with("ww.vote.") || name.starts_with("ww.match.") ||
         name.starts_with("ww.redux.");
}

static uint32_t line_of(const llvm::Instruction& instruction) {
  return instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
}

// Blocks from which one of `targets` can be reached, themselves included.
static llvm::DenseSet<const BasicBlock*> reaching(llvm::ArrayRef<const BasicBlock*> targets) {
  llvm::DenseSet<const BasicBlock*> found;
  std::vector<const BasicBlock*> work(targets.begin(), targets.end());
  while (!work.empty()) {
    const BasicBlock* block = work.back();
    work.pop_back();
    if (!found.insert(block).second) continue;
    for (const BasicBlock* before : llvm::predecessors(block)) work.push_back(before);
  }
  return found;
}

std::optional<uint32_t> needs_lanes(llvm::Function& function, bool is_kernel, std::array<uint32_t, 3> block) {
  std::vector<const llvm::CallInst*> waits, meetings, exchanges;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr) continue;
    if (name_of(*call) == "ww.exit" && !is_kernel) return line_of(*call);
    if (call->hasFnAttr("ww.lane-wait")) waits.push_back(call);
    if (is_meeting(*call)) meetings.push_back(call);
    if (is_exchange(*call)) exchanges.push_back(call);
  }
  if (waits.empty() && meetings.empty() && exchanges.size() < 2) return {};
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const Divergence divergence(function, loops, is_kernel, block);
  for (const llvm::CallInst* call : waits) {
    // Whoever called the function may have left lanes behind.
    if (!is_kernel || divergence.parted(call->getParent())) return line_of(*call);
    if (const llvm::Loop* loop = loops.getLoopFor(call->getParent()))
      for (const BasicBlock* inside : loop->blocks())
        if (divergence.divergent(inside) || divergence.parted(inside)) return line_of(*call);
  }
  for (const llvm::CallInst* call : exchanges) {
    for (const llvm::CallInst* other : exchanges)
      if (other != call && other->getCalledFunction() == call->getCalledFunction() &&
          other->getArgOperand(other->arg_size() - 1) == call->getArgOperand(call->arg_size() - 1) &&
          divergence.on_other_side(call->getParent(), other->getParent()))
        return line_of(*call);
  }
  if (meetings.empty()) return {};
  std::vector<const BasicBlock*> places;
  for (const llvm::CallInst* call : meetings) places.push_back(call->getParent());
  const auto to_meetings = reaching(places);
  for (const llvm::CallInst* call : meetings) {
    if (!is_kernel) return line_of(*call);
    if (!divergence.parted(call->getParent())) continue;
    // Lanes that parted here: do both sides come to a barrier?
    for (const BasicBlock* branch : divergence.parting(call->getParent())) {
      unsigned sides = 0;
      for (const BasicBlock* side : llvm::successors(branch)) sides += to_meetings.contains(side);
      if (sides > 1) return line_of(*call);
    }
  }
  return {};
}

}  // namespace ww::cpu
