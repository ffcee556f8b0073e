// Opcodes that integers and floats share: each goes on to its family by type.
#include "lower/emit.h"

namespace ww::lower {

using ptx::Modifier;
using ptx::Type;

namespace {

bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}

bool is_wide_float(Type type) {
  return type == Type::kF32 || type == Type::kF64;
}

}  // namespace

Status emit_add_sub(FunctionEmitter& e) {
  if (is_half(e.type())) return emit_half_arithmetic(e);
  if (is_wide_float(e.type()) && e.type(1) == Type::kNone) return emit_float_arithmetic(e);
  if (ptx::is_float(e.type())) return e.unsupported();
  return e.has(Modifier::kCc) ? emit_carry(e) : emit_integer_add_sub(e);
}

Status emit_multiply(FunctionEmitter& e) {
  if (is_half(e.type())) return emit_half_arithmetic(e);
  if (is_wide_float(e.type())) return emit_float_arithmetic(e);
  return ptx::is_float(e.type()) ? e.unsupported() : emit_integer_multiply(e);
}

Status emit_mad(FunctionEmitter& e) {
  if (is_half(e.type())) return emit_half_arithmetic(e);
  if (is_wide_float(e.type()) && e.type(1) == Type::kNone) return emit_float_arithmetic(e);
  if (ptx::is_float(e.type())) return e.unsupported();
  return e.has(Modifier::kCc) ? emit_carry(e) : emit_integer_multiply(e);
}

Status emit_divide(FunctionEmitter& e) {
  return is_wide_float(e.type()) ? emit_float_arithmetic(e) : emit_by_name(e);
}

Status emit_extreme(FunctionEmitter& e) {
  if (e.operand_count() > 3) return e.unsupported();
  return ptx::is_float(e.type()) ? emit_by_name(e) : emit_integer_extreme(e);
}

Status emit_sign(FunctionEmitter& e) {
  return ptx::is_float(e.type()) ? emit_by_name(e) : emit_integer_sign(e);
}

}  // namespace ww::lower
