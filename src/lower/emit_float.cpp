// f32 and f64 arithmetic (PTX manual, "Floating Point Instructions"). Round to nearest without .ftz is LLVM's own
// arithmetic; the rest is devicelib's.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

const char* rounding_name(FunctionEmitter& e) {
  if (e.has(Modifier::kRz)) return "rz";
  if (e.has(Modifier::kRm)) return "rm";
  if (e.has(Modifier::kRp)) return "rp";
  return "rn";
}

// `.sat`: clamped to [0, 1], a NaN to 0.
Value* saturate(FunctionEmitter& e, Value* value, Type type) {
  return e.devicelib("sat_" + std::string(ptx::spelling(type)), {value});
}

// f64 arithmetic hands on the first of `operands` that is a NaN, made quiet; an invalid operation gives
// fff8000000000000.
Value* f64_nan_of(FunctionEmitter& e, Value* result, llvm::ArrayRef<Value*> operands) {
  llvm::Type* bits = e.builder.getInt64Ty();
  Value* nan = e.builder.getInt64(0xfff8000000000000u);
  for (Value* operand : llvm::reverse(operands)) {
    Value* quiet = e.builder.CreateOr(e.reinterpret(operand, bits), e.builder.getInt64(0x0008000000000000u));
    nan = e.builder.CreateSelect(e.builder.CreateFCmpUNO(operand, operand), quiet, nan);
  }
  Value* is_nan = e.builder.CreateFCmpUNO(result, result);
  return e.builder.CreateSelect(is_nan, e.reinterpret(nan, result->getType()), result);
}

Value* with_nan(FunctionEmitter& e, Value* result, Type type, llvm::ArrayRef<Value*> operands) {
  if (type == Type::kF64) return e.exact() ? f64_nan_of(e, result, operands) : result;
  return e.canonical(result, type);
}

}  // namespace

// add, sub, mul, fma, mad, div.
Status emit_float_arithmetic(FunctionEmitter& e) {
  const Type type = e.type();
  const Opcode opcode = e.instruction().opcode;
  if (e.has(Modifier::kApprox) || e.has(Modifier::kFull)) return emit_by_name(e);
  const std::string rounding = rounding_name(e);
  const bool flushes = e.has(Modifier::kFtz) && e.exact();
  const bool is_fma = opcode == Opcode::kFma || opcode == Opcode::kMad;
  std::vector<Value*> arguments{e.read(1, type), e.read(2, type)};
  if (is_fma) arguments.push_back(e.read(3, type));

  if (rounding != "rn" || flushes) {
    std::string name = is_fma ? "fma" : std::string(ptx::spelling(opcode));
    name += "_" + rounding;
    if (flushes) name += "_ftz";
    if (e.has(Modifier::kSat)) name += "_sat";
    name += "_" + std::string(ptx::spelling(type));
    Value* result = e.devicelib(name, arguments);
    if (result == nullptr) return e.unsupported();
    e.write(0, result, type);
    return {};
  }
  Value* result;
  switch (opcode) {
    case Opcode::kAdd:
      result = e.builder.CreateFAdd(arguments[0], arguments[1]);
      break;
    case Opcode::kSub:
      result = e.builder.CreateFSub(arguments[0], arguments[1]);
      break;
    case Opcode::kMul:
      result = e.builder.CreateFMul(arguments[0], arguments[1]);
      break;
    case Opcode::kDiv:
      result = e.builder.CreateFDiv(arguments[0], arguments[1]);
      break;
    default:
      result = e.builder.CreateIntrinsic(llvm::Intrinsic::fma, {e.type_of(type)}, arguments);
      break;
  }
  // The order in which hardware looks for a NaN to hand on: b, c, a (devicelib/float_bits.h); a division looks at a
  // first.
  if (opcode != Opcode::kDiv) std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end());
  result = e.has(Modifier::kSat) ? saturate(e, result, type) : with_nan(e, result, type, arguments);
  e.write(0, result, type);
  return {};
}

// sqrt and rcp with an IEEE rounding; .approx by name.
Status emit_float_root(FunctionEmitter& e) {
  const Type type = e.type();
  const bool is_native = e.has(Modifier::kRn) && !(e.has(Modifier::kFtz) && e.exact());
  if (!is_native) return emit_by_name(e);
  Value* a = e.read(1, type);
  Value* result = e.instruction().opcode == Opcode::kSqrt
                      ? e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a)
                      : e.builder.CreateFDiv(llvm::ConstantFP::get(a->getType(), 1.0), a);
  e.write(0, with_nan(e, result, type, {a}), type);
  return {};
}

}  // namespace ww::lower
