// A function with a variable number of arguments, by a compiler that has them on the device; arrays of variable size on the stack.
#include "device.h"

typedef __builtin_va_list Arguments;

static __device__ __noinline__ double total(u32 n, ...) {
  Arguments list;
  __builtin_va_start(list, n);
  double sum = 0;
  for (u32 i = 0; i < n; ++i) {
    switch (i % 3) {
      case 0: sum += static_cast<double>(__builtin_va_arg(list, s32)); break;
      case 1: sum += __builtin_va_arg(list, double); break;
      default: sum -= static_cast<double>(__builtin_va_arg(list, s64)); break;
    }
  }
  __builtin_va_end(list);
  return sum;
}

extern "C" __global__ void vary(const u32* in, double* out, u32 n) {
  const u32 i = global_x();
  const s32 a = static_cast<s32>(in[i]);
  const double b = static_cast<double>(in[(i + 1) % n]) * 0.25;
  const s64 c = static_cast<s64>(in[(i + 2) % n]) << 9;
  double* mine = out + 3 * i;
  mine[0] = total(3, a, b, c);
  mine[1] = total(5, a, b, c, -a, b * 2);
  mine[2] = total(i & 1, 7);
}
