#include "coverage/operand_ways.h"

#include <algorithm>
#include <iterator>

namespace ww::coverage {

using namespace ptx;

namespace {

// Constants for operands that must be one. 0x96 and 0xe8 are parity and majority, 0xca is a selection.
struct ConstantChoice {
  std::string_view operand;
  std::vector<std::string_view> values;
};
const ConstantChoice kConstants[] = {{"lut", {"0x96", "0xe8", "0xca", "0x80", "0x1b", "0xff"}},
                                     {"f", {"0", "1", "2", "3"}}};

}  // namespace

std::vector<std::string> operand_constants(const OperandSpec& spec) {
  for (const ConstantChoice& choice : kConstants)
    if (choice.operand == spec.name) return {choice.values.begin(), choice.values.end()};
  return {};
}

std::vector<std::string> operand_selectors(std::string_view opcode, bool destination) {
  if (opcode.ends_with('2'))
    return destination ? std::vector<std::string>{"", ".h0", ".h1", ".h10"}
                       : std::vector<std::string>{"", ".h32", ".h01", ".h13"};
  if (opcode.ends_with('4'))
    return destination ? std::vector<std::string>{"", ".b2", ".b31", ".b3210"}
                       : std::vector<std::string>{"", ".b7654", ".b0246", ".b5173"};
  return {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
}

bool is_value_form(const InstructionForm& row) {
  static constexpr InstructionClass kClasses[] = {InstructionClass::kInteger, InstructionClass::kCarry,
                                                  InstructionClass::kFloat,   InstructionClass::kHalf,
                                                  InstructionClass::kLogic,   InstructionClass::kComparison,
                                                  InstructionClass::kMove,    InstructionClass::kConversion,
                                                  InstructionClass::kVideo,   InstructionClass::kWarp};
  if (row.instruction_class == InstructionClass::kMatrix) {
    return row.opcode == Opcode::kMma || row.opcode == Opcode::kMovmatrix;  // where wmma's values lie is not specified
  }
  return row.opcode != Opcode::kCvta &&
         std::find(std::begin(kClasses), std::end(kClasses), row.instruction_class) != std::end(kClasses);
}

}  // namespace ww::coverage
