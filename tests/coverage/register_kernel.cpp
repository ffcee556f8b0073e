// Forms whose operands are registers and constants.
#include <algorithm>

#include "coverage/form_kernel.h"
#include "coverage/operand_ways.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// How four or two values of a matrix lie in a 32-bit register.
struct PackedType {
  Type element, packed;
};
constexpr PackedType kPackedTypes[] = {{Type::kF16, Type::kF16x2},
                                       {Type::kBF16, Type::kBF16x2},
                                       {Type::kTF32, Type::kTF32},
                                       {Type::kE4M3, Type::kE4M3x4},
                                       {Type::kE5M2, Type::kE5M2x4}};

class Builder {
 public:
  Builder(const Form& form, const std::string& name)
      : form_(form), instruction_(instruction_of(form)), writer_(form, name) {}

  std::optional<Kernel> build() {
    const CompiledForm& row = form_.compiled();
    for (const OperandSpec& spec : row.operands)
      if (!spec.optional && !add_operand(spec)) return {};
    carries_ = row.form->instruction_class == InstructionClass::kCarry;
    if (carries_) {
      writer_.declare("cc", 32);
      writer_.load("cin", {Type::kU32, "carry"});
    }
    for (const std::vector<std::string>& operands : variants()) run(operands);
    if (!writer_.has_lines()) return {};
    return writer_.finish();
  }

 private:
  struct Slot {
    std::string name;
    Type type = Type::kNone;
  };

  // Of a matrix the elements' type: those of the suffixes are d, a, b, c, or d and c where a and b are f16.
  Column column_of(const OperandSpec& spec, Type type) const {
    Column column{type, std::string(spec.name)};
    if (form_.compiled().form->instruction_class != InstructionClass::kMatrix) return column;
    column.use = spec.name == "e" ? ColumnUse::kMetadata : ColumnUse::kMatrix;
    if (type != Type::kB32 || instruction_.type_count < 2) return column;
    const bool all = instruction_.type_count == 4;
    const Type element = spec.name == "c" ? instruction_.type(all ? 3 : 1)
                         : !all           ? Type::kF16
                                          : instruction_.type(spec.name == "a" ? 1 : 2);
    for (const PackedType& packed : kPackedTypes)
      if (packed.element == element) column.type = packed.packed;
    return column;
  }

  // A register for one scalar of the operand, loaded if it is a source; its name.
  std::optional<std::string> add_scalar(const OperandSpec& spec, Type type) {
    if (type == Type::kNone) return {};
    const std::string name = std::string(spec.name) + std::to_string(slots_++);
    if (spec.role == OperandRole::kDestination) {
      writer_.declare(name, register_bits(type));
      destinations_.push_back({name, type});
    } else {
      writer_.load(name, column_of(spec, type));
    }
    return name;
  }

  std::optional<std::string> add_vector(const OperandSpec& spec, Type type, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i) {
      const auto name = add_scalar(spec, type);
      if (!name) return {};
      text += (i == 0 ? "" : ", ") + *name;
    }
    return text + "}";
  }

  bool add_operand(const OperandSpec& spec) {
    const Type type = operand_type(spec, instruction_);
    std::vector<std::string> ways;
    if (spec.constant_only) {
      ways = operand_constants(spec);
    } else if (spec.role != OperandRole::kDestination && spec.role != OperandRole::kSource) {
      return false;
    } else if (spec.name == "m" && form_.compiled().form->instruction_class == InstructionClass::kWarp) {
      ways = {"0xffffffff"};
    } else if (spec.shape == OperandShape::kScalar) {
      if (const auto name = add_scalar(spec, type)) ways = ways_of(spec, *name, type);
    } else if (spec.shape == OperandShape::kFixedVector) {
      if (const auto vector = add_vector(spec, type, spec.count)) ways = {*vector};
    } else if (spec.shape == OperandShape::kPackedVector && bits(type) >= 32) {  // halves of b16 would be .b8 registers
      const unsigned half = bits(type) / 2;
      const Type part = half == 16 ? Type::kB16 : half == 32 ? Type::kB32 : Type::kB64;
      if (const auto vector = add_vector(spec, part, 2)) ways = {*vector};
    }
    if (ways.empty()) return false;
    ways_.push_back(std::move(ways));
    return true;
  }

  // The ways in which a register can stand for the operand, the plain one first.
  std::vector<std::string> ways_of(const OperandSpec& spec, const std::string& name, Type type) {
    if (spec.pair) {
      const auto second = add_scalar(spec, Type::kPred);
      const std::string both = name + "|" + *second;
      return spec.pair_required ? std::vector<std::string>{both} : std::vector<std::string>{name, both};
    }
    std::vector<std::string> ways = {name};
    if (spec.negatable) ways.push_back((type == Type::kPred ? "!" : "-") + name);
    if (spec.selector)
      for (const std::string& selector :
           operand_selectors(ptx::spelling(instruction_.opcode), spec.role == OperandRole::kDestination))
        if (!selector.empty()) ways.push_back(name + selector);
    return ways;
  }

  // Operand lists: every operand plain; each in each of its other ways; all in their second way, third way ...
  std::vector<std::vector<std::string>> variants() const {
    std::vector<std::vector<std::string>> lists(1);
    size_t most = 0;
    for (const auto& ways : ways_) {
      lists[0].push_back(ways[0]);
      most = std::max(most, ways.size());
    }
    for (size_t i = 0; i < ways_.size(); ++i)
      for (size_t k = 1; k < ways_[i].size(); ++k) {
        lists.push_back(lists[0]);
        lists.back()[i] = ways_[i][k];
      }
    for (size_t k = 1; k < most; ++k) {
      lists.emplace_back();
      for (const auto& ways : ways_) lists.back().push_back(ways[std::min(k, ways.size() - 1)]);
    }
    std::vector<std::vector<std::string>> distinct;
    for (auto& list : lists)
      if (std::find(distinct.begin(), distinct.end(), list) == distinct.end()) distinct.push_back(std::move(list));
    return distinct;
  }

  void run(const std::vector<std::string>& operands) {
    std::string text;
    for (const std::string& operand : operands) text += (text.empty() ? "" : ", ") + operand;
    if (!writer_.is_legal(text) || is_past_metadata(operands.back())) return;
    for (const Slot& slot : destinations_) writer_.clear(slot.name, register_bits(slot.type));
    if (carries_) writer_.add("add.cc.u32 cc, cin, 0xffffffff;");
    writer_.add_instruction(text);
    if (carries_) writer_.add("addc.u32 cc, 0, 0;");
    for (const Slot& slot : destinations_) writer_.store(slot.name, slot.type);
    if (carries_) writer_.store("cc", Type::kU32);
  }

  // The manual has two selectors of m16n8k32 of f16. NVIDIA's assembler takes four of them where sums are f32, and
  // makes an illegal instruction of two.
  bool is_past_metadata(const std::string& last_operand) const {
    return instruction_.opcode == Opcode::kMma && instruction_.has(Modifier::kM16n8k32) &&
           instruction_.type_count == 4 && instruction_.type(1) == Type::kF16 &&
           (last_operand == "2" || last_operand == "3");
  }

  const Form& form_;
  Instruction instruction_;
  KernelWriter writer_;
  std::vector<std::vector<std::string>> ways_;  // of each operand
  std::vector<Slot> destinations_;
  unsigned slots_ = 0;
  bool carries_ = false;
};

}  // namespace

std::optional<Kernel> register_kernel(const Form& form, const std::string& name) {
  if (!is_value_form(*form.compiled().form)) return {};
  return Builder(form, name).build();
}

}  // namespace ww::coverage
