// Systems of equations in double precision: elimination with pivots by one thread, conjugate gradients by a block, a cubic's root.
#include "device.h"

template <class T, int kSize>
class System {
 public:
  T a[kSize][kSize + 1];
  __device__ bool solve(T* x) {
    for (int column = 0; column < kSize; ++column) {
      int pivot = column;
      for (int row = column + 1; row < kSize; ++row)
        if (size(a[row][column]) > size(a[pivot][column])) pivot = row;
      if (a[pivot][column] == T(0)) return false;
      if (pivot != column) {
        for (int k = 0; k <= kSize; ++k) {
          const T saved = a[pivot][k];
          a[pivot][k] = a[column][k];
          a[column][k] = saved;
        }
      }
      for (int row = column + 1; row < kSize; ++row) {
        const T factor = a[row][column] / a[column][column];
        for (int k = column; k <= kSize; ++k) a[row][k] -= factor * a[column][k];
      }
    }
    for (int row = kSize - 1; row >= 0; --row) {
      T sum = a[row][kSize];
      for (int k = row + 1; k < kSize; ++k) sum -= a[row][k] * x[k];
      x[row] = sum / a[row][row];
    }
    return true;
  }

 private:
  static __device__ T size(T x) { return x < 0 ? -x : x; }
};

extern "C" __global__ void eliminate(const u32* in, double* out, u32 n) {
  System<double, 5> system;
  double x[5] = {0, 0, 0, 0, 0};
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k < 6; ++k)
      system.a[row][k] = static_cast<double>(static_cast<s32>(in[(global_x() * 30 + row * 6 + k) % n])) * 0x1p-28;
  const bool solved = system.solve(x);
  for (int k = 0; k < 5; ++k) out[global_x() * 6 + k] = x[k];
  out[global_x() * 6 + 5] = solved ? 1.0 : -1.0;
}

// The sum over the block, the same on every thread.
static __device__ double block_sum(double x, double* scratch) {
  sync();
  scratch[thread_x()] = x;
  for (u32 half = threads_x() / 2; half > 0; half /= 2) {
    sync();
    if (thread_x() < half) scratch[thread_x()] += scratch[thread_x() + half];
  }
  sync();
  return scratch[0];
}

extern "C" __global__ void gradients(const u32* in, double* out, u32 rounds) {
  __shared__ double p[66], scratch[64];
  const u32 t = thread_x(), i = global_x();
  const double diagonal = 2.5 + static_cast<double>(in[i] & 255) / 256.0;
  double x = 0, r = static_cast<double>(in[i] >> 16) / 65536.0 - 0.5, mine = r;
  double square = block_sum(r * r, scratch);
  if (t == 0) p[0] = p[65] = 0;
  for (u32 k = 0; k < rounds && square > 1e-20; ++k) {
    p[t + 1] = mine;
    sync();
    const double ap = diagonal * mine - p[t] - p[t + 2];
    const double alpha = square / block_sum(mine * ap, scratch);
    x = fused(alpha, mine, x);
    r = fused(-alpha, ap, r);
    const double next = block_sum(r * r, scratch);
    mine = fused(next / square, mine, r);
    square = next;
  }
  out[2 * i] = x;
  out[2 * i + 1] = root(square);
}
