#include "net/fragments.h"

namespace ww::net {
namespace {

constexpr int kLanes = 32;

// Appends the halves of row `row` at columns column, column + 1.
void append_pair(std::vector<uint16_t>& out, const HalfMatrix& m, int row, int column) {
  out.push_back(m.at(row, column));
  out.push_back(m.at(row, column + 1));
}

}  // namespace

std::vector<uint16_t> right_fragments(const HalfMatrix& weights) {
  std::vector<uint16_t> out;
  const int pairs = (weights.rows + 15) / 16;
  out.reserve(static_cast<size_t>(pairs) * 16 * static_cast<size_t>(weights.columns));
  for (int k = 0; k < weights.columns; k += 16)
    for (int pair = 0; pair < pairs; ++pair)
      for (int lane = 0; lane < kLanes; ++lane)
        for (int tile = 0; tile < 2; ++tile) {
          const int output = 16 * pair + 8 * tile + lane / 4, input = k + 2 * (lane % 4);
          append_pair(out, weights, output, input);
          append_pair(out, weights, output, input + 8);
        }
  return out;
}

std::vector<uint16_t> left_fragments(const HalfMatrix& matrices) {
  std::vector<uint16_t> out;
  out.reserve(matrices.bits.size());
  for (int row = 0; row < matrices.rows; row += 16)
    for (int k = 0; k < matrices.columns; k += 16)
      for (int lane = 0; lane < kLanes; ++lane) {
        const int r = row + lane / 4, c = k + 2 * (lane % 4);
        append_pair(out, matrices, r, c);
        append_pair(out, matrices, r + 8, c);
        append_pair(out, matrices, r, c + 8);
        append_pair(out, matrices, r + 8, c + 8);
      }
  return out;
}

std::vector<uint16_t> accumulator_fragments(const HalfMatrix& matrices) {
  std::vector<uint16_t> out;
  out.reserve(matrices.bits.size());
  for (int row = 0; row < matrices.rows; row += 16)
    for (int pair = 0; pair < matrices.columns / 16; ++pair)
      for (int lane = 0; lane < kLanes; ++lane)
        for (int tile = 0; tile < 2; ++tile) {
          const int r = row + lane / 4, c = 16 * pair + 8 * tile + 2 * (lane % 4);
          append_pair(out, matrices, r, c);
          append_pair(out, matrices, r + 8, c);
        }
  return out;
}

}  // namespace ww::net
