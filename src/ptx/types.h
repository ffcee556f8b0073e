// PTX's fundamental types, state spaces and opcodes as enumerations, generated from the .def tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ww::ptx {

enum class Type : uint8_t {
  kNone,
#define WW_TYPE(enumerator, spelling, bits) enumerator,
#include "ptx/types.def"
#undef WW_TYPE
};

// The state spaces of the PTX ISA, section "State Spaces".
enum class Space : uint8_t { kNone, kRegister, kGlobal, kShared, kLocal, kConst, kParam, kTexture, kGeneric };

enum class Opcode : uint8_t {
#define WW_OPCODE(enumerator, spelling) enumerator,
#include "ptx/opcodes.def"
#undef WW_OPCODE
};

// Every dot suffix that is neither a type nor an ISA number: `.rn`, `.ftz`, `.shared::cta`, `.L2::cache_hint`.
enum class Modifier : uint16_t {
#define WW_MODIFIER(enumerator, spelling) enumerator,
#include "ptx/modifiers.def"
#undef WW_MODIFIER
};

// Names as written in PTX, without the leading dot.
std::string_view spelling(Type type);
std::string_view spelling(Opcode opcode);
std::string_view spelling(Modifier modifier);
// With its dot: ".global"; empty where PTX has no word for it.
std::string_view spelling(Space space);

std::optional<Type> find_type(std::string_view spelling);
std::optional<Opcode> find_opcode(std::string_view spelling);
std::optional<Modifier> find_modifier(std::string_view spelling);

// Width of a value of the type in bits; packed pairs count as a whole (f16x2: 32). 0 for kNone.
unsigned bits(Type type);
bool is_float(Type type);     // f16 bf16 tf32 f32 f64, the 8-bit and narrower formats, and their packed pairs
bool is_signed(Type type);    // s4 s8 s16 s32 s64 s16x2
bool is_unsigned(Type type);  // u4 u8 u16 u32 u64 u16x2
bool is_untyped(Type type);   // b1 b8 b16 b32 b64 b128
// PTX ISA, "Fundamental Types", and the opaque ones: what a register or variable may have; others are an instruction's.
bool is_declarable(Type type);

}  // namespace ww::ptx
