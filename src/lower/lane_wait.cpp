// Finds loops in which a lane may wait for what another thread writes. Puts a call of ww.yield at their end, and marks
// the function with "ww.lane-wait"="LINE" where that other thread may be a lane of the same warp.
//
// Assumes registers in SSA form, and PTX lines in debug locations.
// Guarantees: ww.yield in every loop that branches on a value that only another thread can change (volatile and ordered
// loads, and plain ones in a loop with a fence), or that tries to get a lock. Marks, with an attribute of those calls,
// every loop without a barrier that such a value (a volatile or ordered load, or an atomic operation that does not
// itself make progress: an exchange, or a compare-and-swap whose expected value stays the same) can make go around
// again: an exit depends on it by data or by control flow, or a way back to the header on which nothing else changes.
// Loops that retry a compare-and-swap with what they last saw, and those that draw from a counter, end by their own
// work and are not marked. Nor are those that a vote decides: lanes of a warp leave such a loop together.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>

#include "lower/intrinsics.h"
#include "lower/passes.h"

namespace ww::lower {
namespace {

// The name of the function that an instruction calls; empty if it calls none, or by a pointer.
llvm::StringRef callee_name(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr ? callee->getName() : llvm::StringRef();
}

bool is_block_barrier(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name.starts_with("ww.barrier.") && name != "ww.barrier.warp";
}

bool is_fence(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::FenceInst>(instruction);
}

bool has(const llvm::Loop& loop, bool (*wanted)(const llvm::Instruction&)) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) { return llvm::any_of(*block, wanted); });
}

bool is_wait(const llvm::Instruction& instruction, const llvm::Loop& loop) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isVolatile() || load->isAtomic();
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    switch (update->getOperation()) {
      case llvm::AtomicRMWInst::Add:
      case llvm::AtomicRMWInst::Sub: {
        auto* amount = llvm::dyn_cast<llvm::ConstantInt>(update->getValOperand());
        return amount != nullptr && amount->isZero();
      }
      case llvm::AtomicRMWInst::FAdd:
      case llvm::AtomicRMWInst::UIncWrap:
      case llvm::AtomicRMWInst::UDecWrap:
        return false;
      default:
        return true;
    }
  }
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return loop.isLoopInvariant(exchange->getCompareOperand());
  return false;
}

bool is_vote(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == "ww.vote.all" || name == "ww.vote.any" || name == "ww.vote.uni";
}

using Wanted = llvm::function_ref<bool(const llvm::Instruction&)>;

// Whether a value depends on an instruction that is `wanted`, by data and by control flow inside of the loop; not by
// way of one that `hides`.
class Dependence {
 public:
  Dependence(const llvm::Loop& loop, const llvm::DominatorTree& dominators, Wanted wanted, Wanted hides)
      : loop_(loop), dominators_(dominators), wanted_(wanted), hides_(hides) {}

  bool of(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || !loop_.contains(instruction) || !seen_.insert(value).second) return false;
    if (wanted_(*instruction)) return true;
    if (hides_(*instruction)) return false;
    for (const llvm::Value* operand : instruction->operands())
      if (of(operand)) return true;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    return phi != nullptr && of_choice(*phi);
  }
  bool of_branch(const llvm::BasicBlock& block) {
    for (const llvm::Value* operand : block.getTerminator()->operands())
      if (of(operand)) return true;
    return false;
  }

 private:
  // The branches that decide which of its values a phi takes: those between its block's dominator and itself.
  bool of_choice(const llvm::PHINode& phi) {
    const llvm::Value* first = nullptr;
    bool differ = false;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (!loop_.contains(phi.getIncomingBlock(i))) continue;
      differ |= first != nullptr && first != phi.getIncomingValue(i);
      first = phi.getIncomingValue(i);
    }
    if (!differ) return false;
    const llvm::DomTreeNode* above = dominators_.getNode(phi.getParent())->getIDom();
    for (const llvm::BasicBlock* block : loop_.blocks())
      if ((above == nullptr || !loop_.contains(above->getBlock()) || dominators_.dominates(above->getBlock(), block)) &&
          of_branch(*block))
        return true;
    return false;
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  Wanted wanted_, hides_;
  std::set<const llvm::Value*> seen_;  // known not to depend
};

// Blocks from which `latch` is reached without passing the header.
std::set<const llvm::BasicBlock*> blocks_around(const llvm::Loop& loop, const llvm::BasicBlock* latch) {
  std::set<const llvm::BasicBlock*> found{loop.getHeader()};
  std::vector<const llvm::BasicBlock*> work{latch};
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.back();
    work.pop_back();
    if (!found.insert(block).second) continue;
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) work.push_back(before);
  }
  return found;
}

// Whether all values of the header stay as they are on the way back from `latch`.
bool nothing_changes(const llvm::Loop& loop, const llvm::BasicBlock* latch) {
  return llvm::all_of(loop.getHeader()->phis(),
                      [&](const llvm::PHINode& phi) { return phi.getIncomingValueForBlock(latch) == &phi; });
}

bool waits_in(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  if (has(loop, is_block_barrier)) return false;
  const auto waits_here = [&](const llvm::Instruction& instruction) { return is_wait(instruction, loop); };
  Dependence dependence(loop, dominators, waits_here, is_vote);
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  loop.getExitingBlocks(blocks);
  for (const llvm::BasicBlock* block : blocks)
    if (dependence.of_branch(*block)) return true;
  blocks.clear();
  loop.getLoopLatches(blocks);
  if (blocks.size() < 2) return false;
  for (const llvm::BasicBlock* latch : blocks) {
    if (!nothing_changes(loop, latch)) continue;
    for (const llvm::BasicBlock* block : blocks_around(loop, latch))
      if (dependence.of_branch(*block)) return true;
  }
  return false;
}

// Whether strands of other warps or blocks have to run for the loop to end.
bool needs_others(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  const bool fenced = has(loop, is_fence);
  const auto written_elsewhere = [&](const llvm::Instruction& instruction) {
    return is_wait(instruction, loop) || (fenced && llvm::isa<llvm::LoadInst>(instruction));
  };
  const auto nothing = [](const llvm::Instruction&) { return false; };
  Dependence dependence(loop, dominators, written_elsewhere, nothing);
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) { return dependence.of_branch(*block); });
}

unsigned line_of(const llvm::Loop& loop) {
  for (const llvm::Instruction& instruction : *loop.getHeader())
    if (instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0)
      return instruction.getDebugLoc().getLine();
  return 0;
}

// Puts in the yields of a loop and its inner ones. Returns the innermost first loop in which lanes may wait, or null.
const llvm::Loop* add_yields(llvm::Module& module, const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  const llvm::Loop* waiting = nullptr;
  for (const llvm::Loop* inner : loop)
    if (const llvm::Loop* found = add_yields(module, *inner, dominators); waiting == nullptr) waiting = found;
  if (!needs_others(loop, dominators)) return waiting;
  const bool waits = waits_in(loop, dominators);
  if (waits && waiting == nullptr) waiting = &loop;
  llvm::Function* yield =
      declare_intrinsic(module, "ww.yield", llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false));
  llvm::SmallVector<llvm::BasicBlock*> latches;
  loop.getLoopLatches(latches);
  for (llvm::BasicBlock* latch : latches) {
    llvm::Instruction* end = latch->getTerminator();
    llvm::CallInst* call = llvm::CallInst::Create(yield, {}, "", end->getIterator());
    call->setDebugLoc(end->getDebugLoc());
    if (waits) call->addFnAttr(llvm::Attribute::get(module.getContext(), "ww.lane-wait"));
  }
  return waiting;
}

}  // namespace

Status mark_lane_waits(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    const llvm::LoopInfo& loops = context.function_analyses.getResult<llvm::LoopAnalysis>(function);
    const llvm::DominatorTree& dominators = context.function_analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    for (const llvm::Loop* loop : loops) {
      const llvm::Loop* waits = add_yields(context.module, *loop, dominators);
      if (waits != nullptr && !function.hasFnAttribute("ww.lane-wait"))
        function.addFnAttr("ww.lane-wait", std::to_string(line_of(*waits)));
    }
  }
  return {};
}

}  // namespace ww::lower
