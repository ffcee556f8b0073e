// Video instructions. (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions".)
#include "ptx/video.h"

#include "devicelib/devicelib.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {

bool decode_video(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  const auto control = ptx::video_control(instruction, operands);
  if (!control) return false;
  op.handler =
      control->parts == 1 ? kLaneHandler<&devicelib::ww_video_scalar> : kLaneHandler<&devicelib::ww_video_simd>;
  op.destination = decoder.destination(operands[0]);
  for (size_t i = 1; i < 4; ++i)
    op.source[i - 1] = i < operands.size() ? decoder.value(operands[i], ptx::Type::kB32) : decoder.constant(0);
  op.source[3] = decoder.constant(control->pack());
  return true;
}

}  // namespace ww::sim
