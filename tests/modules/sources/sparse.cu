// Sparse matrices: rows of different lengths by a thread each and by a warp each, a histogram by a block, a segmented sum.
#include "device.h"

template <class T>
struct Matrix {
  const u32* columns;
  const T* values;
  u32 rows;
};

extern "C" __global__ void values(const u32* in, float* out) { out[global_x()] = static_cast<float>(static_cast<s32>(in[global_x()]) >> 24); }

extern "C" __global__ void by_thread(const u32* in, const float* values, float* out, u32 n) {
  const u32 row = global_x(), begin = row * 16, length = in[row % n] & 15;
  float sum = 0;
  for (u32 k = 0; k < length; ++k) sum = fused(values[(begin + k) & 1023], values[in[(begin + k) % n] & 1023], sum);
  out[row] = sum;
}

extern "C" __global__ void by_warp(const u32* in, const float* values, double* out, u32 rows) {
  const Matrix<float> matrix = {in, values, rows};
  const u32 row = global_x() / 32;
  if (row >= matrix.rows) return;
  double sum = 0;
  for (u32 k = lane(); k < 20 + (in[row] & 63); k += 32) {
    sum += static_cast<double>(matrix.values[(row * 16 + k) & 1023]) * static_cast<double>(matrix.values[matrix.columns[k] & 1023]);
  }
  for (u32 with = 16; with > 0; with /= 2) {
    const u64 bits = bits_of(sum);
    const u32 low = shuffle_xor(static_cast<u32>(bits), with), high = shuffle_xor(static_cast<u32>(bits >> 32), with);
    sum += double_of(static_cast<u64>(high) << 32 | low);
  }
  if (lane() == 0) out[row] = sum;
}

extern "C" __global__ void segments(const u32* in, u32* out, u32 n) {
  __shared__ u32 bins[32];
  if (thread_x() < 32) bins[thread_x()] = 0;
  sync();
  u32 sum = in[global_x() % n] & 0xfff;
  bool head = (in[global_x() % n] >> 12 & 3) == 0 || lane() == 0;
  for (u32 by = 1; by < 32; by *= 2) {
    const u32 other = shuffle_up(sum, by), other_head = shuffle_up(head, by);
    if (lane() >= by && !head) {
      sum += other;
      head = other_head != 0;
    }
  }
  atomic_sum(&bins[sum & 31], sum);
  sync();
  out[global_x()] = sum ^ bins[thread_x() & 31] << 8;
}
