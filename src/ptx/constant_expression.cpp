// Precedence climbing over the lexer; the depth of nesting is bounded, so that hostile text cannot exhaust the stack.
#include "ptx/constant_expression.h"

#include <bit>

namespace ww::ptx {

namespace {

constexpr unsigned kMostNesting = 200;

using Kind = ConstantValue::Kind;

ConstantValue make_signed(int64_t value) {
  return {Kind::kSigned, static_cast<uint64_t>(value)};
}
ConstantValue make_float(double value) {
  return {Kind::kFloat64, std::bit_cast<uint64_t>(value)};
}

struct Operator {
  uint16_t punctuation;
  int precedence;
};

constexpr Operator kOperators[] = {
    {two_characters('|', '|'), 1},
    {two_characters('&', '&'), 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {two_characters('=', '='), 6},
    {two_characters('!', '='), 6},
    {'<', 7},
    {'>', 7},
    {two_characters('<', '='), 7},
    {two_characters('>', '='), 7},
    {two_characters('<', '<'), 8},
    {two_characters('>', '>'), 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {'%', 10},
};

int precedence_of(const Token& token) {
  if (token.kind != TokenKind::kPunctuation) return 0;
  for (const Operator& op : kOperators)
    if (op.punctuation == token.punctuation) return op.precedence;
  return 0;
}

class Evaluator {
 public:
  Evaluator(Lexer& lexer, ConstantFailure& failure) : lexer_(lexer), failure_(failure) {}

  bool conditional(ConstantValue& value) {
    if (++depth_ > kMostNesting) return fail("constant expression nested too deeply", "at most 200 levels");
    if (!binary(value, 1)) return false;
    if (is('?')) {
      lexer_.advance();
      ConstantValue yes, no;
      if (!conditional(yes)) return false;
      if (!is(':')) return fail("unfinished conditional expression", "':'");
      lexer_.advance();
      if (!conditional(no)) return false;
      value = truth(value) ? yes : no;
    }
    --depth_;
    return true;
  }

 private:
  bool is(uint16_t punctuation) const {
    return lexer_.current().kind == TokenKind::kPunctuation && lexer_.current().punctuation == punctuation;
  }

  bool fail(std::string message, std::string expected) {
    failure_ = {lexer_.current().location, std::move(message), std::move(expected)};
    return false;
  }

  static bool truth(const ConstantValue& value) { return value.is_float() ? value.as_double() != 0 : value.bits != 0; }

  bool binary(ConstantValue& left, int least) {
    if (!unary(left)) return false;
    for (;;) {
      const Token op = lexer_.current();
      const int precedence = precedence_of(op);
      if (precedence == 0 || precedence < least) return true;
      lexer_.advance();
      ConstantValue right;
      if (++depth_ > kMostNesting) return fail("constant expression nested too deeply", "at most 200 levels");
      if (!binary(right, precedence + 1)) return false;
      --depth_;
      if (!apply(op, left, right)) return false;
    }
  }

  bool unary(ConstantValue& value) {
    if (++depth_ > kMostNesting) return fail("constant expression nested too deeply", "at most 200 levels");
    const Token token = lexer_.current();
    if (token.kind == TokenKind::kPunctuation) {
      switch (token.punctuation) {
        case '+':
        case '-':
        case '!':
        case '~':
          lexer_.advance();
          if (!unary(value) || !apply_unary(token, value)) return false;
          --depth_;
          return true;
        case '(': {
          lexer_.advance();
          if (lexer_.current().kind == TokenKind::kDotWord) {
            if (!cast(value)) return false;
          } else {
            if (!conditional(value)) return false;
            if (!is(')')) return fail("unbalanced parenthesis", "')'");
            lexer_.advance();
          }
          --depth_;
          return true;
        }
        default:
          break;
      }
    }
    if (!primary(value)) return false;
    --depth_;
    return true;
  }

  bool cast(ConstantValue& value) {
    const Token type = lexer_.current();
    if (type.text != ".s64" && type.text != ".u64" && type.text != ".f64")
      return fail("unknown cast", ".s64, .u64 or .f64");
    lexer_.advance();
    if (!is(')')) return fail("unbalanced parenthesis", "')'");
    lexer_.advance();
    if (!unary(value)) return false;
    if (type.text == ".f64") {
      value = make_float(value.as_double());
    } else {
      if (value.is_float()) {
        const double d = value.as_double();
        if (!(d > -9.3e18 && d < 1.8446744073709550e19)) {
          failure_ = {type.location, "floating-point constant does not fit a 64-bit integer", {}};
          return false;
        }
        value.bits =
            d < 0 ? static_cast<uint64_t>(static_cast<int64_t>(d < -9223372036854775808.0 ? -9223372036854775808.0 : d))
                  : static_cast<uint64_t>(d);
      }
      value.kind = type.text == ".s64" ? Kind::kSigned : Kind::kUnsigned;
    }
    return true;
  }

  bool primary(ConstantValue& value) {
    const Token& token = lexer_.current();
    switch (token.kind) {
      case TokenKind::kInteger:
        value = {token.is_unsigned ? Kind::kUnsigned : Kind::kSigned, token.value};
        break;
      case TokenKind::kFloat32:
        value = {Kind::kFloat32, token.value};
        break;
      case TokenKind::kFloat64:
        value = {Kind::kFloat64, token.value};
        break;
      case TokenKind::kIdentifier:
        if (token.text == "WARP_SZ") {
          value = make_signed(32);
          break;
        }
        return fail("not a constant", "a constant expression");
      case TokenKind::kError:
        failure_ = {token.location, std::string(token.text), {}};
        return false;
      default:
        return fail("not a constant", "a constant expression");
    }
    lexer_.advance();
    return true;
  }

  bool apply_unary(const Token& op, ConstantValue& value) {
    if (op.punctuation == '!') {
      value = make_signed(truth(value) ? 0 : 1);
    } else if (value.is_float()) {
      if (op.punctuation == '~') {
        failure_ = {op.location, "'~' of a floating-point constant", "an integer"};
        return false;
      }
      if (op.punctuation == '-') value.bits ^= value.kind == Kind::kFloat32 ? uint64_t{1} << 31 : uint64_t{1} << 63;
    } else if (op.punctuation == '-') {
      value.bits = 0 - value.bits;
    } else if (op.punctuation == '~') {
      value.bits = ~value.bits;
    }
    return true;
  }

  bool apply(const Token& op, ConstantValue& left, const ConstantValue& right) {
    if (op.punctuation == two_characters('|', '|')) {
      left = make_signed(truth(left) || truth(right));
      return true;
    }
    if (op.punctuation == two_characters('&', '&')) {
      left = make_signed(truth(left) && truth(right));
      return true;
    }
    if (left.is_float() || right.is_float()) return apply_float(op, left, right);
    return apply_integer(op, left, right);
  }

  bool apply_float(const Token& op, ConstantValue& left, const ConstantValue& right) {
    const double a = left.as_double(), b = right.as_double();
    switch (op.punctuation) {
      case '+':
        left = make_float(a + b);
        return true;
      case '-':
        left = make_float(a - b);
        return true;
      case '*':
        left = make_float(a * b);
        return true;
      case '/':
        if (b == 0) {
          failure_ = {op.location, "division by zero in a constant expression", "a divisor other than 0"};
          return false;
        }
        left = make_float(a / b);
        return true;
      case '<':
        left = make_signed(a < b);
        return true;
      case '>':
        left = make_signed(a > b);
        return true;
      case two_characters('<', '='):
        left = make_signed(a <= b);
        return true;
      case two_characters('>', '='):
        left = make_signed(a >= b);
        return true;
      case two_characters('=', '='):
        left = make_signed(a == b);
        return true;
      case two_characters('!', '='):
        left = make_signed(a != b);
        return true;
      default:
        failure_ = {op.location, "'" + std::string(op.text) + "' of a floating-point constant", "integers"};
        return false;
    }
  }

  bool apply_integer(const Token& op, ConstantValue& left, const ConstantValue& right) {
    const bool is_unsigned = left.kind == Kind::kUnsigned || right.kind == Kind::kUnsigned;
    const uint64_t a = left.bits, b = right.bits;
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    const auto comparison = [&](bool value) { left = make_signed(value); };
    const auto number = [&](uint64_t value) { left = {is_unsigned ? Kind::kUnsigned : Kind::kSigned, value}; };
    switch (op.punctuation) {
      case '*':
        number(a * b);
        return true;
      case '/':
      case '%': {
        if (b == 0) {
          failure_ = {op.location, "division by zero in a constant expression", "a divisor other than 0"};
          return false;
        }
        const bool quotient = op.punctuation == '/';
        if (is_unsigned)
          number(quotient ? a / b : a % b);
        else if (sb == -1)  // the least integer has no negative
          number(quotient ? 0 - a : 0);
        else
          number(static_cast<uint64_t>(quotient ? sa / sb : sa % sb));
        return true;
      }
      case '+':
        number(a + b);
        return true;
      case '-':
        number(a - b);
        return true;
      case two_characters('<', '<'):
        left.bits = b < 64 ? a << b : 0;
        return true;
      case two_characters('>', '>'):
        if (left.kind == Kind::kUnsigned)
          left.bits = b < 64 ? a >> b : 0;
        else
          left.bits = static_cast<uint64_t>(sa >> (b < 64 ? b : 63));
        return true;
      case '<':
        comparison(is_unsigned ? a < b : sa < sb);
        return true;
      case '>':
        comparison(is_unsigned ? a > b : sa > sb);
        return true;
      case two_characters('<', '='):
        comparison(is_unsigned ? a <= b : sa <= sb);
        return true;
      case two_characters('>', '='):
        comparison(is_unsigned ? a >= b : sa >= sb);
        return true;
      case two_characters('=', '='):
        comparison(a == b);
        return true;
      case two_characters('!', '='):
        comparison(a != b);
        return true;
      case '&':
        number(a & b);
        return true;
      case '|':
        number(a | b);
        return true;
      default:
        number(a ^ b);
        return true;
    }
  }

  Lexer& lexer_;
  ConstantFailure& failure_;
  unsigned depth_ = 0;
};

}  // namespace

double ConstantValue::as_double() const {
  switch (kind) {
    case Kind::kSigned:
      return static_cast<double>(static_cast<int64_t>(bits));
    case Kind::kUnsigned:
      return static_cast<double>(bits);
    case Kind::kFloat32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Kind::kFloat64:
      return std::bit_cast<double>(bits);
  }
  return 0;
}

bool parse_constant_expression(Lexer& lexer, ConstantValue& value, ConstantFailure& failure) {
  return Evaluator(lexer, failure).conditional(value);
}

bool begins_constant_expression(const Token& token) {
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat32:
    case TokenKind::kFloat64:
      return true;
    case TokenKind::kIdentifier:
      return token.text == "WARP_SZ";
    case TokenKind::kPunctuation:
      return token.punctuation == '-' || token.punctuation == '+' || token.punctuation == '!' ||
             token.punctuation == '~' || token.punctuation == '(';
    default:
      return false;
  }
}

}  // namespace ww::ptx
