// Reads a video instruction into the constant that its computation takes.
#pragma once

#include <optional>
#include <span>

#include "base/video_control.h"
#include "ptx/module.h"

namespace ww::ptx {

// Nothing: not a video instruction. `operands` are those of the instruction, verified. (PTX ISA, "Scalar Video
// Instructions", "SIMD Video Instructions".)
std::optional<VideoControl> video_control(const Instruction& instruction, std::span<const Operand> operands);

}  // namespace ww::ptx
