#include "net/guest_program.h"

#include <cstddef>

// One pair of symbols a program, defined by guest_programs.S.
#define WW_GUEST_PROGRAM(name)             \
  extern "C" const char ww_guest_##name[]; \
  extern "C" const char ww_guest_##name##_end[];
#include "guest_programs.def"
#undef WW_GUEST_PROGRAM

namespace ww::net {
namespace {

struct Entry {
  std::string_view name;
  const char* begin;
  const char* end;
};

constexpr Entry kPrograms[] = {
#define WW_GUEST_PROGRAM(name) {#name, ww_guest_##name, ww_guest_##name##_end},
#include "guest_programs.def"
#undef WW_GUEST_PROGRAM
};

}  // namespace

std::string_view guest_program(std::string_view name) {
  for (const Entry& entry : kPrograms)
    if (entry.name == name) return {entry.begin, static_cast<size_t>(entry.end - entry.begin)};
  return {};
}

}  // namespace ww::net
