// The generator behind all inputs: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
// OOPSLA 2014). Integer arithmetic and exact float steps alone, so that every machine gets the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ww::golden {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t u32() { return static_cast<uint32_t>(next() >> 32); }
  // 0 .. bound - 1.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((uint64_t{u32()} * bound) >> 32); }
  // [0, 1), a multiple of 2^-24.
  float unit() { return static_cast<float>(u32() >> 8) * 0x1p-24f; }
  // [-1, 1), a multiple of 2^-23.
  float signed_unit() { return unit() * 2.0f - 1.0f; }

 private:
  uint64_t state_;
};

// Filled vectors, one generator each.
std::vector<uint32_t> random_words(std::size_t count, uint64_t seed);
std::vector<float> random_floats(std::size_t count, uint64_t seed, float low = -1.0f, float high = 1.0f);
// f16 bits of values in [-1, 1) with 11 significant bits.
std::vector<uint16_t> random_halves(std::size_t count, uint64_t seed);
// f16 bits of integers in [-range, range]: products and short sums of them are exact.
std::vector<uint16_t> integer_halves(std::size_t count, uint64_t seed, int range);

// Zeros, ones, extremes, subnormals, infinities and NaNs of both signs and several payloads, and values near them;
// after them arbitrary bits.
std::vector<uint32_t> special_floats(std::size_t count, uint64_t seed);
std::vector<uint16_t> special_halves(std::size_t count, uint64_t seed);
std::vector<uint64_t> special_doubles(std::size_t count, uint64_t seed);

// f32 bits of an f16 value and back (nearest even): written here so that inputs depend on no other part.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);

}  // namespace ww::golden
