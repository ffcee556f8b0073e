#include "cpu/divergence.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>

#include "cpu/prepare.h"

namespace ww::cpu {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;

BlockOrder::BlockOrder(llvm::Function& function, const llvm::LoopInfo& loops) {
  append(loops, nullptr, &function.getEntryBlock());
  for (unsigned i = 0; i < blocks_.size(); ++i)
    for (const Loop* loop = loops.getLoopFor(blocks_[i]); loop != nullptr; loop = loop->getParentLoop())
      last_[loop] = std::max(last_.lookup(loop), i);
}

// The loop of level `level` that contains the block: a child of `level`, or `level` itself.
static const Loop* child_at(const llvm::LoopInfo& loops, const BasicBlock* block, const Loop* level) {
  const Loop* loop = loops.getLoopFor(block);
  while (loop != level && loop->getParentLoop() != level) loop = loop->getParentLoop();
  return loop;
}

void BlockOrder::append(const llvm::LoopInfo& loops, const Loop* level, BasicBlock* header) {
  // Depth-first search over the level's nodes: its own blocks, and inner loops as one node each (named by their
  // header).
  llvm::DenseSet<const BasicBlock*> seen;
  std::vector<BasicBlock*> post_order;
  struct Frame {
    BasicBlock* node;
    std::vector<BasicBlock*> successors;
    size_t next = 0;
  };
  const auto successors_of = [&](BasicBlock* node) {
    std::vector<BasicBlock*> result;
    const Loop* inner = child_at(loops, node, level);
    const auto add = [&](BasicBlock* target) {
      if (level != nullptr && !level->contains(target)) return;
      if (target == header) return;
      const Loop* target_inner = child_at(loops, target, level);
      result.push_back(target_inner == level ? target : target_inner->getHeader());
    };
    if (inner == level) {
      for (BasicBlock* target : llvm::successors(node)) add(target);
    } else {
      llvm::SmallVector<BasicBlock*, 8> exits;
      inner->getUniqueExitBlocks(exits);
      for (BasicBlock* target : exits) add(target);
    }
    return result;
  };
  std::vector<Frame> stack;
  seen.insert(header);
  stack.push_back({header, successors_of(header)});
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.successors.size()) {
      BasicBlock* target = top.successors[top.next++];
      if (seen.insert(target).second) stack.push_back({target, successors_of(target)});
      continue;
    }
    post_order.push_back(top.node);
    stack.pop_back();
  }
  for (BasicBlock* node : llvm::reverse(post_order)) {
    const Loop* inner = child_at(loops, node, level);
    if (inner == level) {
      index_[node] = unsigned(blocks_.size());
      blocks_.push_back(node);
    } else {
      append(loops, inner, node);
    }
  }
}

Divergence::Divergence(llvm::Function& function, const llvm::LoopInfo& loops, bool is_kernel,
                       std::array<uint32_t, 3> block)
    : loops_(loops), order_(function, loops), block_(block) {
  if (!is_kernel)
    for (llvm::Argument& argument : function.args()) mark(&argument);
  for (Instruction& instruction : llvm::instructions(function))
    if (is_source(instruction)) mark(&instruction);
  while (!work_.empty()) {
    const llvm::Value* value = work_.back();
    work_.pop_back();
    for (const llvm::User* user : value->users())
      if (const auto* instruction = llvm::dyn_cast<Instruction>(user)) propagate(*instruction, value);
  }
  make_chains();
}

bool Divergence::is_source(const Instruction& instruction) const {
  if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getType()->isVoidTy()) return false;
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr) return true;
  if (callee->isIntrinsic()) return false;
  const llvm::StringRef name = callee->getName();
  if (!name.starts_with("ww.")) return true;
  if (name == "ww.tid.x") return true;
  if (name == "ww.tid.y" || name == "ww.tid.z") return block_[0] % 32 != 0;
  static constexpr llvm::StringRef kUniform[] = {
      "ww.ntid.",           "ww.ctaid.",      "ww.nctaid.",        "ww.warpid",
      "ww.nwarpid",         "ww.smid",        "ww.nsmid",          "ww.dynamic_smem_size",
      "ww.total_smem_size", "ww.gridid",      "ww.grid_workspace", "ww.clock64",
      "ww.globaltimer",     "ww.vote.",       "ww.activemask",     "ww.redux.",
      "ww.barrier.",        "ww.isspacep.",   "ww.txq.",           "ww.suq.",
      "ww.clusterid.",      "ww.nclusterid.", "ww.cluster_",       "ww.mapa",
      "ww.getctarank"};
  return std::none_of(std::begin(kUniform), std::end(kUniform),
                      [&](llvm::StringRef uniform) { return name.starts_with(uniform); });
}

void Divergence::mark(const llvm::Value* value) {
  if (varying_.insert(value).second) work_.push_back(value);
}

// The operand that decides whether the result of a cross-lane function is uniform; -1: all do.
static int deciding_operand(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return -1;
  const llvm::StringRef name = callee->getName();
  if (name.starts_with("ww.vote.") || name.starts_with("ww.redux.")) return 1;  // the member mask
  if (name.starts_with("ww.barrier.red.")) return 0;
  return -1;
}

bool Divergence::on_other_side(const BasicBlock* a, const BasicBlock* b) const {
  for (const Walk& walk : walks_) {
    if (!llvm::is_contained(walk.parted, a) || !llvm::is_contained(walk.parted, b)) continue;
    // What each side reaches of the parted blocks.
    std::array<llvm::DenseSet<const BasicBlock*>, 2> reached;
    unsigned side = 0;
    for (const BasicBlock* successor : llvm::successors(walk.branch)) {
      std::vector<const BasicBlock*> work{successor};
      while (!work.empty() && side < 2) {
        const BasicBlock* block = work.back();
        work.pop_back();
        if (block == walk.branch || !llvm::is_contained(walk.parted, block) || !reached[side].insert(block).second)
          continue;
        for (const BasicBlock* next : llvm::successors(block)) work.push_back(next);
      }
      ++side;
    }
    if ((reached[0].contains(a) && reached[1].contains(b)) || (reached[1].contains(a) && reached[0].contains(b)))
      return true;
  }
  return false;
}

// Whether what is computed from a thread's number is a matter of its warp: tid.x / 64, tid.x < 96.
bool Divergence::is_same_in_a_warp(const Instruction& user, const llvm::Value* operand) const {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(operand);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->getCalledFunction()->getName() != "ww.tid.x")
    return false;
  // A warp is 32 neighbours in x.
  if (block_[0] % 32 != 0 && block_[1] * block_[2] != 1) return false;
  if (user.getNumOperands() < 2 || user.getOperand(0) != operand) return false;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(user.getOperand(1));
  if (constant == nullptr) return false;
  const uint64_t value = constant->getZExtValue();
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&user)) {
    switch (compare->getPredicate()) {
      case llvm::CmpInst::ICMP_ULT:
      case llvm::CmpInst::ICMP_UGE:
      case llvm::CmpInst::ICMP_SLT:
      case llvm::CmpInst::ICMP_SGE:
        return value % 32 == 0;
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_ULE:
      case llvm::CmpInst::ICMP_SGT:
      case llvm::CmpInst::ICMP_SLE:
        return value % 32 == 31;
      default:
        return false;
    }
  }
  switch (user.getOpcode()) {
    case Instruction::LShr:
      return value >= 5;
    case Instruction::And:
      return value % 32 == 0;
    case Instruction::UDiv:
      return value != 0 && value % 32 == 0;
    default:
      return false;
  }
}

void Divergence::propagate(const Instruction& user, const llvm::Value* operand) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&user)) {
    if (branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
      diverge(const_cast<BasicBlock*>(branch->getParent()));
    return;
  }
  if (user.getType()->isVoidTy() || is_same_in_a_warp(user, operand)) return;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&user)) {
    const int deciding = deciding_operand(*call);
    if (deciding >= 0 && call->getArgOperand(unsigned(deciding)) != operand) return;
  }
  mark(&user);
}

void Divergence::diverge(BasicBlock* block) {
  if (!divergent_.insert(block).second) return;
  Walk result = walk(block);
  for (BasicBlock* parted : result.parted) parted_.insert(parted);
  for (BasicBlock* join : result.joins) {
    joins_.insert(join);
    for (llvm::PHINode& phi : join->phis()) {
      const llvm::Value* same = phi.hasConstantValue();
      const bool is_loop_value =
          llvm::isa_and_nonnull<Instruction>(same) &&
          loops_.getLoopFor(llvm::cast<Instruction>(same)->getParent()) != loops_.getLoopFor(join);
      if (same == nullptr || is_loop_value) mark(&phi);
    }
  }
  walks_.push_back(std::move(result));
}

// Follows the lanes that part at a branch, block by block in the linear order, until one block is left that all of
// them go to. Labels tell the groups apart: where two labels meet, values of phis differ between lanes.
Divergence::Walk Divergence::walk(BasicBlock* branch) const {
  Walk result;
  result.branch = branch;
  const Loop* level = loops_.getLoopFor(branch);
  std::map<unsigned, const BasicBlock*> frontier;  // by index in the order: its label
  std::map<unsigned, llvm::SmallVector<const BasicBlock*, 2>>
      exits;                                     // blocks outside of the level: labels that reach them
  llvm::SmallVector<const BasicBlock*, 2> back;  // labels that reach the header again
  llvm::DenseSet<const BasicBlock*> joined;
  const auto add_label = [](llvm::SmallVector<const BasicBlock*, 2>& labels, const BasicBlock* label) {
    if (!llvm::is_contained(labels, label)) labels.push_back(label);
  };
  const auto join = [&](BasicBlock* block) {
    if (joined.insert(block).second) result.joins.push_back(block);
  };
  const auto enter = [&](BasicBlock* block, const BasicBlock* label) {
    if (level != nullptr && block == level->getHeader()) {
      add_label(back, label);
    } else if (level != nullptr && !level->contains(block)) {
      add_label(exits[order_.index(block)], label);
    } else {
      const auto [place, is_new] = frontier.try_emplace(order_.index(block), label);
      if (!is_new && place->second != label) {
        place->second = block;
        join(block);
      }
    }
  };
  for (BasicBlock* target : llvm::successors(branch)) enter(target, target);
  while (true) {
    if (frontier.empty()) {
      if (back.size() > 1) join(level->getHeader());
      for (auto& [index, labels] : exits)
        if (labels.size() > 1) join(order_.blocks()[index]);
      if (exits.size() + (back.empty() ? 0 : 1) <= 1) {
        result.meeting = !back.empty()   ? level->getHeader()
                         : exits.empty() ? nullptr
                                         : order_.blocks()[exits.begin()->first];
        break;
      }
      // Lanes leave the loop at different places or in different rounds.
      std::vector<std::pair<BasicBlock*, const BasicBlock*>> next;
      if (!back.empty()) {
        for (BasicBlock* block : level->blocks()) result.parted.push_back(block);
        llvm::SmallVector<BasicBlock*, 8> loop_exits;
        level->getUniqueExitBlocks(loop_exits);
        for (BasicBlock* block : loop_exits) {
          join(block);
          next.emplace_back(block, block);
        }
      } else {
        for (auto& [index, labels] : exits) {
          BasicBlock* block = order_.blocks()[index];
          next.emplace_back(block, labels.size() > 1 ? block : labels[0]);
        }
      }
      back.clear();
      exits.clear();
      level = level->getParentLoop();
      for (auto& [block, label] : next) enter(block, label);
      continue;
    }
    if (frontier.size() == 1 && back.empty() && exits.empty()) {
      result.meeting = order_.blocks()[frontier.begin()->first];
      break;
    }
    const auto [index, label] = *frontier.begin();
    frontier.erase(frontier.begin());
    BasicBlock* block = order_.blocks()[index];
    const Loop* inner = child_at(loops_, block, level);
    if (inner == level) {
      result.parted.push_back(block);
      for (BasicBlock* target : llvm::successors(block)) enter(target, label);
    } else {
      for (BasicBlock* inner_block : inner->blocks()) result.parted.push_back(inner_block);
      llvm::SmallVector<BasicBlock*, 8> loop_exits;
      inner->getUniqueExitBlocks(loop_exits);
      for (BasicBlock* target : loop_exits) enter(target, label);
    }
  }
  return result;
}

std::vector<const BasicBlock*> Divergence::parting(const BasicBlock* parted_block) const {
  std::vector<const BasicBlock*> branches;
  for (const Walk& walk : walks_)
    if (llvm::is_contained(walk.parted, parted_block)) branches.push_back(walk.branch);
  return branches;
}

void Divergence::make_chains() {
  llvm::EquivalenceClasses<const BasicBlock*> chains;
  for (const BasicBlock* block : parted_) chains.insert(block);
  for (const Walk& walk : walks_) {
    const BasicBlock* first = parted(walk.branch) ? walk.branch : walk.parted.empty() ? nullptr : walk.parted.front();
    if (first == nullptr) continue;
    for (BasicBlock* block : walk.parted) chains.unionSets(first, block);
    if (walk.meeting != nullptr && parted(walk.meeting)) chains.unionSets(first, walk.meeting);
  }
  llvm::DenseMap<const BasicBlock*, BasicBlock*> meeting;
  for (const Walk& walk : walks_) {
    const BasicBlock* first = parted(walk.branch) ? walk.branch : walk.parted.empty() ? nullptr : walk.parted.front();
    if (first != nullptr && walk.meeting != nullptr && !parted(walk.meeting))
      meeting[chains.getLeaderValue(first)] = walk.meeting;
  }
  llvm::DenseMap<const BasicBlock*, BasicBlock*> following;
  for (BasicBlock* block : llvm::reverse(order_.blocks())) {
    if (!parted(block)) continue;
    const BasicBlock* chain = chains.getLeaderValue(block);
    BasicBlock*& later = following[chain];
    next_[block] = later != nullptr ? later : meeting.lookup(chain);
    later = block;
  }
}

}  // namespace ww::cpu
