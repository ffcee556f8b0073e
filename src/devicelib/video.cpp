// Video instructions: bytes, halves and words of the operands, sign- or zero-extended, an operation, saturation, and a
// second operation or a merge with c. (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"; the pseudo-code
// there is what this follows.)
//
// Since sm_50 there is no hardware for the scalar ones: NVIDIA's compiler makes them of 64-bit steps, which are not the
// manual's in the places marked "H200" (each is what one gives for all forms).
#include "base/video_control.h"
#include "devicelib/devicelib.h"

namespace ww::devicelib {
namespace {

s64 extend(u32 value, u32 width, bool is_signed) {
  const u32 unused = 32 - width;
  return is_signed ? s64(s32(value << unused) >> unused) : s64(value << unused >> unused);
}

u32 width_of(u32 selector) {
  return selector == 0 ? 32 : selector <= 4 ? 8 : 16;
}
u32 place_of(u32 selector) {
  return selector == 0 ? 0 : selector <= 4 ? 8 * (selector - 1) : 16 * (selector - 5);
}

s64 select(u32 value, u32 selector, bool is_signed) {
  return extend(value >> place_of(selector), width_of(selector), is_signed);
}

s64 clamp(s64 value, u32 width, bool is_signed) {
  const s64 least = is_signed ? -(s64(1) << (width - 1)) : 0;
  const s64 most = (s64(1) << (is_signed ? width - 1 : width)) - 1;
  return value < least ? least : value > most ? most : value;
}

bool compare(VideoCompare comparison, s64 a, s64 b) {
  switch (comparison) {
    case VideoCompare::kEq:
      return a == b;
    case VideoCompare::kNe:
      return a != b;
    case VideoCompare::kLt:
      return a < b;
    case VideoCompare::kLe:
      return a <= b;
    case VideoCompare::kGt:
      return a > b;
    case VideoCompare::kGe:
      break;
  }
  return a >= b;
}

s64 operate(const VideoControl& control, s64 a, s64 b) {
  switch (control.operation) {
    case VideoOperation::kAdd:
      return a + b;
    case VideoOperation::kSub:
      return a - b;
    case VideoOperation::kAbsdiff:
      return a < b ? b - a : a - b;
    case VideoOperation::kMin:
      return a < b ? a : b;
    case VideoOperation::kMax:
      return a < b ? b : a;
    case VideoOperation::kAvrg:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOperation::kSet:
      return compare(control.compare, a, b) ? 1 : 0;
    case VideoOperation::kShl:
    case VideoOperation::kShr:
    case VideoOperation::kMad:
      break;
  }
  const u32 count = u32(control.wrap ? b & 31 : b > 32 ? 32 : b);
  return control.operation == VideoOperation::kShl ? s64(u64(a) << count) : a >> count;
}

bool is_sum(VideoOperation operation) {
  return operation == VideoOperation::kAdd || operation == VideoOperation::kSub;
}
bool is_shift(VideoOperation operation) {
  return operation == VideoOperation::kShl || operation == VideoOperation::kShr;
}

// The scalar result in the range of d, or of as many of its bits as are written. H200: only a signed word, and what is
// shifted, is clamped at both ends. An unsigned word is clamped at 0 alone; a byte or a half is clamped from above, as
// if the result were unsigned. What is shifted is taken modulo 2^34 and clamped to a word, however little is written.
s64 saturate_scalar(const VideoControl& control, s64 value, u32 width) {
  if (is_shift(control.operation)) return clamp(s64(u64(value) << 30) >> 30, 32, control.d_signed);
  const u64 most = (u64(1) << (control.d_signed ? width - 1 : width)) - 1;
  if (width < 32) return u64(value) < most ? value : s64(most);
  if (control.d_signed) return clamp(value, 32, true);
  return value < 0 ? 0 : value;
}

// a * b + c, negations as complements with one added at the end. H200: whole words and c are signed, whatever the type.
u32 multiply_add(const VideoControl& control, s64 a, s64 b, u32 c) {
  const bool is_signed = control.a_signed || control.b_signed || control.negate_product || control.negate_c;
  s64 result = (control.a_selector == 0 ? s32(a) : a) * (control.b_selector == 0 ? s32(b) : b);
  if (control.negate_product) result = ~result;
  result += s32(control.negate_c ? ~c : c);
  result += control.plus_one || control.negate_product || control.negate_c ? 1 : 0;
  result = is_signed ? result >> control.right_shift : s64(u64(result) >> control.right_shift);
  return u32(control.saturate ? clamp(result, 32, is_signed) : result);
}

// H200: c is compared with the exact result; with one that was cut to 32 bits and sign-extended after a sum and after a
// saturated shift. Unsigned, a negative result is larger than every c. Comparisons are signed if a is.
u32 second_operation(const VideoControl& control, s64 value, u32 c) {
  const u32 a = u32(value);
  if (control.second == VideoSecond::kAdd) return a + c;
  const bool is_signed = control.operation == VideoOperation::kSet ? control.a_signed : control.d_signed;
  const bool is_cut = is_sum(control.operation) || (is_shift(control.operation) && control.saturate);
  const s64 wide = is_cut ? s64(s32(a)) : value;
  const bool less = is_signed ? wide < s64(s32(c)) : u64(wide) < u64(c);
  return less == (control.second == VideoSecond::kMin) ? a : c;
}

// Part `digit` of {b, a}, of `width` bits.
s64 part(u32 a, u32 b, u32 digit, u32 width, bool is_signed) {
  const u32 in_register = 32 / width;
  return extend((digit < in_register ? a : b) >> (width * (digit % in_register)), width, is_signed);
}

}  // namespace

extern "C" {

u32 ww_video_scalar(u32 a, u32 b, u32 c, u64 bits) {
  const VideoControl control = VideoControl::unpack(bits);
  const s64 ta = select(a, control.a_selector, control.a_signed), tb = select(b, control.b_selector, control.b_signed);
  if (control.operation == VideoOperation::kMad) return multiply_add(control, ta, tb, c);
  s64 value = operate(control, ta, tb);
  const u32 width = width_of(control.d_selector), place = place_of(control.d_selector);
  if (control.saturate) value = saturate_scalar(control, value, width);
  if (control.second != VideoSecond::kNone) return second_operation(control, value, c);
  if (control.d_selector == 0) return u32(value);
  const u32 mask = ((1u << width) - 1) << place;
  const u32 moved = control.d_selector == 6 ? u32(value) : u32(value) << place;  // H200: into .h1 goes the upper half
  return (moved & mask) | (c & ~mask);
}

u32 ww_video_simd(u32 a, u32 b, u32 c, u64 bits) {
  const VideoControl control = VideoControl::unpack(bits);
  const u32 width = 32 / control.parts, ones = (1u << width) - 1;
  const bool adds = control.second == VideoSecond::kAdd;
  u32 result = adds ? c : 0;
  for (u32 i = 0; i < control.parts; ++i) {
    const s64 pa = part(a, b, (control.a_selector >> (4 * i)) & 15, width, control.a_signed);
    const s64 pb = part(a, b, (control.b_selector >> (4 * i)) & 15, width, control.b_signed);
    s64 value = operate(control, pa, pb);
    if (control.saturate) value = clamp(value, width, control.d_signed);
    const bool written = ((control.d_selector >> i) & 1) != 0;
    if (adds)
      result += written ? u32(value) : 0;
    else
      result |= ((written ? u32(value) : c >> (width * i)) & ones) << (width * i);
  }
  return result;
}

}  // extern "C"
}  // namespace ww::devicelib
