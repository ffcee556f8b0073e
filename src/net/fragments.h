// Weights in the order in which the lanes of a warp want them as operands of mma.m16n8k16, so that a lane's share of a
// step is one load of 16 bytes. Layouts: PTX manual, "Matrix Fragments for mma.m16n8k16"; guest/network/fragments.h
// reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ww::net {

// A row-major matrix of halves (bits), rows x columns.
struct HalfMatrix {
  std::span<const uint16_t> bits;
  int rows = 0, columns = 0;

  uint16_t at(int row, int column) const { return row < rows ? bits[static_cast<size_t>(row) * columns + column] : 0; }
};

// Right operands. `weights` is [outputs, inputs], inputs a multiple of 16, outputs padded with zeros to a multiple
// of 16. Order: step of 16 inputs, pair of tiles of 8 outputs, lane, {b0, b1 of the first tile, b0, b1 of the second},
// two halves each. outputs * inputs halves.
std::vector<uint16_t> right_fragments(const HalfMatrix& weights);

// Left operands: matrices [64, 64] one after another (rows: queries, columns: keys). Order: matrix, 16 rows (one
// warp's), step of 16 columns, lane, {a0, a1, a2, a3}.
std::vector<uint16_t> left_fragments(const HalfMatrix& matrices);

// What is added to accumulators: matrices [64, 64] one after another. Order: matrix, 16 rows, pair of tiles of 8
// columns, lane, then for each tile {row g: two columns, row g + 8: two columns}.
std::vector<uint16_t> accumulator_fragments(const HalfMatrix& matrices);

}  // namespace ww::net
