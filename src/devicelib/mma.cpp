#include "devicelib/mma.h"

#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

FloatFormat format_of(MmaType type) {
  switch (type) {
    case MmaType::kF16:
      return kFormatF16;
    case MmaType::kBf16:
      return kFormatBf16;
    case MmaType::kTf32:
      return kFormatTf32;
    case MmaType::kE4M3:
      return kFormatE4M3;
    default:
      return kFormatE5M2;
  }
}

int bits_of_type(MmaType type) {
  switch (type) {
    case MmaType::kF16:
    case MmaType::kBf16:
      return 16;
    case MmaType::kTf32:
      return 32;
    case MmaType::kF64:
      return 64;
    default:
      return 8;
  }
}

int per_register(MmaType type) {
  return bits_of_type(type) >= 32 ? 1 : 32 / bits_of_type(type);
}

// value * 2^shift, cut toward zero or down where bits fall off.
s64 shifted(s64 value, int shift, bool floor) {
  if (shift >= 0) return shift > 62 ? 0 : s64(u64(value) << shift);
  const int down = -shift > 63 ? 63 : -shift;
  if (floor) return value >> down;
  return value < 0 ? -s64(u64(-value) >> down) : s64(u64(value) >> down);
}

constexpr int kLeast = -100000;

// Rounds sum * 2^(exponent - fraction) to f32 or f16 bits.
u32 round_sum(s64 sum, int exponent, int fraction, const MmaModel& model, bool to_f16) {
  UnpackedFloat value;
  const bool minus = sum < 0;
  const u64 magnitude = minus ? u64(0) - u64(sum) : u64(sum);
  const int zeros = __builtin_clzll(magnitude | 1);
  value.significand = magnitude == 0 ? 0 : magnitude << zeros;
  value.exponent = exponent - fraction + 63 - zeros;
  value.negative = minus;
  // The hardware's zeros have no sign, sums that underflow included.
  if (to_f16) {
    const u32 bits = u32(round_to_format(kFormatF16, value, Rounding::kNearestEven));
    return bits == 0x8000 ? 0 : bits;
  }
  u32 bits =
      u32(round_to_format(kFormatF32, value, model.nearest_f32 ? Rounding::kNearestEven : Rounding::kTowardZero));
  // Beyond the largest number the hardware gives infinity although it rounds toward zero.
  if (magnitude != 0 && value.exponent >= 128) bits = 0x7f800000u | (minus ? 0x80000000u : 0);
  if (model.flush_subnormal_results && (bits & 0x7f800000u) == 0) return 0;
  return bits == 0x80000000u ? 0 : bits;
}

}  // namespace

u32 mma_step_f32(const MmaModel& model, const MmaTerm* a, const MmaTerm* b, int count, int fraction_a, int fraction_b,
                 u32 c, bool to_f16) {
  const MmaTerm acc = mma_term(kFormatF32, c);
  const int fraction = model.fraction_bits;
  int largest = acc.significand != 0 && !model.accumulator_last ? acc.exponent : kLeast;
  u32 nan = acc.special == 2, plus_infinity = acc.special == 1 && acc.significand > 0,
      minus_infinity = acc.special == 1 && acc.significand < 0;
  for (int i = 0; i < count; ++i) {
    const s64 product = s64(a[i].significand) * b[i].significand;
    int exponent = a[i].exponent + b[i].exponent;
    if (model.normalise_products) {
      const u64 m = product < 0 ? u64(-product) : u64(product);
      if (m >> (fraction_a + fraction_b + 1)) ++exponent;
    }
    if (product != 0 && exponent > largest) largest = exponent;
    if ((a[i].special | b[i].special) != 0) {
      const bool a_zero = a[i].special == 0 && a[i].significand == 0,
                 b_zero = b[i].special == 0 && b[i].significand == 0;
      if (a[i].special == 2 || b[i].special == 2 || a_zero || b_zero)
        nan = 1;
      else if ((a[i].significand < 0) != (b[i].significand < 0))
        minus_infinity = 1;
      else
        plus_infinity = 1;
    }
  }
  if (nan || (plus_infinity && minus_infinity)) return to_f16 ? 0x7fffu : 0x7fffffffu;
  if (plus_infinity || minus_infinity)
    return to_f16 ? (plus_infinity ? 0x7c00u : 0xfc00u) : plus_infinity ? 0x7f800000u : 0xff800000u;
  s64 sum = 0;
  if (largest != kLeast) {
    for (int i = 0; i < count; ++i) {
      const s64 product = s64(a[i].significand) * b[i].significand;
      sum += shifted(product, fraction - (fraction_a + fraction_b) + (a[i].exponent + b[i].exponent) - largest,
                     model.floor);
    }
    if (!model.accumulator_last) sum += shifted(acc.significand, fraction - 23 + acc.exponent - largest, model.floor);
  }
  if (model.accumulator_last && acc.significand != 0) {
    const int top = largest > acc.exponent ? largest : acc.exponent;
    sum = (largest == kLeast ? 0 : shifted(sum, largest - top, model.floor)) +
          shifted(acc.significand, fraction - 23 + acc.exponent - top, model.floor);
    largest = top;
  }
  if (sum == 0) return 0;
  return round_sum(sum, largest, fraction, model, to_f16);
}

int mma_a_registers(const MmaShape& s) {
  return s.m * s.k / (32 * per_register(s.a));
}
int mma_b_registers(const MmaShape& s) {
  return s.n * s.k / (32 * per_register(s.b));
}
int mma_c_registers(const MmaShape& s) {
  return s.m * s.n / 32 / (s.accumulator == MmaAccumulator::kF16 ? 2 : 1);
}

namespace {

int block_of(const MmaModel& model, MmaType type) {
  const int width = bits_of_type(type);
  return width == 32 ? model.block_tf32 : width == 8 ? model.block_f8 : model.block_f16;
}

// e4m3 and e5m2 where the chip has no such step (sm_90's mma.sync): ptxas widens to f16, each register's low two
// elements to one fragment and its high two to another, runs two f16 steps from zero, and adds the accumulator in f32.
// Not the tensor core's own rounding.
u32 widened_chain(const MmaModel& model, const MmaShape& shape, const MmaTerm* a, const MmaTerm* b, u32 c) {
  const int fraction_a = format_of(shape.a).mantissa_bits, fraction_b = format_of(shape.b).mantissa_bits;
  u32 value = 0;
  for (int high = 0; high < 2; ++high) {
    MmaTerm x[16], y[16];
    int count = 0;
    for (int j = 0; j < shape.k; ++j)
      if ((j >> 1 & 1) == high) {
        x[count] = a[j];
        y[count++] = b[j];
      }
    value = mma_step_f32(model, x, y, count, fraction_a, fraction_b, value, false);
  }
  return bits_of(canonical(float_of(value) + float_of(c)));
}

// Runs the steps of one element over all k.
u32 chain(const MmaModel& model, const MmaShape& shape, const MmaTerm* a, const MmaTerm* b, u32 c) {
  const bool half = shape.accumulator == MmaAccumulator::kF16;
  if (model.widen_f8 && bits_of_type(shape.a) == 8 && !half) return widened_chain(model, shape, a, b, c);
  const int fraction_a = format_of(shape.a).mantissa_bits, fraction_b = format_of(shape.b).mantissa_bits;
  const int k = shape.k, block = block_of(model, shape.a);
  u32 value = half ? bits_of(widen_f16(u16(c))) : c;
  for (int j = 0; j < k; j += block) {
    const int count = k - j < block ? k - j : block;
    value = mma_step_f32(model, a + j, b + j, count, fraction_a, fraction_b, value, half);
    if (half && j + block < k) value = bits_of(widen_f16(u16(value)));
  }
  return value;
}

u32 integer_dot(const MmaShape& shape, const s32* a, const s32* b, u32 c) {
  s64 sum = s32(c);
  for (int j = 0; j < shape.k; ++j) sum += s64(a[j]) * b[j];
  const s64 most = 0x7fffffff, least = -most - 1;
  if (shape.saturate) sum = sum > most ? most : sum < least ? least : sum;
  return u32(sum);
}

s32 integer_of(MmaType type, u32 element) {
  return type == MmaType::kS8 ? s32(s8(element)) : s32(element & 0xff);
}

// The low bits of a tf32 register are ignored.
MmaTerm term_of(MmaType type, u32 element) {
  return mma_term(format_of(type), type == MmaType::kTf32 ? element >> 13 : element);
}

}  // namespace

u32 mma_dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, u32 c) {
  if (shape.accumulator == MmaAccumulator::kS32) {
    s32 x[32], y[32];
    for (int j = 0; j < shape.k; ++j) {
      x[j] = integer_of(shape.a, a[j]);
      y[j] = integer_of(shape.b, b[j]);
    }
    return integer_dot(shape, x, y, c);
  }
  MmaTerm x[32], y[32];
  for (int j = 0; j < shape.k; ++j) {
    x[j] = term_of(shape.a, a[j]);
    y[j] = term_of(shape.b, b[j]);
  }
  return chain(model, shape, x, y, c);
}

// The element layouts of the manual's figures ("Matrix Fragments for mma.m16n8k..."), with g = lane / 4, t = lane % 4
// and e elements a register: A register r holds row g + 8 (r & 1), columns t e + 4 e (r >> 1) ...; B register r holds
// rows t e + 4 e r ... of column g; C row g (+ 8), columns 2 t, 2 t + 1. m 8 has no second row.
void mma_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d) {
  const int a_registers = mma_a_registers(shape), b_registers = mma_b_registers(shape);
  const int c_registers = mma_c_registers(shape);
  const int per = per_register(shape.a), width = bits_of_type(shape.a);
  const u32 mask = width == 32 ? ~0u : (1u << width) - 1;
  const bool integer = shape.accumulator == MmaAccumulator::kS32, half = shape.accumulator == MmaAccumulator::kF16;

  MmaTerm rows[16][32], columns[8][32];
  s32 integer_rows[16][32], integer_columns[8][32];
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < a_registers; ++r)
      for (int e = 0; e < per; ++e) {
        const int row = shape.m == 16 ? g + 8 * (r & 1) : g;
        const int column = t * per + 4 * per * (shape.m == 16 ? r >> 1 : r) + e;
        const u32 element = (a[lane * a_registers + r] >> (e * width % 32)) & mask;
        if (integer)
          integer_rows[row][column] = integer_of(shape.a, element);
        else
          rows[row][column] = term_of(shape.a, element);
      }
    for (int r = 0; r < b_registers; ++r)
      for (int e = 0; e < per; ++e) {
        const int row = t * per + 4 * per * r + e;
        const u32 element = (b[lane * b_registers + r] >> (e * width % 32)) & mask;
        if (integer)
          integer_columns[g][row] = integer_of(shape.b, element);
        else
          columns[g][row] = term_of(shape.b, element);
      }
  }
  const int elements = shape.m * shape.n / 32;
  for (int lane = 0; lane < 32; ++lane) {
    const u32* own = c + lane * c_registers;
    u32 results[4];
    for (int i = 0; i < elements; ++i) {
      const int row = lane / 4 + 8 * (i >> 1), column = 2 * (lane % 4) + (i & 1);
      const u32 value = half ? (own[i >> 1] >> (16 * (i & 1))) & 0xffff : own[i];
      results[i] = integer ? integer_dot(shape, integer_rows[row], integer_columns[column], value)
                           : chain(model, shape, rows[row], columns[column], value);
    }
    u32* out = d + lane * c_registers;
    for (int i = 0; i < c_registers; ++i) out[i] = half ? results[2 * i] | results[2 * i + 1] << 16 : results[i];
  }
}

void mma_f64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d) {
  const int a_registers = shape.m * shape.k / 32, b_registers = shape.n * shape.k / 32,
            c_registers = shape.m * shape.n / 32;
  f64 rows[16][16], columns[8][16];
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < a_registers; ++r) {
      const int row = shape.m == 16 ? g + 8 * (r & 1) : g, column = t + 4 * (shape.m == 16 ? r >> 1 : r);
      rows[row][column] = double_of(a[lane * a_registers + r]);
    }
    for (int r = 0; r < b_registers; ++r) columns[g][t + 4 * r] = double_of(b[lane * b_registers + r]);
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c_registers; ++i) {
      const int row = lane / 4 + 8 * (i >> 1), column = 2 * (lane % 4) + (i & 1);
      f64 sum = double_of(c[lane * c_registers + i]);
      for (int j = 0; j < shape.k; ++j) sum = ww_fma_rn_f64(rows[row][j], columns[column][j], sum);
      d[lane * c_registers + i] = bits_of(sum);
    }
}

}  // namespace ww::devicelib
