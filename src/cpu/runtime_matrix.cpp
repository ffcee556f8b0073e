// ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements between shared memory and the registers of a warp.
//
// PTX manual, "ldmatrix": lane i holds the address of row i % 8 of matrix i / 8, 16 bytes; afterwards lane l holds the
// elements 2 * (l % 4) and the next one of row l / 4, for `.trans` of column l / 4. All 32 lanes take part.
#include <array>

#include "cpu/runtime.h"

namespace ww::cpu {

namespace {

using Matrix = std::array<std::array<uint16_t, 8>, 8>;

}  // namespace

static void transpose(const Matrix& from, Matrix& to) {
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) to[column][row] = from[row][column];
}

template <unsigned count, bool transposed>
static void load_matrices(WarpContext* context, uint32_t, const void* in, void* out) {
  const uint32_t* row_address = in_array<uint32_t>(in, 0);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    // Rows one behind the other are what the lanes hold, four lanes a row.
    Matrix& target = *out_array<Matrix>(out, matrix * warp_array_bytes(4));
    Matrix rows;
    Matrix& loaded = transposed ? rows : target;
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(loaded[row].data(), context->shared + row_address[8 * matrix + row], 16);
    if constexpr (transposed) transpose(rows, target);
  }
}

template <unsigned count, bool transposed>
static void store_matrices(WarpContext* context, uint32_t, const void* in, void*) {
  const uint32_t* row_address = in_array<uint32_t>(in, 0);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    Matrix rows = *in_array<Matrix>(in, (1 + matrix) * warp_array_bytes(4));
    if constexpr (transposed) {
      const Matrix columns = rows;
      transpose(columns, rows);
    }
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(context->shared + row_address[8 * matrix + row], rows[row].data(), 16);
  }
}

static void move_matrix(WarpContext*, uint32_t, const void* in, void* out) {
  transpose(*in_array<Matrix>(in, 0), *out_array<Matrix>(out, 0));
}

WarpFunction find_matrix_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.ldmatrix.x1", &load_matrices<1, false>},
      {"cpu.ldmatrix.x2", &load_matrices<2, false>},
      {"cpu.ldmatrix.x4", &load_matrices<4, false>},
      {"cpu.ldmatrix.x1.trans", &load_matrices<1, true>},
      {"cpu.ldmatrix.x2.trans", &load_matrices<2, true>},
      {"cpu.ldmatrix.x4.trans", &load_matrices<4, true>},
      {"cpu.stmatrix.x1", &store_matrices<1, false>},
      {"cpu.stmatrix.x2", &store_matrices<2, false>},
      {"cpu.stmatrix.x4", &store_matrices<4, false>},
      {"cpu.stmatrix.x1.trans", &store_matrices<1, true>},
      {"cpu.stmatrix.x2.trans", &store_matrices<2, true>},
      {"cpu.stmatrix.x4.trans", &store_matrices<4, true>},
      {"cpu.movmatrix", &move_matrix},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  return nullptr;
}

}  // namespace ww::cpu
