// Which values and branches of a per-lane function differ between the lanes of a warp, and where lanes that part meet
// again.
//
// Assumes: prepared functions (prepare.h): one `ret`, conditional or unconditional branches only, simplified loops,
// LCSSA form. Guarantees: a value that is not varying is the same in all lanes that compute it together; a branch that
// is not divergent takes all its lanes the same way. The blocks that may run for a part of the lanes are `parted`.
// After Rosemann, Moll, Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs" (POPL
// 2021), in a simpler form: lanes meet again where the linear order of blocks brings them together.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ww::cpu {

// The blocks of a function in topological order with every loop contiguous.
class BlockOrder {
 public:
  BlockOrder(llvm::Function& function, const llvm::LoopInfo& loops);

  const std::vector<llvm::BasicBlock*>& blocks() const { return blocks_; }
  unsigned index(const llvm::BasicBlock* block) const { return index_.lookup(block); }
  // Index of the last block of a loop.
  unsigned last(const llvm::Loop* loop) const { return last_.lookup(loop); }

 private:
  void append(const llvm::LoopInfo& loops, const llvm::Loop* loop, llvm::BasicBlock* header);

  std::vector<llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> index_;
  llvm::DenseMap<const llvm::Loop*, unsigned> last_;
};

class Divergence {
 public:
  // `is_kernel`: arguments are uniform (a called function's are varying). `block`: the block size, for tid.
  Divergence(llvm::Function& function, const llvm::LoopInfo& loops, bool is_kernel, std::array<uint32_t, 3> block);

  bool varying(const llvm::Value* value) const { return varying_.contains(value); }
  bool divergent(const llvm::BasicBlock* block) const { return divergent_.contains(block); }
  bool parted(const llvm::BasicBlock* block) const { return parted_.contains(block); }
  // The divergent branches behind which `parted_block` may run for a part of the lanes.
  std::vector<const llvm::BasicBlock*> parting(const llvm::BasicBlock* parted_block) const;
  // Whether a branch parts lanes so that some may run one of these blocks, others the other, before they meet again.
  bool on_other_side(const llvm::BasicBlock* a, const llvm::BasicBlock* b) const;
  // Whether lanes of different pasts meet in this block, so that its phis differ between them.
  bool is_join(const llvm::BasicBlock* block) const { return joins_.contains(block); }
  const BlockOrder& order() const { return order_; }

  // The next block of the chain that a parted block belongs to, or the block where all its lanes have met again.
  llvm::BasicBlock* next(const llvm::BasicBlock* parted_block) const { return next_.lookup(parted_block); }

 private:
  struct Walk {
    llvm::BasicBlock* branch = nullptr;
    llvm::SmallVector<llvm::BasicBlock*, 8> parted;
    llvm::SmallVector<llvm::BasicBlock*, 8> joins;
    llvm::BasicBlock* meeting = nullptr;
  };

  bool is_source(const llvm::Instruction& instruction) const;
  bool is_same_in_a_warp(const llvm::Instruction& user, const llvm::Value* operand) const;
  void mark(const llvm::Value* value);
  void propagate(const llvm::Instruction& user, const llvm::Value* operand);
  void diverge(llvm::BasicBlock* block);
  Walk walk(llvm::BasicBlock* branch) const;
  void make_chains();

  const llvm::LoopInfo& loops_;
  BlockOrder order_;
  std::array<uint32_t, 3> block_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_;
  llvm::DenseSet<const llvm::BasicBlock*> parted_, joins_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> next_;
  std::vector<Walk> walks_;
  std::vector<const llvm::Value*> work_;
};

}  // namespace ww::cpu
