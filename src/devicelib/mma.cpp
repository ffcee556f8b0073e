// Fragments to rows and columns, and back. (PTX manual, "Matrix Fragments for mma" of each shape.)
//
// With g = lane / 4, t = lane % 4 and e elements a register: A register r holds row g + 8 (r & 1), columns t e + 4 e
// (r >> 1) ...; B register r holds rows t e + 4 e r ... of column g; C row g (+ 8), columns 2 t, 2 t + 1. m 8 has no
// second row. A sparse A holds what it keeps, as a dense one of half the k would.
#include "devicelib/mma.h"

#include "devicelib/float_bits.h"

namespace ww::devicelib {
namespace {

// Elements of a row; those of b1 are counted in words.
constexpr int kMostKept = 64, kMostK = 128;

struct Packing {
  int width, per;  // bits of an element; elements a register
  u32 mask;
};
Packing packing_of(MmaType type) {
  const int width = type == MmaType::kB1 ? 32 : mma_bits(type);
  return {width, 32 / width, width == 32 ? ~0u : (1u << width) - 1};
}

template <typename Take>
void each_of_a(const MmaShape& shape, const u32* a, Take take) {
  const Packing p = packing_of(shape.a);
  const int registers = mma_a_registers(shape);
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4;
      const int row = shape.m == 16 ? g + 8 * (r & 1) : g;
      const int column = t * p.per + 4 * p.per * (shape.m == 16 ? r >> 1 : r);
      for (int e = 0; e < p.per; ++e) take(row, column + e, (a[32 * r + lane] >> (e * p.width & 31)) & p.mask);
    }
}
template <typename Take>
void each_of_b(const MmaShape& shape, const u32* b, Take take) {
  const Packing p = packing_of(shape.b);
  const int registers = mma_b_registers(shape);
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < 32; ++lane) {
      const int row = lane % 4 * p.per + 4 * p.per * r;
      for (int e = 0; e < p.per; ++e) take(lane / 4, row + e, (b[32 * r + lane] >> (e * p.width & 31)) & p.mask);
    }
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

// Two halves of a pair of words.
u32 halves_of(const u32* words, u32 nibble) {
  const auto half = [&](u32 index) { return words[index >> 1] >> (16 * (index & 1)) & 0xffff; };
  return half(nibble & 3) | half(nibble >> 2) << 16;
}

// Rows of A and columns of B as T, and the sum of each element.
template <typename T, typename Decode, typename Sum>
void multiply(const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d, const u32* metadata,
              Decode decode, Sum sum) {
  T rows[16][kMostKept], columns[8][kMostK];
  each_of_a(shape, a, [&](int row, int column, u32 code) { rows[row][column] = decode(shape.a, code); });
  u32 codes[8][16];  // of a sparse tf32
  each_of_b(shape, b, [&](int column, int row, u32 code) {
    columns[column][row] = decode(shape.b, code);
    if (shape.sparse && shape.a == MmaType::kTf32) codes[column][row] = code;
  });
  const int k = shape.a == MmaType::kB1 ? shape.k / 32 : shape.sparse ? shape.k / 2 : shape.k;
  u8 places[16][kMostKept];
  if (shape.sparse) places_of(shape, metadata, places);
  u32 results[16][8];
  const bool half_c = shape.c == MmaAccumulator::kF16, half_d = shape.accumulator == MmaAccumulator::kF16;
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < 8; ++column) {
      const int lane = row % 8 * 4 + column / 2, i = 2 * (row / 8) + column % 2;
      const u32 value = half_c ? c[32 * (i >> 1) + lane] >> (16 * (i & 1)) & 0xffff : c[32 * i + lane];
      const T* other = columns[column];
      T kept[kMostKept];
      if (shape.sparse) {
        for (int j = 0; j < k; ++j)
          kept[j] = shape.a == MmaType::kTf32 ? decode(shape.b, halves_of(codes[column] + 2 * j, places[row][j]))
                                              : other[places[row][j]];
        other = kept;
      }
      results[row][column] = sum(rows[row], other, k, value);
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

// m8n8k4 of f16: lanes 4 q .. 4 q + 3 and 16 + 4 q .. multiply matrices of their own. ("Matrix Fragments for mma.m8n8k4
// with .f16 floating point type".)
void multiply_quad_pairs(const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d) {
  const bool half_c = shape.c == MmaAccumulator::kF16, half_d = shape.accumulator == MmaAccumulator::kF16;
  for (int quad = 0; quad < 4; ++quad) {
    u16 rows[8][4], columns[8][4];
    u32 values[8][8];
    const auto lane_of = [&](int i) { return 4 * quad + i % 4 + (i >= 4 ? 16 : 0); };
    const auto half_of = [](const u32* registers, int lane, int i) {
      return u16(registers[32 * (i / 2) + lane] >> (16 * (i % 2)));
    };
    // Row and column of element i of the accumulators of lane `own` of eight.
    const auto row_of = [](bool half, int own, int i) { return half ? own : (own & 1) + (i & 2) + (own >= 4 ? 4 : 0); };
    const auto column_of = [](bool half, int own, int i) { return half ? i : (i & 4) + (own & 2) + (i & 1); };
    for (int own = 0; own < 8; ++own) {
      const int lane = lane_of(own);
      for (int i = 0; i < 4; ++i) {
        const int high = own >= 4 ? 4 : 0;
        (shape.a_columns ? rows[i + high][own % 4] : rows[own][i]) = half_of(a, lane, i);
        (shape.b_rows ? columns[i + high][own % 4] : columns[own][i]) = half_of(b, lane, i);
      }
      for (int i = 0; i < 8; ++i)
        values[row_of(half_c, own, i)][column_of(half_c, own, i)] = half_c ? half_of(c, lane, i) : c[32 * i + lane];
    }
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        values[row][column] = mma_dot_quad_pairs(shape, rows[row], columns[column], values[row][column]);
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

}  // namespace

void mma_32(const MmaModel& model, const MmaShape& shape, const u32* a, const u32* b, const u32* c, u32* d,
            const u32* metadata) {
  if (is_quad_pair(shape)) return multiply_quad_pairs(shape, a, b, c, d);
  if (shape.accumulator == MmaAccumulator::kS32)
    multiply<u32>(
        shape, a, b, c, d, metadata, [](MmaType, u32 code) { return code; },
        [&](const u32* x, const u32* y, int k, u32 value) { return mma_dot(model, shape, x, y, k, value); });
  else
    multiply<MmaTerm>(
        shape, a, b, c, d, metadata, [&](MmaType type, u32 code) { return mma_input(model, type, code); },
        [&](const MmaTerm* x, const MmaTerm* y, int k, u32 value) { return mma_chain(model, shape, x, y, k, value); });
}

void mma_f64(const MmaShape& shape, const u64* a, const u64* b, const u64* c, u64* d) {
  const int a_registers = mma_a_registers(shape), b_registers = mma_b_registers(shape),
            c_registers = mma_c_registers(shape);
  u64 rows[16][16], columns[8][16];
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < a_registers; ++r) {
      const int row = shape.m == 16 ? g + 8 * (r & 1) : g, column = t + 4 * (shape.m == 16 ? r >> 1 : r);
      rows[row][column] = a[32 * r + lane];
    }
    for (int r = 0; r < b_registers; ++r) columns[g][t + 4 * r] = b[32 * r + lane];
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c_registers; ++i) {
      const int row = lane / 4 + 8 * (i >> 1), column = 2 * (lane % 4) + (i & 1);
      d[32 * i + lane] = mma_dot_f64(shape, rows[row], columns[column], shape.k, c[32 * i + lane]);
    }
}

}  // namespace ww::devicelib
