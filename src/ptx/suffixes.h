// The dot suffixes of an instruction, and what they say of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/module.h"

namespace ww::ptx {

// A dot suffix: a type or a modifier, as one number.
using SuffixCode = uint16_t;
constexpr SuffixCode kNoSuffix = 0xffff;
constexpr SuffixCode kFirstModifier = 256;

inline SuffixCode code_of(Type type) {
  return static_cast<SuffixCode>(type);
}
inline SuffixCode code_of(Modifier modifier) {
  return static_cast<SuffixCode>(kFirstModifier + static_cast<uint16_t>(modifier));
}
inline bool is_type(SuffixCode code) {
  return code < kFirstModifier;
}
// `spelling` is without the dot. kNoSuffix if PTX has no such suffix.
SuffixCode find_suffix(std::string_view spelling);
std::string_view suffix_spelling(SuffixCode code);

// Appends the suffixes, in this order, to those that the instruction has.
void add_suffixes(Instruction& instruction, std::span<const SuffixCode> suffixes);

// The state space that a memory instruction's suffixes name; kGeneric if none does.
Space space_of(const Instruction& instruction);
// The state spaces of a copy from one to another, in the order of its suffixes: destination, then source.
struct CopySpaces {
  Space to = Space::kGeneric, from = Space::kGeneric;
};
CopySpaces copy_spaces(const Instruction& instruction);
// Elements that .v2, .v4 or .v8 says; 1 without.
unsigned vector_elements(const Instruction& instruction);

}  // namespace ww::ptx
