// Integer arithmetic, logic, shifts and bit counts that LLVM has exact words for (PTX manual, "Integer Arithmetic
// Instructions", "Extended-Precision", "Logic and Shift Instructions"). The rest is emit_by_name's.
#include <llvm/IR/Intrinsics.h>

#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

// Applies `operation` to both halves of s16x2 and u16x2, or to the whole.
template <typename Operation>
Value* by_lane(FunctionEmitter& e, Type type, Value* a, Value* b, Operation operation) {
  if (type != Type::kS16x2 && type != Type::kU16x2) return operation(a, b);
  const auto [a_low, a_high] = e.split(a);
  const auto [b_low, b_high] = e.split(b);
  return e.join(operation(a_low, b_low), operation(a_high, b_high));
}

// a * b at full width, of which `.lo`, `.hi` or `.wide` is taken.
Value* product(FunctionEmitter& e, Value* a, Value* b, Type type) {
  const unsigned width = ptx::bits(type);
  if (e.has(Modifier::kHi)) {
    const std::string name = "mul_hi_" + std::string(ptx::spelling(type));
    return e.devicelib(name, {a, b});
  }
  if (e.has(Modifier::kWide)) {
    llvm::IntegerType* wide = e.integer(2 * width);
    const bool is_signed = ptx::is_signed(type);
    return e.builder.CreateMul(is_signed ? e.builder.CreateSExt(a, wide) : e.builder.CreateZExt(a, wide),
                               is_signed ? e.builder.CreateSExt(b, wide) : e.builder.CreateZExt(b, wide));
  }
  return e.builder.CreateMul(a, b);
}

Type wide_type(Type type) {
  switch (type) {
    case Type::kS16:
      return Type::kS32;
    case Type::kU16:
      return Type::kU32;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kU64;
  }
}

// Truth table of three variables by Shannon expansion on the first: `table` has 2^variables.size() bits.
Value* expand(FunctionEmitter& e, llvm::ArrayRef<Value*> variables, unsigned table) {
  const unsigned half_bits = 1u << (variables.size() - 1);
  const unsigned full = (1u << half_bits) - 1;
  const unsigned low = table & full, high = table >> half_bits & full;  // first variable 0, 1
  Value* a = variables[0];
  Value* zero = e.zero(a->getType());
  Value* ones = llvm::Constant::getAllOnesValue(a->getType());
  const auto rest = [&](unsigned part) -> Value* {
    if (part == 0) return zero;
    if (part == full) return ones;
    return expand(e, variables.drop_front(), part);
  };
  if (low == high) return rest(low);
  if (low == (~high & full))
    return low == 0 ? a : low == full ? e.builder.CreateNot(a) : e.builder.CreateXor(a, rest(low));
  if (low == 0) return e.builder.CreateAnd(a, rest(high));
  if (high == 0) return e.builder.CreateAnd(e.builder.CreateNot(a), rest(low));
  if (high == full) return e.builder.CreateOr(a, rest(low));
  if (low == full) return e.builder.CreateOr(e.builder.CreateNot(a), rest(high));
  return e.builder.CreateOr(e.builder.CreateAnd(a, rest(high)), e.builder.CreateAnd(e.builder.CreateNot(a), rest(low)));
}

}  // namespace

Status emit_bitwise(FunctionEmitter& e) {
  const Type type = e.type();
  Value* a = e.read(1, type);
  Value* result = nullptr;
  switch (e.instruction().opcode) {
    case Opcode::kAnd:
      result = e.builder.CreateAnd(a, e.read(2, type));
      break;
    case Opcode::kOr:
      result = e.builder.CreateOr(a, e.read(2, type));
      break;
    case Opcode::kXor:
      result = e.builder.CreateXor(a, e.read(2, type));
      break;
    case Opcode::kNot:
      result = e.builder.CreateNot(a);
      break;
    default:  // cnot: 1 where a is 0
      result = e.builder.CreateZExt(e.builder.CreateICmpEQ(a, e.zero(a->getType())), a->getType());
      break;
  }
  e.write(0, result, type);
  return {};
}

// lop3.b32 d, a, b, c, immLut; lop3.BoolOp.b32 d|p, a, b, c, immLut, q.
Status emit_lop3(FunctionEmitter& e) {
  const ptx::Operand& table = e.operand(4);
  if (table.kind != ptx::OperandKind::kInteger) return e.unsupported();
  const unsigned bits = unsigned(table.value) & 0xff;
  Value* a = e.read(1, Type::kB32);
  Value* variables[] = {a, e.read(2, Type::kB32), e.read(3, Type::kB32)};
  Value* result = bits == 0      ? e.zero(a->getType())
                  : bits == 0xff ? llvm::Constant::getAllOnesValue(a->getType())
                                 : expand(e, variables, bits);
  const ptx::Operand& destination = e.operand(0);
  if (destination.kind != ptx::OperandKind::kPair) {
    e.write(destination, result, Type::kB32);
    return {};
  }
  Value* holds = e.builder.CreateICmpNE(result, e.zero(result->getType()));
  Value* with = e.read_predicate(5);
  holds = e.has(Modifier::kAnd) ? e.builder.CreateAnd(holds, with) : e.builder.CreateOr(holds, with);
  e.write(e.elements(destination)[0], result, Type::kB32);
  e.write(e.elements(destination)[1], holds, Type::kPred);
  return {};
}

Status emit_integer_add_sub(FunctionEmitter& e) {
  const Type type = e.type();
  const bool is_add = e.instruction().opcode == Opcode::kAdd;
  Value *a = e.read(1, type), *b = e.read(2, type);
  Value* result;
  if (e.has(Modifier::kSat))
    result = e.builder.CreateBinaryIntrinsic(is_add ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::ssub_sat, a, b);
  else
    result = by_lane(e, type, a, b, [&](Value* x, Value* y) {
      return is_add ? e.builder.CreateAdd(x, y) : e.builder.CreateSub(x, y);
    });
  e.write(0, result, type);
  return {};
}

// add.cc, sub.cc, mad.cc set CC.CF; addc, subc, madc use it (and set it with .cc). Hardware subtracts by adding the
// complement: CC.CF is set where nothing is borrowed (seen on an H200).
Status emit_carry(FunctionEmitter& e) {
  const Type type = e.type();
  const Opcode opcode = e.instruction().opcode;
  const bool is_subtraction = opcode == Opcode::kSub || opcode == Opcode::kSubc;
  const bool is_product = opcode == Opcode::kMad || opcode == Opcode::kMadc;
  const bool uses_carry = opcode == Opcode::kAddc || opcode == Opcode::kSubc || opcode == Opcode::kMadc;
  Value *a = e.read(1, type), *b = e.read(2, type);
  if (is_product) {
    a = product(e, a, b, type);
    if (a == nullptr) return e.unsupported();
    b = e.read(3, type);
  }
  llvm::AllocaInst* flag = e.carry_flag();
  Value* carry =
      uses_carry ? static_cast<Value*>(e.builder.CreateLoad(e.builder.getInt1Ty(), flag)) : e.builder.getFalse();
  if (is_subtraction && uses_carry) carry = e.builder.CreateNot(carry);
  Value* wide_carry = e.builder.CreateZExt(carry, a->getType());
  Value *first, *result, *carry_out;
  if (is_subtraction) {
    first = e.builder.CreateSub(a, b);
    result = e.builder.CreateSub(first, wide_carry);
    carry_out = e.builder.CreateNot(
        e.builder.CreateOr(e.builder.CreateICmpULT(a, b), e.builder.CreateICmpULT(first, wide_carry)));
  } else {
    first = e.builder.CreateAdd(a, b);
    result = e.builder.CreateAdd(first, wide_carry);
    carry_out = e.builder.CreateOr(e.builder.CreateICmpULT(first, a), e.builder.CreateICmpULT(result, first));
  }
  if (e.has(Modifier::kCc)) e.write_carry(carry_out);
  e.write(0, result, type);
  return {};
}

// mul and mad: .lo, .hi, .wide.
Status emit_integer_multiply(FunctionEmitter& e) {
  const Type type = e.type();
  if (e.has(Modifier::kSat)) return emit_by_name(e);
  Value* result = product(e, e.read(1, type), e.read(2, type), type);
  if (result == nullptr) return e.unsupported();
  const Type result_type = e.has(Modifier::kWide) ? wide_type(type) : type;
  if (e.instruction().opcode == Opcode::kMad) result = e.builder.CreateAdd(result, e.read(3, result_type));
  e.write(0, result, result_type);
  return {};
}

Status emit_integer_extreme(FunctionEmitter& e) {
  const Type type = e.type();
  const bool is_min = e.instruction().opcode == Opcode::kMin;
  const bool is_signed = ptx::is_signed(type);
  const llvm::Intrinsic::ID id = is_min ? (is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                                        : (is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
  Value* result = by_lane(e, type, e.read(1, type), e.read(2, type), [&](Value* x, Value* y) -> Value* {
    Value* extreme = e.builder.CreateBinaryIntrinsic(id, x, y);
    if (e.has(Modifier::kRelu))
      extreme = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, extreme, e.zero(extreme->getType()));
    return extreme;
  });
  e.write(0, result, type);
  return {};
}

Status emit_integer_sign(FunctionEmitter& e) {
  const Type type = e.type();
  Value* a = e.read(1, type);
  Value* result = e.instruction().opcode == Opcode::kNeg
                      ? e.builder.CreateNeg(a)
                      : e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, e.builder.getFalse());
  e.write(0, result, type);
  return {};
}

// Amounts are 32 bits wide and unsigned; from the width on, everything is shifted out.
Status emit_shift(FunctionEmitter& e) {
  const Type type = e.type();
  const unsigned width = ptx::bits(type);
  Value* a = e.read(1, type);
  Value* amount = e.read(2, Type::kU32);
  Value* limit = e.builder.getInt32(width);
  const auto resize = [&](Value* value) { return e.builder.CreateZExtOrTrunc(value, a->getType()); };
  Value* result;
  if (ptx::is_signed(type) && e.instruction().opcode == Opcode::kShr) {
    Value* clamped = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, e.builder.getInt32(width - 1));
    result = e.builder.CreateAShr(a, resize(clamped));
  } else {
    Value* inside = e.builder.CreateICmpULT(amount, limit);
    Value* shifted = e.instruction().opcode == Opcode::kShl ? e.builder.CreateShl(a, resize(amount))
                                                            : e.builder.CreateLShr(a, resize(amount));
    result = e.builder.CreateSelect(inside, shifted, e.zero(a->getType()));
  }
  e.write(0, result, type);
  return {};
}

// popc, clz: u32 results; brev.
Status emit_count_bits(FunctionEmitter& e) {
  const Type type = e.type();
  Value* a = e.read(1, type);
  switch (e.instruction().opcode) {
    case Opcode::kPopc:
      e.write(0, e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a), Type::kU32);
      break;
    case Opcode::kClz:
      e.write(0, e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, e.builder.getFalse()), Type::kU32);
      break;
    default:
      e.write(0, e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a), type);
      break;
  }
  return {};
}

}  // namespace ww::lower
