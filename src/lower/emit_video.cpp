// Video instructions: one devicelib function for scalars, one for pairs and quadruples, with a constant that says which
// instruction it is; inlining leaves what that instruction does. (PTX ISA, "Scalar Video Instructions", "SIMD Video
// Instructions".)
#include "lower/emit.h"
#include "ptx/video.h"

namespace ww::lower {

Status emit_video(FunctionEmitter& e) {
  const auto control = ptx::video_control(e.instruction(), e.operands());
  if (!control) return e.unsupported();
  llvm::Value* c = e.operand_count() > 3 ? e.read(3, ptx::Type::kB32) : e.constant(32, 0);
  llvm::Value* arguments[] = {e.read(1, ptx::Type::kB32), e.read(2, ptx::Type::kB32), c,
                              e.constant(64, control->pack())};
  e.write(0, e.devicelib(control->parts == 1 ? "video_scalar" : "video_simd", arguments), ptx::Type::kB32);
  return {};
}

}  // namespace ww::lower
