#include "ptx/suffixes.h"

#include <utility>

namespace ww::ptx {

SuffixCode find_suffix(std::string_view spelling) {
  // texref, samplerref and surfref are types of variables, but modifiers of istypep.
  if (const auto modifier = find_modifier(spelling)) return code_of(*modifier);
  if (const auto type = find_type(spelling)) return code_of(*type);
  return kNoSuffix;
}

std::string_view suffix_spelling(SuffixCode code) {
  return is_type(code) ? spelling(static_cast<Type>(code)) : spelling(static_cast<Modifier>(code - kFirstModifier));
}

void add_suffixes(Instruction& instruction, std::span<const SuffixCode> suffixes) {
  for (const SuffixCode code : suffixes) {
    if (is_type(code)) {
      instruction.suffix_types |= 1u << (instruction.type_count + instruction.modifier_count);
      instruction.types[instruction.type_count++] = static_cast<Type>(code);
    } else {
      instruction.modifiers[instruction.modifier_count++] = static_cast<Modifier>(code - kFirstModifier);
    }
  }
}

Space space_of(const Instruction& instruction) {
  static constexpr std::pair<Modifier, Space> kSpaces[] = {
      {Modifier::kGlobal, Space::kGlobal},    {Modifier::kShared, Space::kShared},
      {Modifier::kSharedCta, Space::kShared}, {Modifier::kSharedCluster, Space::kShared},
      {Modifier::kLocal, Space::kLocal},      {Modifier::kConst, Space::kConst},
      {Modifier::kParam, Space::kParam},      {Modifier::kParamEntry, Space::kParam},
      {Modifier::kParamFunc, Space::kParam}};
  for (const auto& [modifier, space] : kSpaces)
    if (instruction.has(modifier)) return space;
  return Space::kGeneric;
}

CopySpaces copy_spaces(const Instruction& instruction) {
  CopySpaces spaces;
  bool first = true;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const Modifier m = instruction.modifiers[i];
    const bool shared = m == Modifier::kSharedCta || m == Modifier::kSharedCluster;
    if (!shared && m != Modifier::kGlobal) continue;
    (first ? spaces.to : spaces.from) = shared ? Space::kShared : Space::kGlobal;
    first = false;
  }
  return spaces;
}

unsigned vector_elements(const Instruction& instruction) {
  if (instruction.has(Modifier::kV2)) return 2;
  if (instruction.has(Modifier::kV4)) return 4;
  return instruction.has(Modifier::kV8) ? 8 : 1;
}

}  // namespace ww::ptx
