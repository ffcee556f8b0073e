// tex, tld4, txq, suld, sust, sured, suq on 2D images, by 64-bit handles. (PTX ISA, "Texture Instructions", "Surface
// Instructions".) Images have one level: any level of detail reads it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

using devicelib::SurfaceAccess;
using devicelib::SurfaceOutside;
using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

const Texture* texture_of(Warp& warp, const Op& op, unsigned lane, uint64_t handle) {
  const Texture* texture = warp.block.launch.images.texture(handle);
  if (!texture) warp.fault(op, lane, "texture fetch with a handle that is no live texture");
  return texture;
}

void put(Warp& warp, const Op& op, unsigned lane, const devicelib::Texel& texel) {
  for (uint32_t i = 0; i < op.extra_count; ++i)
    warp.write(warp.frame->function->extra[op.first_extra + i])[lane] = texel.channel[i];
}

// source: handle, x, y. flag: integer coordinates.
void fetch(Warp& warp, const Op& op, uint32_t mask) {
  // The destinations may be the coordinates: copies.
  const LaneValues handle = warp.read(op.source[0]), x = warp.read(op.source[1]),
                   y = op.source[2] ? warp.read(op.source[2]) : LaneValues{};
  each_lane(mask, [&](unsigned lane) {
    const Texture* texture = texture_of(warp, op, lane, handle[lane]);
    if (!texture) return;
    const devicelib::TextureView view = texture->view();
    const devicelib::Texel texel = op.flag ? devicelib::texture_texel(view, int32_t(x[lane]), int32_t(y[lane]))
                                           : devicelib::texture_sample(view, as<float>(x[lane]), as<float>(y[lane]));
    if (is_float_format(view.format) != (op.instruction->type(0) == Type::kF32))
      return warp.fault(op, lane,
                        "texture fetch of the wrong type: the image holds " +
                            std::string(is_float_format(view.format) ? "floats" : "integers"));
    put(warp, op, lane, texel);
  });
}

void gather_channel(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues handle = warp.read(op.source[0]), x = warp.read(op.source[1]), y = warp.read(op.source[2]);
  each_lane(mask, [&](unsigned lane) {
    if (const Texture* texture = texture_of(warp, op, lane, handle[lane]))
      put(warp, op, lane,
          devicelib::texture_gather(texture->view(), as<float>(x[lane]), as<float>(y[lane]), op.detail));
  });
}

// txq and suq: immediate is the modifier asked for.
void query(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& handle = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const Texture* texture = op.flag ? nullptr : warp.block.launch.images.texture(handle[lane]);
    const Image* image = op.flag   ? warp.block.launch.images.surface(handle[lane])
                         : texture ? texture->image.get()
                                   : nullptr;
    if (!image) return warp.fault(op, lane, "query of a handle that is no live image");
    switch (static_cast<Modifier>(op.immediate)) {
      case Modifier::kWidth:
        d[lane] = image->description.width;
        break;
      case Modifier::kHeight:
        d[lane] = image->description.height;
        break;
      case Modifier::kDepth:
      case Modifier::kArraySize:
        d[lane] = 0;
        break;
      case Modifier::kNumMipmapLevels:
      case Modifier::kNumSamples:
        d[lane] = 1;
        break;
      case Modifier::kNormalizedCoords:
        d[lane] = texture && texture->sampler.normalized;
        break;
      default:
        warp.fault(op, lane, "this property of an image is not known");
        break;
    }
  });
}

// Surfaces: x in bytes, y in rows. Null: outside and handled (`read` then gives zeros), or a fault.
uint8_t* surface_place(Warp& warp, const Op& op, unsigned lane, uint64_t handle, int32_t x, int32_t y, uint32_t bytes) {
  Image* image = warp.block.launch.images.surface(handle);
  if (!image) {
    warp.fault(op, lane, "surface access with a handle that is no live surface");
    return nullptr;
  }
  const uint64_t row_bytes = uint64_t{image->description.width} * texel_bytes(image->description);
  const devicelib::SurfacePlace place = devicelib::surface_place(row_bytes, image->description.height, x, y, bytes,
                                                                 static_cast<SurfaceOutside>(op.detail));
  switch (place.access) {
    case SurfaceAccess::kInside:
      return image->texels.data() + place.offset;
    case SurfaceAccess::kNothing:
      break;
    case SurfaceAccess::kTrap:
      warp.fault(op, lane,
                 "surface access outside the image at byte " + std::to_string(x) + ", row " + std::to_string(y));
      break;
    case SurfaceAccess::kMisaligned:
      warp.fault(op, lane,
                 "surface access at byte " + std::to_string(x) + " of a row, which is not a multiple of " +
                     std::to_string(bytes));
      break;
  }
  return nullptr;
}

void surface_load(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues handle = warp.read(op.source[0]), x = warp.read(op.source[1]),
                   y = op.source[2] ? warp.read(op.source[2]) : LaneValues{};
  const auto& extra = warp.frame->function->extra;
  each_lane(mask, [&](unsigned lane) {
    const uint8_t* from =
        surface_place(warp, op, lane, handle[lane], int32_t(x[lane]), int32_t(y[lane]), op.bytes * op.extra_count);
    for (uint32_t i = 0; i < op.extra_count; ++i) {
      uint64_t value = 0;
      if (from) std::memcpy(&value, from + i * op.bytes, op.bytes);
      warp.write(extra[op.first_extra + i])[lane] = value;
    }
  });
}

void surface_store(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &handle = warp.read(op.source[0]), &x = warp.read(op.source[1]);
  const LaneValues y = op.source[2] ? warp.read(op.source[2]) : LaneValues{};
  const auto& extra = warp.frame->function->extra;
  each_lane(mask, [&](unsigned lane) {
    uint8_t* to =
        surface_place(warp, op, lane, handle[lane], int32_t(x[lane]), int32_t(y[lane]), op.bytes * op.extra_count);
    if (!to) return;
    for (uint32_t i = 0; i < op.extra_count; ++i)
      std::memcpy(to + i * op.bytes, &warp.read(extra[op.first_extra + i])[lane], op.bytes);
  });
}

template <class T, class F>
void update(uint8_t* place, T operand, F f) {
  T old;
  std::memcpy(&old, place, sizeof old);
  const T value = f(old, operand);
  std::memcpy(place, &value, sizeof value);
}

// sured: x in elements of the type for .p, in bytes for .b; only .b is supported.
void surface_reduce(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues &handle = warp.read(op.source[0]), &x = warp.read(op.source[1]);
  const LaneValues y = op.source[2] ? warp.read(op.source[2]) : LaneValues{};
  const LaneValues& b = warp.read(op.source[3]);
  each_lane(mask, [&](unsigned lane) {
    uint8_t* place = surface_place(warp, op, lane, handle[lane], int32_t(x[lane]), int32_t(y[lane]), op.bytes);
    if (!place) return;
    const Type type = op.instruction->type(0);
    const bool is_signed = ptx::is_signed(type);
    const auto mode = static_cast<Modifier>(op.immediate);
    if (op.bytes == 8) {
      update<uint64_t>(place, b[lane], [&](uint64_t o, uint64_t v) {
        return mode == Modifier::kAddModifier   ? o + v
               : mode == Modifier::kMinModifier ? std::min(o, v)
                                                : std::max(o, v);
      });
      return;
    }
    update<uint32_t>(place, uint32_t(b[lane]), [&](uint32_t o, uint32_t v) -> uint32_t {
      switch (mode) {
        case Modifier::kAddModifier:
          return o + v;
        case Modifier::kMinModifier:
          return is_signed ? uint32_t(std::min(int32_t(o), int32_t(v))) : std::min(o, v);
        case Modifier::kMaxModifier:
          return is_signed ? uint32_t(std::max(int32_t(o), int32_t(v))) : std::max(o, v);
        case Modifier::kAnd:
          return o & v;
        default:
          return o | v;
      }
    });
  });
}

// Puts handle and coordinates into source[0..2]. False if the operand is not a 64-bit handle in a register.
bool image_operand(Decoder& decoder, const ptx::Operand& list, Op& op) {
  if (list.kind != OperandKind::kList) return false;
  const auto parts = decoder.elements(list);
  if (parts.size() != 2 || parts[0].kind != OperandKind::kRegister) return false;
  op.source[0] = decoder.value(parts[0]);
  if (parts[1].kind == OperandKind::kVector) {
    const auto coordinates = decoder.elements(parts[1]);
    if (coordinates.size() < 2) return false;
    op.source[1] = decoder.value(coordinates[0], Type::kF32);
    op.source[2] = decoder.value(coordinates[1], Type::kF32);
  } else {
    op.source[1] = decoder.value(parts[1], Type::kF32);
  }
  return true;
}

uint32_t outside_of(const ptx::Instruction& instruction) {
  return uint32_t(instruction.has(Modifier::kZero)    ? SurfaceOutside::kZero
                  : instruction.has(Modifier::kClamp) ? SurfaceOutside::kClamp
                                                      : SurfaceOutside::kTrap);
}

}  // namespace

bool decode_texture(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  const bool flat = instruction.has(Modifier::k2d) || instruction.has(Modifier::k1d);
  switch (instruction.opcode) {
    case Opcode::kTex:
      if (!flat || operands[0].kind == OperandKind::kPair || !image_operand(decoder, operands[1], op))
        return decoder.unsupported(op, instruction);
      op.handler = fetch;
      op.flag = instruction.type(1) == Type::kS32;
      decoder.vector(operands[0], op, true, Type::kNone);
      return true;
    case Opcode::kTld4:
      if (!instruction.has(Modifier::k2d) || operands[0].kind == OperandKind::kPair ||
          !image_operand(decoder, operands[1], op))
        return decoder.unsupported(op, instruction);
      op.handler = gather_channel;
      op.detail = instruction.has(Modifier::kRight) ? 0
                  : instruction.has(Modifier::kG)   ? 1
                  : instruction.has(Modifier::kB)   ? 2
                                                    : 3;
      decoder.vector(operands[0], op, true, Type::kNone);
      return true;
    case Opcode::kTxq:
    case Opcode::kSuq: {
      const ptx::Operand& place = operands[1];
      if (place.kind != OperandKind::kAddress || place.base != OperandKind::kRegister)
        return decoder.unsupported(op, instruction);
      op.handler = query;
      op.flag = instruction.opcode == Opcode::kSuq;
      op.destination = decoder.destination(operands[0]);
      decoder.address(place, op);
      for (const Modifier m :
           {Modifier::kWidth, Modifier::kHeight, Modifier::kDepth, Modifier::kArraySize, Modifier::kNumMipmapLevels,
            Modifier::kNumSamples, Modifier::kNormalizedCoords, Modifier::kChannelDataType, Modifier::kChannelOrder})
        if (instruction.has(m)) op.immediate = int64_t(m);
      return true;
    }
    case Opcode::kSuld:
    case Opcode::kSust: {
      const bool loads = instruction.opcode == Opcode::kSuld;
      if (!flat || !instruction.has(Modifier::kB) || !image_operand(decoder, operands[loads ? 1 : 0], op))
        return decoder.unsupported(op, instruction);
      op.handler = loads ? surface_load : surface_store;
      op.bytes = uint8_t(ptx::bits(instruction.type()) / 8);
      op.detail = outside_of(instruction);
      decoder.vector(operands[loads ? 0 : 1], op, loads, instruction.type());
      return true;
    }
    case Opcode::kSured:
      if (!flat || !instruction.has(Modifier::kB) || !image_operand(decoder, operands[0], op))
        return decoder.unsupported(op, instruction);
      op.handler = surface_reduce;
      op.bytes = uint8_t(ptx::bits(instruction.type()) / 8);
      op.detail = outside_of(instruction);
      op.source[3] = decoder.value(operands[1], instruction.type());
      for (const Modifier m :
           {Modifier::kAddModifier, Modifier::kMinModifier, Modifier::kMaxModifier, Modifier::kAnd, Modifier::kOr})
        if (instruction.has(m)) op.immediate = int64_t(m);
      return true;
    default:
      return false;
  }
}

}  // namespace ww::sim
