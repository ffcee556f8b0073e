// tex, tld4, txq and istypep, by 64-bit handles or by texture references. (PTX ISA, "Texture Instructions".)
//
// A reference of module scope is eight bytes of memory that hold a handle.
#include <bit>
#include <cstring>

#include "devicelib/image_access.h"
#include "ptx/texture_operands.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

using devicelib::FetchCode;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// Where `extra` has the sources of a fetch, behind the destinations: the handle, then devicelib's words.
constexpr uint32_t kSources = 1 + devicelib::kFetchWords;

void fetch(Warp& warp, const Op& op, uint32_t mask) {
  const auto& extra = warp.frame->function->extra;
  const uint32_t first = op.first_extra + op.extra_count;
  // The destinations may be the coordinates: copies.
  std::array<LaneValues, kSources> source;
  for (uint32_t k = 0; k < kSources; ++k)
    if (extra[first + k])
      source[k] = warp.read(extra[first + k]);
    else
      source[k].fill(0);
  const FetchCode code = devicelib::unpack_fetch(op.detail);
  each_lane(mask, [&](unsigned lane) {
    const Texture* texture = texture_of(warp.block.launch, source[0][lane]);
    if (!texture) return warp.fault(op, lane, "texture fetch with a handle that is no live texture");
    const devicelib::TextureView view = texture->view();
    if (!devicelib::fetch_fits(code, view.image))
      return warp.fault(op, lane,
                        "texture fetch of the wrong type: the image holds " +
                            std::string(is_float_format(view.image.format) ? "floats" : "integers"));
    uint32_t words[devicelib::kFetchWords];
    for (uint32_t k = 0; k < devicelib::kFetchWords; ++k) words[k] = uint32_t(source[1 + k][lane]);
    const devicelib::Texel texel = devicelib::fetch_words(view, code, words);
    for (uint32_t i = 0; i < op.extra_count; ++i)
      if (const Ref ref = extra[op.first_extra + i]) warp.write(ref)[lane] = texel.channel[i];
  });
  if (op.second) warp.set_predicate(op.second, mask, mask);
}

// txq and suq: immediate is the modifier asked for.
void query(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues handle = warp.read(op.source[0]);
  const LaneValues level = op.source[1] ? warp.read(op.source[1]) : LaneValues{};
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    const Texture* texture = op.flag ? nullptr : texture_of(warp.block.launch, handle[lane]);
    const Image* image = op.flag   ? surface_of(warp.block.launch, handle[lane])
                         : texture ? texture->image.get()
                                   : nullptr;
    if (!image) return warp.fault(op, lane, "query of a handle that is no live image");
    d[lane] = devicelib::image_property(image->description, texture ? &texture->sampler : nullptr,
                                        static_cast<ImageProperty>(op.immediate), uint32_t(level[lane]));
  });
}

// The address of a variable of the type; a handle is none.
void is_type(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& address = warp.read(op.source[0]);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) {
    if (warp.block.launch.program.is_reference(address[lane], static_cast<Type>(op.immediate))) bits |= 1u << lane;
  });
  warp.set_predicate(op.destination, bits, mask);
}

}  // namespace

const Texture* texture_of(const LaunchContext& launch, uint64_t handle) {
  if (const Texture* texture = launch.images.texture(handle)) return texture;
  const Allocation* reference = launch.memory.find(handle, 8);
  if (!reference) return nullptr;
  std::memcpy(&handle, reference->bytes.get() + (handle - reference->base), sizeof handle);
  return launch.images.texture(handle);
}

Image* surface_of(const LaunchContext& launch, uint64_t handle) {
  if (Image* image = launch.images.surface(handle)) return image;
  const Allocation* reference = launch.memory.find(handle, 8);
  if (!reference) return nullptr;
  std::memcpy(&handle, reference->bytes.get() + (handle - reference->base), sizeof handle);
  return launch.images.surface(handle);
}

static devicelib::FetchResult fetch_result(Type texel) {
  using devicelib::FetchResult;
  return texel == Type::kF32     ? FetchResult::kFloats
         : texel == Type::kF16   ? FetchResult::kHalves
         : texel == Type::kF16x2 ? FetchResult::kHalfPairs
                                 : FetchResult::kIntegers;
}

bool decode_texture(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::kTex:
    case Opcode::kTld4: {
      const ptx::TextureOperands parts = ptx::texture_operands(decoder.function(), instruction);
      op.handler = fetch;
      op.detail = devicelib::pack_fetch(
          {static_cast<devicelib::FetchKind>(parts.access), static_cast<devicelib::FetchLevel>(parts.level),
           fetch_result(instruction.type(0)), parts.channel, parts.own_sampler, parts.compares});
      decoder.vector(*parts.values, op, true, Type::kNone);
      if (parts.present) op.second = decoder.predicate(*parts.present);
      auto& extra = decoder.out().extra;
      const auto add = [&](const ptx::Operand* operand, Type type) {
        extra.push_back(operand ? decoder.value(*operand, type) : Ref{});
      };
      add(parts.image, Type::kB64);
      add(parts.layer, Type::kU32);
      add(parts.sample, Type::kU32);
      add(parts.lod, parts.coordinate);
      for (const auto* axes : {&parts.at, &parts.dx, &parts.dy})
        for (const ptx::Operand* operand : *axes) add(operand, parts.coordinate);
      for (const ptx::Operand* operand : parts.offset) add(operand, Type::kS32);
      return true;
    }
    case Opcode::kTxq:
    case Opcode::kSuq: {
      op.handler = query;
      op.flag = instruction.opcode == Opcode::kSuq;
      op.destination = decoder.destination(operands[0]);
      decoder.address(operands[1], op);
      if (operands.size() > 2) op.source[1] = decoder.value(operands[2], Type::kU32);
      op.immediate = int64_t(ptx::image_property(instruction));
      if (op.immediate == int64_t(ImageProperty::kUnknown))
        return decoder.unsupported(op, instruction, "the answer would depend on the source language");
      return true;
    }
    case Opcode::kIstypep:
      op.handler = is_type;
      op.destination = decoder.predicate(operands[0]);
      op.source[0] = decoder.value(operands[1], Type::kB64);
      op.immediate = int64_t(instruction.has(Modifier::kTexrefModifier)    ? Type::kTexref
                             : instruction.has(Modifier::kSurfrefModifier) ? Type::kSurfref
                                                                           : Type::kSamplerref);
      return true;
    default:
      return decode_surface(decoder, instruction, op);
  }
}

}  // namespace ww::sim
