// set, setp, selp, slct: comparison and selection. (PTX ISA, "Comparison and Selection Instructions".)
#include "devicelib/devicelib.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// A comparison as the set of outcomes for which it is true.
enum Outcome : uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

struct Comparison {
  Modifier modifier;
  uint32_t outcomes;
  bool is_unsigned;  // lo, ls, hi, hs
};
constexpr Comparison kComparisons[] = {
    {Modifier::kEq, kEqual, false},
    {Modifier::kNe, kLess | kGreater, false},
    {Modifier::kLt, kLess, false},
    {Modifier::kLe, kLess | kEqual, false},
    {Modifier::kGt, kGreater, false},
    {Modifier::kGe, kGreater | kEqual, false},
    {Modifier::kLo, kLess, true},
    {Modifier::kLs, kLess | kEqual, true},
    {Modifier::kHi, kGreater, true},
    {Modifier::kHs, kGreater | kEqual, true},
    {Modifier::kEqu, kEqual | kUnordered, false},
    {Modifier::kNeu, kLess | kGreater | kUnordered, false},
    {Modifier::kLtu, kLess | kUnordered, false},
    {Modifier::kLeu, kLess | kEqual | kUnordered, false},
    {Modifier::kGtu, kGreater | kUnordered, false},
    {Modifier::kGeu, kGreater | kEqual | kUnordered, false},
    {Modifier::kNum, kLess | kEqual | kGreater, false},
    {Modifier::kNan, kUnordered, false},
};

// How the compared values are read from their slots; under .ftz subnormals of their format are zeros.
template <unsigned kShift>
struct F16Value {
  static f32 get(uint64_t bits, bool ftz) {
    const u16 half = u16(bits >> kShift);
    return ftz && (half & 0x7c00) == 0 ? 0.0f : ww_cvt_f32_f16(half);
  }
};
template <unsigned kShift>
struct Bf16Value {
  static f32 get(uint64_t bits, bool) { return ww_cvt_f32_bf16(u16(bits >> kShift)); }
};
template <class T>
struct PlainValue {
  static T get(uint64_t bits, bool ftz) {
    if constexpr (std::is_same_v<T, f32>)
      return ftz ? ww_ftz_f32(as<f32>(bits)) : as<f32>(bits);
    else
      return as<T>(bits);
  }
};

template <class Value>
uint32_t compare(const LaneValues& a, const LaneValues& b, uint32_t outcomes, bool ftz, uint32_t mask) {
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    const auto x = Value::get(a[lane], ftz), y = Value::get(b[lane], ftz);
    const uint32_t outcome = x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
    bits |= uint32_t{(outcome & outcomes) != 0} << lane;
  });
  return bits;
}

using Comparer = uint32_t (*)(const LaneValues&, const LaneValues&, uint32_t, bool, uint32_t);
struct TypedComparer {
  Type type;
  Comparer low, high;  // high: of a packed pair's upper half
};
constexpr TypedComparer kComparers[] = {
    {Type::kU16, compare<PlainValue<u16>>, nullptr},
    {Type::kU32, compare<PlainValue<u32>>, nullptr},
    {Type::kU64, compare<PlainValue<u64>>, nullptr},
    {Type::kS16, compare<PlainValue<s16>>, nullptr},
    {Type::kS32, compare<PlainValue<s32>>, nullptr},
    {Type::kS64, compare<PlainValue<s64>>, nullptr},
    {Type::kB16, compare<PlainValue<u16>>, nullptr},
    {Type::kB32, compare<PlainValue<u32>>, nullptr},
    {Type::kB64, compare<PlainValue<u64>>, nullptr},
    {Type::kF32, compare<PlainValue<f32>>, nullptr},
    {Type::kF64, compare<PlainValue<f64>>, nullptr},
    {Type::kF16, compare<F16Value<0>>, nullptr},
    {Type::kBF16, compare<Bf16Value<0>>, nullptr},
    {Type::kF16x2, compare<F16Value<0>>, compare<F16Value<16>>},
    {Type::kBF16x2, compare<Bf16Value<0>>, compare<Bf16Value<16>>},
};

// detail: index in kComparers; immediate: outcomes; members unused. `bytes`: the boolean operation. `elements`: type of
// d.
enum class BoolOp : uint8_t { kNone, kAnd, kOr, kXor };

uint32_t combine(Warp& warp, const Op& op, uint32_t bits) {
  switch (static_cast<BoolOp>(op.bytes)) {
    case BoolOp::kAnd:
      return bits & warp.predicate(op.source[2]);
    case BoolOp::kOr:
      return bits | warp.predicate(op.source[2]);
    case BoolOp::kXor:
      return bits ^ warp.predicate(op.source[2]);
    default:
      return bits;
  }
}

void setp(Warp& warp, const Op& op, uint32_t mask) {
  const TypedComparer& comparer = kComparers[op.detail];
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]);
  const uint32_t bits = comparer.low(a, b, uint32_t(op.immediate), op.flag, mask);
  if (comparer.high) {
    // A packed pair: p is of the low halves, q of the high ones.
    const uint32_t high = comparer.high(a, b, uint32_t(op.immediate), op.flag, mask);
    const uint32_t low_result = combine(warp, op, bits), high_result = combine(warp, op, high);
    warp.set_predicate(op.destination, low_result, mask);
    warp.set_predicate(op.second, high_result, mask);
    return;
  }
  // Both results are made before either is written: c may be p.
  const uint32_t result = combine(warp, op, bits);
  const uint32_t opposite = op.second ? combine(warp, op, ~bits) : 0;
  warp.set_predicate(op.destination, result, mask);
  if (op.second) warp.set_predicate(op.second, opposite, mask);
}

void set(Warp& warp, const Op& op, uint32_t mask) {
  const TypedComparer& comparer = kComparers[op.detail];
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]);
  const uint32_t low = combine(warp, op, comparer.low(a, b, uint32_t(op.immediate), op.flag, mask));
  const uint32_t high =
      comparer.high ? combine(warp, op, comparer.high(a, b, uint32_t(op.immediate), op.flag, mask)) : 0;
  const Type type = static_cast<Type>(op.elements);
  LaneValues& d = warp.write(op.destination);
  const auto one = [](Type t) -> uint64_t {
    switch (t) {
      case Type::kF32:
        return 0x3f800000u;
      case Type::kF16:
      case Type::kF16x2:
        return 0x3c00u;
      case Type::kBF16:
      case Type::kBF16x2:
        return 0x3f80u;
      case Type::kU16:
      case Type::kS16:
        return 0xffffu;
      default:
        return 0xffffffffu;
    }
  }(type);
  const bool packed_float = type == Type::kF16x2 || type == Type::kBF16x2;
  each_lane(mask, [&](unsigned lane) {
    const bool l = low >> lane & 1, h = high >> lane & 1;
    if (packed_float)
      d[lane] = (l ? one : 0) | (h ? one << 16 : 0);
    else if (comparer.high)
      d[lane] = (l ? 0xffffu : 0u) | (h ? 0xffff0000u : 0u);
    else
      d[lane] = l ? one : 0;
  });
}

void selp(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]);
  const uint32_t p = warp.predicate(op.source[2]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = p >> lane & 1 ? a[lane] : b[lane]; });
}

// slct: a if c >= 0, else b. A NaN c selects b; -0 is 0.
template <class T>
void slct(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &a = warp.read(op.source[0]), &b = warp.read(op.source[1]), &c = warp.read(op.source[2]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    T selector = as<T>(c[lane]);
    if constexpr (std::is_same_v<T, f32>) selector = op.flag ? ww_ftz_f32(selector) : selector;
    d[lane] = selector >= 0 ? a[lane] : b[lane];
  });
}

}  // namespace

bool decode_compare(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::kSelp:
      op.handler = selp;
      op.destination = decoder.destination(operands[0]);
      op.source = {decoder.value(operands[1], instruction.type()), decoder.value(operands[2], instruction.type()),
                   decoder.predicate(operands[3])};
      return true;
    case Opcode::kSlct:
      op.handler = instruction.type(1) == Type::kF32 ? slct<f32> : slct<s32>;
      op.flag = instruction.has(Modifier::kFtz);
      op.destination = decoder.destination(operands[0]);
      op.source = {decoder.value(operands[1], instruction.type()), decoder.value(operands[2], instruction.type()),
                   decoder.value(operands[3], instruction.type(1))};
      return true;
    case Opcode::kSet:
    case Opcode::kSetp:
      break;
    default:
      return false;
  }
  const bool is_set = instruction.opcode == Opcode::kSet;
  Type type = instruction.type(is_set ? 1 : 0);
  const Comparison* comparison = nullptr;
  for (const Comparison& c : kComparisons)
    if (instruction.has(c.modifier)) {
      comparison = &c;
      break;
    }
  if (!comparison) return false;
  if (comparison->is_unsigned)
    type = type == Type::kS16 ? Type::kU16 : type == Type::kS32 ? Type::kU32 : type == Type::kS64 ? Type::kU64 : type;
  // `ne` of floats is false for NaN; of integers there is no NaN.
  size_t index = 0;
  while (index < std::size(kComparers) && kComparers[index].type != type) ++index;
  if (index == std::size(kComparers)) return false;
  op.detail = uint32_t(index);
  op.immediate = comparison->outcomes;
  op.flag = instruction.has(Modifier::kFtz);
  op.bytes = uint8_t(instruction.has(Modifier::kAnd)   ? BoolOp::kAnd
                     : instruction.has(Modifier::kOr)  ? BoolOp::kOr
                     : instruction.has(Modifier::kXor) ? BoolOp::kXor
                                                       : BoolOp::kNone);
  op.elements = uint8_t(instruction.type(0));
  op.handler = is_set ? set : setp;
  const bool pair = operands[0].kind == ptx::OperandKind::kPair;
  const ptx::Operand& first = pair ? decoder.elements(operands[0])[0] : operands[0];
  op.destination = is_set ? decoder.destination(first) : decoder.predicate(first);
  if (pair) op.second = decoder.predicate(decoder.elements(operands[0])[1]);
  for (size_t i = 1; i < operands.size(); ++i)
    op.source[i - 1] = i == 3 ? decoder.predicate(operands[i]) : decoder.value(operands[i], type);
  return true;
}

}  // namespace ww::sim
