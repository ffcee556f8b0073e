// Spellings of types, opcodes and modifiers, and their lookup.
#include "ptx/types.h"

#include <array>

#include "ptx/spelling_map.h"

namespace ww::ptx {

namespace {

constexpr std::string_view kTypeSpellings[] = {
    "",
#define WW_TYPE(enumerator, spelling, bits) spelling,
#include "ptx/types.def"
#undef WW_TYPE
};

constexpr uint8_t kTypeBits[] = {
    0,
#define WW_TYPE(enumerator, spelling, bits) bits,
#include "ptx/types.def"
#undef WW_TYPE
};

constexpr std::string_view kOpcodeSpellings[] = {
#define WW_OPCODE(enumerator, spelling) spelling,
#include "ptx/opcodes.def"
#undef WW_OPCODE
};

constexpr std::string_view kModifierSpellings[] = {
#define WW_MODIFIER(enumerator, spelling) spelling,
#include "ptx/modifiers.def"
#undef WW_MODIFIER
};

}  // namespace

std::string_view spelling(Type type) {
  return kTypeSpellings[static_cast<unsigned>(type)];
}
std::string_view spelling(Opcode opcode) {
  return kOpcodeSpellings[static_cast<unsigned>(opcode)];
}
std::string_view spelling(Modifier modifier) {
  return kModifierSpellings[static_cast<unsigned>(modifier)];
}

std::string_view spelling(Space space) {
  switch (space) {
    case Space::kRegister:
      return ".reg";
    case Space::kGlobal:
      return ".global";
    case Space::kShared:
      return ".shared";
    case Space::kLocal:
      return ".local";
    case Space::kConst:
      return ".const";
    case Space::kParam:
      return ".param";
    case Space::kTexture:
      return ".tex";
    default:
      return {};
  }
}

std::optional<Type> find_type(std::string_view spelling) {
  static const SpellingMap map{std::span(kTypeSpellings).subspan(1)};
  const int index = map.find(spelling);
  if (index < 0) return std::nullopt;
  return static_cast<Type>(index + 1);
}

std::optional<Opcode> find_opcode(std::string_view spelling) {
  static const SpellingMap map{kOpcodeSpellings};
  const int index = map.find(spelling);
  if (index < 0) return std::nullopt;
  return static_cast<Opcode>(index);
}

std::optional<Modifier> find_modifier(std::string_view spelling) {
  static const SpellingMap map{kModifierSpellings};
  const int index = map.find(spelling);
  if (index < 0) return std::nullopt;
  return static_cast<Modifier>(index);
}

unsigned bits(Type type) {
  return kTypeBits[static_cast<unsigned>(type)];
}

bool is_float(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBF16:
    case Type::kBF16x2:
    case Type::kTF32:
    case Type::kF32:
    case Type::kF32x2:
    case Type::kF64:
    case Type::kE4M3:
    case Type::kE5M2:
    case Type::kE4M3x2:
    case Type::kE5M2x2:
    case Type::kE2M1:
    case Type::kE2M3:
    case Type::kE3M2:
    case Type::kE2M1x2:
    case Type::kE2M3x2:
    case Type::kE3M2x2:
    case Type::kUE8M0:
    case Type::kUE8M0x2:
    case Type::kUE4M3:
      return true;
    default:
      return false;
  }
}

bool is_signed(Type type) {
  return type == Type::kS4 || type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64 ||
         type == Type::kS16x2;
}

bool is_unsigned(Type type) {
  return type == Type::kU4 || type == Type::kU8 || type == Type::kU16 || type == Type::kU32 || type == Type::kU64 ||
         type == Type::kU16x2;
}

bool is_untyped(Type type) {
  return type == Type::kB1 || type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64 ||
         type == Type::kB128;
}

bool is_declarable(Type type) {
  switch (type) {
    case Type::kPred:
    case Type::kF16:
    case Type::kF16x2:
    case Type::kF32:
    case Type::kF64:
    case Type::kTexref:
    case Type::kSamplerref:
    case Type::kSurfref:
      return true;
    case Type::kB1:
      return false;
    default:
      return (is_untyped(type) || is_signed(type) || is_unsigned(type)) && bits(type) >= 8 && type != Type::kU16x2 &&
             type != Type::kS16x2;
  }
}

}  // namespace ww::ptx
