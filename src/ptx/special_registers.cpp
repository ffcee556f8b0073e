// Facts of the special registers, from special_registers.def.
#include "ptx/special_registers.h"

#include <array>
#include <vector>

#include "ptx/spelling_map.h"

namespace ww::ptx {

namespace {

constexpr SpecialRegisterFacts kFacts[] = {
#define WW_SPECIAL_REGISTER(enumerator, spelling, type, components, version, sm) \
  {spelling, Type::type, components, version, sm},
#include "ptx/special_registers.def"
#undef WW_SPECIAL_REGISTER
};

constexpr std::string_view kSpellings[] = {
#define WW_SPECIAL_REGISTER(enumerator, spelling, type, components, version, sm) spelling,
#include "ptx/special_registers.def"
#undef WW_SPECIAL_REGISTER
};

}  // namespace

const SpecialRegisterFacts& facts(SpecialRegister id) {
  return kFacts[static_cast<unsigned>(id)];
}

std::optional<SpecialRegister> find_special_register(std::string_view spelling) {
  static const SpellingMap map{kSpellings};
  const int index = map.find(spelling);
  if (index < 0) return std::nullopt;
  return static_cast<SpecialRegister>(index);
}

}  // namespace ww::ptx
