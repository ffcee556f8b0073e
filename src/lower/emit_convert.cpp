// cvt, cvta, isspacep, mov (PTX manual, "Data Movement and Conversion Instructions").
#include <llvm/IR/Intrinsics.h>

#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

bool is_scalar_float(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF32 || type == Type::kF64;
}

std::string name_of(Type type) {
  return std::string(ptx::spelling(type));
}

// The rounding modifier as written, or "".
std::string rounding(FunctionEmitter& e) {
  for (Modifier modifier : {Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp, Modifier::kRna, Modifier::kRni,
                            Modifier::kRzi, Modifier::kRmi, Modifier::kRpi})
    if (e.has(modifier)) return std::string(ptx::spelling(modifier));
  return "";
}

bool rounds_to_integer(FunctionEmitter& e) {
  return e.has(Modifier::kRni) || e.has(Modifier::kRzi) || e.has(Modifier::kRmi) || e.has(Modifier::kRpi);
}

// A half-precision or f32 value as f32, flushed if `.ftz` says so; a flushed NaN is the canonical one. On the way to
// f16 nothing is flushed: rounded up or down, a subnormal gives the least f16 (both an H200's).
Value* widened(FunctionEmitter& e, Value* value, Type type) {
  if (type == Type::kF16) return e.builder.CreateFPExt(value, e.builder.getFloatTy());
  if (type == Type::kBF16) value = e.devicelib("cvt_f32_bf16", {value});
  if (e.has(Modifier::kFtz) && e.exact() && e.type(0) != Type::kF16)
    value = e.canonical(e.devicelib("ftz_f32", {value}), Type::kF32);
  return value;
}

// An f32 rounded to an integral value in the instruction's direction.
Value* integral(FunctionEmitter& e, Value* value) {
  const llvm::Intrinsic::ID id = e.has(Modifier::kRni)   ? llvm::Intrinsic::roundeven
                                 : e.has(Modifier::kRmi) ? llvm::Intrinsic::floor
                                 : e.has(Modifier::kRpi) ? llvm::Intrinsic::ceil
                                                         : llvm::Intrinsic::trunc;
  return e.builder.CreateUnaryIntrinsic(id, value);
}

// Clamps an integer of type `from` to the range of `to`; the result has the width of `to`.
Value* clamp_integer(FunctionEmitter& e, Value* value, Type from, Type to) {
  const unsigned to_bits = ptx::bits(to);
  const unsigned wide_bits = std::max(ptx::bits(from), to_bits) >= 64 ? 128 : 64;
  llvm::IntegerType* wide = e.integer(wide_bits);
  value = ptx::is_signed(from) ? e.builder.CreateSExt(value, wide) : e.builder.CreateZExt(value, wide);
  const llvm::APInt least =
      ptx::is_signed(to) ? llvm::APInt::getSignedMinValue(to_bits).sext(wide_bits) : llvm::APInt(wide_bits, 0);
  const llvm::APInt largest = ptx::is_signed(to) ? llvm::APInt::getSignedMaxValue(to_bits).sext(wide_bits)
                                                 : llvm::APInt::getMaxValue(to_bits).zext(wide_bits);
  value = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, llvm::ConstantInt::get(wide, least));
  value = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, llvm::ConstantInt::get(wide, largest));
  return e.builder.CreateTrunc(value, e.integer(to_bits));
}

Status integer_to_integer(FunctionEmitter& e, Type to, Type from) {
  Value* value = e.read(1, from);
  if (e.has(Modifier::kSat))
    value = clamp_integer(e, value, from, to);
  else if (ptx::is_signed(from))
    value = e.builder.CreateSExtOrTrunc(value, e.integer(ptx::bits(to)));
  else
    value = e.builder.CreateZExtOrTrunc(value, e.integer(ptx::bits(to)));
  e.write(0, value, to);
  return {};
}

// Out of range is clamped; a NaN gives 0 from f32 and narrower to at most 32 bits, which llvm.fpto*i.sat does as well.
Status float_to_integer(FunctionEmitter& e, Type to, Type from) {
  Value* value = widened(e, e.read(1, from), from);
  const unsigned bits = ptx::bits(to);
  if (from != Type::kF64 && bits <= 32) {
    const llvm::Intrinsic::ID id = ptx::is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    value = e.builder.CreateIntrinsic(id, {e.integer(32), e.builder.getFloatTy()}, {integral(e, value)});
    if (bits < 32) value = clamp_integer(e, value, ptx::is_signed(to) ? Type::kS32 : Type::kU32, to);
  } else {
    value = e.devicelib("cvt_" + rounding(e) + "_" + name_of(to) + "_" + (from == Type::kF64 ? "f64" : "f32"), {value});
    if (value == nullptr) return e.unsupported();
    if (value->getType()->getIntegerBitWidth() != bits) value = e.builder.CreateTrunc(value, e.integer(bits));
  }
  e.write(0, value, to);
  return {};
}

Status integer_to_float(FunctionEmitter& e, Type to, Type from) {
  Value* value = e.read(1, from);
  const unsigned wide = ptx::bits(from) <= 32 ? 32 : 64;
  value = ptx::is_signed(from) ? e.builder.CreateSExt(value, e.integer(wide))
                               : e.builder.CreateZExt(value, e.integer(wide));
  if ((to == Type::kF32 || to == Type::kF64) && e.has(Modifier::kRn)) {
    value = ptx::is_signed(from) ? e.builder.CreateSIToFP(value, e.type_of(to))
                                 : e.builder.CreateUIToFP(value, e.type_of(to));
  } else {
    const std::string source = (ptx::is_signed(from) ? "s" : "u") + std::to_string(wide);
    const std::string mode = rounding(e);
    value = e.devicelib("cvt_" + (mode.empty() ? "rn" : mode) + "_" + name_of(to) + "_" + source, {value});
    if (value == nullptr) return e.unsupported();
  }
  if (e.has(Modifier::kSat)) value = e.devicelib("sat_" + name_of(to), {value});
  if (value == nullptr) return e.unsupported();
  e.write(0, value, to);
  return {};
}

// f32 to f16 rounds as LLVM's fptrunc does; NVIDIA's NaN of f32 cut to f16 is that of f16, so the wider one is made
// canonical, which its source mostly is already. f64 to f32 too, but for the payload of a NaN.
Value* narrowed(FunctionEmitter& e, Value* value, Type from, Type to, const std::string& mode) {
  const bool is_native = mode == "rn" && ((from == Type::kF32 && to == Type::kF16) ||
                                          (from == Type::kF64 && to == Type::kF32 && !e.exact()));
  if (is_native && !e.has(Modifier::kRelu) && !e.has(Modifier::kSatfinite))
    return to == Type::kF16 ? e.builder.CreateFPTrunc(e.canonical(value, from), e.type_of(to))
                            : e.canonical(e.builder.CreateFPTrunc(value, e.type_of(to)), to);
  std::string name = "cvt_" + mode;
  if (e.has(Modifier::kSatfinite)) name += "_satfinite";
  if (e.has(Modifier::kRelu)) name += "_relu";
  return e.devicelib(name + "_" + name_of(to) + "_" + name_of(from), {value});
}

Status float_to_float(FunctionEmitter& e, Type to, Type from) {
  Value* value = e.read(1, from);
  std::string mode = rounding(e);
  if (to == from) {
    if (rounds_to_integer(e)) {
      if (from == Type::kF64) {
        value = e.devicelib("cvt_" + mode + "_f64_f64", {value});
      } else {
        value = e.canonical(integral(e, widened(e, value, from)), Type::kF32);
        if (to != Type::kF32) value = narrowed(e, value, Type::kF32, to, "rn");
      }
    } else if (from == Type::kF32 && e.has(Modifier::kFtz) && e.exact()) {
      value = e.canonical(e.devicelib("ftz_f32", {value}), Type::kF32);  // a flushed NaN is the canonical one
    } else if (from == Type::kF16 || from == Type::kBF16) {
      value = e.canonical(value, from);
    }
  } else if (to == Type::kF64) {
    const bool from_half = from != Type::kF32;
    if (!from_half)
      value = widened(e, value, from);
    else if (!e.exact())
      value = e.devicelib("cvt_f32_" + name_of(from), {value});
    value = e.exact() ? e.devicelib("cvt_f64_" + name_of(from), {value})
                      : e.builder.CreateFPExt(value, e.builder.getDoubleTy());
  } else if (to == Type::kF32 && from != Type::kF64) {
    value = widened(e, value, from);
    if (from == Type::kF16) value = e.canonical(value, Type::kF32);
  } else {
    if (mode.empty()) mode = "rn";
    if (from == Type::kF16 || from == Type::kBF16 || from == Type::kF32) {
      value = narrowed(e, widened(e, value, from), Type::kF32, to, mode);
    } else {
      value = narrowed(e, value, from, to, mode);
      if (value != nullptr && to == Type::kF32 && e.has(Modifier::kFtz) && e.exact())
        value = e.devicelib("ftz_f32", {value});
    }
  }
  if (value != nullptr && e.has(Modifier::kSat)) value = e.devicelib("sat_" + name_of(to), {value});
  if (value == nullptr) return e.unsupported();
  e.write(0, value, to);
  return {};
}

// Pairs, tf32 and 8-bit formats: the function of the instruction's own name.
Status packed_conversion(FunctionEmitter& e, Type to, Type from) {
  std::string name = "cvt_" + (rounding(e).empty() ? "rn" : rounding(e));
  if (e.has(Modifier::kSatfinite)) name += "_satfinite";
  if (e.has(Modifier::kRelu)) name += "_relu";
  name += "_" + name_of(to) + "_" + name_of(from);
  std::vector<Value*> arguments;
  for (unsigned i = 1; i < e.operand_count(); ++i) arguments.push_back(e.read(i, from));
  // Two floats to a pair of halves: the first becomes the upper half.
  if (to == Type::kF16x2 && from == Type::kF32 && arguments.size() == 2 && rounding(e) == "rn" &&
      !e.has(Modifier::kRelu) && !e.has(Modifier::kSatfinite)) {
    Value* high = narrowed(e, arguments[0], Type::kF32, Type::kF16, "rn");
    Value* low = narrowed(e, arguments[1], Type::kF32, Type::kF16, "rn");
    e.write(0, e.join(low, high), to);
    return {};
  }
  Value* result = e.devicelib(name, arguments);
  if (result == nullptr) return e.unsupported();
  e.write(0, result, to);
  return {};
}

}  // namespace

Status emit_cvt(FunctionEmitter& e) {
  if (e.has(Modifier::kPack)) return emit_by_name(e);
  const Type to = e.type(0), from = e.type(1);
  const bool from_float = ptx::is_float(from), to_float = ptx::is_float(to);
  if (!from_float && !to_float) return integer_to_integer(e, to, from);
  if ((from_float && !is_scalar_float(from)) || (to_float && !is_scalar_float(to)))
    return packed_conversion(e, to, from);
  if (e.operand_count() > 2) return packed_conversion(e, to, from);
  if (!to_float) return float_to_integer(e, to, from);
  return from_float ? float_to_float(e, to, from) : integer_to_float(e, to, from);
}

// cvta.space: space to generic; cvta.to.space: generic to space. Global and constant addresses are the same numbers in
// either; shared and local ones are offsets into a window.
Status emit_cvta(FunctionEmitter& e) {
  const Type type = e.type();
  const ptx::Operand& source = e.operand(1);
  const ptx::Space space = e.space();
  const unsigned number = address_space(space);
  if (number != 3 && number != 5) {
    e.write(0, e.read(source, type), type);
    return {};
  }
  if (e.has(Modifier::kTo)) {
    Value* generic = e.builder.CreateIntToPtr(e.read(source, type), e.pointer(0));
    Value* cast = e.builder.CreateAddrSpaceCast(generic, e.pointer(number));
    e.write(0, e.builder.CreatePtrToInt(cast, e.type_of(type)), type);
    return {};
  }
  Value* from = source.kind == ptx::OperandKind::kRegister
                    ? e.builder.CreateIntToPtr(e.read(source, type), e.pointer(number))
                    : e.address(source, space);
  Value* cast = e.builder.CreateAddrSpaceCast(from, e.pointer(0));
  e.write(0, e.builder.CreatePtrToInt(cast, e.type_of(type)), type);
  return {};
}

// Constant memory is where the module's .const variables are.
static Value* is_constant(FunctionEmitter& e, Value* generic) {
  Value* inside = e.builder.getFalse();
  const std::vector<ptx::Variable>& variables = e.module.ptx.variables;
  for (ptx::VariableId id = 0; id < variables.size(); ++id) {
    if (variables[id].space != ptx::Space::kConst || variables[id].size == 0) continue;
    Value* distance =
        e.builder.CreateSub(generic, e.builder.CreatePtrToInt(e.module.variable(id), e.builder.getInt64Ty()));
    inside = e.builder.CreateOr(inside, e.builder.CreateICmpULT(distance, e.builder.getInt64(variables[id].size)));
  }
  return inside;
}

Status emit_isspacep(FunctionEmitter& e) {
  const ptx::Space space = e.space();
  const char* name = space == ptx::Space::kGlobal      ? "isspacep.global"
                     : e.has(Modifier::kSharedCluster) ? "isspacep.cluster"
                     : space == ptx::Space::kShared    ? "isspacep.shared"
                     : space == ptx::Space::kLocal     ? "isspacep.local"
                     : space == ptx::Space::kParam     ? "isspacep.param"
                                                       : nullptr;
  const Type type = e.register_type(e.operand(1)) == Type::kNone ? Type::kU64 : e.register_type(e.operand(1));
  Value* bits = e.read_bits(1, ptx::bits(type));
  Value* result = nullptr;
  if (name != nullptr)
    result = e.intrinsic(name, e.builder.getInt1Ty(), {e.builder.CreateIntToPtr(bits, e.pointer(0))});
  if (space == ptx::Space::kGlobal || space == ptx::Space::kConst) {
    Value* constant = is_constant(e, e.builder.CreateZExt(bits, e.builder.getInt64Ty()));
    result = result == nullptr ? constant : e.builder.CreateAnd(result, e.builder.CreateNot(constant));
  }
  e.write(0, result, Type::kPred);
  return {};
}

Status emit_mov(FunctionEmitter& e) {
  e.write(0, e.read(1, e.type()), e.type());
  return {};
}

}  // namespace ww::lower
