// Special registers (PTX ISA, "Special Registers"): enumeration and facts, from special_registers.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/types.h"

namespace ww::ptx {

enum class SpecialRegister : uint8_t {
#define WW_SPECIAL_REGISTER(enumerator, spelling, type, components, version, sm) enumerator,
#include "ptx/special_registers.def"
#undef WW_SPECIAL_REGISTER
};

struct SpecialRegisterFacts {
  std::string_view spelling;  // with the %
  Type type;
  uint8_t components;     // 1, or 3 for .x .y .z (a fourth, .w, exists and reads 0)
  uint8_t first_version;  // PTX version times ten
  uint8_t first_sm;
};

const SpecialRegisterFacts& facts(SpecialRegister id);
std::optional<SpecialRegister> find_special_register(std::string_view spelling);

}  // namespace ww::ptx
