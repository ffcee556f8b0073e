#include "golden/random.h"

#include <bit>

namespace ww::golden {

std::vector<uint32_t> random_words(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = random.u32();
  return words;
}

std::vector<float> random_floats(size_t count, uint64_t seed, float low, float high) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& x : values) x = low + (high - low) * random.unit();
  return values;
}

std::vector<uint16_t> random_halves(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t& x : values) x = float_to_half(random.signed_unit());
  return values;
}

std::vector<uint16_t> integer_halves(size_t count, uint64_t seed, int range) {
  Random random(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t& x : values)
    x = float_to_half(static_cast<float>(static_cast<int>(random.below(2 * range + 1)) - range));
  return values;
}

std::vector<uint32_t> special_floats(size_t count, uint64_t seed) {
  constexpr uint32_t kSpecial[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x007fffff,
      0x807fffff, 0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffbfffff,
      0x7fffffff, 0x7fc12345, 0x40490fdb, 0xc0490fdb, 0x4b000000, 0x4b7fffff, 0xcb000001, 0x4f000000, 0xcf000000,
      0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x3f7fffff,
      0x3f800001, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x387fc000, 0x43e00000, 0x43e80000, 0x3b000000};
  Random random(seed);
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = i < std::size(kSpecial) ? kSpecial[i] : random.u32();
  return values;
}

std::vector<uint16_t> special_halves(size_t count, uint64_t seed) {
  constexpr uint16_t kSpecial[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x0400, 0x8400, 0x03ff, 0x83ff,
                                   0x0001, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfdff, 0x7fff, 0x3800,
                                   0xb800, 0x3e00, 0x3bff, 0x3c01, 0x5f00, 0x5f40, 0x1800, 0x6400, 0x67ff};
  Random random(seed);
  std::vector<uint16_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = i < std::size(kSpecial) ? kSpecial[i] : static_cast<uint16_t>(random.u32() >> 16);
  return values;
}

std::vector<uint64_t> special_doubles(size_t count, uint64_t seed) {
  constexpr uint64_t kSpecial[] = {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                                   0x7fefffffffffffff, 0xffefffffffffffff, 0x0010000000000000, 0x000fffffffffffff,
                                   0x0000000000000001, 0x8000000000000001, 0x7ff0000000000000, 0xfff0000000000000,
                                   0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7fffffffffffffff,
                                   0x41dfffffffc00000, 0xc1e0000000000000, 0x41e0000000000000, 0x43e0000000000000,
                                   0xc3e0000000000000, 0x43f0000000000000, 0x3fe0000000000000, 0x4004000000000000,
                                   0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000};
  Random random(seed);
  std::vector<uint64_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = i < std::size(kSpecial) ? kSpecial[i] : random.next();
  return values;
}

float half_to_float(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16;
  const uint32_t exponent = (h >> 10) & 31;
  const uint32_t mantissa = h & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // 65536 and up
  if (magnitude < 0x38800000) {  // below the least normal: a multiple of 2^-24
    // Adding 0.5 puts the unit of the last place at 2^-24, and rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f)));
  }
  const uint32_t odd = (magnitude >> 13) & 1;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

}  // namespace ww::golden
