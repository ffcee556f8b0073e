// The guest library's own exp, log, sin, cos, pow and tanh: built from correctly rounded steps, so equal everywhere.
#include "ww_guest.h"

// out: 8 values an x.
WW_KERNEL void elementary(const float* in, float* out, u32 count) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = in[i];
  float* r = out + 8 * i;
  r[0] = ww::exp(x);
  r[1] = ww::exp2(x);
  r[2] = ww::log(ww::abs(x));
  r[3] = ww::log2(ww::abs(x) + 1.0f);
  r[4] = ww::sin(x);
  r[5] = ww::cos(x);
  r[6] = ww::pow(ww::abs(x), 0.45f);
  r[7] = ww::tanh(x);
}

// European options by Black and Scholes; the normal distribution by Abramowitz and Stegun 26.2.17.
WW_DEVICE float normal_cdf(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * ww::abs(d));
  const float poly =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.398942280f * ww::exp(-0.5f * d * d) * poly;
  return d > 0.0f ? 1.0f - tail : tail;
}
WW_KERNEL void black_scholes(const float* price, const float* strike, const float* years, float2* call_put, u32 count,
                             float rate, float volatility) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float s = price[i];
  const float k = strike[i];
  const float t = years[i];
  const float root = ww::sqrt(t);
  const float d1 = (ww::log(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  const float d2 = d1 - volatility * root;
  const float discounted = k * ww::exp(-rate * t);
  const float n1 = normal_cdf(d1);
  const float n2 = normal_cdf(d2);
  call_put[i] = {s * n1 - discounted * n2, discounted * (1.0f - n2) - s * (1.0f - n1)};
}
