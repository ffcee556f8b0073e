// mma, ldmatrix, stmatrix, movmatrix, wmma. The arithmetic is devicelib's (mma.h). (PTX ISA, "Warp Level Matrix
// Multiply-Accumulate Instructions".)
#include <cstring>

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

// All lanes must be here: the instructions are .aligned.
bool whole_warp(Warp& warp, const Op& op, uint32_t mask) {
  if (mask == kFullMask) return true;
  warp.fault(op, unsigned(std::countr_zero(mask)), "matrix instruction in a warp of which not all 32 lanes take part");
  return false;
}

// The registers of an operand, which stand at `begin` in `extra`, one after the other.
template <typename T>
void gather(Warp& warp, uint32_t begin, int count, T* out) {
  for (int i = 0; i < count; ++i) {
    const LaneValues& values = warp.read(warp.frame->function->extra[begin + uint32_t(i)]);
    for (unsigned lane = 0; lane < kLanes; ++lane) out[unsigned(i) * kLanes + lane] = T(values[lane]);
  }
}
template <typename T>
void scatter(Warp& warp, uint32_t begin, int count, const T* from) {
  for (int i = 0; i < count; ++i) {
    LaneValues& values = warp.write(warp.frame->function->extra[begin + uint32_t(i)]);
    for (unsigned lane = 0; lane < kLanes; ++lane) values[lane] = from[unsigned(i) * kLanes + lane];
  }
}

// Operands d, a, b, c and the metadata of a sparse a stand in `extra`, in this order; detail encodes the shape.
void multiply(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const MmaShape shape = unpack_shape(op.detail);
  const int na = mma_a_registers(shape), nb = mma_b_registers(shape), nc = mma_c_registers(shape),
            nd = mma_d_registers(shape);
  const uint32_t at_a = op.first_extra + uint32_t(nd), at_b = at_a + uint32_t(na), at_c = at_b + uint32_t(nb);
  if (shape.accumulator == MmaAccumulator::kF64) {
    u64 a[kLanes * 8], b[kLanes * 4], c[kLanes * 4];
    gather(warp, at_a, na, a);
    gather(warp, at_b, nb, b);
    gather(warp, at_c, nc, c);
    mma_f64(shape, a, b, c, c);
    scatter(warp, op.first_extra, nd, c);
    return;
  }
  u32 a[kLanes * 4], b[kLanes * 4], c[kLanes * 8], d[kLanes * 8], metadata[kLanes];
  gather(warp, at_a, na, a);
  gather(warp, at_b, nb, b);
  gather(warp, at_c, nc, c);
  if (shape.sparse) gather(warp, at_c + uint32_t(nc), 1, metadata);
  mma_32(mma_model(warp.block.launch.tensor_core == TensorCore::kAda), shape, a, b, c, d, metadata);
  scatter(warp, op.first_extra, nd, d);
}

// Matrix i's row r is 16 bytes at the address that lane 8 i + r gives. Register i of lane l holds elements 2 (l % 4)
// and the next of row l / 4; transposed: of column l / 4.
void load_matrix(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const LaneValues base = warp.read(op.source[0]);
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    uint16_t elements[8][8];
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned lane = i * 8 + row;
      uint64_t address = base[lane] + uint64_t(op.immediate);
      if (op.space == ptx::Space::kShared) address = uint32_t(address);
      const uint8_t* from = locate(warp, op, lane, op.space, address, 16, 16, Access::kRead);
      if (!from) return;
      std::memcpy(elements[row], from, 16);
    }
    LaneValues& d = warp.write(warp.frame->function->extra[op.first_extra + i]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned g = lane / 4, t = 2 * (lane % 4);
      d[lane] = op.flag ? elements[t][g] | uint32_t(elements[t + 1][g]) << 16
                        : elements[g][t] | uint32_t(elements[g][t + 1]) << 16;
    }
  }
}

void store_matrix(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const LaneValues& base = warp.read(op.source[0]);
  for (uint32_t i = 0; i < op.extra_count; ++i) {
    uint16_t elements[8][8];
    const LaneValues& a = warp.read(warp.frame->function->extra[op.first_extra + i]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned g = lane / 4, t = 2 * (lane % 4);
      (op.flag ? elements[t][g] : elements[g][t]) = uint16_t(a[lane]);
      (op.flag ? elements[t + 1][g] : elements[g][t + 1]) = uint16_t(a[lane] >> 16);
    }
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned lane = i * 8 + row;
      uint64_t address = base[lane] + uint64_t(op.immediate);
      if (op.space == ptx::Space::kShared) address = uint32_t(address);
      uint8_t* to = locate(warp, op, lane, op.space, address, 16, 16, Access::kWrite);
      if (!to) return;
      std::memcpy(to, elements[row], 16);
    }
  }
}

void transpose_matrix(Warp& warp, const Op& op, uint32_t mask) {
  if (!whole_warp(warp, op, mask)) return;
  const LaneValues& a = warp.read(op.source[0]);
  uint16_t elements[8][8];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    elements[lane / 4][2 * (lane % 4)] = uint16_t(a[lane]);
    elements[lane / 4][2 * (lane % 4) + 1] = uint16_t(a[lane] >> 16);
  }
  LaneValues& d = warp.write(op.destination);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    d[lane] = elements[2 * (lane % 4)][lane / 4] | uint32_t(elements[2 * (lane % 4) + 1][lane / 4]) << 16;
}

}  // namespace

bool decode_matrix(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  const auto finish = [&] {
    op.kind = OpKind::kWarpSync;
    return true;
  };
  switch (instruction.opcode) {
    case Opcode::kMma: {
      MmaShape shape;
      if (!mma_shape(instruction, shape)) return decoder.unsupported(op, instruction);
      if (shape.sparse) shape.selector = u8(operands[5].value);
      if (shape.sparse && shape.selector >= 4 / mma_metadata_lanes(shape))
        return decoder.unsupported(op, instruction, "sm_90 has no such selector for the shape");
      op.handler = multiply;
      op.detail = pack_shape(shape);
      const auto first = uint32_t(decoder.out().extra.size());
      for (unsigned i = 0; i < (shape.sparse ? 5 : 4); ++i)
        decoder.vector(operands[i], op, i == 0, i == 3 ? instruction.type(3) : Type::kNone);
      op.first_extra = first;
      op.extra_count = uint32_t(decoder.out().extra.size()) - first;
      return finish();
    }
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix: {
      const bool loads = instruction.opcode == Opcode::kLdmatrix;
      if (!instruction.has(Modifier::kM8n8) || instruction.type() != Type::kB16)
        return decoder.unsupported(op, instruction);
      op.handler = loads ? load_matrix : store_matrix;
      op.flag = instruction.has(Modifier::kTrans);
      op.space = space_of(instruction);
      decoder.vector(operands[loads ? 0 : 1], op, loads, Type::kNone);
      decoder.address(operands[loads ? 1 : 0], op);
      return finish();
    }
    case Opcode::kMovmatrix:
      op.handler = transpose_matrix;
      op.destination = decoder.destination(operands[0]);
      op.source[0] = decoder.value(operands[1]);
      return finish();
    default:
      return false;
  }
}

}  // namespace ww::sim
