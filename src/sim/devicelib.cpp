// Every instruction whose semantics is one function of devicelib: the handler table comes from its list of functions.
#include "devicelib/devicelib.h"

#include <string_view>
#include <unordered_map>

#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Entry {
  Handler handler;
  unsigned operands;
};

// Functions with a bool operand (carries) are called by their own family.
template <class R, class... A>
constexpr bool takes_bool(R (*)(A...)) {
  return (std::is_same_v<A, bool> || ...);
}
template <auto kFunction>
constexpr Entry entry_of() {
  if constexpr (takes_bool(kFunction))
    return {nullptr, 0};
  else
    return {kLaneHandler<kFunction>, LaneCall<decltype(kFunction)>::kOperands};
}

const std::unordered_map<std::string_view, Entry>& functions() {
  static const std::unordered_map<std::string_view, Entry> table = {
#define WW_FUNCTION(name, result, arguments) {#name, entry_of<&devicelib::ww_##name>()},
#include "devicelib/functions.def"
#undef WW_FUNCTION
  };
  return table;
}

}  // namespace

std::string devicelib_name(const ptx::Instruction& instruction) {
  std::string name(spelling(instruction.opcode));
  const Type type = instruction.type(0);
  const bool rounds = instruction.opcode == Opcode::kAdd || instruction.opcode == Opcode::kSub ||
                      instruction.opcode == Opcode::kMul || instruction.opcode == Opcode::kFma ||
                      instruction.opcode == Opcode::kMad;
  if (instruction.opcode == Opcode::kMad && ptx::is_float(type)) name = "fma";
  bool rounding = false;
  // The order in which functions.def writes modifiers; others (cache hints and the like) do not change the value.
  static constexpr Modifier kOrder[] = {
      Modifier::kPack,     Modifier::kApprox,  Modifier::kFull,        Modifier::kRna,    Modifier::kRn,
      Modifier::kRz,       Modifier::kRm,      Modifier::kRp,          Modifier::kLeft,   Modifier::kRight,
      Modifier::kClamp,    Modifier::kWrap,    Modifier::kShiftamt,    Modifier::kHi,     Modifier::kLo,
      Modifier::kFtz,      Modifier::kSat,     Modifier::kSatfinite,   Modifier::kOob,    Modifier::kRelu,
      Modifier::kNaN,      Modifier::kXorsign, Modifier::kAbsModifier, Modifier::kF4e,    Modifier::kB4e,
      Modifier::kRc8,      Modifier::kEcl,     Modifier::kEcr,         Modifier::kRc16,   Modifier::kFinite,
      Modifier::kInfinite, Modifier::kNumber,  Modifier::kNotanumber,  Modifier::kNormal, Modifier::kSubnormal};
  for (const Modifier modifier : kOrder) {
    const bool is_rounding = modifier >= Modifier::kRn && modifier <= Modifier::kRp;
    // Plain add.f32 rounds to nearest.
    if (modifier == Modifier::kFtz && rounds && !rounding && ptx::is_float(type)) name += "_rn";
    if (!instruction.has(modifier)) continue;
    rounding |= is_rounding;
    name += '_';
    name += spelling(modifier);
  }
  for (unsigned i = 0; i < instruction.type_count; ++i) {
    name += '_';
    name += spelling(instruction.types[i]);
  }
  return name;
}

bool decode_devicelib(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto found = functions().find(devicelib_name(instruction));
  if (found == functions().end() || !found->second.handler) return false;
  const auto operands = decoder.operands(instruction);
  if (operands.size() != found->second.operands + 1) return false;
  op.handler = found->second.handler;
  op.destination = decoder.destination(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) op.source[i - 1] = decoder.value(operands[i], instruction.type(0));
  return true;
}

}  // namespace ww::sim
