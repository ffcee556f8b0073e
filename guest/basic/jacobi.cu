// Numerical work in f64: Jacobi steps of Poisson's equation, and solving small linear systems by elimination with
// pivoting.
#include "ww_guest.h"

WW_KERNEL void jacobi_step(const double* in, const double* source, double* out, u32 width, u32 height) {
  const u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const u32 i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - source[i]);
}

// One 6x6 system a thread: rows of six coefficients and a right-hand side.
WW_KERNEL void solve6(const double* systems, double* solutions, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double m[6][7];
  for (u32 k = 0; k < 42; ++k) m[k / 7][k % 7] = systems[i * 42 + k];
  for (u32 column = 0; column < 6; ++column) {
    u32 pivot = column;
    for (u32 row = column + 1; row < 6; ++row)
      if (__builtin_fabs(m[row][column]) > __builtin_fabs(m[pivot][column])) pivot = row;
    for (u32 k = column; k < 7; ++k) {
      const double swap = m[column][k];
      m[column][k] = m[pivot][k];
      m[pivot][k] = swap;
    }
    for (u32 row = column + 1; row < 6; ++row) {
      const double factor = m[row][column] / m[column][column];
      for (u32 k = column; k < 7; ++k) m[row][k] = ww::fma(-factor, m[column][k], m[row][k]);
    }
  }
  for (u32 row = 6; row-- > 0;) {
    double sum = m[row][6];
    for (u32 k = row + 1; k < 6; ++k) sum = ww::fma(-m[row][k], solutions[i * 6 + k], sum);
    solutions[i * 6 + row] = sum / m[row][row];
  }
}
