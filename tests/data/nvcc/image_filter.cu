// A separable blur with weights in constant memory, a tile with a halo in shared memory, and settings by value.
struct Settings {
  unsigned width, height;
  float gain;
  unsigned char clamp_low, clamp_high;
};

__constant__ float blur_weights[5];
__device__ unsigned blur_clamped;

__device__ static float clamped(float value, const Settings& settings) {
  const float low = settings.clamp_low;
  const float high = settings.clamp_high;
  if (value < low || value > high) asm volatile("red.add.u32 [%0], 1;" ::"l"(&blur_clamped) : "memory");
  return value < low ? low : value > high ? high : value;
}

extern "C" __global__ void blur_rows(Settings settings, const unsigned char* __restrict__ in, float* __restrict__ out) {
  __shared__ float tile[4][32 + 4];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 4 + threadIdx.y;
  const int last = settings.width - 1;
  for (int i = threadIdx.x; i < 36; i += 32) {
    int from = static_cast<int>(blockIdx.x * 32) + i - 2;
    from = from < 0 ? 0 : from > last ? last : from;
    tile[threadIdx.y][i] = y < static_cast<int>(settings.height) ? in[y * settings.width + from] : 0.0f;
  }
  __syncthreads();
  if (x > last || y >= static_cast<int>(settings.height)) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 5; ++k) sum += blur_weights[k] * tile[threadIdx.y][threadIdx.x + k];
  out[y * settings.width + x] = clamped(sum * settings.gain, settings);
}

extern "C" __global__ void blur_columns(Settings settings, const float* __restrict__ in, float* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int height = settings.height;
  if (x >= static_cast<int>(settings.width)) return;
  for (int y = blockIdx.y; y < height; y += gridDim.y) {
    float sum = 0.0f;
    for (int k = -2; k <= 2; ++k) {
      int from = y + k;
      if (from < 0) from = -from;
      if (from >= height) from = 2 * height - 2 - from;
      sum += blur_weights[k + 2] * in[from * settings.width + x];
    }
    out[y * settings.width + x] = clamped(sum, settings);
  }
}
