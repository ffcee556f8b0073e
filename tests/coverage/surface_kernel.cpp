// suld, sust and sured.
#include "coverage/form_kernel.h"

namespace ww::coverage {
namespace {

using namespace ptx;

struct Geometry {
  Modifier modifier;
  ImageShape shape;
  std::vector<std::string_view> coordinates;
};
const Geometry kGeometries[] = {
    {Modifier::k1d, ImageShape::k1D, {"x"}},
    {Modifier::k2d, ImageShape::k2D, {"x", "y"}},
    {Modifier::k3d, ImageShape::k3D, {"x", "y", "z", "z"}},
    {Modifier::kA1d, ImageShape::k1DArray, {"layer", "x"}},
    {Modifier::kA2d, ImageShape::k2DArray, {"layer", "x", "y", "y"}},
};

std::optional<Kernel> access_kernel(const Form& form, const Geometry& geometry, const std::string& name) {
  const Instruction instruction = instruction_of(form);
  KernelWriter writer(form, name);
  const Type type = instruction.type();
  const bool loads = instruction.opcode == Opcode::kSuld, reduces = instruction.opcode == Opcode::kSured;
  writer.load("handle", {Type::kB64, "handle", ColumnUse::kImage});
  std::vector<std::string> coordinates;
  for (const std::string_view c : geometry.coordinates) {
    const std::string coordinate(c);
    if (coordinates.empty() || coordinates.back() != coordinate)
      writer.load(coordinate, {Type::kS32, coordinate, ColumnUse::kImage});
    coordinates.push_back(coordinate);
  }
  const std::string place =
      "[handle, " + (coordinates.size() == 1 ? "{" + coordinates[0] + "}" : operand_list(coordinates)) + "]";
  const unsigned elements = reduces ? 1 : vector_elements(instruction);
  std::vector<std::string> values;
  for (unsigned i = 0; i < elements; ++i) {
    values.push_back((loads ? "d" : "b") + std::to_string(i));
    if (loads)
      writer.declare(values.back(), register_bits(type));
    else
      writer.load(values.back(), {type, "b", ColumnUse::kStored});
  }
  if (loads)
    for (const std::string& d : values) writer.clear(d, register_bits(type));
  if (!writer.add_instruction(loads ? operand_list(values) + ", " + place : place + ", " + operand_list(values)))
    return {};
  if (loads)
    for (const std::string& d : values) writer.store(d, type);
  ImageNeed need;
  need.use = loads ? ImageUse::kSurfaceLoad : reduces ? ImageUse::kSurfaceReduce : ImageUse::kSurfaceStore;
  need.shape = geometry.shape;
  const unsigned bytes = bits(type) / 8;
  need.access_bytes = instruction.has(Modifier::kP) ? 0 : bytes * elements;
  if (reduces) need.element_bytes = bytes;
  need.drops_strays = instruction.has(Modifier::kZero);
  need.strays = need.drops_strays || instruction.has(Modifier::kClamp);
  if (need.changes_image()) writer.add_results(Type::kB64, "image", 1);
  writer.set_images(need);
  return writer.finish();
}

}  // namespace

std::optional<Kernel> surface_kernel(const Form& form, const std::string& name) {
  const Instruction instruction = instruction_of(form);
  const Opcode opcode = instruction.opcode;
  if (opcode != Opcode::kSuld && opcode != Opcode::kSust && opcode != Opcode::kSured) return {};
  for (const Geometry& geometry : kGeometries)
    if (instruction.has(geometry.modifier)) return access_kernel(form, geometry, name);
  return {};
}

}  // namespace ww::coverage
