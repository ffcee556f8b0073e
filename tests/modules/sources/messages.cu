// Prints from the device, and assertions that hold; a trap that no thread reaches.
#include "device.h"

#ifdef __clang__
extern "C" __device__ int vprintf(const char*, const char*);
extern "C" __device__ void __assertfail(const char*, const char*, u32, const char*, unsigned long);
#define WW_ASSERT(x) ((x) ? (void)0 : __assertfail(#x, "messages.cu", __LINE__, "report", 1))
struct Arguments {
  s32 i;
  double d;
  s64 wide;
  const char* text;
};
static __device__ void say(s32 i, double d, s64 wide, const char* text) {
  const Arguments arguments = {i, d, wide, text};
  vprintf("thread %d: %g %lld %s\n", reinterpret_cast<const char*>(&arguments));
}
#else
extern "C" __device__ void __assertfail(const void*, const void*, unsigned int, const void*, size_t);
#define WW_ASSERT(x) ((x) ? (void)0 : __assertfail(#x, "messages.cu", __LINE__, "report", 1))
static __device__ void say(s32 i, double d, s64 wide, const char* text) { printf("thread %d: %g %lld %s\n", i, d, wide, text); }
#endif

__device__ const char* const names[3] = {"zero", "one", "two"};

extern "C" __global__ void report(const u32* in, u32* out, u32 limit) {
  const u32 i = global_x(), word = in[i] % limit;
  WW_ASSERT(word < limit);
  if (i % 16 == 3) say(static_cast<s32>(i), static_cast<double>(word) * 0.5, -static_cast<s64>(word) << 33, names[word % 3]);
  if (word == limit) asm volatile("trap;");
  out[i] = word * word + static_cast<u32>(names[word % 3][1]);
}
