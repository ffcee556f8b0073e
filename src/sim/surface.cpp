// suld, sust, sured, by 64-bit handles or by surface references. (PTX ISA, "Surface Instructions".)
#include <cstring>

#include "devicelib/image_access.h"
#include "ptx/suffixes.h"
#include "ptx/texture_operands.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

using devicelib::SurfaceAccess;
using devicelib::SurfaceOutside;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// Sources: handle, x, y, z (slice or layer), and the value of sured. Op::bytes is 0 where x counts texels (.p).
struct Lanes {
  LaneValues handle, x, y, z;

  Lanes(Warp& warp, const Op& op) {
    LaneValues* to[] = {&handle, &x, &y, &z};
    for (unsigned k = 0; k < 4; ++k)
      if (op.source[k])
        *to[k] = warp.read(op.source[k]);
      else
        to[k]->fill(0);
  }
};

struct Found {
  Image* image = nullptr;
  uint8_t* texels = nullptr;  // null: outside and handled (reads then give zeros), or a fault
};

Found find(Warp& warp, const Op& op, unsigned lane, const Lanes& lanes, uint32_t bytes) {
  Image* image = surface_of(warp.block.launch, lanes.handle[lane]);
  if (!image) {
    warp.fault(op, lane, "surface access with a handle that is no live surface");
    return {};
  }
  const auto x = int32_t(lanes.x[lane]), y = int32_t(lanes.y[lane]), z = int32_t(lanes.z[lane]);
  const devicelib::SurfacePlace place =
      devicelib::surface_place(image->description, x, y, z, bytes, static_cast<SurfaceOutside>(op.detail));
  const std::string where = std::string(bytes == 0 ? "texel " : "byte ") + std::to_string(x) + ", row " +
                            std::to_string(y) + (z != 0 ? ", slice " + std::to_string(z) : "");
  switch (place.access) {
    case SurfaceAccess::kInside:
      return {image, image->texels.data() + place.offset};
    case SurfaceAccess::kNothing:
      break;
    case SurfaceAccess::kTrap:
      warp.fault(op, lane, "surface access outside the image at " + where);
      break;
    case SurfaceAccess::kMisaligned:
      warp.fault(op, lane,
                 "surface access at byte " + std::to_string(x) + " of a row, which is not a multiple of " +
                     std::to_string(bytes));
      break;
  }
  return {image, nullptr};
}

void load(Warp& warp, const Op& op, uint32_t mask) {
  const Lanes lanes(warp, op);
  const auto& extra = warp.frame->function->extra;
  each_lane(mask, [&](unsigned lane) {
    const uint8_t* from = find(warp, op, lane, lanes, op.bytes * op.extra_count).texels;
    for (uint32_t i = 0; i < op.extra_count; ++i) {
      uint64_t value = 0;
      if (from) std::memcpy(&value, from + i * op.bytes, op.bytes);
      warp.write(extra[op.first_extra + i])[lane] = value;
    }
  });
}

void store(Warp& warp, const Op& op, uint32_t mask) {
  const Lanes lanes(warp, op);
  const auto& extra = warp.frame->function->extra;
  each_lane(mask, [&](unsigned lane) {
    const Found found = find(warp, op, lane, lanes, op.bytes * op.extra_count);
    if (!found.texels) return;
    if (op.bytes == 0) {  // .p
      uint32_t words[4] = {};
      for (uint32_t i = 0; i < op.extra_count && i < 4; ++i)
        words[i] = uint32_t(warp.read(extra[op.first_extra + i])[lane]);
      devicelib::surface_pack(found.image->description, words, op.extra_count, found.texels);
      return;
    }
    for (uint32_t i = 0; i < op.extra_count; ++i)
      std::memcpy(found.texels + i * op.bytes, &warp.read(extra[op.first_extra + i])[lane], op.bytes);
  });
}

// .p works on the image's 32-bit integers, .b on the instruction's type.
void reduce(Warp& warp, const Op& op, uint32_t mask) {
  const Lanes lanes(warp, op);
  const LaneValues& b = warp.read(op.source[4]);
  const devicelib::ReductionCode code = devicelib::unpack_reduction(uint32_t(op.immediate));
  const uint32_t bytes = op.bytes == 8 ? 8 : 4;
  each_lane(mask, [&](unsigned lane) {
    const Found found = find(warp, op, lane, lanes, op.bytes);
    if (!found.texels) return;
    uint64_t value = 0;
    std::memcpy(&value, found.texels, bytes);
    value = devicelib::reduced(code, found.image->description, bytes * 8, value, b[lane]);
    std::memcpy(found.texels, &value, bytes);
  });
}

}  // namespace

bool decode_surface(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const Opcode opcode = instruction.opcode;
  if (opcode != Opcode::kSuld && opcode != Opcode::kSust && opcode != Opcode::kSured) return false;
  const ptx::TextureOperands parts = ptx::texture_operands(decoder.function(), instruction);
  op.handler = opcode == Opcode::kSuld ? load : opcode == Opcode::kSust ? store : reduce;
  op.bytes = instruction.has(Modifier::kP) ? uint8_t{0} : uint8_t(ptx::bits(instruction.type()) / 8);
  op.detail = uint32_t(ptx::surface_outside(instruction));
  const ptx::Operand* places[] = {parts.image, parts.at[0], parts.at[1], parts.layer ? parts.layer : parts.at[2]};
  for (unsigned k = 0; k < 4; ++k)
    if (places[k]) op.source[k] = decoder.value(*places[k], k == 0 ? Type::kB64 : Type::kS32);
  if (opcode == Opcode::kSured) {
    op.source[4] = decoder.value(*parts.values, instruction.type());
    op.immediate = devicelib::pack_reduction({static_cast<devicelib::Reduction>(ptx::surface_reduction(instruction)),
                                              static_cast<SurfaceOutside>(op.detail),
                                              ptx::is_signed(instruction.type(0)), op.bytes == 0});
  } else {
    decoder.vector(*parts.values, op, opcode == Opcode::kSuld, instruction.type());
  }
  return true;
}

}  // namespace ww::sim
