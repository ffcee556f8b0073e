// Finds loops in which a lane may wait for what another thread writes. Puts a call of ww.yield at their end, and marks
// the function with "ww.lane-wait"="LINE" where that other thread may be a lane of the same warp.
//
// Assumes registers in SSA form, and PTX lines in debug locations.
// Guarantees: ww.yield in every loop that branches on a value that only another thread can change (volatile and ordered
// loads, and plain ones in a loop with a fence), or that tries to get a lock. Marks every loop without a barrier whose
// exit depends on a value that only another thread can change: a volatile or ordered load, or an atomic operation that
// does not itself make progress (an exchange, or a compare-and-swap whose expected value stays the same: a lock). Loops
// that retry a compare-and-swap with what they last saw, and those that draw from a counter, end by their own work and
// are not marked. Exits that depend on such a value only through control flow inside the loop are not marked either:
// there the lane that got the lock gives it back before the loop goes on. Nor are exits that a vote decides: lanes of a
// warp leave such a loop together.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
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

// Whether `value` depends, by data and inside the loop, on an instruction that is `wanted`; not by way of one that
// `hides`. Values in `seen` are known not to.
bool depends(const llvm::Value* value, const llvm::Loop& loop, std::set<const llvm::Value*>& seen,
             llvm::function_ref<bool(const llvm::Instruction&)> wanted,
             llvm::function_ref<bool(const llvm::Instruction&)> hides) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(value).second) return false;
  if (wanted(*instruction)) return true;
  if (hides(*instruction)) return false;
  for (const llvm::Value* operand : instruction->operands())
    if (depends(operand, loop, seen, wanted, hides)) return true;
  return false;
}

// The loop in which lanes may wait, or null.
const llvm::Loop* waiting_loop(const llvm::Loop& loop) {
  for (const llvm::Loop* inner : loop)
    if (const llvm::Loop* found = waiting_loop(*inner)) return found;
  if (has(loop, is_block_barrier)) return nullptr;
  const auto waits_here = [&](const llvm::Instruction& instruction) { return is_wait(instruction, loop); };
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  bool waits = !exiting.empty();
  std::set<const llvm::Value*> seen;
  for (const llvm::BasicBlock* block : exiting) {
    const llvm::Instruction* end = block->getTerminator();
    bool this_waits = false;
    for (const llvm::Value* operand : end->operands()) this_waits |= depends(operand, loop, seen, waits_here, is_vote);
    waits &= this_waits;
  }
  return waits ? &loop : nullptr;
}

// Whether strands of other warps or blocks have to run for the loop to end.
bool needs_others(const llvm::Loop& loop) {
  const bool fenced = has(loop, is_fence);
  const auto written_elsewhere = [&](const llvm::Instruction& instruction) {
    return is_wait(instruction, loop) || (fenced && llvm::isa<llvm::LoadInst>(instruction));
  };
  const auto nothing = [](const llvm::Instruction&) { return false; };
  std::set<const llvm::Value*> seen;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Value* operand : block->getTerminator()->operands())
      if (depends(operand, loop, seen, written_elsewhere, nothing)) return true;
  return false;
}

void add_yields(llvm::Module& module, const llvm::Loop& loop) {
  for (const llvm::Loop* inner : loop) add_yields(module, *inner);
  if (!needs_others(loop)) return;
  llvm::Function* yield =
      declare_intrinsic(module, "ww.yield", llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false));
  llvm::SmallVector<llvm::BasicBlock*> latches;
  loop.getLoopLatches(latches);
  for (llvm::BasicBlock* latch : latches) {
    llvm::Instruction* end = latch->getTerminator();
    llvm::CallInst::Create(yield, {}, "", end->getIterator())->setDebugLoc(end->getDebugLoc());
  }
}

unsigned line_of(const llvm::Loop& loop) {
  for (const llvm::Instruction& instruction : *loop.getHeader())
    if (instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0)
      return instruction.getDebugLoc().getLine();
  return 0;
}

}  // namespace

Status mark_lane_waits(PassContext& context) {
  for (llvm::Function& function : context.module) {
    if (function.isDeclaration()) continue;
    const llvm::LoopInfo& loops = context.function_analyses.getResult<llvm::LoopAnalysis>(function);
    for (const llvm::Loop* loop : loops)
      if (const llvm::Loop* waits = waiting_loop(*loop)) {
        function.addFnAttr("ww.lane-wait", std::to_string(line_of(*waits)));
        break;
      }
    for (const llvm::Loop* loop : loops) add_yields(context.module, *loop);
  }
  return {};
}

}  // namespace ww::lower
