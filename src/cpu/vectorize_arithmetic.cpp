// Arithmetic, comparisons, casts and LLVM's own intrinsics, on scalars and vectors alike.
#include <llvm/IR/Intrinsics.h>

#include "cpu/vectorizer.h"

namespace ww::cpu {

using llvm::Intrinsic::ID;

static llvm::Type* with_element(llvm::Type* shape, llvm::Type* element) {
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(shape))
    return llvm::VectorType::get(element, vector->getElementCount());
  return element;
}

// --- what the level has no instruction for

// One function a module for each such operation, called strip by strip: put in line, they would be most of the code
// (and compiling it most of the time). `make` emits its body.
llvm::Value* FunctionVectorizer::routine(llvm::StringRef name, Type* result, llvm::ArrayRef<Value*> arguments,
                                         const std::function<Value*(llvm::ArrayRef<Value*>)>& make,
                                         llvm::MemoryEffects effects) {
  const std::string symbol =
      ("cpu.routine." + name + (arguments[0]->getType()->isVectorTy() ? ".strip" : ".scalar")).str();
  llvm::Function* function = state_.module.getFunction(symbol);
  if (function == nullptr) {
    llvm::SmallVector<Type*, 3> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::Function::InternalLinkage,
                                      symbol, state_.module);
    // Code is generated for it before its callers', which then know the registers that it leaves alone (jit.cpp).
    function->setDoesNotThrow();
    function->setMemoryEffects(effects);
    function->setDoesNotRecurse();
    function->setWillReturn();
    function->addFnAttr(llvm::Attribute::NoInline);
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(BasicBlock::Create(source_.getContext(), "entry", function));
    llvm::SmallVector<Value*, 3> parameters;
    for (llvm::Argument& parameter : function->args()) parameters.push_back(&parameter);
    Value* value = make(parameters);
    if (value != nullptr)
      builder_.CreateRet(value);
    else
      builder_.CreateRetVoid();
  }
  llvm::CallInst* call = builder_.CreateCall(function, arguments);
  call->setDoesNotThrow();
  return call;
}

// --- half

llvm::Value* FunctionVectorizer::half_to_float(Value* bits) {
  Type* shape = bits->getType();
  if (level_.has_fma)
    return builder_.CreateFPExt(builder_.CreateBitCast(bits, with_element(shape, builder_.getHalfTy())),
                                with_element(shape, builder_.getFloatTy()));
  // Constants are folded in line.
  if (llvm::isa<llvm::Constant>(bits)) return software_half_to_float(bits);
  return routine("half_to_float", with_element(shape, builder_.getFloatTy()), {bits},
                 [&](llvm::ArrayRef<Value*> arguments) { return software_half_to_float(arguments[0]); });
}

llvm::Value* FunctionVectorizer::software_half_to_float(Value* bits) {
  Type* shape = bits->getType();
  // The exponent moved up by multiplying with 2^112 makes subnormals right too; infinities and NaNs get theirs put in.
  // A signalling NaN becomes quiet, as hardware does it.
  Type* ints = with_element(shape, builder_.getInt32Ty());
  Type* floats = with_element(shape, builder_.getFloatTy());
  const auto constant = [&](uint32_t value) { return llvm::ConstantInt::get(ints, value); };
  Value* wide = builder_.CreateZExt(bits, ints);
  Value* magnitude = builder_.CreateAnd(wide, constant(0x7fff));
  Value* sign = builder_.CreateShl(builder_.CreateXor(wide, magnitude), 16);
  Value* shifted = builder_.CreateShl(magnitude, 13);
  Value* scaled = builder_.CreateBitCast(
      builder_.CreateFMul(builder_.CreateBitCast(shifted, floats), llvm::ConstantFP::get(floats, 0x1p112)), ints);
  Value* special = builder_.CreateOr(shifted, constant(0x7f800000));
  special = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, constant(0x7c00)),
                                  builder_.CreateOr(special, constant(0x00400000)), special);
  Value* result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, constant(0x7c00)), special, scaled);
  return builder_.CreateBitCast(builder_.CreateOr(result, sign), floats);
}

llvm::Value* FunctionVectorizer::float_to_half(Value* value) {
  Type* shape = value->getType();
  Type* shorts = with_element(shape, builder_.getInt16Ty());
  if (level_.has_fma)
    return builder_.CreateBitCast(builder_.CreateFPTrunc(value, with_element(shape, builder_.getHalfTy())), shorts);
  return routine("float_to_half", shorts, {value},
                 [&](llvm::ArrayRef<Value*> arguments) { return software_float_to_half(arguments[0]); });
}

llvm::Value* FunctionVectorizer::software_float_to_half(Value* value) {
  Type* shape = value->getType();
  Type* shorts = with_element(shape, builder_.getInt16Ty());
  // Round to nearest even: normal numbers by an addition to the bits, subnormals by the addition of 0.5 (which has its
  // last bit at 2^-24), what is too large or NaN by a choice.
  Type* ints = with_element(shape, builder_.getInt32Ty());
  const auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(ints, bits); };
  Value* bits = builder_.CreateBitCast(value, ints);
  Value* sign = builder_.CreateAnd(bits, constant(0x80000000u));
  Value* magnitude = builder_.CreateXor(bits, sign);
  Value* odd = builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), constant(1));
  Value* normal =
      builder_.CreateLShr(builder_.CreateAdd(builder_.CreateAdd(magnitude, constant(0xc8000fffu)), odd), 13);
  Value* small = builder_.CreateSub(
      builder_.CreateBitCast(
          builder_.CreateFAdd(builder_.CreateBitCast(magnitude, shape), llvm::ConstantFP::get(shape, 0.5)), ints),
      constant(0x3f000000));
  Value* nan =
      builder_.CreateOr(builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), constant(0x3ff)), constant(0x7e00));
  Value* large = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, constant(0x7f800000)), nan, constant(0x7c00));
  Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, constant(0x38800000)), small, normal);
  result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, constant(0x477ff000)), large, result);
  result = builder_.CreateOr(result, builder_.CreateLShr(sign, 16));
  return builder_.CreateTrunc(result, shorts);
}

// To f32 with the last bit set if anything was cut off: the second rounding, to f16, then decides as one rounding
// would.
llvm::Value* FunctionVectorizer::double_to_half(Value* value) {
  Type* shape = value->getType();
  Type* floats = with_element(shape, builder_.getFloatTy());
  Type* ints = with_element(shape, builder_.getInt32Ty());
  Value* nearest = builder_.CreateFPTrunc(value, floats);
  Value* back = builder_.CreateFPExt(nearest, shape);
  Value* bits = builder_.CreateBitCast(nearest, ints);
  const llvm::Intrinsic::ID fabs = llvm::Intrinsic::fabs;
  Value* away =
      builder_.CreateFCmpOGT(builder_.CreateUnaryIntrinsic(fabs, back), builder_.CreateUnaryIntrinsic(fabs, value));
  Value* inexact = builder_.CreateFCmpONE(back, value);
  Value* toward_zero = builder_.CreateSelect(away, builder_.CreateSub(bits, llvm::ConstantInt::get(ints, 1)), bits);
  Value* odd = builder_.CreateSelect(inexact, builder_.CreateOr(toward_zero, llvm::ConstantInt::get(ints, 1)), bits);
  Value* narrowed = builder_.CreateBitCast(odd, floats);
  return level_.has_fma ? float_to_half(narrowed) : software_float_to_half(narrowed);
}

// The product and, where f16 can tell, the sum are exact in f64.
llvm::Value* FunctionVectorizer::half_fused_multiply_add(llvm::ArrayRef<Value*> operands) {
  Type* doubles = with_element(operands[0]->getType(), builder_.getDoubleTy());
  std::array<Value*, 3> wide;
  for (unsigned i = 0; i < 3; ++i) {
    Value* narrow = level_.has_fma ? half_to_float(operands[i]) : software_half_to_float(operands[i]);
    wide[i] = builder_.CreateFPExt(narrow, doubles);
  }
  return double_to_half(builder_.CreateFAdd(builder_.CreateFMul(wide[0], wide[1]), wide[2]));
}

// f32 without FMA hardware: the product is exact in f64; the sum is rounded to odd there, so that rounding to f32 is
// the only one.
llvm::Value* FunctionVectorizer::fused_multiply_add(Value* a, Value* b, Value* c) {
  Type* floats = a->getType();
  if (level_.has_fma || !floats->getScalarType()->isFloatTy())
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {floats}, {a, b, c});
  return routine("fma", floats, {a, b, c}, [&](llvm::ArrayRef<Value*> arguments) {
    return software_fused_multiply_add(arguments[0], arguments[1], arguments[2]);
  });
}

llvm::Value* FunctionVectorizer::software_fused_multiply_add(Value* a, Value* b, Value* c) {
  Type* floats = a->getType();
  Type* doubles = with_element(floats, builder_.getDoubleTy());
  Type* longs = with_element(floats, builder_.getInt64Ty());
  Value* product = builder_.CreateFMul(builder_.CreateFPExt(a, doubles), builder_.CreateFPExt(b, doubles));
  Value* addend = builder_.CreateFPExt(c, doubles);
  Value* sum = builder_.CreateFAdd(product, addend);
  Value* rest = builder_.CreateFSub(sum, product);
  Value* lost = builder_.CreateFAdd(builder_.CreateFSub(product, builder_.CreateFSub(sum, rest)),
                                    builder_.CreateFSub(addend, rest));
  Value* bits = builder_.CreateBitCast(sum, longs);
  Value* zero = llvm::Constant::getNullValue(doubles);
  Value* one = llvm::ConstantInt::get(longs, 1);
  Value* is_even = builder_.CreateICmpEQ(builder_.CreateAnd(bits, one), llvm::Constant::getNullValue(longs));
  Value* adjust = builder_.CreateAnd(builder_.CreateFCmpONE(lost, zero), is_even);
  // Away from zero if what was lost has the sign of the sum, else towards it.
  Value* same_sign = builder_.CreateICmpSGE(builder_.CreateXor(bits, builder_.CreateBitCast(lost, longs)),
                                            llvm::Constant::getNullValue(longs));
  Value* step = builder_.CreateSelect(same_sign, one, llvm::Constant::getAllOnesValue(longs));
  Value* odd = builder_.CreateSelect(adjust, builder_.CreateAdd(bits, step), bits);
  return builder_.CreateFPTrunc(builder_.CreateBitCast(odd, doubles), floats);
}

// --- operators

// 32-bit division through f64, whose quotient is exact enough to cut; inactive lanes divide by one.
llvm::Value* FunctionVectorizer::integer_division(unsigned opcode, Value* a, Value* b, int strip) {
  using BinaryOps = Instruction::BinaryOps;
  const bool is_signed = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  const bool is_remainder = opcode == Instruction::SRem || opcode == Instruction::URem;
  if (strip == kUniformStrip || llvm::isa<llvm::Constant>(b)) return builder_.CreateBinOp(BinaryOps(opcode), a, b);
  Type* type = a->getType();
  if (Value* mask = mask_strip(strip)) b = builder_.CreateSelect(mask, b, llvm::ConstantInt::get(type, 1));
  if (type->getScalarSizeInBits() > 32) {
    if (is_signed) {
      // The one overflow traps on x86; garbage of inactive lanes must not meet it.
      if (Value* mask = mask_strip(strip)) a = builder_.CreateSelect(mask, a, llvm::Constant::getNullValue(type));
    }
    return builder_.CreateBinOp(BinaryOps(opcode), a, b);
  }
  Type* doubles = with_element(type, builder_.getDoubleTy());
  Value* quotient;
  if (is_signed) {
    quotient = builder_.CreateFDiv(builder_.CreateSIToFP(a, doubles), builder_.CreateSIToFP(b, doubles));
    quotient = builder_.CreateFPToSI(quotient, type);
  } else {
    quotient = builder_.CreateFDiv(builder_.CreateUIToFP(a, doubles), builder_.CreateUIToFP(b, doubles));
    quotient = builder_.CreateFPToUI(quotient, type);
  }
  return is_remainder ? builder_.CreateSub(a, builder_.CreateMul(quotient, b)) : quotient;
}

Status FunctionVectorizer::emit_binary(llvm::BinaryOperator& operation, int strip) {
  Value* a = get(operation.getOperand(0), strip);
  Value* b = get(operation.getOperand(1), strip);
  Value* result;
  switch (operation.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      result = integer_division(operation.getOpcode(), a, b, strip);
      break;
    default:
      if (operation.getType()->isHalfTy()) {
        // f32 has more than twice the bits of f16: rounding twice is rounding once.
        result = float_to_half(builder_.CreateBinOp(operation.getOpcode(), half_to_float(a), half_to_float(b)));
      } else {
        result = builder_.CreateBinOp(operation.getOpcode(), a, b);
        if (auto* made = llvm::dyn_cast<Instruction>(result); made != nullptr && llvm::isa<llvm::FPMathOperator>(made))
          made->copyFastMathFlags(&operation);
      }
  }
  set(&operation, strip, result);
  return {};
}

llvm::Value* FunctionVectorizer::compare(llvm::CmpInst& comparison, int strip) {
  Value* a = get(comparison.getOperand(0), strip);
  Value* b = get(comparison.getOperand(1), strip);
  if (comparison.getOperand(0)->getType()->isHalfTy()) {
    a = half_to_float(a);
    b = half_to_float(b);
  }
  return builder_.CreateCmp(comparison.getPredicate(), a, b);
}

Status FunctionVectorizer::emit_cast(llvm::CastInst& cast, int strip) {
  Type* from = cast.getSrcTy();
  Type* to = cast.getDestTy();
  // Between i32 and the like and small vectors: fields packed into one integer.
  const unsigned from_fields = field_count(from), to_fields = field_count(to);
  if (cast.getOpcode() == Instruction::BitCast && (from_fields > 1 || to_fields > 1)) {
    const unsigned total = unsigned(layout_.getTypeSizeInBits(from).getFixedValue());
    Type* whole = at(builder_.getIntNTy(total), strip);
    Value* packed = nullptr;
    const unsigned from_bits = total / from_fields, to_bits = total / to_fields;
    for (unsigned field = 0; field < from_fields; ++field) {
      Value* part =
          builder_.CreateBitCast(get(cast.getOperand(0), strip, field), at(builder_.getIntNTy(from_bits), strip));
      part = builder_.CreateZExt(part, whole);
      if (field != 0) part = builder_.CreateShl(part, uint64_t(field) * from_bits);
      packed = packed == nullptr ? part : builder_.CreateOr(packed, part);
    }
    for (unsigned field = 0; field < to_fields; ++field) {
      Value* part = field == 0 ? packed : builder_.CreateLShr(packed, uint64_t(field) * to_bits);
      part = builder_.CreateTrunc(part, at(builder_.getIntNTy(to_bits), strip));
      set(&cast, strip, builder_.CreateBitCast(part, at(element(field_type(to, field)), strip)), field);
    }
    return {};
  }
  if (from_fields != 1 || to_fields != 1) return unsupported(cast, "a cast of vectors");
  Value* value = get(cast.getOperand(0), strip);
  Type* target = at(element(to), strip);
  switch (cast.getOpcode()) {
    case Instruction::PtrToInt:
    case Instruction::PtrToAddr:
    case Instruction::IntToPtr:
      value = builder_.CreateZExtOrTrunc(value, target);
      break;
    case Instruction::AddrSpaceCast: {
      const unsigned from_space = from->getPointerAddressSpace(), to_space = to->getPointerAddressSpace();
      Value* from_base = space_base(from_space);
      Value* to_base = space_base(to_space);
      Type* wide = at(builder_.getInt64Ty(), strip);
      value = builder_.CreateZExtOrTrunc(value, wide);
      const auto spread = [&](Value* base) { return strip == kUniformStrip ? base : splat(base); };
      if (from_base != nullptr) value = builder_.CreateAdd(value, spread(from_base));
      if (to_base != nullptr) value = builder_.CreateSub(value, spread(to_base));
      value = builder_.CreateZExtOrTrunc(value, target);
      break;
    }
    case Instruction::FPExt:
      if (from->isHalfTy()) value = half_to_float(value);
      value = builder_.CreateFPExt(value, target);
      break;
    case Instruction::FPTrunc:
      if (!to->isHalfTy())
        value = builder_.CreateFPTrunc(value, target);
      else
        value = from->isDoubleTy() ? double_to_half(value) : float_to_half(value);
      break;
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      if (from->isHalfTy()) value = half_to_float(value);
      value = builder_.CreateCast(cast.getOpcode(), value, target);
      break;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      // Integers that f32 does not hold exactly are beyond f16's range.
      value = builder_.CreateCast(cast.getOpcode(), value, to->isHalfTy() ? at(builder_.getFloatTy(), strip) : target);
      if (to->isHalfTy()) value = float_to_half(value);
      break;
    default:
      value = builder_.CreateCast(cast.getOpcode(), value, target);
  }
  set(&cast, strip, value);
  return {};
}

Status FunctionVectorizer::emit_gep(llvm::GetElementPtrInst& gep, int strip) {
  Value* result = get(gep.getPointerOperand(), strip);
  Type* type = result->getType();
  const unsigned bits = layout_.getIndexTypeSizeInBits(gep.getPointerOperandType());
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
  llvm::APInt constant(bits, 0);
  if (!gep.collectOffset(layout_, bits, variable, constant)) return unsupported(gep);
  for (auto& [index, scale] : variable) {
    Value* offset = builder_.CreateSExtOrTrunc(get(index, strip), type);
    if (!scale.isOne()) offset = builder_.CreateMul(offset, llvm::ConstantInt::get(type, scale));
    result = builder_.CreateAdd(result, offset);
  }
  if (!constant.isZero()) result = builder_.CreateAdd(result, llvm::ConstantInt::get(type, constant));
  set(&gep, strip, result);
  return {};
}

// --- intrinsics

// Operands that stay scalar constants.
static bool is_immediate(ID id, unsigned operand) {
  switch (id) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::is_fpclass:
      return operand == 1;
    default:
      return false;
  }
}

Status FunctionVectorizer::emit_intrinsic(llvm::IntrinsicInst& call, int strip) {
  const ID id = call.getIntrinsicID();
  switch (id) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::dbg_value:
    case llvm::Intrinsic::dbg_declare:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
      return {};
    case llvm::Intrinsic::expect:
      set(&call, strip, get(call.getArgOperand(0), strip));
      return {};
    default:
      break;
  }
  if (call.getType()->isVoidTy()) return unsupported(call);
  llvm::SmallVector<Value*, 4> operands;
  const bool is_half = call.arg_size() > 0 && call.getArgOperand(0)->getType()->isHalfTy();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value* argument = call.getArgOperand(i);
    operands.push_back(is_immediate(id, i) ? const_cast<Value*>(argument) : get(argument, strip));
  }
  if (is_half) {
    Type* shorts = operands[0]->getType();
    const auto bits = [&](uint16_t value) { return llvm::ConstantInt::get(shorts, value); };
    if (id == llvm::Intrinsic::fabs) {
      set(&call, strip, builder_.CreateAnd(operands[0], bits(0x7fff)));
      return {};
    }
    if (id == llvm::Intrinsic::copysign) {
      set(&call, strip,
          builder_.CreateOr(builder_.CreateAnd(operands[0], bits(0x7fff)),
                            builder_.CreateAnd(operands[1], bits(0x8000))));
      return {};
    }
    if (id == llvm::Intrinsic::fma) {
      const auto fused = [&](llvm::ArrayRef<Value*> arguments) { return half_fused_multiply_add(arguments); };
      set(&call, strip, level_.has_fma ? fused(operands) : routine("half_fma", shorts, operands, fused));
      return {};
    }
    for (unsigned i = 0; i < operands.size(); ++i)
      if (call.getArgOperand(i)->getType()->isHalfTy()) operands[i] = half_to_float(operands[i]);
  }
  if (id == llvm::Intrinsic::fma) {
    set(&call, strip, fused_multiply_add(operands[0], operands[1], operands[2]));
    return {};
  }
  switch (id) {
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::minimumnum:
    case llvm::Intrinsic::maximumnum:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::bswap:
    case llvm::Intrinsic::bitreverse:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat: {
      Type* type = operands[0]->getType();
      Value* result = builder_.CreateIntrinsic(id, {type}, operands);
      if (call.getType()->isHalfTy()) result = float_to_half(result);
      set(&call, strip, result);
      return {};
    }
    case llvm::Intrinsic::fmuladd: {
      Value* product = builder_.CreateFMul(operands[0], operands[1]);
      set(&call, strip, builder_.CreateFAdd(product, operands[2]));
      return {};
    }
    case llvm::Intrinsic::is_fpclass: {
      Value* x = operands[0];
      if (!call.getArgOperand(0)->getType()->isHalfTy()) {
        set(&call, strip, builder_.CreateIntrinsic(id, {x->getType()}, operands));
        return {};
      }
      // A half is a float here, in which none is subnormal: its own classes are ranges.
      struct Range {
        uint64_t bit;
        double low, high;
      };
      static constexpr Range kRanges[] = {{llvm::fcPosSubnormal, 0x1p-24, 0x3ffp-24},
                                          {llvm::fcNegSubnormal, -0x3ffp-24, -0x1p-24},
                                          {llvm::fcPosNormal, 0x1p-14, 65504},
                                          {llvm::fcNegNormal, -65504, -0x1p-14}};
      const uint64_t mask = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
      Value* rest = builder_.getInt32(uint32_t(mask & ~uint64_t(llvm::fcSubnormal | llvm::fcNormal)));
      Value* result = builder_.CreateIntrinsic(id, {x->getType()}, {x, rest});
      for (const Range& range : kRanges) {
        if ((mask & range.bit) == 0) continue;
        Value* above = builder_.CreateFCmpOGE(x, llvm::ConstantFP::get(x->getType(), range.low));
        Value* below = builder_.CreateFCmpOLE(x, llvm::ConstantFP::get(x->getType(), range.high));
        result = builder_.CreateOr(result, builder_.CreateAnd(above, below));
      }
      set(&call, strip, result);
      return {};
    }
    case llvm::Intrinsic::scmp:
    case llvm::Intrinsic::ucmp:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat: {
      Type* result = at(element(call.getType()), strip);
      set(&call, strip, builder_.CreateIntrinsic(id, {result, operands[0]->getType()}, operands));
      return {};
    }
    case llvm::Intrinsic::ldexp: {
      set(&call, strip, builder_.CreateIntrinsic(id, {operands[0]->getType(), operands[1]->getType()}, operands));
      return {};
    }
    case llvm::Intrinsic::uadd_with_overflow:
    case llvm::Intrinsic::sadd_with_overflow:
    case llvm::Intrinsic::usub_with_overflow:
    case llvm::Intrinsic::ssub_with_overflow:
    case llvm::Intrinsic::umul_with_overflow:
    case llvm::Intrinsic::smul_with_overflow: {
      Value* both = builder_.CreateIntrinsic(id, {operands[0]->getType()}, operands);
      set(&call, strip, builder_.CreateExtractValue(both, 0), 0);
      set(&call, strip, builder_.CreateExtractValue(both, 1), 1);
      return {};
    }
    default:
      return unsupported(call);
  }
}

}  // namespace ww::cpu
