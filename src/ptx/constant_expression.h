// Constant expressions (PTX ISA, "Constant Expressions"): 64-bit integers, signed or unsigned, and f64, with C's
// operators and precedence.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/lexer.h"

namespace ww::ptx {

struct ConstantValue {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat32, kFloat64 };
  Kind kind = Kind::kSigned;
  uint64_t bits = 0;

  bool is_float() const { return kind == Kind::kFloat32 || kind == Kind::kFloat64; }
  double as_double() const;
};

struct ConstantFailure {
  Location location;
  std::string message, expected;
};

// Reads an expression that starts at the current token. False: `failure` says where and why.
bool parse_constant_expression(Lexer& lexer, ConstantValue& value, ConstantFailure& failure);

// True if the current token can begin a constant expression.
bool begins_constant_expression(const Token& token);

}  // namespace ww::ptx
