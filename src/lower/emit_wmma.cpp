// wmma (PTX manual, "Matrix Multiply-Accumulate Instructions Using wmma"), decomposed onto mma.m16n8k16.
//
// The manual leaves open which lane holds which element of a fragment; here fragments are those of the mma tiles:
//   m16n16k16: A one tile, B and C two tiles side by side
//   m32n8k16:  A and C two tiles one above the other, B one tile
//   m8n32k16:  the transposed product, D^T = B^T A^T, as m32n8k16
// Registers that a tile does not need are zero. With g = lane / 4 and t = lane % 4, an A tile (16 x 16) holds in
// register i the pair of row g + 8 (i % 2), columns 2t + 8 (i / 2) and the next; a B tile (16 x 8) the pair of column
// g, rows 2t + 8 i and the next; a C tile (16 x 8) in values 2i and 2i + 1 row g + 8 i, columns 2t and the next.
#include "lower/emit.h"

namespace ww::lower {

using llvm::Value;
using ptx::Modifier;
using ptx::Type;

namespace {

struct Shape {
  unsigned m = 16, n = 16;
  bool is_transposed = false;  // m8n32k16
};

bool shape_of(FunctionEmitter& e, Shape& shape) {
  if (e.has(Modifier::kM16n16k16)) return true;
  if (e.has(Modifier::kM32n8k16)) {
    shape = {32, 8, false};
    return true;
  }
  if (e.has(Modifier::kM8n32k16)) {
    shape = {8, 32, true};
    return true;
  }
  return false;
}

// Addresses of the elements of the matrix in memory.
class MatrixMemory {
 public:
  // The matrix has `rows` x `columns`; `is_transposed`: elements are asked for by (column, row).
  MatrixMemory(FunctionEmitter& e, unsigned address, unsigned stride, unsigned rows, unsigned columns, Type element,
               bool is_transposed)
      : e_(e), element_(element), base_(e.address(e.operand(address), e.space())) {
    is_row_major_ = e.has(Modifier::kRow);
    stride_ =
        e.operand_count() > stride ? e.read(stride, Type::kU32) : e.builder.getInt32(is_row_major_ ? columns : rows);
    if (is_transposed) is_row_major_ = !is_row_major_;
    Value* lane = e.intrinsic("laneid", e.builder.getInt32Ty(), {});
    group_ = e.builder.CreateLShr(lane, 2);
    pair_ = e.builder.CreateShl(e.builder.CreateAnd(lane, 3), 1);
  }

  // Element (g + row, 2t + column), or (2t + row, g + column) if `pair_is_row`.
  Value* address(unsigned row, unsigned column, bool pair_is_row) {
    Value* r = e_.builder.CreateAdd(pair_is_row ? pair_ : group_, e_.builder.getInt32(row));
    Value* c = e_.builder.CreateAdd(pair_is_row ? group_ : pair_, e_.builder.getInt32(column));
    Value* major = is_row_major_ ? r : c;
    Value* minor = is_row_major_ ? c : r;
    llvm::Type* wide = e_.builder.getInt64Ty();
    Value* index = e_.builder.CreateAdd(
        e_.builder.CreateMul(e_.builder.CreateZExt(major, wide), e_.builder.CreateZExt(stride_, wide)),
        e_.builder.CreateZExt(minor, wide));
    return e_.builder.CreatePtrAdd(base_, e_.builder.CreateMul(index, e_.builder.getInt64(bytes())));
  }

  Value* load(unsigned row, unsigned column, bool pair_is_row) {
    return e_.builder.CreateAlignedLoad(type(), address(row, column, pair_is_row), llvm::Align(bytes()));
  }
  void store(Value* value, unsigned row, unsigned column) {
    e_.builder.CreateAlignedStore(e_.reinterpret(value, type()), address(row, column, false), llvm::Align(bytes()));
  }

  // Two neighbours, along the column or (pair_is_row) the row index, as one register.
  Value* load_pair(unsigned row, unsigned column, bool pair_is_row) {
    if (is_row_major_ != pair_is_row)  // neighbours in memory; rows are aligned to 16 bytes
      return e_.builder.CreateAlignedLoad(e_.builder.getInt32Ty(), address(row, column, pair_is_row), llvm::Align(4));
    Value* low = load(row, column, pair_is_row);
    Value* high = load(row + (pair_is_row ? 1 : 0), column + (pair_is_row ? 0 : 1), pair_is_row);
    return e_.join(low, high);
  }

 private:
  unsigned bytes() const { return ptx::bits(element_) / 8; }
  llvm::Type* type() const {
    return element_ == Type::kF32 ? e_.builder.getFloatTy() : static_cast<llvm::Type*>(e_.integer(ptx::bits(element_)));
  }

  FunctionEmitter& e_;
  Type element_;
  Value* base_;
  Value *stride_, *group_, *pair_;
  bool is_row_major_;
};

Status load_fragment(FunctionEmitter& e, Shape shape) {
  const bool is_a = e.has(Modifier::kA), is_b = e.has(Modifier::kB);
  const Type element = e.type();
  const auto registers = e.elements(e.operand(0));
  const unsigned rows = is_b ? 16 : shape.m, columns = is_a ? 16 : shape.n;
  MatrixMemory memory(e, 1, 2, rows, columns, element, shape.is_transposed);
  std::vector<Value*> values;
  // Transposed, the roles of a and b are exchanged.
  const bool is_left = shape.is_transposed ? is_b : is_a, is_right = shape.is_transposed ? is_a : is_b;
  const unsigned tall = shape.is_transposed ? shape.n : shape.m, wide = shape.is_transposed ? shape.m : shape.n;
  if (is_left) {
    for (unsigned tile = 0; tile < tall / 16; ++tile)
      for (unsigned i = 0; i < 4; ++i) values.push_back(memory.load_pair(16 * tile + 8 * (i % 2), 8 * (i / 2), false));
  } else if (is_right) {
    for (unsigned tile = 0; tile < wide / 8; ++tile)
      for (unsigned i = 0; i < 2; ++i) values.push_back(memory.load_pair(8 * i, 8 * tile, true));
  } else {
    for (unsigned down = 0; down < tall / 16; ++down)
      for (unsigned across = 0; across < wide / 8; ++across)
        for (unsigned i = 0; i < 2; ++i) {
          const unsigned row = 16 * down + 8 * i, column = 8 * across;
          if (element == Type::kF32) {
            values.push_back(memory.load(row, column, false));
            values.push_back(memory.load(row, column + 1, false));
          } else {
            values.push_back(memory.load_pair(row, column, false));
          }
        }
  }
  if (values.size() > registers.size()) return e.unsupported();
  const Type as = element == Type::kF32 ? Type::kF32 : Type::kB32;
  for (unsigned i = 0; i < registers.size(); ++i)
    e.write(registers[i], i < values.size() ? values[i] : e.zero(e.type_of(as)), as);
  return {};
}

Status store_fragment(FunctionEmitter& e, Shape shape) {
  const Type element = e.type();
  const auto registers = e.elements(e.operand(1));
  MatrixMemory memory(e, 0, 2, shape.m, shape.n, element, shape.is_transposed);
  const unsigned tall = shape.is_transposed ? shape.n : shape.m, wide = shape.is_transposed ? shape.m : shape.n;
  unsigned next = 0;
  for (unsigned down = 0; down < tall / 16; ++down)
    for (unsigned across = 0; across < wide / 8; ++across)
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned row = 16 * down + 8 * i, column = 8 * across;
        Value *first, *second;
        if (element == Type::kF32) {
          first = e.read(registers[next], Type::kF32);
          second = e.read(registers[next + 1], Type::kF32);
          next += 2;
        } else {
          std::tie(first, second) = e.split(e.read(registers[next], Type::kB32));
          next += 1;
        }
        memory.store(first, row, column);
        memory.store(second, row, column + 1);
      }
  return {};
}

// The four f32 values of a C tile, from registers that hold f32 or pairs of f16.
std::vector<Value*> accumulator(FunctionEmitter& e, std::span<const ptx::Operand> registers, Type type, unsigned tile) {
  std::vector<Value*> values;
  for (unsigned i = 0; i < 4; ++i) {
    if (type == Type::kF32) {
      values.push_back(e.read(registers[4 * tile + i], Type::kF32));
      continue;
    }
    const auto [low, high] = e.split(e.read(registers[2 * tile + i / 2], Type::kB32));
    values.push_back(
        e.builder.CreateFPExt(e.reinterpret(i % 2 == 0 ? low : high, e.builder.getHalfTy()), e.builder.getFloatTy()));
  }
  return values;
}

Status multiply(FunctionEmitter& e, Shape shape) {
  const bool is_bf16 = e.instruction().type_count == 4;
  const Type d = e.type(0), c = is_bf16 ? e.type(3) : e.type(1);
  if (e.has(Modifier::kSatfinite)) return e.unsupported();
  const std::string element = is_bf16 ? "bf16" : "f16";
  const auto d_registers = e.elements(e.operand(0));
  auto a = e.elements(e.operand(1)), b = e.elements(e.operand(2));
  const auto c_registers = e.elements(e.operand(3));
  if (shape.is_transposed) {
    std::swap(a, b);
    shape.m = 32;
    shape.n = 8;
  }
  const bool is_half = d == Type::kF16 && c == Type::kF16;
  llvm::Type* value_type = is_half ? static_cast<llvm::Type*>(e.builder.getInt32Ty()) : e.builder.getFloatTy();
  llvm::StructType* result_type =
      llvm::StructType::get(e.module.context, std::vector<llvm::Type*>(is_half ? 2 : 4, value_type));
  const std::string name = "mma.m16n8k16.row.col." + std::string(is_half ? "f16." : "f32.") + element + "." + element +
                           (is_half ? ".f16" : ".f32");
  std::vector<std::pair<ptx::Operand, Value*>> results;
  unsigned tile = 0;
  for (unsigned down = 0; down < shape.m / 16; ++down)
    for (unsigned across = 0; across < shape.n / 8; ++across, ++tile) {
      std::vector<Value*> arguments;
      for (unsigned i = 0; i < 4; ++i) arguments.push_back(e.read(a[4 * down + i], Type::kB32));
      for (unsigned i = 0; i < 2; ++i) arguments.push_back(e.read(b[2 * across + i], Type::kB32));
      if (is_half)
        for (unsigned i = 0; i < 2; ++i) arguments.push_back(e.read(c_registers[2 * tile + i], Type::kB32));
      else
        for (Value* value : accumulator(e, c_registers, c, tile)) arguments.push_back(value);
      Value* result = e.intrinsic(name, result_type, arguments);
      if (is_half || d == Type::kF32) {
        const unsigned count = is_half ? 2 : 4;
        for (unsigned i = 0; i < count; ++i)
          results.emplace_back(d_registers[count * tile + i], e.builder.CreateExtractValue(result, i));
        continue;
      }
      for (unsigned i = 0; i < 2; ++i) {  // f32 sums rounded to f16
        Value* parts[2];
        for (unsigned k = 0; k < 2; ++k)
          parts[k] = e.builder.CreateFPTrunc(e.builder.CreateExtractValue(result, 2 * i + k), e.builder.getHalfTy());
        results.emplace_back(d_registers[2 * tile + i], e.join(parts[0], parts[1]));
      }
    }
  // d may be c: nothing is written before everything has been read.
  for (const auto& [destination, value] : results)
    e.write(destination, value, d == Type::kF32 ? Type::kF32 : Type::kB32);
  return {};
}

}  // namespace

Status emit_wmma(FunctionEmitter& e) {
  Shape shape;
  const Type element = e.type();
  if (!shape_of(e, shape)) return e.unsupported();
  if (element != Type::kF16 && element != Type::kBF16 && element != Type::kF32) return e.unsupported();
  if (element == Type::kBF16 && !e.has(Modifier::kM16n16k16)) return e.unsupported();
  if (e.has(Modifier::kLoad)) return load_fragment(e, shape);
  if (e.has(Modifier::kStore)) return store_fragment(e, shape);
  return multiply(e, shape);
}

}  // namespace ww::lower
