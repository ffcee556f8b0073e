// Control flow: which code runs for which lanes.
//
// A block that is not parted runs for all lanes of the function and keeps its branches. Parted blocks stand in chains,
// in linear order: each has a pending mask, runs if that is not empty, and adds to the pending masks of its successors.
// Behind the last block of a parted loop the loop is entered again while lanes are pending at its header.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "cpu/vectorizer.h"

namespace ww::cpu {

// Whether a phi's slot has to keep the values of other lanes when this edge writes it.
bool FunctionVectorizer::edge_needs_blend(BasicBlock& from, BasicBlock& to) const {
  if (!divergence_.parted(&from) && !divergence_.divergent(&from)) return false;
  if (loops_.isLoopHeader(&to)) return false;  // one preheader, one latch: lanes elsewhere have left the loop
  if (loops_.getLoopFor(&from) != loops_.getLoopFor(&to)) return true;  // leaves a loop, in this round or another
  if (to.getSinglePredecessor() != nullptr) return false;
  // The first edge in the order may write all lanes: nobody has written in this round yet.
  const unsigned index = divergence_.order().index(&from);
  for (BasicBlock* other : llvm::predecessors(&to))
    if (other != &from &&
        (divergence_.order().index(other) < index || loops_.getLoopFor(other) != loops_.getLoopFor(&to)))
      return true;
  return false;
}

void FunctionVectorizer::add_pending(BasicBlock& block, Value* mask) {
  llvm::AllocaInst*& place = pending_[&block];
  if (place == nullptr) {
    llvm::IRBuilder<> builder(entry_, entry_->begin());
    place = builder.CreateAlloca(builder.getInt32Ty(), nullptr, block.getName() + ".pending");
    builder.SetInsertPoint(entry_->getTerminator());
    builder.CreateStore(builder.getInt32(0), place);
  }
  Value* old = builder_.CreateLoad(builder_.getInt32Ty(), place);
  builder_.CreateStore(builder_.CreateOr(old, mask), place);
}

// Reads what the edge brings to the phis of `to`.
void FunctionVectorizer::read_edge(BasicBlock& from, BasicBlock& to,
                                   std::vector<std::pair<llvm::PHINode*, Held>>& values, unsigned field) {
  for (llvm::PHINode& phi : to.phis()) {
    if (field >= field_count(phi.getType())) continue;
    const Value* incoming = phi.getIncomingValueForBlock(&from);
    Held held;
    if (in_strips(&phi))
      for (unsigned s = 0; s < strips_; ++s) held.strip[s] = get(incoming, int(s), field);
    else
      held.strip[0] = get(incoming, kUniformStrip, field);
    values.emplace_back(&phi, held);
  }
}

// Writes the phis of `to`, and its pending mask if it is parted. `edge_mask`: the lanes that go this way.
// `is_partial`: lanes of the current block may go elsewhere.
void FunctionVectorizer::emit_edge(BasicBlock& from, BasicBlock& to, Value* edge_mask, bool is_partial) {
  const bool blend = edge_needs_blend(from, to);
  const bool from_part = divergence_.parted(&from) || is_partial;
  unsigned fields = 1;
  for (llvm::PHINode& phi : to.phis()) fields = std::max(fields, field_count(phi.getType()));
  for (unsigned field = 0; field < fields && !to.phis().empty(); ++field) {
    std::vector<std::pair<llvm::PHINode*, Held>> values;
    read_edge(from, to, values, field);
    std::array<Value*, 8> masks{};
    for (auto& [phi, held] : values) {
      if (!in_strips(phi)) {
        llvm::AllocaInst* place = slot(phi, field, kUniformStrip);
        Value* value = held.strip[0];
        if (is_partial) {
          Value* taken = builder_.CreateICmpNE(edge_mask, builder_.getInt32(0));
          value = builder_.CreateSelect(taken, value, builder_.CreateLoad(place->getAllocatedType(), place));
        }
        builder_.CreateStore(value, place);
        continue;
      }
      for (unsigned s = 0; s < strips_; ++s) {
        llvm::AllocaInst* place = slot(phi, field, int(s));
        Value* value = to_slot(held.strip[s]);
        if (blend && from_part) {
          if (masks[s] == nullptr)
            masks[s] =
                edge_mask == mask_ && mask_strip(int(s)) != nullptr ? mask_strip(int(s)) : expand(edge_mask, int(s));
          value = builder_.CreateSelect(masks[s], value, builder_.CreateLoad(place->getAllocatedType(), place));
        }
        builder_.CreateStore(value, place);
      }
    }
  }
  if (divergence_.parted(&to)) add_pending(to, edge_mask);
}

// Behind a parted block: around its loops while lanes are pending there, then to the next block of the chain.
void FunctionVectorizer::leave_parted(BasicBlock& block) {
  const unsigned index = divergence_.order().index(&block);
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
    BasicBlock* header = loop->getHeader();
    if (divergence_.order().last(loop) != index || !divergence_.parted(header)) break;
    BasicBlock* done = BasicBlock::Create(source_.getContext(), block.getName() + ".done", &target_);
    Value* again = builder_.CreateLoad(builder_.getInt32Ty(), pending_.lookup(header));
    builder_.CreateCondBr(builder_.CreateICmpNE(again, builder_.getInt32(0)), bodies_.lookup(header), done);
    builder_.SetInsertPoint(done);
  }
  // Without a next block the chain is a loop that no lane leaves.
  if (BasicBlock* next = divergence_.next(&block))
    builder_.CreateBr(entry_of(*next));
  else
    builder_.CreateRetVoid();
}

Status FunctionVectorizer::emit_terminator(BasicBlock& block) {
  Instruction* terminator = block.getTerminator();
  const bool parted = divergence_.parted(&block);
  if (auto* returns = llvm::dyn_cast<llvm::ReturnInst>(terminator)) {
    emit_return(*returns);
    return {};
  }
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(terminator);
  if (branch == nullptr) return unsupported(*terminator);
  if (branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) {
    BasicBlock& to = *branch->getSuccessor(0);
    emit_edge(block, to, mask_, may_be_empty_);
    if (parted)
      leave_parted(block);
    else
      builder_.CreateBr(entry_of(to));
    return {};
  }
  BasicBlock& yes = *branch->getSuccessor(0);
  BasicBlock& no = *branch->getSuccessor(1);
  if (!divergence_.divergent(&block)) {
    Value* condition = get(branch->getCondition(), kUniformStrip);
    BasicBlock* yes_edge = BasicBlock::Create(source_.getContext(), block.getName() + ".yes", &target_);
    BasicBlock* no_edge = BasicBlock::Create(source_.getContext(), block.getName() + ".no", &target_);
    builder_.CreateCondBr(condition, yes_edge, no_edge);
    BasicBlock* join = parted ? BasicBlock::Create(source_.getContext(), block.getName() + ".left", &target_) : nullptr;
    const auto now = now_;
    const auto splats = splats_;
    const auto mask_strips = mask_strips_;
    for (auto [edge, to] : {std::pair{yes_edge, &yes}, std::pair{no_edge, &no}}) {
      builder_.SetInsertPoint(edge);
      emit_edge(block, *to, mask_, false);
      builder_.CreateBr(parted ? join : entry_of(*to));
      now_ = now;  // what one edge has loaded is not there on the other
      splats_ = splats;
      mask_strips_ = mask_strips;
    }
    if (parted) {
      builder_.SetInsertPoint(join);
      leave_parted(block);
    }
    return {};
  }
  Value* condition = bits_of(branch->getCondition());
  Value* yes_mask = builder_.CreateAnd(mask_, condition);
  Value* no_mask = builder_.CreateAnd(mask_, builder_.CreateNot(condition));
  // Both edges read before either writes: a phi of one may be what the other brings.
  for (BasicBlock* to : {&yes, &no})
    for (llvm::PHINode& phi : to->phis())
      for (unsigned field = 0; field < field_count(phi.getType()); ++field) {
        const Value* incoming = phi.getIncomingValueForBlock(&block);
        for (int s = in_strips(&phi) ? 0 : kUniformStrip; s < (in_strips(&phi) ? int(strips_) : 0); ++s)
          get(incoming, s, field);
      }
  for (auto [to, edge_mask] : {std::pair{&yes, yes_mask}, std::pair{&no, no_mask}}) {
    const bool leaves_loop = loops_.getLoopFor(to) != loops_.getLoopFor(&block) && !to->phis().empty();
    if (leaves_loop) {
      BasicBlock* leave = BasicBlock::Create(source_.getContext(), block.getName() + ".leave", &target_);
      BasicBlock* stay = BasicBlock::Create(source_.getContext(), block.getName() + ".stay", &target_);
      builder_.CreateCondBr(builder_.CreateICmpNE(edge_mask, builder_.getInt32(0)), leave, stay);
      builder_.SetInsertPoint(leave);
      const auto mask_strips = mask_strips_;
      emit_edge(block, *to, edge_mask, true);
      mask_strips_ = mask_strips;
      builder_.CreateBr(stay);
      builder_.SetInsertPoint(stay);
    } else {
      emit_edge(block, *to, edge_mask, true);
    }
  }
  if (parted) {
    leave_parted(block);
    return {};
  }
  BasicBlock* first = nullptr;
  for (BasicBlock* to : {&yes, &no})
    if (divergence_.parted(to) &&
        (first == nullptr || divergence_.order().index(to) < divergence_.order().index(first)))
      first = to;
  builder_.CreateBr(entry_of(first != nullptr ? *first : yes));
  return {};
}

// A parted block that costs less than the test whether it can be skipped, and does no harm without lanes: arithmetic
// only, and no branch that a uniform condition decides (which no lane may have computed).
bool FunctionVectorizer::costs_little(const BasicBlock& block) const {
  constexpr unsigned kFew = 6;
  unsigned count = 0;
  for (const Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator()) continue;
    if (!llvm::isSafeToSpeculativelyExecute(&instruction) || instruction.mayReadOrWriteMemory() ||
        llvm::isa<llvm::AllocaInst>(instruction) || ++count > kFew)
      return false;
    if (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
  }
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch != nullptr && (branch->isUnconditional() || divergence_.divergent(&block));
}

Status FunctionVectorizer::emit_block(BasicBlock& block) {
  current_ = &block;
  now_.clear();
  splats_.clear();
  fragment_homes_.clear();
  result_homes_.clear();
  homes_end_ = 0;
  mask_strips_ = {};
  builder_.SetInsertPoint(entry_of(block));
  mask_ = start_mask_;
  may_be_empty_ = false;
  if (divergence_.parted(&block)) {
    add_pending(block, builder_.getInt32(0));
    llvm::AllocaInst* place = pending_.lookup(&block);
    BasicBlock* body = bodies_.lookup(&block);
    may_be_empty_ = costs_little(block);
    if (may_be_empty_) {
      builder_.CreateBr(body);
    } else {
      Value* waiting = builder_.CreateLoad(builder_.getInt32Ty(), place);
      BasicBlock* skip = BasicBlock::Create(source_.getContext(), block.getName() + ".skip", &target_);
      builder_.CreateCondBr(builder_.CreateICmpNE(waiting, builder_.getInt32(0)), body, skip);
      builder_.SetInsertPoint(skip);
      // Loops that end here may have lanes that went around from an earlier block.
      leave_parted(block);
    }
    builder_.SetInsertPoint(body);
    mask_ = builder_.CreateLoad(builder_.getInt32Ty(), place);
    builder_.CreateStore(builder_.getInt32(0), place);
  }
  std::vector<Instruction*> segment;
  for (Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator()) continue;
    if (!segment.empty() && (is_whole(instruction) || breaks_segment(segment, instruction))) {
      WW_TRY(emit_segment(segment));
      segment.clear();
    }
    if (is_whole(instruction))
      WW_TRY(emit_whole(instruction));
    else
      segment.push_back(&instruction);
  }
  WW_TRY(emit_segment(segment));
  return emit_terminator(block);
}

}  // namespace ww::cpu
