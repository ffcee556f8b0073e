// f16 and bf16 arithmetic, alone and in pairs (PTX manual, "Half Precision Floating Point Instructions"). LLVM's `half`
// operations round once, to nearest even, as PTX asks; fused and bf16 operations are devicelib's.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

// add, sub or mul of two f16 values. By way of f32, which rounds to the same (24 bits are at least 2 * 11 + 2): a NaN
// is easier to test for there. LLVM makes `half` operations of it where nothing stands between.
Value* native(FunctionEmitter& e, Value* a, Value* b) {
  llvm::Type* half = e.builder.getHalfTy();
  llvm::Type* wide = e.builder.getFloatTy();
  a = e.builder.CreateFPExt(e.reinterpret(a, half), wide);
  b = e.builder.CreateFPExt(e.reinterpret(b, half), wide);
  Value* result = e.instruction().opcode == Opcode::kAdd   ? e.builder.CreateFAdd(a, b)
                  : e.instruction().opcode == Opcode::kSub ? e.builder.CreateFSub(a, b)
                                                           : e.builder.CreateFMul(a, b);
  if (e.has(Modifier::kSat))
    return e.reinterpret(e.devicelib("sat_f16", {e.builder.CreateFPTrunc(result, half)}), half);
  return e.builder.CreateFPTrunc(e.canonical(result, Type::kF32), half);
}

}  // namespace

Status emit_half_arithmetic(FunctionEmitter& e) {
  const Type type = e.type();
  const Opcode opcode = e.instruction().opcode;
  const bool is_fma = opcode == Opcode::kFma;
  const bool is_f16 = type == Type::kF16 || type == Type::kF16x2;
  if (e.type(1) != Type::kNone || opcode == Opcode::kMad) return e.unsupported();
  if (is_f16 && !is_fma && !e.has(Modifier::kFtz)) {
    Value *a = e.read(1, type), *b = e.read(2, type);
    if (type == Type::kF16) {
      e.write(0, native(e, a, b), type);
      return {};
    }
    const auto [a_low, a_high] = e.split(a);
    const auto [b_low, b_high] = e.split(b);
    e.write(0, e.join(native(e, a_low, b_low), native(e, a_high, b_high)), type);
    return {};
  }
  // f16 subnormals are never flushed unless the text says so, not even in fast mode.
  std::string name = std::string(ptx::spelling(opcode)) + "_rn";
  for (const auto& [modifier, text] : {std::pair{Modifier::kFtz, "_ftz"},
                                       {Modifier::kSat, "_sat"},
                                       {Modifier::kOob, "_oob"},
                                       {Modifier::kRelu, "_relu"}})
    if (e.has(modifier)) name += text;
  name += "_" + std::string(ptx::spelling(type));
  std::vector<Value*> arguments{e.read(1, type), e.read(2, type)};
  if (is_fma) arguments.push_back(e.read(3, type));
  Value* result = e.devicelib(name, arguments);
  if (result == nullptr) return e.unsupported();
  e.write(0, result, type);
  return {};
}

}  // namespace ww::lower
