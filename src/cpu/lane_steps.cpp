#include "cpu/lane_steps.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

namespace ww::cpu {

using llvm::Instruction;

// Steps of narrower integers are kept sign-extended.
static int64_t normalized(int64_t step, unsigned bits) {
  return bits >= 64 ? step : int64_t(uint64_t(step) << (64 - bits)) >> (64 - bits);
}

static unsigned width(const llvm::Type* type, const llvm::DataLayout& layout) {
  if (type->isPointerTy()) return layout.getPointerSizeInBits(type->getPointerAddressSpace());
  return type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
}

LaneSteps::LaneSteps(const llvm::Function& function, const Divergence& divergence, std::array<uint32_t, 3> block)
    : divergence_(divergence), layout_(function.getDataLayout()), block_(block) {
  // Definitions come before uses in the order of blocks, except around loops: a phi of a header is taken to go by its
  // first value's step, and all is found anew without it if its other value disagrees.
  llvm::DenseSet<const llvm::PHINode*> refused;
  bool again = true;
  while (again) {
    again = false;
    steps_.clear();
    for (const llvm::BasicBlock* source : divergence.order().blocks())
      for (const Instruction& instruction : *source) {
        if (!divergence.varying(&instruction)) continue;
        const unsigned bits = width(instruction.getType(), layout_);
        if (bits < 8 || bits > 64) continue;
        if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction); phi != nullptr && refused.contains(phi))
          continue;
        if (const auto found = find(instruction)) steps_[&instruction] = normalized(*found, bits);
      }
    for (auto& [value, step] : steps_) {
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
      if (phi == nullptr) continue;
      for (const llvm::Value* incoming : phi->incoming_values()) {
        const auto other = of_operand(incoming);
        if (other && normalized(*other, width(phi->getType(), layout_)) == step) continue;
        again |= refused.insert(phi).second;
      }
    }
  }
}

std::optional<int64_t> LaneSteps::step(const llvm::Value* value) const {
  const auto found = steps_.find(value);
  return found == steps_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int64_t> LaneSteps::of_operand(const llvm::Value* value) const {
  return divergence_.varying(value) ? step(value) : 0;
}

std::optional<int64_t> LaneSteps::find(const Instruction& instruction) const {
  const auto operand = [&](unsigned i) { return of_operand(instruction.getOperand(i)); };
  switch (instruction.getOpcode()) {
    case Instruction::Call: {
      const llvm::Function* callee = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
      if (callee == nullptr) return {};
      if (callee->getName() == "ww.laneid") return 1;
      if (callee->getName() == "ww.tid.x" && (block_[0] % 32 == 0 || block_[1] * block_[2] == 1)) return 1;
      return {};
    }
    case Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) return {};
      [[fallthrough]];
    case Instruction::Add: {
      const auto a = operand(0), b = operand(1);
      return a && b ? std::optional(*a + *b) : std::nullopt;
    }
    case Instruction::Sub: {
      const auto a = operand(0), b = operand(1);
      return a && b ? std::optional(*a - *b) : std::nullopt;
    }
    case Instruction::Mul:
    case Instruction::Shl: {
      const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      const auto a = operand(0);
      if (factor == nullptr || !a || factor->getBitWidth() > 64) return {};
      if (instruction.getOpcode() == Instruction::Mul) return *a * factor->getSExtValue();
      return factor->getZExtValue() < 32 ? std::optional(int64_t(uint64_t(*a) << factor->getZExtValue()))
                                         : std::nullopt;
    }
    case Instruction::Trunc:
      return operand(0);
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      return width(instruction.getType(), layout_) <= width(instruction.getOperand(0)->getType(), layout_)
                 ? operand(0)
                 : std::nullopt;
    case Instruction::ZExt:
    case Instruction::SExt: {
      // Values of all lanes in the lower half of the range: going up or down by the step nowhere wraps around.
      const auto a = operand(0);
      const unsigned bits = width(instruction.getOperand(0)->getType(), layout_);
      if (!a || bits < 8 || std::abs(*a) >= int64_t(1) << (bits - 7)) return {};
      if (llvm::computeKnownBits(instruction.getOperand(0), layout_).countMinLeadingZeros() == 0) return {};
      return a;
    }
    case Instruction::GetElementPtr: {
      const auto& gep = llvm::cast<llvm::GetElementPtrInst>(instruction);
      const unsigned bits = layout_.getIndexTypeSizeInBits(gep.getPointerOperandType());
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
      llvm::APInt constant(bits, 0);
      auto total = operand(0);
      if (!total || !gep.collectOffset(layout_, bits, variable, constant)) return {};
      for (auto& [index, scale] : variable) {
        const auto step = of_operand(index);
        if (!step || (*step != 0 && width(index->getType(), layout_) < bits)) return {};
        *total += *step * scale.getSExtValue();
      }
      return total;
    }
    case Instruction::PHI: {
      // Blends of lanes would break the row.
      if (divergence_.parted(instruction.getParent()) || divergence_.is_join(instruction.getParent())) return {};
      const auto& phi = llvm::cast<llvm::PHINode>(instruction);
      std::optional<int64_t> common;
      for (const llvm::Value* incoming : phi.incoming_values()) {
        const auto step = of_operand(incoming);
        if (divergence_.varying(incoming) && !step && llvm::isa<Instruction>(incoming) &&
            divergence_.order().index(llvm::cast<Instruction>(incoming)->getParent()) >=
                divergence_.order().index(phi.getParent()))
          continue;  // around the loop, not yet known; checked at the end
        if (!step || (common && *common != *step)) return {};
        common = step;
      }
      return common;
    }
    default:
      return {};
  }
}

}  // namespace ww::cpu
