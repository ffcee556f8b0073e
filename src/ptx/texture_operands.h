// What the operands of tex, tld4, suld, sust and sured stand for: which element of a vector is a layer, a sample or a
// coordinate depends on the geometry (PTX ISA, "Texture Instructions").
#pragma once

#include <array>
#include <cstdint>

#include "base/texel_format.h"
#include "ptx/module.h"

namespace ww::ptx {

enum class TextureAccess : uint8_t { kSample, kTexel, kGather, kSurface };
enum class TextureLevel : uint8_t { kZero, kGiven, kGradient };

// Operands live in the function. Null: not there.
struct TextureOperands {
  TextureAccess access = TextureAccess::kSample;
  TextureLevel level = TextureLevel::kZero;
  unsigned axes = 1;                 // coordinates: 3 of 3D images and cubes
  Type coordinate = Type::kF32;      // of coordinates, levels and gradients
  const Operand* image = nullptr;    // register with a handle, or variable
  const Operand* values = nullptr;   // the vector read or written, without the predicate of `d|p`
  const Operand* present = nullptr;  // the predicate of `d|p`: whether the texels are there
  const Operand *layer = nullptr, *sample = nullptr, *lod = nullptr;
  std::array<const Operand*, 3> at{}, dx{}, dy{}, offset{};
  unsigned channel = 0;      // kGather
  bool own_sampler = false;  // a sampler is named, which images with several samples never use
  bool compares = false;     // a depth to compare with is named
};

TextureOperands texture_operands(const Function& function, const Instruction& instruction);

// What a surface access outside of the image does, and what sured does; numbered as devicelib has them.
enum class SurfaceOutside : uint8_t { kTrap, kClamp, kZero };
enum class SurfaceReduction : uint8_t { kAdd, kMin, kMax, kAnd, kOr };

SurfaceOutside surface_outside(const Instruction& instruction);
SurfaceReduction surface_reduction(const Instruction& instruction);

// Of txq and suq.
ImageProperty image_property(const Instruction& instruction);

}  // namespace ww::ptx
