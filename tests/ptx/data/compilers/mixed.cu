// What compilers write for ordinary code: control flow with a table of branches, calls through pointers, recursion, structs by
// value, 64-bit and 128-bit arithmetic, shared, local and constant memory, f32 and f64. No library header.
#ifdef __clang__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
static __device__ unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ void barrier() { __nvvm_bar_sync(0); }
#else
static __device__ unsigned thread() { return threadIdx.x; }
static __device__ void barrier() { __syncthreads(); }
#endif

struct Pair {
  double scale;
  int first, second[3];
};

__constant__ float table[8] = {1.0f, 2.5f, -3.0f, 0.1f, 1e30f, -0.0f, 7.0f, 8.0f};
__device__ int counters[4] = {1, 2};
__device__ const char message[] = "a \"text\"\n";

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
typedef int (*Function)(int);
__device__ Function functions[2] = {twice, square};

__device__ __noinline__ Pair mix(Pair p, unsigned long long bits) {
  p.scale = p.scale * 0.5 + static_cast<double>(bits >> 3);
  p.second[bits & 1] += p.first;
  return p;
}

__device__ __noinline__ float choose(int kind, float x) {
  switch (kind) {
    case 0: return x + 1;
    case 1: return x * x;
    case 2: return 1 / x;
    case 3: return x - table[3];
    case 4: return -x;
    case 5: return x > 0 ? x : 0;
    case 6: return static_cast<float>(static_cast<int>(x));
    default: return 0;
  }
}

extern "C" __global__ void mixed(const Pair* in, Pair* out, float* sums, long long* wide, int n) {
  __shared__ float tile[64];
  const unsigned i = thread();
  int local[6];
  for (int k = 0; k < 6; ++k) local[k] = k * n;
  tile[i & 63] = choose(static_cast<int>(i) % 9, sums[i]);
  barrier();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += tile[k & 63] * table[k & 7];
  sums[i] = sum;
  out[i] = mix(in[i], static_cast<unsigned long long>(wide[i]));
  const Function f = functions[i & 1];
  local[i % 6] += f(factorial(static_cast<int>(i & 7)));
  wide[i] = wide[i] * local[(i + 1) % 6] / (n | 1) + message[i & 7] + counters[i & 3];
#ifdef __SIZEOF_INT128__
  const __int128 product = static_cast<__int128>(wide[i]) * wide[i];
  wide[i] ^= static_cast<long long>(product >> 64);
#endif
}
