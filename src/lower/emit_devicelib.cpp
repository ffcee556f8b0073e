// Instructions whose whole meaning is one lane-local function of devicelib, found by the instruction's own name:
// bfe.u32 is ww_bfe_u32, ex2.approx.ftz.f32 is ww_ex2_approx_ftz_f32.
#include "lower/emit.h"

namespace ww::lower {
namespace {

std::string function_name(FunctionEmitter& e, bool with_ftz) {
  const ptx::Instruction& instruction = e.instruction();
  std::string name(ptx::spelling(instruction.opcode));
  for (unsigned i = 0; i < instruction.modifier_count; ++i)
    if (with_ftz || instruction.modifiers[i] != ptx::Modifier::kFtz)
      name += "_" + std::string(ptx::spelling(instruction.modifiers[i]));
  for (unsigned i = 0; i < instruction.type_count; ++i) name += "_" + std::string(ptx::spelling(instruction.types[i]));
  return name;
}

// The PTX type with which an argument of this LLVM type is read.
ptx::Type read_type(llvm::Type* type, ptx::Type instruction_type) {
  if (type->isFloatTy()) return ptx::Type::kF32;
  if (type->isDoubleTy()) return ptx::Type::kF64;
  const bool is_signed = ptx::is_signed(instruction_type);
  switch (type->getIntegerBitWidth()) {
    case 1:
      return ptx::Type::kPred;
    case 8:
      return is_signed ? ptx::Type::kS8 : ptx::Type::kB8;
    case 16:
      return is_signed ? ptx::Type::kS16 : ptx::Type::kB16;
    case 32:
      return is_signed ? ptx::Type::kS32 : ptx::Type::kB32;
    default:
      return is_signed ? ptx::Type::kS64 : ptx::Type::kB64;
  }
}

}  // namespace

Status emit_by_name(FunctionEmitter& e) {
  llvm::Function* callee = nullptr;
  // In fast mode subnormals are the target's affair, and some functions have a faster one.
  if (!e.exact()) callee = e.module.devicelib("fast_" + function_name(e, false));
  if (callee == nullptr && !e.exact() && e.has(ptx::Modifier::kFtz))
    callee = e.module.devicelib(function_name(e, false));
  if (callee == nullptr) callee = e.module.devicelib(function_name(e, true));
  if (callee == nullptr || callee->arg_size() + 1 != e.operand_count()) return e.unsupported();
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i < callee->arg_size(); ++i)
    arguments.push_back(e.read(i + 1, read_type(callee->getArg(i)->getType(), e.type())));
  e.write(0, e.builder.CreateCall(callee, arguments), e.type());
  return {};
}

}  // namespace ww::lower
