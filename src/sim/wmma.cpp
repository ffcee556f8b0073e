// wmma: load, store and multiply on fragments whose layout is the implementation's own. (PTX ISA, "wmma".)
//
// Here element i of a lane is element lane * n + i of the matrix in row-major order, n elements a lane; registers
// beyond n elements (f16 fragments hold every element twice or four times) repeat them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "devicelib/mma.h"
#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/matrix_shapes.h"

namespace ww::sim {
namespace {

using namespace devicelib;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Size {
  Modifier modifier;
  uint32_t m, n, k;
};
constexpr Size kSizes[] = {{Modifier::kM16n16k16, 16, 16, 16}, {Modifier::kM32n8k16, 32, 8, 16},
                           {Modifier::kM8n32k16, 8, 32, 16},   {Modifier::kM16n16k8, 16, 16, 8},
                           {Modifier::kM8n8k32, 8, 8, 32},     {Modifier::kM8n8k128, 8, 8, 128},
                           {Modifier::kM8n8k4, 8, 8, 4}};

const Size* size_of(const ptx::Instruction& instruction) {
  for (const Size& size : kSizes)
    if (instruction.has(size.modifier)) return &size;
  return nullptr;
}

// Which matrix a load or store moves.
struct Matrix {
  uint32_t rows, columns;
  unsigned bits;  // of an element
};
Matrix matrix_of(const ptx::Instruction& instruction) {
  const Size& s = *size_of(instruction);
  const unsigned bits = ptx::bits(instruction.type());
  if (instruction.has(Modifier::kA)) return {s.m, s.k, bits};
  if (instruction.has(Modifier::kB)) return {s.k, s.n, bits};
  return {s.m, s.n, bits};
}

// Elements of narrow types share a register.
unsigned per_register(unsigned bits) {
  return bits >= 32 ? 1 : 32 / bits;
}

uint64_t element_of(const uint64_t* registers, unsigned i, unsigned bits) {
  const unsigned per = per_register(bits);
  if (per == 1) return registers[i];
  return (registers[i / per] >> (bits * (i % per))) & ((uint64_t{1} << bits) - 1);
}

bool whole_warp(Warp& warp, const Op& op, uint32_t mask) {
  if (mask == kFullMask) return true;
  warp.fault(op, unsigned(std::countr_zero(mask)), "matrix instruction in a warp of which not all 32 lanes take part");
  return false;
}

// flag: rows are contiguous; source[1]: stride in elements. `shift`: where an element begins in its byte.
uint64_t address_of(Warp& warp, const Op& op, const Matrix& matrix, unsigned lane, uint32_t index, unsigned& shift) {
  const uint32_t row = index / matrix.columns, column = index % matrix.columns;
  const uint64_t stride = op.source[1] ? uint32_t(warp.read(op.source[1])[lane])
                          : op.flag    ? matrix.columns
                                       : matrix.rows;
  const uint64_t element = op.flag ? row * stride + column : column * stride + row;
  shift = unsigned(element * matrix.bits % 8);
  const uint64_t address = warp.read(op.source[0])[lane] + uint64_t(op.immediate) + element * matrix.bits / 8;
  return op.space == ptx::Space::kShared ? uint32_t(address) : address;
}

void load(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const Matrix matrix = matrix_of(*op.instruction);
  const uint32_t n = matrix.rows * matrix.columns / kLanes, per = per_register(matrix.bits);
  const unsigned bytes = std::max(matrix.bits / 8, 1u);
  const uint64_t mask_of_bits = matrix.bits >= 8 ? ~uint64_t{0} : (uint64_t{1} << matrix.bits) - 1;
  std::array<LaneValues, 8> values{};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (uint32_t i = 0; i < op.extra_count * per; ++i) {
      unsigned shift = 0;
      const uint64_t address = address_of(warp, op, matrix, lane, lane * n + i % n, shift);
      const uint8_t* from = locate(warp, op, lane, op.space, address, bytes, bytes, Access::kRead);
      if (!from) return;
      uint64_t element = 0;
      std::memcpy(&element, from, bytes);
      values[i / per][lane] |= (element >> shift & mask_of_bits) << (per == 1 ? 0 : matrix.bits * (i % per));
    }
  for (uint32_t r = 0; r < op.extra_count; ++r) warp.write(warp.frame->function->extra[op.first_extra + r]) = values[r];
}

void store(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const Matrix matrix = matrix_of(*op.instruction);
  const uint32_t n = matrix.rows * matrix.columns / kLanes;
  const unsigned bytes = matrix.bits / 8;  // accumulators have whole bytes
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t registers[8];
    for (uint32_t r = 0; r < op.extra_count; ++r)
      registers[r] = warp.read(warp.frame->function->extra[op.first_extra + r])[lane];
    for (uint32_t i = 0; i < n; ++i) {
      unsigned shift = 0;
      const uint64_t address = address_of(warp, op, matrix, lane, lane * n + i, shift);
      uint8_t* to = locate(warp, op, lane, op.space, address, bytes, bytes, Access::kWrite);
      if (!to) return;
      const uint64_t element = element_of(registers, i, matrix.bits);
      std::memcpy(to, &element, bytes);
    }
  }
}

// A dot product of integers of less than a byte, or (kPopc) of bits: the number of ones in the and or xor.
uint32_t narrow_dot(const ptx::Instruction& instruction, const uint64_t* a, const uint64_t* b, uint32_t count,
                    uint32_t c) {
  const bool is_signed = instruction.type(1) == Type::kS4;
  const auto extend = [&](uint64_t code) { return is_signed ? int64_t(code ^ 8) - 8 : int64_t(code); };
  int64_t sum = int32_t(c);
  for (uint32_t k = 0; k < count; ++k) {
    if (instruction.has(Modifier::kPopc))
      sum += int64_t(instruction.has(Modifier::kXor) ? a[k] ^ b[k] : a[k] & b[k]);
    else
      sum += extend(a[k]) * extend(b[k]);
  }
  if (instruction.has(Modifier::kSatfinite))
    sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  return uint32_t(sum);
}

bool is_narrow(const ptx::Instruction& instruction) {
  return instruction.type_count == 4 && ptx::bits(instruction.type(1)) < 8;
}

// d, a, b, c in `extra`; `detail`: the shape of the arithmetic (but of narrow integers); immediate: registers of d, a,
// b, a byte each.
void multiply(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const ptx::Instruction& instruction = *op.instruction;
  const Size& size = *size_of(instruction);
  const bool narrow = is_narrow(instruction);
  const MmaShape shape = unpack_shape(op.detail);
  const MmaModel& model = mma_model(warp.block.launch.tensor_core == TensorCore::kAda);
  const uint32_t counts[4] = {uint32_t(op.immediate) & 255, uint32_t(op.immediate >> 8) & 255,
                              uint32_t(op.immediate >> 16) & 255, uint32_t(op.immediate >> 24) & 255};
  const auto& extra = warp.frame->function->extra;
  const Type d_type = instruction.type(0), c_type = instruction.type(instruction.type_count - 1);
  const unsigned input_bits = instruction.type_count == 2          ? 16
                              : instruction.type(1) == Type::kTF32 ? 32
                                                                   : ptx::bits(instruction.type(1));
  const bool f64 = d_type == Type::kF64;
  const auto fma = instruction.has(Modifier::kRz)   ? ww_fma_rz_f64
                   : instruction.has(Modifier::kRm) ? ww_fma_rm_f64
                   : instruction.has(Modifier::kRp) ? ww_fma_rp_f64
                                                    : ww_fma_rn_f64;
  // A fragment as a row-major matrix of codes.
  const auto gather = [&](uint32_t begin, uint32_t registers, uint32_t elements, unsigned bits) {
    std::vector<uint64_t> codes(elements);
    const uint32_t n = elements / kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t own[8];
      for (uint32_t r = 0; r < registers; ++r) own[r] = warp.read(extra[begin + r])[lane];
      for (uint32_t i = 0; i < n; ++i) codes[lane * n + i] = element_of(own, i, bits);
    }
    return codes;
  };
  uint32_t at = op.first_extra + counts[0];
  const auto a = gather(at, counts[1], size.m * size.k, input_bits);
  const auto b = gather(at += counts[1], counts[2], size.k * size.n, input_bits);
  const auto c = gather(at += counts[2], counts[3], size.m * size.n, ptx::bits(c_type));
  std::vector<uint64_t> d(size.m * size.n);
  for (uint32_t row = 0; row < size.m; ++row)
    for (uint32_t column = 0; column < size.n; ++column) {
      uint64_t value = c[row * size.n + column];
      uint64_t x[128], y[128];
      for (uint32_t k = 0; k < size.k; ++k) {
        x[k] = a[row * size.k + k];
        y[k] = b[k * size.n + column];
      }
      if (f64) {
        double sum = std::bit_cast<double>(value);
        for (uint32_t k = 0; k < size.k; ++k) sum = fma(std::bit_cast<double>(x[k]), std::bit_cast<double>(y[k]), sum);
        d[row * size.n + column] = std::bit_cast<uint64_t>(sum);
        continue;
      }
      if (narrow) {
        d[row * size.n + column] = narrow_dot(instruction, x, y, size.k, uint32_t(value));
        continue;
      }
      uint32_t words[2][16];
      std::copy_n(x, size.k, words[0]);
      std::copy_n(y, size.k, words[1]);
      // A c of f16 becomes f32 where d is; a d of f16 where c is f32 is the sum of f32, rounded.
      if (c_type == Type::kF16 && d_type == Type::kF32) value = std::bit_cast<uint32_t>(ww_cvt_f32_f16(u16(value)));
      for (uint32_t k = 0; k < size.k; k += shape.k)
        value = mma_dot(model, shape, words[0] + k, words[1] + k, uint32_t(value));
      if (c_type == Type::kF32 && d_type == Type::kF16)
        value = ww_cvt_rn_f16_f32(std::bit_cast<float>(uint32_t(value)));
      d[row * size.n + column] = value;
    }
  const unsigned d_bits = ptx::bits(d_type);
  const uint32_t n = size.m * size.n / kLanes, per = per_register(d_bits);
  for (uint32_t r = 0; r < counts[0]; ++r) {
    LaneValues& out = warp.write(extra[op.first_extra + r]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      out[lane] = 0;
      for (uint32_t e = 0; e < per; ++e) out[lane] |= d[lane * n + r * per + e] << (per == 1 ? 0 : d_bits * e);
    }
  }
}

// The arithmetic of a wmma.mma of types that are no narrow integers.
bool arithmetic_of(const ptx::Instruction& instruction, MmaShape& shape) {
  const Type d = instruction.type(0);
  const Type input = instruction.type_count == 2 ? Type::kF16 : instruction.type(1);
  const Size* size = size_of(instruction);
  if (!size) return false;
  shape = {16,
           8,
           uint8_t(size->k),
           MmaType::kF16,
           MmaType::kF16,
           MmaAccumulator::kF32,
           instruction.has(Modifier::kSatfinite)};
  switch (input) {
    case Type::kF16:
      shape.a = MmaType::kF16;
      break;
    case Type::kBF16:
      shape.a = MmaType::kBf16;
      break;
    case Type::kTF32:
      shape.a = MmaType::kTf32;
      shape.k = 4;  // the hardware takes tf32 in steps of four
      break;
    case Type::kS8:
      shape.a = MmaType::kS8;
      break;
    case Type::kU8:
      shape.a = MmaType::kU8;
      break;
    case Type::kF64:
      shape.a = MmaType::kF64;
      break;
    default:
      return false;
  }
  shape.b = shape.a;
  switch (d) {
    case Type::kF32:
      shape.accumulator = MmaAccumulator::kF32;
      break;
    case Type::kF16:
      if (instruction.type(instruction.type_count - 1) == Type::kF16) shape.accumulator = MmaAccumulator::kF16;
      break;
    case Type::kS32:
      shape.accumulator = MmaAccumulator::kS32;
      break;
    case Type::kF64:
      shape.accumulator = MmaAccumulator::kF64;
      break;
    default:
      return false;
  }
  shape.c = shape.accumulator;
  return true;
}

}  // namespace

bool decode_wmma(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  if (instruction.opcode != Opcode::kWmma) return false;
  const auto operands = decoder.operands(instruction);
  op.kind = OpKind::kWarpSync;
  if (instruction.has(Modifier::kLoad) || instruction.has(Modifier::kStore)) {
    const bool loads = instruction.has(Modifier::kLoad);
    if (!size_of(instruction)) return decoder.unsupported(op, instruction);
    op.handler = loads ? load : store;
    op.flag = instruction.has(Modifier::kRow);
    op.space = space_of(instruction);
    decoder.vector(operands[loads ? 0 : 1], op, loads, Type::kNone);
    decoder.address(operands[loads ? 1 : 0], op);
    if (operands.size() > 2) op.source[1] = decoder.value(operands[2]);
    return true;
  }
  MmaShape shape;
  const bool integer = arithmetic_of(instruction, shape) && shape.accumulator == MmaAccumulator::kS32;
  const bool narrow = is_narrow(instruction) && size_of(instruction);
  if (!narrow && (!arithmetic_of(instruction, shape) || (shape.saturate && !integer)))
    return decoder.unsupported(op, instruction);
  op.handler = multiply;
  if (!narrow) op.detail = pack_shape(shape);
  const auto first = uint32_t(decoder.out().extra.size());
  for (unsigned i = 0; i < 4; ++i) {
    decoder.vector(operands[i], op, i == 0, Type::kNone);
    op.immediate |= int64_t(op.extra_count) << (8 * i);
  }
  op.first_extra = first;
  op.extra_count = uint32_t(decoder.out().extra.size()) - first;
  return true;
}

}  // namespace ww::sim
