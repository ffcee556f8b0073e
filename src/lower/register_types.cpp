// Assumes nothing but resolved operands. Guarantees only a good guess: a wrong one costs bitcasts, never correctness.
#include "lower/register_types.h"

namespace ww::lower {
namespace {

enum class Vote { kNone, kInteger, kFloat };

// What an operand position says about a register that stands there. Moves of untyped bits say nothing.
Vote vote_of(const ptx::Instruction& instruction, ptx::Type type) {
  switch (type) {
    case ptx::Type::kF16:
    case ptx::Type::kF32:
    case ptx::Type::kF64:
      return Vote::kFloat;
    case ptx::Type::kB16:
    case ptx::Type::kB32:
    case ptx::Type::kB64:
      switch (instruction.opcode) {
        case ptx::Opcode::kMov:
        case ptx::Opcode::kLd:
        case ptx::Opcode::kLdu:
        case ptx::Opcode::kSt:
        case ptx::Opcode::kSelp:
        case ptx::Opcode::kShfl:
        case ptx::Opcode::kSuld:
        case ptx::Opcode::kSust:
          return Vote::kNone;
        default:
          return Vote::kInteger;
      }
    default:
      return Vote::kInteger;
  }
}

class Poll {
 public:
  explicit Poll(const ptx::Function& function) : function_(function), balance_(function.register_types.size()) {}

  void count(const ptx::Operand& operand, const ptx::Instruction& instruction, ptx::Type type) {
    switch (operand.kind) {
      case ptx::OperandKind::kRegister:
        if (ptx::bits(function_.register_types[operand.index]) != ptx::bits(type)) return;
        switch (vote_of(instruction, type)) {
          case Vote::kFloat:
            ++balance_[operand.index];
            break;
          case Vote::kInteger:
            --balance_[operand.index];
            break;
          case Vote::kNone:
            break;
        }
        break;
      case ptx::OperandKind::kVector:
      case ptx::OperandKind::kPair:
      case ptx::OperandKind::kList:
        for (const ptx::Operand& element : function_.elements(operand)) count(element, instruction, type);
        break;
      case ptx::OperandKind::kAddress:
        if (operand.base == ptx::OperandKind::kRegister) --balance_[operand.index];
        break;
      default:
        break;
    }
  }

  std::vector<bool> result() const {
    std::vector<bool> floating(balance_.size());
    for (size_t i = 0; i < balance_.size(); ++i) {
      const ptx::Type type = function_.register_types[i];
      floating[i] =
          balance_[i] > 0 ||
          (balance_[i] == 0 && (type == ptx::Type::kF16 || type == ptx::Type::kF32 || type == ptx::Type::kF64));
    }
    return floating;
  }

 private:
  const ptx::Function& function_;
  std::vector<int> balance_;
};

}  // namespace

std::vector<bool> floating_point_registers(const ptx::Function& function) {
  Poll poll(function);
  for (const ptx::Instruction& instruction : function.instructions) {
    const auto operands = function.operands_of(instruction);
    for (unsigned i = 0; i < operands.size(); ++i) {
      // Matrix instructions name one type an operand; conversions, set and slct name the result's first and the
      // source's last.
      unsigned position = i == 0 ? 0 : instruction.type_count - 1;
      if (instruction.opcode == ptx::Opcode::kMma || instruction.opcode == ptx::Opcode::kWmma)
        position = std::min<unsigned>(i, instruction.type_count - 1);
      poll.count(operands[i], instruction, instruction.type(position));
    }
  }
  return poll.result();
}

}  // namespace ww::lower
