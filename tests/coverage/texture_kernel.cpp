// tex, tld4, txq and istypep. A form of tex or tld4 runs plain, with offsets, with a reference to compare with, and
// with both, as far as the verifier takes it.
#include "coverage/form_kernel.h"

namespace ww::coverage {
namespace {

using namespace ptx;

struct Geometry {
  Modifier modifier;
  ImageShape shape;
  std::vector<std::string_view> coordinates;
  unsigned axes;  // of gradients and offsets
};
const Geometry kGeometries[] = {
    {Modifier::k1d, ImageShape::k1D, {"x"}, 1},
    {Modifier::k2d, ImageShape::k2D, {"x", "y"}, 2},
    {Modifier::k3d, ImageShape::k3D, {"x", "y", "z"}, 3},
    {Modifier::kA1d, ImageShape::k1DArray, {"layer", "x"}, 1},
    {Modifier::kA2d, ImageShape::k2DArray, {"layer", "x", "y"}, 2},
    {Modifier::kCube, ImageShape::kCube, {"x", "y", "z"}, 3},
    {Modifier::kAcube, ImageShape::kCubeArray, {"layer", "x", "y", "z"}, 3},
    {Modifier::k2dms, ImageShape::k2D, {"sample", "x", "y"}, 2},
    {Modifier::kA2dms, ImageShape::k2DArray, {"layer", "sample", "x", "y"}, 2},
};

// A vector as the assembler wants it: three elements become four, the last twice.
std::string padded(std::vector<std::string> names) {
  if (names.size() == 3) names.push_back(names.back());
  return "{" + operand_list(names).substr(names.size() == 1 ? 0 : 1) + (names.size() == 1 ? "}" : "");
}

class FetchBuilder {
 public:
  FetchBuilder(const Form& form, const Geometry& geometry, const std::string& name)
      : form_(form), instruction_(instruction_of(form)), geometry_(geometry), writer_(form, name) {}

  std::optional<Kernel> build() {
    const Opcode opcode = instruction_.opcode;
    const Type coordinate = opcode == Opcode::kTld4 ? Type::kF32 : instruction_.type(1);
    const bool has_sampler = has_operand("s");
    writer_.load("handle", {Type::kB64, "handle", ColumnUse::kImage});
    std::vector<std::string> coordinates;
    for (const std::string_view c : geometry_.coordinates)
      coordinates.push_back(load(std::string(c), c == "layer" || c == "sample" ? Type::kU32 : coordinate));
    std::string more;
    if (instruction_.has(Modifier::kLevel)) more = ", " + load("lod", coordinate);
    if (instruction_.has(Modifier::kGrad)) more = ", " + gradient("dx", coordinate) + ", " + gradient("dy", coordinate);
    const std::string place =
        std::string(has_sampler ? "[handle, handle, " : "[handle, ") + padded(coordinates) + "]" + more;

    std::vector<std::string> offsets;
    for (unsigned axis = 0; axis < geometry_.axes; ++axis)
      offsets.push_back(load("e" + std::to_string(axis), Type::kS32));
    // NVIDIA's compiler calls a function of the driver to compare at a gradient of integers, and the driver lacks it.
    // One element by itself in a register of .b32 is such a comparison to it, too.
    const bool compares = !(instruction_.has(Modifier::kGrad) && coordinate == Type::kS32);
    const std::string offset = ", " + (offsets.size() == 1 && compares ? offsets[0] : padded(offsets));
    run(place + offset);
    if (has_operand("f") && compares) {
      const std::string reference = ", " + load("f", Type::kF32);
      run(place + reference);
      run(place + offset + reference);
    }
    run(place);
    if (!writer_.has_lines()) return {};
    ImageNeed need;
    const Type texel = instruction_.type(0);
    need.use = texel == Type::kU32 ? ImageUse::kUnsigned : texel == Type::kS32 ? ImageUse::kSigned : ImageUse::kFloat;
    need.shape = geometry_.shape;
    need.levels = instruction_.has(Modifier::kLevel) || instruction_.has(Modifier::kGrad);
    need.integer = coordinate == Type::kS32;
    writer_.set_images(need);
    Kernel kernel = writer_.finish();
    kernel.has_samplers = has_sampler;
    return kernel;
  }

 private:
  std::string load(const std::string& name, Type type) {
    writer_.load(name, {type, name, ColumnUse::kImage});
    return name;
  }

  std::string gradient(const std::string& name, Type type) {
    std::vector<std::string> names;
    for (unsigned axis = 0; axis < geometry_.axes; ++axis) names.push_back(load(name + "xyz"[axis], type));
    return padded(names);
  }

  bool has_operand(std::string_view name) const {
    for (const OperandSpec& spec : form_.compiled().operands) {
      if (spec.name == name) return true;
      for (const OperandSpec& element : spec.elements)
        if (element.name == name) return true;
    }
    return false;
  }

  // One way to write the instruction; the destination may say whether the texels are there.
  bool run(const std::string& sources) {
    const Type type = instruction_.type(0);
    const unsigned count = type == Type::kF16x2 ? 2 : 4;
    std::vector<std::string> names;
    const std::string way = std::to_string(ways_++);
    for (unsigned i = 0; i < count; ++i) names.push_back("d" + way + std::to_string(i));
    const std::string there = "there" + way;
    for (const std::string& name : names) writer_.declare(name, register_bits(type));
    writer_.declare(there, 1);
    if (!writer_.add_instruction(operand_list(names) + "|" + there + ", " + sources) &&
        !writer_.add_instruction(operand_list(names) + ", " + sources))
      return false;
    for (const std::string& name : names) writer_.store(name, type);
    return true;
  }

  const Form& form_;
  const Instruction instruction_;
  const Geometry& geometry_;
  KernelWriter writer_;
  unsigned ways_ = 0;
};

std::optional<Kernel> query_kernel(const Form& form, const std::string& name) {
  KernelWriter writer(form, name);
  const Instruction instruction = instruction_of(form);
  writer.load("handle", {Type::kB64, "handle", ColumnUse::kImage});
  std::string place = "[handle]";
  if (instruction.has(Modifier::kLevel)) {
    writer.load("lod", {Type::kU32, "lod", ColumnUse::kImage});
    place += ", lod";
  }
  writer.declare("d", 32);
  if (!writer.add_instruction("d, " + place)) return {};
  writer.store("d", Type::kB32);
  ImageNeed need;
  need.use = instruction.opcode == Opcode::kSuq ? ImageUse::kSurfaceQuery : ImageUse::kQuery;
  need.levels = true;
  writer.set_images(need);
  return writer.finish();
}

}  // namespace

std::optional<Kernel> texture_kernel(const Form& form, const std::string& name) {
  const Instruction instruction = instruction_of(form);
  if (instruction.opcode == Opcode::kTxq || instruction.opcode == Opcode::kSuq) return query_kernel(form, name);
  if (instruction.opcode != Opcode::kTex && instruction.opcode != Opcode::kTld4) return {};
  for (const Geometry& geometry : kGeometries)
    if (instruction.has(geometry.modifier)) return FetchBuilder(form, geometry, name).build();
  return {};
}

}  // namespace ww::coverage
