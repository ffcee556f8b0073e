#include "coverage/approximate_error.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/float_formats.h"
#include "coverage/kernel_writer.h"

namespace ww::coverage {
namespace {

using namespace ptx;

double reciprocal(double x) {
  return 1 / x;
}
double reciprocal_root(double x) {
  return 1 / std::sqrt(x);
}
double root(double x) {
  return std::sqrt(x);
}
double power_of_two(double x) {
  return std::exp2(x);
}
double logarithm(double x) {
  return std::log2(x);
}
double sine(double x) {
  return std::sin(x);
}
double cosine(double x) {
  return std::cos(x);
}
double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

constexpr double kTwoPi = 6.283185307179586;
constexpr double kAll = INFINITY;

struct Row {
  Opcode opcode;
  std::vector<Type> types;
  double (*function)(double);  // null: division
  ErrorBound bound;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {Opcode::kRcp, {Type::kF32}, reciprocal, {ErrorUnit::kUlp, 1, 0, kAll}},
      {Opcode::kRsqrt, {Type::kF32}, reciprocal_root, {ErrorUnit::kRelative, std::exp2(-22.9), 0, kAll}},
      {Opcode::kSqrt, {Type::kF32}, root, {ErrorUnit::kRelative, 0x1p-23, 0, kAll}},
      {Opcode::kEx2, {Type::kF32}, power_of_two, {ErrorUnit::kUlp, 2, 0, kAll}},
      {Opcode::kEx2, {Type::kF16, Type::kF16x2}, power_of_two, {ErrorUnit::kRelative, std::exp2(-9.9), 0, kAll}},
      {Opcode::kEx2, {Type::kBF16, Type::kBF16x2}, power_of_two, {ErrorUnit::kRelative, 0x1p-7, 0, kAll}},
      {Opcode::kLg2, {Type::kF32}, logarithm, {ErrorUnit::kAbsolute, 0x1p-22, 0.5, 2}},
      {Opcode::kLg2, {Type::kF32}, logarithm, {ErrorUnit::kRelative, 0x1p-22, 0.5, 2, true}},
      {Opcode::kSin, {Type::kF32}, sine, {ErrorUnit::kAbsolute, std::exp2(-20.5), 0, kTwoPi}},
      {Opcode::kSin, {Type::kF32}, sine, {ErrorUnit::kAbsolute, std::exp2(-14.7), 0, 50 * kTwoPi}},
      {Opcode::kCos, {Type::kF32}, cosine, {ErrorUnit::kAbsolute, std::exp2(-20.5), 0, kTwoPi}},
      {Opcode::kCos, {Type::kF32}, cosine, {ErrorUnit::kAbsolute, std::exp2(-14.7), 0, 50 * kTwoPi}},
      {Opcode::kTanh, {Type::kF32}, hyperbolic_tangent, {ErrorUnit::kRelative, 0x1p-11, 0, kAll}},
      {Opcode::kTanh,
       {Type::kF16, Type::kF16x2},
       hyperbolic_tangent,
       {ErrorUnit::kAbsolute, std::exp2(-10.987), 0, kAll}},
      {Opcode::kTanh, {Type::kBF16, Type::kBF16x2}, hyperbolic_tangent, {ErrorUnit::kAbsolute, 0x1p-8, 0, kAll}},
      {Opcode::kDiv, {Type::kF32}, nullptr, {ErrorUnit::kUlp, 2, 0x1p-126, 0x1p126}},
  };
  return all;
}

bool is_row_of(const Row& row, const Form& form) {
  const Type type = instruction_of(form).type();
  return row.opcode == form.compiled().form->opcode &&
         std::find(row.types.begin(), row.types.end(), type) != row.types.end();
}

const FloatFormat& format_of(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return kFormatF16;
    case Type::kBF16:
    case Type::kBF16x2:
      return kFormatBf16;
    case Type::kF64:
      return kFormatF64;
    default:
      return kFormatF32;
  }
}

double number(const FloatFormat& format, uint64_t bits) {
  if (format.mantissa_bits == kFormatF32.mantissa_bits) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(convert_format(kFormatF64, format, bits));
}

bool in_range(const ErrorBound& bound, double x) {
  const double magnitude = std::fabs(x);
  if (bound.outside) return magnitude <= bound.low || magnitude >= bound.high;
  return magnitude >= bound.low && magnitude <= bound.high;
}

double error_in(const ErrorBound& bound, const FloatFormat& format, double exact, double result) {
  const double difference = std::fabs(result - exact);
  if (bound.unit == ErrorUnit::kAbsolute) return difference;
  if (exact == 0) return difference == 0 ? 0 : INFINITY;
  if (bound.unit == ErrorUnit::kRelative) return difference / std::fabs(exact);
  const double rounded = static_cast<float>(exact);  // bounds in ulp are stated for f32 alone
  return std::fabs(result - rounded) / std::ldexp(1.0, std::ilogb(rounded) - int(format.mantissa_bits));
}

}  // namespace

std::string_view name_of(ErrorUnit unit) {
  return unit == ErrorUnit::kUlp ? "ulp" : unit == ErrorUnit::kAbsolute ? "absolute" : "relative";
}

std::vector<ErrorBound> manual_bounds(const Form& form) {
  std::vector<ErrorBound> bounds;
  if (!is_approximate(form)) return bounds;
  for (const Row& row : rows())
    if (is_row_of(row, form)) bounds.push_back(row.bound);
  if (instruction_of(form).has(Modifier::kFull))
    for (ErrorBound& bound : bounds) bound.low = 0, bound.high = kAll;  // scaled: for every divisor
  return bounds;
}

ErrorMeter::ErrorMeter(const Sweep& sweep, const ErrorBound& bound)
    : bound_(bound), format_(format_of(instruction_of(sweep.form).type())), function_(nullptr) {
  for (const Row& row : rows())
    if (is_row_of(row, sweep.form)) function_ = row.function;
  const Instruction instruction = instruction_of(sweep.form);
  dividend_ = number(kFormatF32, sweep.dividend);
  smallest_ = std::ldexp(1.0, 1 - format_.bias());
  largest_ = number(format_, format_.largest());
  flushes_ = instruction.has(Modifier::kFtz);
  is_pair_ = instruction.type() == Type::kF16x2 || instruction.type() == Type::kBF16x2;
}

double ErrorMeter::error(uint32_t input, uint64_t result) const {
  if (!is_pair_) return error_of_value(input, result);
  return std::max(error_of_value(input & 0xffffu, result & 0xffffu), error_of_value(input >> 16, result >> 16));
}

double ErrorMeter::error_of_value(uint64_t operand, uint64_t result) const {
  const double x = number(format_, operand);
  if (!std::isfinite(x) || !in_range(bound_, x) || (flushes_ && std::fabs(x) < smallest_)) return 0;
  if (function_ == nullptr && flushes_ && std::fabs(dividend_) < smallest_) return 0;
  const double exact = function_ != nullptr ? function_(x) : dividend_ / x;
  if (!std::isfinite(exact)) return 0;
  if (bound_.unit != ErrorUnit::kAbsolute && std::fabs(exact) < smallest_ && exact != 0) return 0;
  const double found = number(format_, result);
  if (!std::isfinite(found) && std::fabs(exact) > largest_) return 0;
  const double error = error_in(bound_, format_, exact, found);
  return std::isnan(error) ? INFINITY : error;
}

}  // namespace ww::coverage
