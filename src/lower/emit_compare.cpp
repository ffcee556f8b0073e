// setp, set, selp, slct, testp (PTX manual, "Comparison and Selection Instructions").
#include "lower/emit.h"

namespace ww::lower {
namespace {

using llvm::CmpInst;
using ptx::Modifier;
using ptx::Type;

struct Comparison {
  Modifier modifier;
  CmpInst::Predicate as_signed, as_unsigned, as_float;
};

constexpr Comparison kComparisons[] = {
    {Modifier::kEq, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ},
    {Modifier::kNe, CmpInst::ICMP_NE, CmpInst::ICMP_NE, CmpInst::FCMP_ONE},
    {Modifier::kLt, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {Modifier::kLe, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {Modifier::kGt, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {Modifier::kGe, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {Modifier::kLo, CmpInst::ICMP_ULT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {Modifier::kLs, CmpInst::ICMP_ULE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {Modifier::kHi, CmpInst::ICMP_UGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {Modifier::kHs, CmpInst::ICMP_UGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {Modifier::kEqu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_UEQ},
    {Modifier::kNeu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_UNE},
    {Modifier::kLtu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_ULT},
    {Modifier::kLeu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_ULE},
    {Modifier::kGtu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_UGT},
    {Modifier::kGeu, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_UGE},
    {Modifier::kNum, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_ORD},
    {Modifier::kNan, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::FCMP_UNO},
};

// A value that compares as PTX compares it: bf16 widened, f32 flushed under .ftz.
llvm::Value* comparable(FunctionEmitter& e, llvm::Value* value, Type type) {
  if (type == Type::kBF16) return e.devicelib("cvt_f32_bf16", {value});
  if (type == Type::kF32 && e.has(Modifier::kFtz) && e.exact()) return e.devicelib("ftz_f32", {value});
  if (type == Type::kF16 && e.has(Modifier::kFtz)) {
    // A subnormal compares as zero; the sign of zero does not matter here.
    llvm::Value* bits = e.reinterpret(value, e.builder.getInt16Ty());
    llvm::Value* exponent = e.builder.CreateAnd(bits, uint64_t(0x7c00));
    llvm::Value* is_tiny = e.builder.CreateICmpEQ(exponent, e.builder.getInt16(0));
    return e.builder.CreateSelect(is_tiny, e.zero(value->getType()), value);
  }
  return value;
}

llvm::Value* compare(FunctionEmitter& e, llvm::Value* a, llvm::Value* b, Type type) {
  for (const Comparison& row : kComparisons) {
    if (!e.has(row.modifier)) continue;
    if (ptx::is_float(type)) return e.builder.CreateFCmp(row.as_float, comparable(e, a, type), comparable(e, b, type));
    const CmpInst::Predicate predicate = ptx::is_signed(type) ? row.as_signed : row.as_unsigned;
    if (predicate == CmpInst::BAD_ICMP_PREDICATE) return nullptr;
    if (type == Type::kPred && predicate != CmpInst::ICMP_EQ && predicate != CmpInst::ICMP_NE) return nullptr;
    return e.builder.CreateICmp(predicate, a, b);
  }
  return nullptr;
}

// `.and`, `.or` or `.xor` with the predicate operand.
llvm::Value* combine(FunctionEmitter& e, llvm::Value* value, llvm::Value* with) {
  if (e.has(Modifier::kAnd)) return e.builder.CreateAnd(value, with);
  if (e.has(Modifier::kOr)) return e.builder.CreateOr(value, with);
  if (e.has(Modifier::kXor)) return e.builder.CreateXor(value, with);
  return value;
}

bool is_combined(FunctionEmitter& e) {
  return e.has(Modifier::kAnd) || e.has(Modifier::kOr) || e.has(Modifier::kXor);
}

Type lane_of(Type packed) {
  switch (packed) {
    case Type::kF16x2:
      return Type::kF16;
    case Type::kBF16x2:
      return Type::kBF16;
    default:
      return packed;
  }
}

}  // namespace

// setp.cmp{.bool}.type p{|q}, a, b{, c}: p = (a cmp b) bool c, q = !(a cmp b) bool c. f16x2: p and q are the two
// halves.
Status emit_setp(FunctionEmitter& e) {
  const Type type = e.type();
  const Type lane = lane_of(type);
  const ptx::Operand& destination = e.operand(0);
  const bool is_pair = destination.kind == ptx::OperandKind::kPair;
  llvm::Value *first, *second;
  if (lane != type) {
    const auto [a_low, a_high] = e.split(e.read(1, type));
    const auto [b_low, b_high] = e.split(e.read(2, type));
    llvm::Type* half = e.type_of(lane);
    first = compare(e, e.reinterpret(a_low, half), e.reinterpret(b_low, half), lane);
    second = compare(e, e.reinterpret(a_high, half), e.reinterpret(b_high, half), lane);
  } else {
    first = compare(e, e.read(1, type), e.read(2, type), type);
    second = first == nullptr ? nullptr : e.builder.CreateNot(first);
  }
  if (first == nullptr || second == nullptr) return e.unsupported();
  if (is_combined(e)) {
    llvm::Value* with = e.read_predicate(3);
    first = combine(e, first, with);
    second = combine(e, second, with);
  }
  if (!is_pair) {
    e.write(destination, first, Type::kPred);
    return {};
  }
  e.write(e.elements(destination)[0], first, Type::kPred);
  e.write(e.elements(destination)[1], second, Type::kPred);
  return {};
}

// set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, c}: all ones, or 1.0, where the comparison holds.
Status emit_set(FunctionEmitter& e) {
  const Type result = e.type(0), type = e.type(1);
  const Type lane = lane_of(type);
  const auto value_of = [&](llvm::Value* holds, Type as) -> llvm::Value* {
    llvm::Value* truth;
    if (as == Type::kBF16)
      truth = e.constant(16, 0x3f80);
    else if (ptx::is_float(as))
      truth = llvm::ConstantFP::get(e.type_of(as), 1.0);
    else
      truth = llvm::Constant::getAllOnesValue(e.type_of(as));
    return e.builder.CreateSelect(holds, truth, e.zero(truth->getType()));
  };
  llvm::Value* with = is_combined(e) ? e.read_predicate(3) : nullptr;
  const auto test = [&](llvm::Value* a, llvm::Value* b) -> llvm::Value* {
    llvm::Value* holds = compare(e, e.reinterpret(a, e.type_of(lane)), e.reinterpret(b, e.type_of(lane)), lane);
    return holds == nullptr || with == nullptr ? holds : combine(e, holds, with);
  };
  if (lane == type) {
    llvm::Value* holds = test(e.read(1, type), e.read(2, type));
    if (holds == nullptr) return e.unsupported();
    e.write(0, value_of(holds, result), result);
    return {};
  }
  const auto [a_low, a_high] = e.split(e.read(1, type));
  const auto [b_low, b_high] = e.split(e.read(2, type));
  llvm::Value *low = test(a_low, b_low), *high = test(a_high, b_high);
  if (low == nullptr || high == nullptr) return e.unsupported();
  const Type half = ptx::is_float(result) ? lane_of(result) : Type::kU16;
  e.write(0, e.join(value_of(low, half), value_of(high, half)), result);
  return {};
}

Status emit_selp(FunctionEmitter& e) {
  e.write(0, e.builder.CreateSelect(e.read_predicate(3), e.read(1, e.type()), e.read(2, e.type())), e.type());
  return {};
}

// slct.dtype.ctype d, a, b, c: a where c >= 0. A NaN is not; -0 is.
Status emit_slct(FunctionEmitter& e) {
  const Type type = e.type(0), condition_type = e.type(1);
  llvm::Value* c = e.read(3, condition_type);
  llvm::Value* holds = condition_type == Type::kF32
                           ? e.builder.CreateFCmpOGE(comparable(e, c, condition_type), e.zero(c->getType()))
                           : e.builder.CreateICmpSGE(c, e.zero(c->getType()));
  e.write(0, e.builder.CreateSelect(holds, e.read(1, type), e.read(2, type)), type);
  return {};
}

Status emit_testp(FunctionEmitter& e) {
  std::string name =
      "testp_" + std::string(ptx::spelling(e.instruction().modifiers[0])) + "_" + std::string(ptx::spelling(e.type()));
  llvm::Value* holds = e.devicelib(name, {e.read(1, e.type())});
  if (holds == nullptr) return e.unsupported();
  e.write(0, holds, Type::kPred);
  return {};
}

}  // namespace ww::lower
