// alloca, stacksave, stackrestore (PTX manual, "Stack Manipulation Instructions"). What a function takes is given back
// when it returns.
#include "lower/emit.h"

namespace ww::lower {

using ptx::Type;

// alloca.type d, size {, alignment}: 8 bytes if none is written.
Status emit_alloca(FunctionEmitter& e) {
  llvm::Value* size = e.builder.CreateZExt(e.read(1, e.type()), e.builder.getInt64Ty());
  const uint64_t alignment = e.operand_count() > 2 ? e.operand(2).value : 8;
  llvm::Value* place = e.intrinsic("alloca", e.pointer(5), {size, e.constant(64, alignment)});
  e.write(0, e.builder.CreatePtrToInt(place, e.integer(ptx::bits(e.type()))), e.type());
  return {};
}

Status emit_stacksave(FunctionEmitter& e) {
  e.write(0, e.intrinsic("stacksave", e.builder.getInt32Ty(), {}), Type::kU32);
  return {};
}

Status emit_stackrestore(FunctionEmitter& e) {
  e.intrinsic("stackrestore", e.builder.getVoidTy(),
              {e.builder.CreateZExtOrTrunc(e.read(0, e.type()), e.builder.getInt32Ty())});
  return {};
}

}  // namespace ww::lower
