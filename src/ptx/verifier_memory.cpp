// Memory: addresses and their state spaces, order and scope, cache policies, alignment that is known from the text.
#include <algorithm>
#include <optional>

#include "ptx/verifier_state.h"

namespace ww::ptx {

namespace {

std::string_view space_name(Space space) {
  const std::string_view word = spelling(space);
  return word.empty() ? "generic" : word;
}

bool is_memory(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kRed:
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kWmma:
    case Opcode::kPrefetch:
      return true;
    default:
      return false;
  }
}

// Any integer register holds an address of ld, st and atom, a narrow one too; these take wider ones alone.
struct AddressWidth {
  Opcode opcode;
  std::optional<Modifier> modifier;  // of the instructions meant
  bool generic;                      // only those without a state space
  uint8_t least;                     // bits
};
constexpr AddressWidth kAddressWidths[] = {
    {Opcode::kWmma, {}, false, 32},
    {Opcode::kLdmatrix, {}, true, 32},
    {Opcode::kStmatrix, {}, true, 32},
    {Opcode::kTensormap, Modifier::kReplace, false, 32},
    {Opcode::kPrefetch, Modifier::kTensormap, false, 32},
    {Opcode::kCreatepolicy, {}, false, 32},
    {Opcode::kSt, Modifier::kAsync, false, 32},
    {Opcode::kRed, Modifier::kAsync, false, 32},
    {Opcode::kCp, Modifier::kMbarrier, false, 32},
    {Opcode::kMultimem, Modifier::kRed, false, 64},
};

unsigned least_address_bits(const Instruction& instruction, std::string_view operand) {
  if (operand == "mbar") return 0;
  for (const AddressWidth& row : kAddressWidths) {
    if (row.opcode != instruction.opcode || (row.modifier && !instruction.has(*row.modifier))) continue;
    if (row.generic && (instruction.has(Modifier::kShared) || instruction.has(Modifier::kSharedCta))) continue;
    return row.least;
  }
  return 0;
}

// ldmatrix and stmatrix know no other space than shared.
Space addressed_space(const Instruction& instruction) {
  const bool moves_matrix = instruction.opcode == Opcode::kLdmatrix || instruction.opcode == Opcode::kStmatrix;
  return moves_matrix ? Space::kShared : space_of(instruction);
}

}  // namespace

bool Verifier::check_address(size_t index, const Operand& operand) {
  const OperandKind kind = operand.kind == OperandKind::kAddress ? operand.base : operand.kind;
  if (kind != OperandKind::kRegister) return true;
  const Type type = function_->register_types[operand.index];
  const unsigned least = least_address_bits(*instruction_, specs_[index]->name);
  if (is_float(type) || type == Type::kPred || bits(type) > 64 || bits(type) < least)
    return fail_operand(index, "an address in a register of the wrong type",
                        '\'' + function_->register_name(operand.index) + "' of type ." + std::string(spelling(type)),
                        least == 0 ? "an integer or bit type"
                                   : "an integer or bit type of at least " + std::to_string(least) + " bits");
  return true;
}

bool Verifier::check_alignment(size_t index, const Operand& operand, unsigned bytes) {
  if (operand.kind != OperandKind::kAddress || operand.base != OperandKind::kVariable || bytes == 0) return true;
  const Variable& variable = module_.variables[operand.index];
  // Only what the text alone decides: the variable is aligned well enough, the offset is not.
  if (variable.alignment >= bytes && operand.value % bytes != 0)
    return fail_operand(
        index, "misaligned access",
        '\'' + std::string(variable.name) + "' plus " + std::to_string(static_cast<int64_t>(operand.value)),
        "an offset that is a multiple of " + std::to_string(bytes));
  return true;
}

bool Verifier::check_memory(const Instruction& instruction) {
  if (!check_order_and_scope(instruction)) return false;
  if (instruction.has(Modifier::kL2CacheHint) != (named("policy") != nullptr) &&
      (instruction.has(Modifier::kL2CacheHint) || named("policy") != nullptr)) {
    if (instruction.has(Modifier::kL2CacheHint))
      return fail(instruction.location, ".L2::cache_hint without a cache policy", "'.L2::cache_hint'",
                  "a .b64 operand at the end");
    return fail_operand(operands_.size() - 1, "a cache policy without .L2::cache_hint", describe(operands_.back()),
                        "'.L2::cache_hint'");
  }
  if (!is_memory(instruction.opcode)) return true;
  size_t index = 0;
  const Operand* address = nullptr;
  for (size_t i = 0; i < specs_.size() && !address; ++i) {
    if (specs_[i]->shape != OperandShape::kAddress) continue;
    address = &operands_[i];
    index = i;
  }
  if (!address) return true;
  const Space space = addressed_space(instruction);
  if (address->base == OperandKind::kVariable) {
    const Variable& variable = module_.variables[address->index];
    if (space != Space::kGeneric && variable.space != space)
      return fail_operand(index, "state space does not match the variable",
                          '\'' + std::string(variable.name) + "' in " + std::string(space_name(variable.space)),
                          "a variable in " + std::string(space_name(space)));
    if (space == Space::kParam && instruction.opcode == Opcode::kSt && variable.function != kNoIndex) {
      const auto& inputs = function_->parameters;
      if (std::find(inputs.begin(), inputs.end(), address->index) != inputs.end())
        return fail_operand(index, "a store to an input parameter", '\'' + std::string(variable.name) + '\'',
                            "a return parameter or a parameter of a call");
    }
    if ((instruction.opcode == Opcode::kAtom || instruction.opcode == Opcode::kRed ||
         instruction.opcode == Opcode::kSt) &&
        space == Space::kGeneric && (variable.space == Space::kConst || variable.space == Space::kParam))
      return fail_operand(index, "a write to memory that is only read",
                          '\'' + std::string(variable.name) + "' in " + std::string(space_name(variable.space)),
                          "a .global, .shared or .local variable");
  } else if (address->base == OperandKind::kInteger && space == Space::kParam) {
    return fail_operand(index, "a parameter at a constant address", std::to_string(address->value),
                        "the name of a parameter");
  }
  if (instruction.opcode == Opcode::kLd || instruction.opcode == Opcode::kSt || instruction.opcode == Opcode::kLdu ||
      instruction.opcode == Opcode::kAtom || instruction.opcode == Opcode::kRed) {
    const unsigned lanes = vector_elements(instruction);
    const unsigned width = bits(instruction.type()) * lanes;
    if (lanes > 1 && width > (module_.sm >= 100 ? 256u : 128u))
      return fail(instruction.location, "a vector access of more than 128 bits", std::to_string(width) + " bits",
                  "at most 128 bits", "Split the access");
    // NVIDIA's assembler lets eight narrow elements pass, but its code moves the first of them alone, and the compiler
    // in its driver crashes on such a load.
    if (lanes == 8 && bits(instruction.type()) < 32 && !is_float(instruction.type()))
      return fail(instruction.location, "a vector access of eight narrow elements",
                  '.' + std::string(spelling(instruction.type())), "elements of 32 bits, or .v4", "Split the access");
    if (!check_alignment(index, *address, width / 8)) return false;
  }
  return true;
}

bool Verifier::check_order_and_scope(const Instruction& instruction) {
  const bool paired = instruction.opcode == Opcode::kMbarrier || instruction.opcode == Opcode::kMultimem;
  if (!paired || instruction.has(Modifier::kInit) || instruction.has(Modifier::kInval)) return true;
  bool order = false, scope = false;
  for (const Modifier m : {Modifier::kRelaxed, Modifier::kAcquire, Modifier::kRelease}) order |= instruction.has(m);
  for (const Modifier m : {Modifier::kCta, Modifier::kCluster, Modifier::kGpu, Modifier::kSys})
    scope |= instruction.has(m);
  if (order != scope)
    return fail(instruction.location, order ? "an order without a scope" : "a scope without an order",
                '\'' + std::string(spelling(instruction.opcode)) + '\'',
                order ? ".cta, .cluster, .gpu or .sys too" : ".relaxed, .acquire or .release too");
  if (instruction.opcode == Opcode::kMbarrier && instruction.has(Modifier::kSharedCluster) && !specs_.empty() &&
      specs_[0]->name == "d" && operands_[0].kind != OperandKind::kSink)
    return fail_operand(0, "the state of a barrier of another block", describe(operands_[0]), "'_'");
  return true;
}

}  // namespace ww::ptx
