// MPFR as the judge of rounding: one operation on exact values, rounded once into a format with its subnormals.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

namespace ww::test {

struct JudgeFormat {
  int precision, emin, emax;  // MPFR's exponents: values in [1/2, 1)
};
inline constexpr JudgeFormat kJudgeF64{53, -1073, 1024}, kJudgeF32{24, -148, 128}, kJudgeF16{11, -23, 16},
    kJudgeBf16{8, -132, 128}, kJudgeTf32{11, -135, 128};

// A value with enough bits for every operand and exact product used here.
class Big {
 public:
  explicit Big(double x = 0, int precision = 53) {
    mpfr_init2(value_, precision);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  ~Big() { mpfr_clear(value_); }
  Big(const Big&) = delete;
  Big& operator=(const Big&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// `operation(result, rounding)` must be one MPFR call (it returns the ternary value).
template <class Operation>
double judge(JudgeFormat format, mpfr_rnd_t rounding, Operation operation) {
  const mpfr_exp_t old_emin = mpfr_get_emin(), old_emax = mpfr_get_emax();
  Big result(0, format.precision);
  mpfr_set_emin(format.emin);
  mpfr_set_emax(format.emax);
  int ternary = operation(result.get(), rounding);
  ternary = mpfr_check_range(result.get(), ternary, rounding);
  mpfr_subnormalize(result.get(), ternary, rounding);
  mpfr_set_emin(old_emin);
  mpfr_set_emax(old_emax);
  return mpfr_get_d(result.get(), MPFR_RNDN);
}

template <class To, class From>
To bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &x, sizeof to);
  return to;
}

// Every kind of f32: special values, neighbours of powers of two, random bits, and operands close to each other.
inline std::vector<float> interesting_f32(int count, uint32_t seed) {
  std::vector<float> values;
  for (uint32_t b : {0x00000000u, 0x00000001u, 0x00000002u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x3f7fffffu,
                     0x3f800000u, 0x3f800001u, 0x33800000u, 0x34000000u, 0x7f7fffffu, 0x7f000000u, 0x7f800000u,
                     0x7fc00000u, 0x7f800001u, 0x40490fdbu, 0x1f800000u, 0x5f800000u})
    for (uint32_t sign : {0u, 0x80000000u}) values.push_back(bits<float>(b | sign));
  std::mt19937 random(seed);
  while (int(values.size()) < count) {
    uint32_t b = random();
    switch (random() % 4) {
      case 0:
        break;
      case 1:
        b = (b & 0x807fffffu) | ((120 + (b >> 23) % 16) << 23);
        break;  // near 1
      case 2:
        b &= 0xff800000u | (1u << random() % 23);
        break;  // few mantissa bits
      case 3:
        b = (b & 0x8000ffffu) | (random() % 3 << 23);
        break;  // tiny
    }
    values.push_back(bits<float>(b));
  }
  return values;
}

inline std::vector<double> interesting_f64(int count, uint32_t seed) {
  std::vector<double> values;
  for (uint64_t b : std::initializer_list<uint64_t>{
           0x0000000000000000u, 0x0000000000000001u, 0x000fffffffffffffu, 0x0010000000000000u, 0x3ff0000000000000u,
           0x3fefffffffffffffu, 0x3ff0000000000001u, 0x7fefffffffffffffu, 0x7ff0000000000000u, 0x3ca0000000000000u})
    for (uint64_t sign : {uint64_t{0}, uint64_t{1} << 63}) values.push_back(bits<double>(b | sign));
  std::mt19937_64 random(seed);
  while (int(values.size()) < count) {
    uint64_t b = random();
    switch (random() % 4) {
      case 0:
        break;
      case 1:
        b = (b & 0x800fffffffffffffu) | ((1000 + (b >> 52) % 48) << 52);
        break;
      case 2:
        b &= 0xfff0000000000000u | (uint64_t{1} << random() % 52);
        break;
      case 3:
        b = (b & 0x80000000ffffffffu) | (random() % 3 << 52);
        break;
    }
    values.push_back(bits<double>(b));
  }
  return values;
}

inline constexpr mpfr_rnd_t kModes[4] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

}  // namespace ww::test
