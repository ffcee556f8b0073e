// Fragments to rows and columns, and back. (PTX manual, "Matrix Fragments for mma" of each shape.) Compiled once for
// each instruction set, WW_LEVEL; mma_levels.cpp chooses.
//
// With g = lane / 4, t = lane % 4 and e elements a register: A register r holds row g + 8 (r & 1), columns t e + 4 e
// (r >> 1) ...; B register r holds rows t e + 4 e r ... of column g; C row g (+ 8), columns 2 t, 2 t + 1. m 8 has no
// second row. A sparse A holds what it keeps, as a dense one of half the k would.
#include "devicelib/mma.h"

#include "devicelib/mma_double.h"
#include "devicelib/mma_levels.h"
#include "devicelib/mma_step.h"

namespace ww::devicelib::WW_LEVEL {
namespace {

// Elements of a row; those of b1 are counted in words.
constexpr int kMostKept = 64, kMostK = 128;

// Elements of `width` bits; of b1 words.
template <int width>
constexpr u32 kElementMask = width == 32 ? ~0u : (1u << (width & 31)) - 1;

template <int width>
void rows_of_a(const MmaShape& shape, const u32* a, u32 (*rows)[kMostKept]) {
  constexpr int per = 32 / width;
  const int registers = mma_a_registers(shape);
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4;
      const int row = shape.m == 16 ? g + 8 * (r & 1) : g;
      u32* to = rows[row] + t * per + 4 * per * (shape.m == 16 ? r >> 1 : r);
      for (int e = 0; e < per; ++e) to[e] = (a[32 * r + lane] >> (e * width & 31)) & kElementMask<width>;
    }
}
template <int width>
void columns_of_b(const MmaShape& shape, const u32* b, u32 (*columns)[8]) {
  constexpr int per = 32 / width;
  const int registers = mma_b_registers(shape);
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) {
      u32(*to)[8] = columns + lane % 4 * per + 4 * per * r;
      for (int e = 0; e < per; ++e) to[e][lane / 4] = (b[32 * r + lane] >> (e * width & 31)) & kElementMask<width>;
    }
}

// A by rows and B by k.
struct Codes {
  alignas(32) u32 a[16][kMostKept], b[kMostK][8];
};
void take_codes(const MmaShape& shape, const u32* a, const u32* b, Codes& codes) {
  const auto take = [&]<int width>() __attribute__((always_inline)) {
    rows_of_a<width>(shape, a, codes.a);
    columns_of_b<width>(shape, b, codes.b);
  };
  switch (mma_bits(shape.a)) {
    case 4:
      return take.template operator()<4>();
    case 8:
      return take.template operator()<8>();
    case 16:
      return take.template operator()<16>();
    default:
      return take.template operator()<32>();
  }
}
inline RowBits row_at(const u32* from) {
  RowBits row;
  std::memcpy(&row, from, sizeof row);
  return row;
}

// For each element that a row of a sparse A keeps, its place in k.
//
// A nibble of metadata holds two places in a chunk of four elements (s4 and u4: of four pairs; tf32: of the four halves
// of two elements, so that the manual's 4 and 14 name one element: places[row][j] is the nibble of chunk j here).
//
// Of the lanes that the selector names, those of wide elements hold four chunks of row g, in the low half, and of row g
// + 8; those of narrow elements eight chunks of one row, the first lane of row g and the second of row g + 8.
void places_of(const MmaShape& shape, const u32* metadata, u8 (*places)[kMostKept]) {
  const bool pairs = mma_bits(shape.a) == 4, halves = shape.a == MmaType::kTf32, wide = mma_bits(shape.a) >= 16;
  const int chunk = pairs ? 8 : halves ? 2 : 4, chunks = shape.k / chunk;
  const int first = mma_metadata_lanes(shape) * shape.selector;
  for (int row = 0; row < 16; ++row)
    for (int j = 0; j < chunks; ++j) {
      const int low = row % 8 * 4 + first, second = row / 8;
      const u32 nibble = wide ? metadata[low + j / 4] >> (16 * second + 4 * (j % 4)) & 15
                              : metadata[low + second + 2 * (j / 8)] >> (4 * (j % 8)) & 15;
      u8* place = places[row];
      if (halves) {
        place[j] = u8(nibble);
        continue;
      }
      for (int i = 0; i < 2; ++i) {
        const int index = nibble >> (2 * i) & 3;
        if (!pairs) {
          place[2 * j + i] = u8(4 * j + index);
        } else {
          place[4 * j + 2 * i] = u8(8 * j + 2 * index);
          place[4 * j + 2 * i + 1] = u8(8 * j + 2 * index + 1);
        }
      }
    }
}

// Two halves of pairs of words, the same two for each column.
RowBits halves_of(const u32 (*words)[8], u32 nibble) {
  const auto half = [&](u32 index) { return row_at(words[index >> 1]) >> (16 * (index & 1)) & 0xffffu; };
  return half(nibble & 3) | half(nibble >> 2) << 16;
}

// Calls sum(row, c) for each row of results.
template <typename Sum>
void each_row(const MmaShape& shape, const u32* c, u32* d, Sum sum) {
  alignas(32) u32 results[16][8];
  const bool half_c = shape.c == MmaAccumulator::kF16, half_d = shape.accumulator == MmaAccumulator::kF16;
  for (int row = 0; row < shape.m; ++row) {
    const int lane = row % 8 * 4, i = row / 8;
    RowBits value;
    for (int column = 0; column < 8; ++column)
      value[column] = half_c ? c[32 * i + lane + column / 2] >> (16 * (column % 2)) & 0xffff
                             : c[32 * (2 * i + column % 2) + lane + column / 2];
    const RowBits result = sum(row, value);
    std::memcpy(results[row], &result, sizeof result);
  }
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < 8; column += 2) {
      const int lane = row % 8 * 4 + column / 2, i = 2 * (row / 8);
      if (half_d) {
        d[32 * (i >> 1) + lane] = results[row][column] | results[row][column + 1] << 16;
      } else {
        d[32 * i + lane] = results[row][column];
        d[32 * (i + 1) + lane] = results[row][column + 1];
      }
    }
}

// --- floats

// How elements of a type are taken apart on this model.
struct Input {
  Decoding format;
  u32 shift_right = 0, shift_left = 0;
  bool is_widened_e4m3 = false;

  Terms operator()(RowBits code) const {
    if (is_widened_e4m3) return take_apart(kDecodeF16, f16_of_e4m3(code));
    return take_apart(format, code >> shift_right << shift_left);
  }
};
Input input_of(const MmaModel& model, MmaType type) {
  switch (type) {
    case MmaType::kF16:
      return {kDecodeF16};
    case MmaType::kBf16:
      return {kDecodeBf16};
    case MmaType::kTf32:
      return {kDecodeTf32, 13};
    case MmaType::kE4M3:
      return model.widen_f8 ? Input{kDecodeF16, 0, 0, true} : Input{kDecodeE4M3};
    default:
      return model.widen_f8 ? Input{kDecodeF16, 0, 8} : Input{kDecodeE5M2};
  }
}
bool take_row_apart(const Input& input, const u32* codes, int count, RowTerms& row) {
  Row special = {};
  for (int j = 0; j < count; j += 8) {
    const Terms terms = input(row_at(codes + j));
    std::memcpy(row.significand + j, &terms.significand, sizeof(Row));
    std::memcpy(row.exponent + j, &terms.exponent, sizeof(Row));
    std::memcpy(row.special + j, &terms.special, sizeof(Row));
    special |= terms.special;
  }
  return any(special);
}
// What a step takes as it is: not what is widened first, a c of f16 where results are f32 among that.
bool is_half_c(const MmaModel& model, const MmaShape& shape) {
  return shape.c == MmaAccumulator::kF16 && shape.accumulator == MmaAccumulator::kF16 && !model.widens_c;
}
// All steps of a row of results. `c`: f32 or f16 bits, as the shape has them.
RowBits chain(const MmaModel& model, const MmaShape& shape, const Sum& sum, int count, RowBits c) {
  const int width = mma_bits(shape.a);
  const bool widened = model.widen_f8 && width == 8;
  const RowBits value = shape.c == MmaAccumulator::kF16 && (widened || !sum.half_c) ? f32_of_f16(c) : c;
  if (widened) return widened_f8(sum, count, value);
  const int block = width == 32 ? model.block_tf32 : width == 8 ? model.block_f8 : model.block_f16;
  int order[kMostKept];
  for (int j = 0; j < count; ++j) order[j] = j;
  return steps(sum, block, order, count, value);
}

void multiply_floats(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
                     const u32* metadata) {
  Codes codes;
  take_codes(shape, a, b, codes);
  const int kept = shape.sparse ? shape.k / 2 : shape.k;
  // A row is taken apart in eights.
  for (int row = 0; row < shape.m; ++row)
    for (int j = kept; j < 8; ++j) codes.a[row][j] = 0;
  const Input input_a = input_of(model, shape.a), input_b = input_of(model, shape.b);
  const bool steps_f8 = mma_bits(shape.a) == 8 && !model.widen_f8;
  const bool mixes_halves = shape.sparse && shape.a == MmaType::kTf32;
  Terms columns[kMostK];
  Row b_special = {};
  for (int j = 0; j < shape.k; ++j) {
    columns[j] = input_b(row_at(codes.b[j]));
    b_special |= columns[j].special;
  }
  u8 places[16][kMostKept];
  if (shape.sparse) places_of(shape, metadata, places);
  const Terms* met[kMostKept];
  for (int j = 0; j < kept; ++j) met[j] = columns + j;
  Terms mixed[8];
  RowTerms terms;
  each_row(shape, c, d, [&](int row, RowBits value) {
    bool special = take_row_apart(input_a, codes.a[row], kept, terms);
    if (mixes_halves) {
      for (int j = 0; j < kept; ++j) {
        mixed[j] = input_b(halves_of(codes.b + 2 * j, places[row][j]));
        met[j] = mixed + j;
        special |= any(mixed[j].special);
      }
    } else if (shape.sparse) {
      for (int j = 0; j < kept; ++j) met[j] = columns + places[row][j];
    }
    const Sum sum{model,
                  steps_f8 ? model.fraction_bits_f8 : model.fraction_bits,
                  steps_f8 ? ~0u << (23 - model.result_bits_f8) : ~0u,
                  terms,
                  met,
                  input_a.format.mantissa_bits + input_b.format.mantissa_bits,
                  special || any(b_special),
                  shape.accumulator == MmaAccumulator::kF16,
                  is_half_c(model, shape)};
    return chain(model, shape, sum, kept, value);
  });
}

// --- integers

bool is_signed(MmaType type) {
  return type == MmaType::kS8 || type == MmaType::kS4;
}

// c and the sums of products, which are far from the ends of s32.
RowBits add_integers(const MmaShape& shape, RowBits sum, RowBits c) {
  const RowBits total = sum + c;
  if (!shape.saturate) return total;
  const Row overflow = Row((sum ^ total) & (c ^ total)) < 0;
  return select(overflow, RowBits(Row(c) >> 31) ^ 0x7fffffffu, total);
}
RowBits integer_elements(MmaType type, RowBits codes) {
  const u32 unused = u32(32 - mma_bits(type));
  return is_signed(type) ? RowBits(Row(codes << unused) >> unused) : codes;
}

void multiply_integers(const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d, const u32* metadata) {
  Codes codes;
  take_codes(shape, a, b, codes);
  const int kept = shape.sparse ? shape.k / 2 : shape.k;
  RowBits columns[kMostK];
  for (int j = 0; j < shape.k; ++j) columns[j] = integer_elements(shape.b, row_at(codes.b[j]));
  u8 places[16][kMostKept];
  if (shape.sparse)
    places_of(shape, metadata, places);
  else
    for (int j = 0; j < kept; ++j) places[0][j] = u8(j);
  const u32 unused = u32(32 - mma_bits(shape.a));
  each_row(shape, c, d, [&](int row, RowBits value) {
    const u8* place = places[shape.sparse ? row : 0];
    RowBits sum = {};
    for (int j = 0; j < kept; ++j) {
      const u32 code = codes.a[row][j];
      sum += columns[place[j]] * (is_signed(shape.a) ? u32(s32(code << unused) >> unused) : code);
    }
    return add_integers(shape, sum, value);
  });
}

void multiply_bits(const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d) {
  Codes codes;
  take_codes(shape, a, b, codes);
  each_row(shape, c, d, [&](int row, RowBits value) {
    for (int j = 0; j < shape.k / 32; ++j)
      for (int column = 0; column < 8; ++column) {
        const u32 x = codes.a[row][j], y = codes.b[j][column];
        value[column] += u32(__builtin_popcount(shape.bit_and ? x & y : x ^ y));
      }
    return value;
  });
}

// --- m8n8k4 of f16: lanes 4 q .. 4 q + 3 and 16 + 4 q .. multiply matrices of their own. ("Matrix Fragments for
// mma.m8n8k4 with .f16 floating point type".) Not the tensor core's sum: NVIDIA's compiler makes it of f32 arithmetic
// for sm_80 and later.
RowBits quad_pair_sum(const MmaShape& shape, const RowFloats* a, const RowFloats* b, RowBits c) {
  const RowFloats value = RowFloats(shape.c == MmaAccumulator::kF16 ? f32_of_f16(c) : c);
  const auto fma = [&](int i, RowFloats addend) {
#if defined(__FMA__)
    return RowFloats(_mm256_fmadd_ps(__m256(a[i]), __m256(b[i]), __m256(addend)));
#else
    RowFloats result;
    for (int e = 0; e < 8; ++e) result[e] = ww_fma_rn_f32(a[i][e], b[i][e], addend[e]);
    return result;
#endif
  };
  if (shape.accumulator == MmaAccumulator::kF32)
    return canonical_nan(fma(3, fma(2, fma(1, fma(0, RowFloats{})))) + value);
  const RowFloats low = fma(1, a[0] * b[0]), high = fma(3, a[2] * b[2]);
  return f16_of_f32(canonical_nan((value + low) + high));
}

void multiply_quad_pairs(const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d) {
  const bool half_c = shape.c == MmaAccumulator::kF16, half_d = shape.accumulator == MmaAccumulator::kF16;
  for (int quad = 0; quad < 4; ++quad) {
    alignas(32) u32 rows[8][4], columns[4][8], values[8][8];
    const auto lane_of = [&](int i) { return 4 * quad + i % 4 + (i >= 4 ? 16 : 0); };
    const auto half_of = [](const u32* registers, int lane, int i) {
      return registers[32 * (i / 2) + lane] >> (16 * (i % 2)) & 0xffff;
    };
    // Row and column of element i of the accumulators of lane `own` of eight.
    const auto row_of = [](bool half, int own, int i) { return half ? own : (own & 1) + (i & 2) + (own >= 4 ? 4 : 0); };
    const auto column_of = [](bool half, int own, int i) { return half ? i : (i & 4) + (own & 2) + (i & 1); };
    for (int own = 0; own < 8; ++own) {
      const int lane = lane_of(own);
      for (int i = 0; i < 4; ++i) {
        const int high = own >= 4 ? 4 : 0;
        (shape.a_columns ? rows[i + high][own % 4] : rows[own][i]) = half_of(a, lane, i);
        (shape.b_rows ? columns[own % 4][i + high] : columns[i][own]) = half_of(b, lane, i);
      }
      for (int i = 0; i < 8; ++i)
        values[row_of(half_c, own, i)][column_of(half_c, own, i)] = half_c ? half_of(c, lane, i) : c[32 * i + lane];
    }
    RowFloats y[4];
    for (int j = 0; j < 4; ++j) y[j] = RowFloats(f32_of_f16(row_at(columns[j])));
    for (int row = 0; row < 8; ++row) {
      RowFloats x[4];
      for (int j = 0; j < 4; ++j) x[j] = RowFloats(f32_of_f16(RowBits{} + rows[row][j]));
      const RowBits result = quad_pair_sum(shape, x, y, row_at(values[row]));
      std::memcpy(values[row], &result, sizeof result);
    }
    for (int own = 0; own < 8; ++own) {
      const int lane = lane_of(own);
      const auto value = [&](int i) { return values[row_of(half_d, own, i)][column_of(half_d, own, i)]; };
      for (int i = 0; i < 8; ++i)
        if (!half_d)
          d[32 * i + lane] = value(i);
        else if (i % 2 == 0)
          d[32 * (i / 2) + lane] = value(i) | value(i + 1) << 16;
    }
  }
}

// --- all

void multiply_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
                 const u32* metadata) {
  if (is_quad_pair(shape))
    multiply_quad_pairs(shape, a, b, c, d);
  else if (shape.accumulator != MmaAccumulator::kS32)
    multiply_floats(model, shape, a, b, c, d, metadata);
  else if (shape.a == MmaType::kB1)
    multiply_bits(shape, a, b, c, d);
  else
    multiply_integers(shape, a, b, c, d, metadata);
}

void multiply_64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d) {
  const int a_registers = mma_a_registers(shape), b_registers = mma_b_registers(shape),
            c_registers = mma_accumulator_registers(shape, MmaAccumulator::kF64);
  DoubleMatrices matrices;
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < a_registers; ++r) {
      const int row = shape.m == 16 ? g + 8 * (r & 1) : g, column = t + 4 * (shape.m == 16 ? r >> 1 : r);
      matrices.a[row][column] = a[32 * r + lane];
    }
    for (int r = 0; r < b_registers; ++r) matrices.b[t + 4 * r][g] = b[32 * r + lane];
    for (int i = 0; i < c_registers; ++i) matrices.c[g + 8 * (i >> 1)][2 * t + (i & 1)] = c[32 * i + lane];
  }
  multiply_doubles(shape, matrices);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c_registers; ++i)
      d[32 * i + lane] = matrices.c[lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)];
}

u32 dot(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, int count, u32 c) {
  if (shape.accumulator == MmaAccumulator::kS32) {
    RowBits sum = {};
    for (int j = 0; j < count; ++j)
      sum += shape.a == MmaType::kB1
                 ? RowBits{} + u32(__builtin_popcount(shape.bit_and ? a[j] & b[j] : a[j] ^ b[j]))
                 : integer_elements(shape.a, RowBits{} + a[j]) * integer_elements(shape.b, RowBits{} + b[j]);
    return add_integers(shape, sum, RowBits{} + c)[0];
  }
  const Input input_a = input_of(model, shape.a), input_b = input_of(model, shape.b);
  alignas(32) u32 codes[kMostKept] = {};
  std::memcpy(codes, a, size_t(count) * 4);
  RowTerms row;
  bool special = take_row_apart(input_a, codes, count, row);
  Terms columns[kMostKept];
  const Terms* met[kMostKept];
  for (int j = 0; j < count; ++j) {
    columns[j] = input_b(RowBits{} + b[j]);
    met[j] = columns + j;
    special |= any(columns[j].special);
  }
  const bool steps_f8 = mma_bits(shape.a) == 8 && !model.widen_f8;
  const Sum sum{model,
                steps_f8 ? model.fraction_bits_f8 : model.fraction_bits,
                steps_f8 ? ~0u << (23 - model.result_bits_f8) : ~0u,
                row,
                met,
                input_a.format.mantissa_bits + input_b.format.mantissa_bits,
                special,
                shape.accumulator == MmaAccumulator::kF16,
                is_half_c(model, shape)};
  return chain(model, shape, sum, count, RowBits{} + c)[0];
}

}  // namespace

extern const MmaFunctions kMmaFunctions = {&multiply_32, &multiply_64, &dot};

}  // namespace ww::devicelib::WW_LEVEL
