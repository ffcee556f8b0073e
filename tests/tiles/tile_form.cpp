#include "tiles/tile_form.h"

#include <cstdlib>
#include <string_view>

#include "coverage/kernel_writer.h"

namespace ww::tiles {

using ptx::Type;

namespace {

struct TypeFormat {
  Type type;
  ElementFormat format;
};

constexpr ElementFormat kByte{0x80808080, 0, 0x7f7f7f7f, 0x01010101, 0, 0, 0, 0, 8};
constexpr ElementFormat kNibble{0x88888888, 0, 0x77777777, 0x11111111, 0, 0, 0, 0, 4};
constexpr TypeFormat kFormats[] = {
    {Type::kF16, {0x80008000, 0x7c007c00, 0x03ff03ff, 0x00010001, 0x3c003c00, 0x1c001c00, 0x40004000, 0x04000400, 16}},
    {Type::kBF16, {0x80008000, 0x7f807f80, 0x007f007f, 0x00010001, 0x3f803f80, 0x07800780, 0x40004000, 0x00800080, 16}},
    // The low 13 bits are not part of the number; they are random here.
    {Type::kTF32, {0x80000000, 0x7f800000, 0x007fffff, 0x00002000, 0x3f800000, 0x07800000, 0x40000000, 0x00800000, 32}},
    {Type::kF32, {0x80000000, 0x7f800000, 0x007fffff, 0x00000001, 0x3f800000, 0x07800000, 0x40000000, 0x00800000, 32}},
    {Type::kE4M3, {0x80808080, 0x78787878, 0x07070707, 0x01010101, 0x38383838, 0x18181818, 0x40404040, 0x08080808, 8}},
    {Type::kE5M2, {0x80808080, 0x7c7c7c7c, 0x03030303, 0x01010101, 0x3c3c3c3c, 0x1c1c1c1c, 0x40404040, 0x04040404, 8}},
    {Type::kF64, {0x80000000, 0x7ff00000, 0x000fffff, 0x00000000, 0x3ff00000, 0x01f00000, 0x40000000, 0x00100000, 32}},
    {Type::kS8, kByte},
    {Type::kU8, kByte},
    {Type::kS4, kNibble},
    {Type::kU4, kNibble},
    {Type::kB1, {0, 0, 0xffffffff, 1, 0, 0, 0, 0, 32}},
    // The "exponent" makes sums near the ends of the range.
    {Type::kS32, {0x80000000, 0x7ff00000, 0x000fffff, 0x00000001, 0x7ff00000, 0, 0, 0x00100000, 32}},
};
constexpr ElementFormat kLowWord{0, 0, 0xffffffff, 1, 0, 0, 0, 0, 32};

TileOperand operand(Type type, unsigned registers) {
  TileOperand result;
  result.is_f64 = type == Type::kF64;
  result.words = registers * (result.is_f64 ? 2 : 1);
  result.low_format = kLowWord;
  for (const TypeFormat& row : kFormats)
    if (row.type == type) result.format = row.format;
  return result;
}

// The shape of "mma.sp.sync.aligned.m16n8k32 ...".
devicelib::MmaShape shape_of(std::string name) {
  const std::string_view sync = ".sync.aligned";
  name.erase(name.find(sync), sync.size()).erase(0, std::string_view("mma.").size());
  devicelib::MmaShape shape;
  if (!devicelib::mma_shape(name.c_str(), shape)) std::abort();  // the instruction table has a form that nothing knows
  return shape;
}

// What sm_90's tensor core has no step for, as the machine code shows that NVIDIA's assembler makes.
bool is_emulated(const devicelib::MmaShape& shape) {
  using devicelib::MmaType;
  return is_quad_pair(shape) || shape.a == MmaType::kE4M3 || shape.a == MmaType::kE5M2 || shape.a == MmaType::kS4 ||
         shape.a == MmaType::kU4;
}

}  // namespace

std::vector<TileForm> tile_forms() {
  std::vector<TileForm> forms;
  for (const coverage::Form& form : coverage::written_forms()) {
    if (form.compiled().form->opcode != ptx::Opcode::kMma) continue;
    const ptx::Instruction instruction = coverage::instruction_of(form);
    const auto& specs = form.compiled().operands;
    if (instruction.type_count != 4 || specs.size() < 4) continue;
    TileForm tile;
    tile.name = coverage::spelling(form);
    TileOperand* const operands[] = {&tile.d, &tile.a, &tile.b, &tile.c};
    for (unsigned i = 0; i < 4; ++i) *operands[i] = operand(instruction.type(i), specs[i].count);
    tile.is_sparse = specs.size() > 4;
    tile.any_order = instruction.has(ptx::Modifier::kSp);
    tile.pairs = instruction.type(1) == Type::kTF32;
    tile.shape = shape_of(tile.name);
    if (tile.is_sparse) tile.selectors = 4 / unsigned(mma_metadata_lanes(tile.shape));
    tile.is_tensor_core = !is_emulated(tile.shape);
    forms.push_back(std::move(tile));
  }
  return forms;
}

}  // namespace ww::tiles
