// wmma (PTX manual, "Matrix Multiply-Accumulate Instructions Using wmma"), decomposed onto steps of mma.
//
// The manual leaves open which lane holds which element of a fragment; here fragments are those of mma's tiles:
//   m16n16k..: A one tile, B and C two tiles side by side
//   m32n8k16:  A and C two tiles one above the other, B one tile
//   m8n32k16:  the transposed product, D^T = B^T A^T, as m32n8k16
//   m8n8k..:   one tile of eight rows
// Registers that a tile does not need are zero. With g = lane / 4, t = lane % 4 and p elements in a register, an A tile
// of r rows holds in register i row g + 8 (i % (r / 8)), columns pt + 4p (i / (r / 8)) and the next; a B tile (of 8
// columns) column g, rows pt + 4p i and the next; a C tile in values 2i and 2i + 1 row g + 8 i, columns 2t and the
// next.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

struct Shape {
  Modifier modifier;
  unsigned m, n, k;
};
constexpr Shape kShapes[] = {
    {Modifier::kM16n16k16, 16, 16, 16}, {Modifier::kM32n8k16, 32, 8, 16}, {Modifier::kM8n32k16, 8, 32, 16},
    {Modifier::kM16n16k8, 16, 16, 8},   {Modifier::kM8n8k4, 8, 8, 4},     {Modifier::kM8n8k32, 8, 8, 32},
    {Modifier::kM8n8k128, 8, 8, 128},
};

// The product that is computed, in tiles of tile_rows x 8.
struct Tiling {
  unsigned tall, wide, k, tile_rows;
  bool is_transposed;
};

const Shape* shape_of(FunctionEmitter& e) {
  for (const Shape& shape : kShapes)
    if (e.has(shape.modifier)) return &shape;
  return nullptr;
}

Tiling tiling_of(const Shape& shape) {
  const bool is_transposed = shape.m == 8 && shape.n == 32;
  const unsigned tall = is_transposed ? shape.n : shape.m, wide = is_transposed ? shape.m : shape.n;
  return {tall, wide, shape.k, tall == 8 ? 8u : 16u, is_transposed};
}

// Elements of a or b in one register.
unsigned packed(Type element) {
  return std::max(1u, 32 / ptx::bits(element == Type::kTF32 ? Type::kB32 : element));
}

std::vector<ptx::Operand> fragment_registers(FunctionEmitter& e, const ptx::Operand& operand) {
  if (operand.kind != ptx::OperandKind::kVector) return {operand};
  const auto elements = e.elements(operand);
  return {elements.begin(), elements.end()};
}

// Of one value of an accumulator, and of a register of a or b.
Type value_of(Type element) {
  return element == Type::kF32 || element == Type::kF64 || element == Type::kS32 ? element : Type::kB32;
}

// Addresses of the elements of the matrix in memory.
class MatrixMemory {
 public:
  // The matrix has `rows` x `columns`; `is_transposed`: elements are asked for by (column, row). A lane has `group`
  // elements beside each other.
  MatrixMemory(FunctionEmitter& e, unsigned address, unsigned stride, unsigned rows, unsigned columns, Type element,
               bool is_transposed, unsigned group)
      : e_(e),
        bits_(element == Type::kTF32 ? 32 : ptx::bits(element)),
        count_(group),
        base_(e.address(e.operand(address), e.space())) {
    type_ = element == Type::kF32   ? e.builder.getFloatTy()
            : element == Type::kF64 ? e.builder.getDoubleTy()
                                    : static_cast<llvm::Type*>(e.integer(std::max(bits_, 8u)));
    is_row_major_ = e.has(Modifier::kRow);
    stride_ =
        e.operand_count() > stride ? e.read(stride, Type::kU32) : e.builder.getInt32(is_row_major_ ? columns : rows);
    if (is_transposed) is_row_major_ = !is_row_major_;
    Value* lane = e.intrinsic("laneid", e.builder.getInt32Ty(), {});
    line_ = e.builder.CreateLShr(lane, 2);
    group_ = e.builder.CreateMul(e.builder.CreateAnd(lane, 3), e.builder.getInt32(group));
  }

  // Element (g + row, pt + column), or (pt + row, g + column) if `group_is_row`.
  Value* address(unsigned row, unsigned column, bool group_is_row) {
    Value* r = e_.builder.CreateAdd(group_is_row ? group_ : line_, e_.builder.getInt32(row));
    Value* c = e_.builder.CreateAdd(group_is_row ? line_ : group_, e_.builder.getInt32(column));
    Value* major = is_row_major_ ? r : c;
    Value* minor = is_row_major_ ? c : r;
    llvm::Type* wide = e_.builder.getInt64Ty();
    Value* index = e_.builder.CreateAdd(
        e_.builder.CreateMul(e_.builder.CreateZExt(major, wide), e_.builder.CreateZExt(stride_, wide)),
        e_.builder.CreateZExt(minor, wide));
    Value* offset = bits_ >= 8 ? e_.builder.CreateMul(index, e_.builder.getInt64(bits_ / 8))
                               : e_.builder.CreateUDiv(index, e_.builder.getInt64(8 / bits_));
    return e_.builder.CreatePtrAdd(base_, offset);
  }

  Value* load(unsigned row, unsigned column, bool group_is_row) {
    return e_.builder.CreateAlignedLoad(type_, address(row, column, group_is_row), llvm::Align(bits_ / 8));
  }
  void store(Value* value, unsigned row, unsigned column) {
    e_.builder.CreateAlignedStore(e_.reinterpret(value, type_), address(row, column, false), llvm::Align(bits_ / 8));
  }

  // The neighbours along the column or (group_is_row) the row index, as one register.
  Value* load_group(unsigned row, unsigned column, bool group_is_row) {
    if (count_ == 1) return load(row, column, group_is_row);
    // Neighbours in memory (lines are aligned to 16 bytes); a and b of less than a byte are always so.
    if (is_row_major_ != group_is_row || bits_ < 8)
      return e_.builder.CreateAlignedLoad(e_.builder.getInt32Ty(), address(row, column, group_is_row), llvm::Align(4));
    Value* whole = e_.builder.getInt32(0);
    for (unsigned i = 0; i < count_; ++i) {
      Value* part = load(row + (group_is_row ? i : 0), column + (group_is_row ? 0 : i), group_is_row);
      part = e_.builder.CreateZExt(e_.reinterpret(part, e_.integer(bits_)), e_.builder.getInt32Ty());
      whole = e_.builder.CreateOr(whole, e_.builder.CreateShl(part, i * bits_));
    }
    return whole;
  }

 private:
  FunctionEmitter& e_;
  unsigned bits_, count_;
  Value* base_;
  llvm::Type* type_;
  Value *stride_, *line_, *group_;
  bool is_row_major_;
};

Status load_fragment(FunctionEmitter& e, const Shape& shape) {
  const Tiling tiling = tiling_of(shape);
  const bool is_a = e.has(Modifier::kA), is_b = e.has(Modifier::kB);
  const Type element = e.type();
  const auto registers = fragment_registers(e, e.operand(0));
  const unsigned rows = is_b ? shape.k : shape.m, columns = is_a ? shape.k : shape.n;
  const unsigned group = is_a || is_b ? packed(element) : 2;
  MatrixMemory memory(e, 1, 2, rows, columns, element, tiling.is_transposed, group);
  std::vector<Value*> values;
  // Transposed, the roles of a and b are exchanged.
  const bool is_left = tiling.is_transposed ? is_b : is_a, is_right = tiling.is_transposed ? is_a : is_b;
  const unsigned tile_rows = tiling.tile_rows;
  if (is_left) {
    for (unsigned tile = 0; tile < tiling.tall; tile += tile_rows)
      for (unsigned k = 0; k < tiling.k; k += 4 * group)
        for (unsigned row = 0; row < tile_rows; row += 8) values.push_back(memory.load_group(tile + row, k, false));
  } else if (is_right) {
    for (unsigned tile = 0; tile < tiling.wide; tile += 8)
      for (unsigned k = 0; k < tiling.k; k += 4 * group) values.push_back(memory.load_group(k, tile, true));
  } else {
    for (unsigned down = 0; down < tiling.tall; down += tile_rows)
      for (unsigned column = 0; column < tiling.wide; column += 8)
        for (unsigned row = down; row < down + tile_rows; row += 8) {
          if (element == Type::kF16) {
            values.push_back(memory.load_group(row, column, false));
          } else {
            values.push_back(memory.load(row, column, false));
            values.push_back(memory.load(row, column + 1, false));
          }
        }
  }
  if (values.size() > registers.size()) return e.unsupported();
  const Type as = value_of(element);
  for (unsigned i = 0; i < registers.size(); ++i)
    e.write(registers[i], i < values.size() ? values[i] : e.zero(e.type_of(as)), as);
  return {};
}

Status store_fragment(FunctionEmitter& e, const Shape& shape) {
  const Tiling tiling = tiling_of(shape);
  const Type element = e.type();
  const auto registers = fragment_registers(e, e.operand(1));
  MatrixMemory memory(e, 0, 2, shape.m, shape.n, element, tiling.is_transposed, 2);
  unsigned next = 0;
  for (unsigned down = 0; down < tiling.tall; down += tiling.tile_rows)
    for (unsigned column = 0; column < tiling.wide; column += 8)
      for (unsigned row = down; row < down + tiling.tile_rows; row += 8) {
        Value *first, *second;
        if (element == Type::kF16) {
          std::tie(first, second) = e.split(e.read(registers[next], Type::kB32));
          next += 1;
        } else {
          first = e.read(registers[next], element);
          second = e.read(registers[next + 1], element);
          next += 2;
        }
        memory.store(first, row, column);
        memory.store(second, row, column + 1);
      }
  return {};
}

// The values of a C tile as they enter the step: f16 pairs stay packed if `is_half`, else they become f32.
std::vector<Value*> accumulator(FunctionEmitter& e, std::span<const ptx::Operand> registers, Type type, bool is_half,
                                unsigned count, unsigned tile) {
  std::vector<Value*> values;
  for (unsigned i = 0; i < count; ++i) {
    if (type != Type::kF16 || is_half) {
      values.push_back(e.read(registers[count * tile + i], is_half ? Type::kB32 : type));
      continue;
    }
    const auto [low, high] = e.split(e.read(registers[count / 2 * tile + i / 2], Type::kB32));
    values.push_back(
        e.builder.CreateFPExt(e.reinterpret(i % 2 == 0 ? low : high, e.builder.getHalfTy()), e.builder.getFloatTy()));
  }
  return values;
}

// The hardware takes tf32 in steps of four.
unsigned step_depth(const Tiling& tiling, Type input) {
  return input == Type::kTF32 ? 4 : tiling.k;
}

// The step's name: that of mma with the same types.
std::string step_name(FunctionEmitter& e, const Tiling& tiling, Type input, Type sum) {
  std::string name =
      "mma.m" + std::to_string(tiling.tile_rows) + "n8k" + std::to_string(step_depth(tiling, input)) + ".row.col";
  for (const Modifier m : {Modifier::kRz, Modifier::kRm, Modifier::kRp, Modifier::kSatfinite, Modifier::kXor,
                           Modifier::kAnd, Modifier::kPopc})
    if (e.has(m)) name += "." + std::string(ptx::spelling(m));
  const std::string in = "." + std::string(ptx::spelling(input)), out = "." + std::string(ptx::spelling(sum));
  return name + out + in + in + out;
}

Status multiply(FunctionEmitter& e, const Shape& shape) {
  const Tiling tiling = tiling_of(shape);
  const bool names_all = e.instruction().type_count == 4;
  const Type d = e.type(0), input = names_all ? e.type(1) : Type::kF16, c = names_all ? e.type(3) : e.type(1);
  if (e.has(Modifier::kSatfinite) && d != Type::kS32) return e.unsupported();
  const auto d_registers = fragment_registers(e, e.operand(0));
  auto a = fragment_registers(e, e.operand(1)), b = fragment_registers(e, e.operand(2));
  const auto c_registers = fragment_registers(e, e.operand(3));
  if (tiling.is_transposed) std::swap(a, b);
  const bool is_half = d == Type::kF16 && c == Type::kF16;
  const Type sum = is_half || d != Type::kF16 ? d : Type::kF32;
  const unsigned group = packed(input), steps = tiling.k / step_depth(tiling, input);
  const unsigned of_b = tiling.k / (4 * group), of_a = of_b * tiling.tile_rows / 8;
  const unsigned values = tiling.tile_rows / 4, of_c = is_half ? values / 2 : values;
  llvm::Type* value_type = is_half ? static_cast<llvm::Type*>(e.builder.getInt32Ty()) : e.type_of(sum);
  llvm::StructType* result_type = llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(of_c, value_type));
  const std::string name = step_name(e, tiling, input, sum);
  std::vector<std::pair<ptx::Operand, Value*>> results;
  unsigned tile = 0;
  for (unsigned down = 0; down < tiling.tall / tiling.tile_rows; ++down)
    for (unsigned across = 0; across < tiling.wide / 8; ++across, ++tile) {
      std::vector<Value*> sums = accumulator(e, c_registers, c, is_half, of_c, tile);
      for (unsigned step = 0; step < steps; ++step) {
        std::vector<Value*> arguments;
        for (unsigned i = of_a / steps * step; i < of_a / steps * (step + 1); ++i)
          arguments.push_back(e.read(a[of_a * down + i], value_of(input)));
        for (unsigned i = of_b / steps * step; i < of_b / steps * (step + 1); ++i)
          arguments.push_back(e.read(b[of_b * across + i], value_of(input)));
        arguments.insert(arguments.end(), sums.begin(), sums.end());
        Value* result = e.intrinsic(name, result_type, arguments);
        for (unsigned i = 0; i < of_c; ++i) sums[i] = e.builder.CreateExtractValue(result, i);
      }
      if (is_half || d != Type::kF16) {
        for (unsigned i = 0; i < of_c; ++i) results.emplace_back(d_registers[of_c * tile + i], sums[i]);
        continue;
      }
      for (unsigned i = 0; i < of_c / 2; ++i) {  // f32 sums rounded to f16
        Value* parts[2];
        for (unsigned k = 0; k < 2; ++k) parts[k] = e.builder.CreateFPTrunc(sums[2 * i + k], e.builder.getHalfTy());
        results.emplace_back(d_registers[of_c / 2 * tile + i], e.join(parts[0], parts[1]));
      }
    }
  // d may be c: nothing is written before everything has been read.
  for (const auto& [destination, value] : results) e.write(destination, value, value_of(d));
  return {};
}

}  // namespace

Status emit_wmma(FunctionEmitter& e) {
  const Shape* shape = shape_of(e);
  if (shape == nullptr) return e.unsupported();
  if (e.has(Modifier::kLoad)) return load_fragment(e, *shape);
  if (e.has(Modifier::kStore)) return store_fragment(e, *shape);
  return multiply(e, *shape);
}

}  // namespace ww::lower
