// Integer arithmetic and logic that the host has as plain operators, carry chains, and logic on predicates.
// (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic", "Logic and Shift
// Instructions".)
#include <cstdint>

#include "devicelib/devicelib.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// Wrapping arithmetic in the unsigned type of the same width.
template <class T>
using U = std::make_unsigned_t<T>;
template <class T>
T add(T a, T b) {
  return T(U<T>(a) + U<T>(b));
}
template <class T>
T sub(T a, T b) {
  return T(U<T>(a) - U<T>(b));
}
template <class T>
T mul_lo(T a, T b) {
  return T(uint64_t(a) * uint64_t(b));
}
template <class T>
T mad_lo(T a, T b, T c) {
  return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T abs(T a) {
  return a < 0 ? T(U<T>(0) - U<T>(a)) : a;
}
template <class T>
T neg(T a) {
  return T(U<T>(0) - U<T>(a));
}
template <class T>
T min_relu(T a, T b) {
  return max<T>(min<T>(a, b), 0);
}
template <class T>
T max_relu(T a, T b) {
  return max<T>(max<T>(a, b), 0);
}
template <class T>
T and_(T a, T b) {
  return T(a & b);
}
template <class T>
T or_(T a, T b) {
  return T(a | b);
}
template <class T>
T xor_(T a, T b) {
  return T(a ^ b);
}
template <class T>
T not_(T a) {
  return T(~a);
}
template <class T>
T cnot(T a) {
  return T(a == 0);
}
template <class W, class T>
W mul_wide(T a, T b) {
  return W(a) * W(b);
}
template <class W, class T>
W mad_wide(T a, T b, W c) {
  return W(uint64_t(W(a) * W(b)) + uint64_t(c));
}
s64 wide(s32 a, s32 b) {
  return s64(a) * b;
}
s32 mad_hi_s32(s32 a, s32 b, s32 c) {
  return add(ww_mul_hi_s32(a, b), c);
}
u32 mad_hi_u32(u32 a, u32 b, u32 c) {
  return ww_mul_hi_u32(a, b) + c;
}
s64 mad_hi_s64(s64 a, s64 b, s64 c) {
  return add(ww_mul_hi_s64(a, b), c);
}
u64 mad_hi_u64(u64 a, u64 b, u64 c) {
  return ww_mul_hi_u64(a, b) + c;
}
s16 mad_hi_s16(s16 a, s16 b, s16 c) {
  return add(ww_mul_hi_s16(a, b), c);
}
u16 mad_hi_u16(u16 a, u16 b, u16 c) {
  return u16(ww_mul_hi_u16(a, b) + c);
}
template <class H, H (*kOp)(H, H)>
u32 packed(u32 a, u32 b) {
  return u32(u16(kOp(H(a), H(b)))) | u32(u16(kOp(H(a >> 16), H(b >> 16)))) << 16;
}

// Which modifiers choose the row, beside opcode and type.
enum class Variant : uint8_t { kNone, kLo, kHi, kWide, kRelu };

struct Row {
  Opcode opcode;
  Type type;
  Variant variant;
  Handler handler;
};

#define WW_ALL(op, f)                                                    \
  {Opcode::op, Type::kU16, Variant::kNone, kLaneHandler<&f<u16>>},       \
      {Opcode::op, Type::kS16, Variant::kNone, kLaneHandler<&f<s16>>},   \
      {Opcode::op, Type::kU32, Variant::kNone, kLaneHandler<&f<u32>>},   \
      {Opcode::op, Type::kS32, Variant::kNone, kLaneHandler<&f<s32>>},   \
      {Opcode::op, Type::kU64, Variant::kNone, kLaneHandler<&f<u64>>}, { \
    Opcode::op, Type::kS64, Variant::kNone, kLaneHandler<&f<s64>>        \
  }
#define WW_LO(op, f)                                                   \
  {Opcode::op, Type::kU16, Variant::kLo, kLaneHandler<&f<u16>>},       \
      {Opcode::op, Type::kS16, Variant::kLo, kLaneHandler<&f<s16>>},   \
      {Opcode::op, Type::kU32, Variant::kLo, kLaneHandler<&f<u32>>},   \
      {Opcode::op, Type::kS32, Variant::kLo, kLaneHandler<&f<s32>>},   \
      {Opcode::op, Type::kU64, Variant::kLo, kLaneHandler<&f<u64>>}, { \
    Opcode::op, Type::kS64, Variant::kLo, kLaneHandler<&f<s64>>        \
  }
#define WW_SIGNED(op, f)                                                 \
  {Opcode::op, Type::kS16, Variant::kNone, kLaneHandler<&f<s16>>},       \
      {Opcode::op, Type::kS32, Variant::kNone, kLaneHandler<&f<s32>>}, { \
    Opcode::op, Type::kS64, Variant::kNone, kLaneHandler<&f<s64>>        \
  }
#define WW_BITS(op, f)                                                   \
  {Opcode::op, Type::kB16, Variant::kNone, kLaneHandler<&f<u16>>},       \
      {Opcode::op, Type::kB32, Variant::kNone, kLaneHandler<&f<u32>>}, { \
    Opcode::op, Type::kB64, Variant::kNone, kLaneHandler<&f<u64>>        \
  }

constexpr Row kRows[] = {
    WW_ALL(kAdd, add),
    WW_ALL(kSub, sub),
    WW_ALL(kMin, min),
    WW_ALL(kMax, max),
    WW_LO(kMul, mul_lo),
    WW_LO(kMad, mad_lo),
    WW_SIGNED(kAbs, abs),
    WW_SIGNED(kNeg, neg),
    WW_BITS(kAnd, and_),
    WW_BITS(kOr, or_),
    WW_BITS(kXor, xor_),
    WW_BITS(kNot, not_),
    WW_BITS(kCnot, cnot),
    {Opcode::kMin, Type::kS32, Variant::kRelu, kLaneHandler<&min_relu<s32>>},
    {Opcode::kMax, Type::kS32, Variant::kRelu, kLaneHandler<&max_relu<s32>>},
    {Opcode::kAdd, Type::kU16x2, Variant::kNone, kLaneHandler<&packed<u16, add<u16>>>},
    {Opcode::kAdd, Type::kS16x2, Variant::kNone, kLaneHandler<&packed<s16, add<s16>>>},
    {Opcode::kMin, Type::kU16x2, Variant::kNone, kLaneHandler<&packed<u16, min<u16>>>},
    {Opcode::kMin, Type::kS16x2, Variant::kNone, kLaneHandler<&packed<s16, min<s16>>>},
    {Opcode::kMax, Type::kU16x2, Variant::kNone, kLaneHandler<&packed<u16, max<u16>>>},
    {Opcode::kMax, Type::kS16x2, Variant::kNone, kLaneHandler<&packed<s16, max<s16>>>},
    {Opcode::kMin, Type::kS16x2, Variant::kRelu, kLaneHandler<&packed<s16, min_relu<s16>>>},
    {Opcode::kMax, Type::kS16x2, Variant::kRelu, kLaneHandler<&packed<s16, max_relu<s16>>>},
    {Opcode::kMul, Type::kU16, Variant::kWide, kLaneHandler<&mul_wide<u32, u16>>},
    {Opcode::kMul, Type::kS16, Variant::kWide, kLaneHandler<&mul_wide<s32, s16>>},
    {Opcode::kMul, Type::kU32, Variant::kWide, kLaneHandler<&mul_wide<u64, u32>>},
    {Opcode::kMul, Type::kS32, Variant::kWide, kLaneHandler<&wide>},
    {Opcode::kMad, Type::kU16, Variant::kWide, kLaneHandler<&mad_wide<u32, u16>>},
    {Opcode::kMad, Type::kS16, Variant::kWide, kLaneHandler<&mad_wide<s32, s16>>},
    {Opcode::kMad, Type::kU32, Variant::kWide, kLaneHandler<&mad_wide<u64, u32>>},
    {Opcode::kMad, Type::kS32, Variant::kWide, kLaneHandler<&mad_wide<s64, s32>>},
    {Opcode::kMad, Type::kU16, Variant::kHi, kLaneHandler<&mad_hi_u16>},
    {Opcode::kMad, Type::kS16, Variant::kHi, kLaneHandler<&mad_hi_s16>},
    {Opcode::kMad, Type::kU32, Variant::kHi, kLaneHandler<&mad_hi_u32>},
    {Opcode::kMad, Type::kS32, Variant::kHi, kLaneHandler<&mad_hi_s32>},
    {Opcode::kMad, Type::kU64, Variant::kHi, kLaneHandler<&mad_hi_u64>},
    {Opcode::kMad, Type::kS64, Variant::kHi, kLaneHandler<&mad_hi_s64>},
    {Opcode::kShr, Type::kB16, Variant::kNone, kLaneHandler<&ww_shr_u16>},
    {Opcode::kShr, Type::kB32, Variant::kNone, kLaneHandler<&ww_shr_u32>},
    {Opcode::kShr, Type::kB64, Variant::kNone, kLaneHandler<&ww_shr_u64>},
};

// and, or, xor, not of predicates: one operation for all lanes.
void predicate_logic(Warp& warp, const Op& op, uint32_t mask) {
  const uint32_t a = warp.predicate(op.source[0]), b = op.source[1] ? warp.predicate(op.source[1]) : 0;
  uint32_t result = 0;
  switch (static_cast<Opcode>(op.detail)) {
    case Opcode::kAnd:
      result = a & b;
      break;
    case Opcode::kOr:
      result = a | b;
      break;
    case Opcode::kXor:
      result = a ^ b;
      break;
    default:
      result = ~a;
      break;
  }
  warp.set_predicate(op.destination, result, mask);
}

// add.cc, addc, sub.cc, subc, mad.cc, madc. `flag`: CC.CF is read; `immediate`: it is written.
template <class T, bool kSubtract>
void carry_chain(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]);
  LaneValues& d = warp.write(op.destination);
  const uint32_t in = op.flag ? warp.frame->carry : 0;
  uint32_t out = 0;
  each_lane(mask, [&](unsigned lane) {
    const T x = T(a[lane]), y = T(b[lane]);
    // Hardware subtracts by adding the complement: CC.CF is set where nothing is borrowed.
    const bool c = kSubtract ? op.flag && (in >> lane & 1) == 0 : (in >> lane & 1) != 0;
    bool carry;
    if constexpr (sizeof(T) == 8)
      carry = kSubtract ? !ww_borrow_u64(x, y, c) : ww_carry_u64(x, y, c);
    else
      carry = kSubtract ? !ww_borrow_u32(x, y, c) : ww_carry_u32(x, y, c);
    d[lane] = kSubtract ? T(x - y - T(c)) : T(x + y + T(c));
    out |= uint32_t{carry} << lane;
  });
  if (op.immediate) warp.frame->carry = (warp.frame->carry & ~mask) | out;
}

template <class T, bool kHigh>
void mad_carry(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]), &c = warp.read(op.source[2]);
  LaneValues& d = warp.write(op.destination);
  const uint32_t in = op.flag ? warp.frame->carry : 0;
  uint32_t out = 0;
  each_lane(mask, [&](unsigned lane) {
    const T x = T(a[lane]), y = T(b[lane]), z = T(c[lane]);
    T product;
    if constexpr (!kHigh)
      product = T(uint64_t(x) * uint64_t(y));
    else if constexpr (std::is_same_v<T, s32>)
      product = ww_mul_hi_s32(x, y);
    else if constexpr (std::is_same_v<T, u32>)
      product = ww_mul_hi_u32(x, y);
    else if constexpr (std::is_same_v<T, s64>)
      product = ww_mul_hi_s64(x, y);
    else
      product = ww_mul_hi_u64(x, y);
    const bool carry_in = in >> lane & 1;
    const bool carry =
        sizeof(T) == 8 ? ww_carry_u64(u64(product), u64(z), carry_in) : ww_carry_u32(u32(product), u32(z), carry_in);
    d[lane] = U<T>(U<T>(product) + U<T>(z) + U<T>(carry_in));
    out |= uint32_t{carry} << lane;
  });
  if (op.immediate) warp.frame->carry = (warp.frame->carry & ~mask) | out;
}

bool decode_carry(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const bool cc = instruction.has(Modifier::kCc);
  const Opcode opcode = instruction.opcode;
  const bool reads = opcode == Opcode::kAddc || opcode == Opcode::kSubc || opcode == Opcode::kMadc;
  if (!cc && !reads) return false;
  const Type type = instruction.type();
  const bool wide = ptx::bits(type) == 64, is_signed = ptx::is_signed(type), high = instruction.has(Modifier::kHi);
  if (opcode == Opcode::kAdd || opcode == Opcode::kAddc)
    op.handler = wide ? carry_chain<u64, false> : carry_chain<u32, false>;
  else if (opcode == Opcode::kSub || opcode == Opcode::kSubc)
    op.handler = wide ? carry_chain<u64, true> : carry_chain<u32, true>;
  else if (high)
    op.handler = wide        ? (is_signed ? mad_carry<s64, true> : mad_carry<u64, true>)
                 : is_signed ? mad_carry<s32, true>
                             : mad_carry<u32, true>;
  else
    op.handler = wide ? mad_carry<u64, false> : mad_carry<u32, false>;
  op.flag = reads;
  op.immediate = cc;
  const auto operands = decoder.operands(instruction);
  op.destination = decoder.destination(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) op.source[i - 1] = decoder.value(operands[i], type);
  return true;
}

// lop3 with a predicate: p = (d != 0) BoolOp q.
void lop3_predicate(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]), &c = warp.read(op.source[2]),
                   &table = warp.read(op.source[3]);
  LaneValues& d = warp.write(op.destination);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    const u32 value = ww_lop3_b32(u32(a[lane]), u32(b[lane]), u32(c[lane]), u32(table[lane]));
    d[lane] = value;
    bits |= uint32_t{value != 0} << lane;
  });
  const uint32_t q = warp.predicate(op.source[4]);
  warp.set_predicate(op.second, op.flag ? bits & q : bits | q, mask);
}

}  // namespace

bool decode_integer(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (decode_carry(decoder, instruction, op)) return true;
  const auto operands = decoder.operands(instruction);
  const Type type = instruction.type();
  if (instruction.opcode == Opcode::kLop3 && (instruction.has(Modifier::kOr) || instruction.has(Modifier::kAnd))) {
    const bool pair = operands[0].kind == ptx::OperandKind::kPair;
    op.handler = lop3_predicate;
    op.flag = instruction.has(Modifier::kAnd);
    op.destination = decoder.destination(pair ? decoder.elements(operands[0])[0] : operands[0]);
    if (pair) op.second = decoder.predicate(decoder.elements(operands[0])[1]);
    for (unsigned i = 0; i < 5; ++i) op.source[i] = decoder.value(operands[i + 1], type);
    return true;
  }
  if (type == Type::kPred) {
    if (instruction.opcode != Opcode::kAnd && instruction.opcode != Opcode::kOr && instruction.opcode != Opcode::kXor &&
        instruction.opcode != Opcode::kNot)
      return false;
    op.handler = predicate_logic;
    op.detail = uint32_t(instruction.opcode);
    op.destination = decoder.predicate(operands[0]);
    for (size_t i = 1; i < operands.size(); ++i) op.source[i - 1] = decoder.predicate(operands[i]);
    return true;
  }
  if (instruction.has(Modifier::kSat)) return false;  // devicelib's
  const Variant variant = instruction.has(Modifier::kWide)   ? Variant::kWide
                          : instruction.has(Modifier::kHi)   ? Variant::kHi
                          : instruction.has(Modifier::kLo)   ? Variant::kLo
                          : instruction.has(Modifier::kRelu) ? Variant::kRelu
                                                             : Variant::kNone;
  for (const Row& row : kRows) {
    if (row.opcode != instruction.opcode || row.type != type || row.variant != variant) continue;
    op.handler = row.handler;
    op.destination = decoder.destination(operands[0]);
    for (size_t i = 1; i < operands.size() && i <= op.source.size(); ++i)
      op.source[i - 1] = decoder.value(operands[i], type);
    return true;
  }
  return false;
}

}  // namespace ww::sim
