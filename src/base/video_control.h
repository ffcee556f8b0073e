// What a video instruction does with its operands, as one 64-bit constant: the contract between whoever reads the
// instruction (ptx/video.h) and what computes it (devicelib's ww_video_scalar and ww_video_simd).
// (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions".)
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ww {

enum class VideoOperation : uint8_t { kAdd, kSub, kAbsdiff, kMin, kMax, kShl, kShr, kMad, kSet, kAvrg };
enum class VideoSecond : uint8_t { kNone, kAdd, kMin, kMax };  // what is done with the result and c
enum class VideoCompare : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

struct VideoControl {
  VideoOperation operation = VideoOperation::kAdd;
  VideoSecond second = VideoSecond::kNone;
  VideoCompare compare = VideoCompare::kEq;  // kSet
  bool d_signed = false, a_signed = false, b_signed = false;
  bool saturate = false;
  bool wrap = false;                              // kShl, kShr: the count modulo 32, not clamped to it
  bool plus_one = false;                          // kMad: .po
  bool negate_product = false, negate_c = false;  // kMad
  uint8_t right_shift = 0;                        // kMad: 0, 7 or 15
  // Scalar: 0 the whole register, 1..4 .b0 .. .b3, 5 and 6 .h0 and .h1. SIMD: digits of four bits, the lowest part's
  // lowest: which part of {b, a} each part of the operand is.
  uint16_t a_selector = 0, b_selector = 0;
  // Scalar: as above, where the result is merged into c. SIMD: one bit a part that is written.
  uint8_t d_selector = 0;
  uint8_t parts = 1;  // 1 (scalar), 2 or 4

  constexpr uint64_t pack() const {
    uint64_t bits = 0;
    unsigned at = 0;
    const auto put = [&](uint64_t value, unsigned width) {
      bits |= value << at;
      at += width;
    };
    put(static_cast<uint64_t>(operation), 4);
    put(static_cast<uint64_t>(second), 2);
    put(static_cast<uint64_t>(compare), 3);
    for (const bool flag : {d_signed, a_signed, b_signed, saturate, wrap, plus_one, negate_product, negate_c})
      put(flag ? 1 : 0, 1);
    put(right_shift, 4);
    put(a_selector, 16);
    put(b_selector, 16);
    put(d_selector, 4);
    put(parts, 3);
    return bits;
  }

  static constexpr VideoControl unpack(uint64_t bits) {
    const auto take = [&](unsigned width) {
      const uint64_t value = bits & ((uint64_t{1} << width) - 1);
      bits >>= width;
      return value;
    };
    VideoControl control;
    control.operation = static_cast<VideoOperation>(take(4));
    control.second = static_cast<VideoSecond>(take(2));
    control.compare = static_cast<VideoCompare>(take(3));
    for (bool* flag : {&control.d_signed, &control.a_signed, &control.b_signed, &control.saturate, &control.wrap,
                       &control.plus_one, &control.negate_product, &control.negate_c})
      *flag = take(1) != 0;
    control.right_shift = static_cast<uint8_t>(take(4));
    control.a_selector = static_cast<uint16_t>(take(16));
    control.b_selector = static_cast<uint16_t>(take(16));
    control.d_selector = static_cast<uint8_t>(take(4));
    control.parts = static_cast<uint8_t>(take(3));
    return control;
  }
};

}  // namespace ww
