#include "devicelib/mma_shape.h"

namespace ww::devicelib {
namespace {

// The suffix at `at`, up to the next dot or the end, is `word`.
bool is_word(const char* at, const char* word) {
  while (*word != 0 && *at == *word) ++at, ++word;
  return *word == 0 && (*at == 0 || *at == '.');
}

struct TypeName {
  const char* name;
  int input, accumulator;  // -1: not one
};
constexpr TypeName kTypes[] = {
    {"f16", int(MmaType::kF16), int(MmaAccumulator::kF16)},
    {"f32", -1, int(MmaAccumulator::kF32)},
    {"s32", -1, int(MmaAccumulator::kS32)},
    {"f64", int(MmaType::kF64), int(MmaAccumulator::kF64)},
    {"bf16", int(MmaType::kBf16), -1},
    {"tf32", int(MmaType::kTf32), -1},
    {"e4m3", int(MmaType::kE4M3), -1},
    {"e5m2", int(MmaType::kE5M2), -1},
    {"s8", int(MmaType::kS8), -1},
    {"u8", int(MmaType::kU8), -1},
    {"s4", int(MmaType::kS4), -1},
    {"u4", int(MmaType::kU4), -1},
    {"b1", int(MmaType::kB1), -1},
};

// "m16n8k16"
bool read_size(const char* at, MmaShape& shape) {
  if (*at != 'm') return false;
  unsigned numbers[3] = {}, i = 0;
  for (; *at != 0 && *at != '.'; ++at) {
    if (*at >= '0' && *at <= '9' && i > 0)
      numbers[i - 1] = numbers[i - 1] * 10 + unsigned(*at - '0');
    else if (i == 3 || *at != "mnk"[i++])
      return false;
  }
  shape.m = u8(numbers[0]);
  shape.n = u8(numbers[1]);
  shape.k = u16(numbers[2]);
  return i == 3 && (shape.m == 8 || shape.m == 16) && shape.n == 8 && shape.k >= 4 && shape.k <= 256 &&
         (shape.k & (shape.k - 1)) == 0;
}

}  // namespace

bool mma_shape(const char* name, MmaShape& shape) {
  struct Flag {
    const char* name;
    void (*set)(MmaShape&);
  };
  static constexpr Flag kFlags[] = {
      {"satfinite", [](MmaShape& s) { s.saturate = true; }},
      {"sp", [](MmaShape& s) { s.sparse = true; }},
      {"sp::ordered_metadata", [](MmaShape& s) { s.sparse = true; }},
      {"xor", [](MmaShape&) {}},
      {"and", [](MmaShape& s) { s.bit_and = true; }},
      {"popc", [](MmaShape&) {}},
      {"rn", [](MmaShape&) {}},
      {"rz", [](MmaShape& s) { s.rounding = Rounding::kTowardZero; }},
      {"rm", [](MmaShape& s) { s.rounding = Rounding::kDown; }},
      {"rp", [](MmaShape& s) { s.rounding = Rounding::kUp; }},
      {"select0", [](MmaShape&) {}},
      {"select1", [](MmaShape& s) { s.selector = 1; }},
      {"select2", [](MmaShape& s) { s.selector = 2; }},
      {"select3", [](MmaShape& s) { s.selector = 3; }},
  };
  shape = {};
  shape.k = 0;
  int layouts = 0, types = 0;
  for (const char* at = name; *at != 0;) {
    bool known = read_size(at, shape);
    if (is_word(at, "row") || is_word(at, "col")) {
      known = true;
      if (layouts == 0) shape.a_columns = *at == 'c';
      if (layouts == 1) shape.b_rows = *at == 'r';
      ++layouts;
    }
    for (const Flag& flag : kFlags)
      if (is_word(at, flag.name)) {
        flag.set(shape);
        known = true;
      }
    for (const TypeName& type : kTypes)
      if (is_word(at, type.name)) {
        const bool is_input = types == 1 || types == 2;
        known = (is_input ? type.input : type.accumulator) >= 0 && types < 4;
        if (types == 0) shape.accumulator = MmaAccumulator(type.accumulator);
        if (types == 1) shape.a = MmaType(type.input);
        if (types == 2) shape.b = MmaType(type.input);
        if (types == 3) shape.c = MmaAccumulator(type.accumulator);
        ++types;
      }
    if (!known) return false;
    while (*at != 0 && *at != '.') ++at;
    if (*at == '.') ++at;
  }
  if (shape.k == 0 || layouts != 2 || types != 4) return false;
  return !shape.sparse || (mma_metadata_lanes(shape) > 0 && shape.selector < 4 / mma_metadata_lanes(shape));
}

}  // namespace ww::devicelib
