// Reciprocals, roots and quotients of .approx and .full for fast numerics: one IEEE operation each (of rsqrt two in
// f64), which hosts have as instructions, inside the bounds of the PTX manual. Special values as in the manual's
// tables.
#include "devicelib/float_bits.h"

namespace ww::devicelib {
extern "C" {

f32 ww_fast_rcp_approx_f32(f32 a) {
  return canonical(1.0f / a);
}
f32 ww_fast_rsqrt_approx_f32(f32 a) {
  return canonical(f32(1.0 / __builtin_sqrt(f64(a))));  // -0: 1 / -0 is -infinity
}
f32 ww_fast_sqrt_approx_f32(f32 a) {
  return canonical(__builtin_sqrtf(a));
}
// a * (1 / b); where 1 / b is below the normal numbers (|b| > 2^126) it counts as zero.
f32 ww_fast_div_approx_f32(f32 a, f32 b) {
  const u32 divisor = bits_of(b) & 0x7fffffffu;
  const bool vanishing = divisor > 0x7e800000u && divisor < 0x7f800000u;
  const f32 zero = float_of((bits_of(a) ^ bits_of(b)) & 0x80000000u);
  const f32 product = (bits_of(a) & 0x7fffffffu) == 0x7f800000u ? float_of(kNanF32) : zero;
  return canonical(vanishing && !is_nan(a) ? product : a / b);
}
f32 ww_fast_div_full_f32(f32 a, f32 b) {
  return canonical(a / b);
}

}  // extern "C"
}  // namespace ww::devicelib
