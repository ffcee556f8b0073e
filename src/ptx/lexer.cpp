// The lexer, by hand: a table of character classes and one switch.
#include "ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace ww::ptx {

namespace {

enum : uint8_t { kSpace = 1, kIdentifierStart = 2, kIdentifierPart = 4, kDigit = 8, kHexDigit = 16 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) classes[static_cast<unsigned char>(c)] |= kSpace;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] |= kIdentifierStart | kIdentifierPart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] |= kIdentifierStart | kIdentifierPart;
  for (int c = '0'; c <= '9'; ++c) classes[c] |= kIdentifierPart | kDigit | kHexDigit;
  for (int c = 'a'; c <= 'f'; ++c) classes[c] |= kHexDigit;
  for (int c = 'A'; c <= 'F'; ++c) classes[c] |= kHexDigit;
  for (const char c : {'_', '$'}) classes[static_cast<unsigned char>(c)] |= kIdentifierStart | kIdentifierPart;
  classes['%'] |= kIdentifierStart;
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool is(char c, uint8_t mask) {
  return (kClasses[static_cast<unsigned char>(c)] & mask) != 0;
}

unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

// `::` joins words of one suffix (.shared::cta); a single colon ends a label.
const char* scan_word(const char* at) {
  for (;;) {
    while (is(*at, kIdentifierPart)) ++at;
    if (at[0] == ':' && at[1] == ':' && is(at[2], kIdentifierPart)) {
      at += 2;
      continue;
    }
    return at;
  }
}

}  // namespace

Lexer::Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {
  advance();
}

void Lexer::fail(std::string_view message) {
  token_.kind = TokenKind::kError;
  token_.text = message;
}

void Lexer::skip_space() {
  for (;;) {
    const char c = *at_;
    if (is(c, kSpace)) {
      ++at_;
    } else if (c == '\n') {
      ++at_;
      ++line_;
      line_start_ = at_;
    } else if (c == '/' && at_[1] == '/') {
      const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
      at_ = newline ? static_cast<const char*>(newline) : end_;
    } else if (c == '/' && at_[1] == '*') {
      const char* scan = at_ + 2;
      uint32_t line = line_;
      const char* line_start = line_start_;
      while (scan < end_ && !(scan[0] == '*' && scan[1] == '/')) {
        if (*scan == '\n') {
          ++line;
          line_start = scan + 1;
        }
        ++scan;
      }
      if (scan >= end_) return;  // the comment is not closed: advance() reports it at its start
      at_ = scan + 2;
      line_ = line;
      line_start_ = line_start;
    } else {
      return;
    }
  }
}

bool Lexer::next_is(char c) {
  skip_space();
  return at_ < end_ && *at_ == c;
}

bool Lexer::next_is_name() {
  skip_space();
  return is(*at_, kIdentifierStart);
}

void Lexer::advance() {
  skip_space();
  token_.location = {line_, static_cast<uint32_t>(at_ - line_start_) + 1};
  token_.is_unsigned = false;
  token_.value = 0;
  const char* start = at_;
  const char c = *at_;
  if (is(c, kIdentifierStart)) {
    ++at_;
    while (is(*at_, kIdentifierPart)) ++at_;
    token_.kind = TokenKind::kIdentifier;
    token_.text = {start, static_cast<size_t>(at_ - start)};
    if (token_.text == "%") {  // the operator of constant expressions
      token_.kind = TokenKind::kPunctuation;
      token_.punctuation = '%';
    }
    return;
  }
  if (is(c, kDigit)) return lex_number();
  if (c == '.') {
    if (is(at_[1], kIdentifierPart)) {
      at_ = scan_word(at_ + 1);
      token_.kind = TokenKind::kDotWord;
      token_.text = {start, static_cast<size_t>(at_ - start)};
      return;
    }
    ++at_;
    token_.text = {start, 1};
    token_.kind = TokenKind::kPunctuation;
    token_.punctuation = '.';
    return;
  }
  if (c == '"') {
    ++at_;
    const char* text = at_;
    while (at_ < end_ && *at_ != '"' && *at_ != '\n') at_ += (*at_ == '\\' && at_ + 1 < end_ && at_[1] != '\n') ? 2 : 1;
    if (at_ >= end_ || *at_ != '"') return fail("a string that is not closed on its line");
    token_.kind = TokenKind::kString;
    token_.text = {text, static_cast<size_t>(at_ - text)};
    ++at_;
    return;
  }
  if (at_ >= end_) {
    token_.kind = TokenKind::kEnd;
    token_.text = {};
    return;
  }
  if (c == '/' && at_[1] == '*') return fail("a comment that is not closed");
  token_.kind = TokenKind::kPunctuation;
  token_.punctuation = static_cast<unsigned char>(c);
  switch (c) {
    case '<':
    case '>':
    case '=':
    case '!':
    case '&':
    case '|': {
      const char d = at_[1];
      const bool doubled = (d == c && c != '!') || (d == '=' && (c == '<' || c == '>' || c == '!'));
      if (doubled) {
        token_.punctuation = two_characters(c, d);
        ++at_;
      }
      break;
    }
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case ';':
    case ':':
    case '@':
    case '+':
    case '-':
    case '*':
    case '/':
    case '~':
    case '^':
    case '?':
      break;
    default:
      return fail("a character that PTX does not use");
  }
  ++at_;
  token_.text = {start, static_cast<size_t>(at_ - start)};
}

void Lexer::lex_number() {
  const char* start = at_;
  const auto finish = [&](TokenKind kind) {
    if (is(*at_, kIdentifierPart)) return fail("a number followed by letters");
    token_.kind = kind;
    token_.text = {start, static_cast<size_t>(at_ - start)};
  };
  if (at_[0] == '0') {
    const char kind = static_cast<char>(at_[1] | 0x20);
    if (kind == 'f' || kind == 'd') {
      const int digits = kind == 'f' ? 8 : 16;
      at_ += 2;
      uint64_t value = 0;
      int count = 0;
      for (; is(*at_, kHexDigit) && count < digits; ++count) value = value * 16 + hex_value(*at_++);
      if (count != digits || is(*at_, kIdentifierPart))
        return fail(kind == 'f' ? "0f without exactly 8 hexadecimal digits"
                                : "0d without exactly 16 hexadecimal digits");
      token_.value = value;
      return finish(kind == 'f' ? TokenKind::kFloat32 : TokenKind::kFloat64);
    }
    if (kind == 'x' || kind == 'b') {
      const unsigned base = kind == 'x' ? 16 : 2;
      at_ += 2;
      uint64_t value = 0;
      const char* first = at_;
      while (is(*at_, kHexDigit) && hex_value(*at_) < base) {
        if (value >> (base == 16 ? 60 : 63)) return fail("an integer of more than 64 bits");
        value = value * base + hex_value(*at_++);
      }
      if (at_ == first) return fail("a number without digits");
      token_.value = value;
      if (*at_ == 'U' || *at_ == 'u') {
        token_.is_unsigned = true;
        ++at_;
      }
      token_.is_unsigned |= value >> 63 != 0;
      return finish(TokenKind::kInteger);
    }
  }
  while (is(*at_, kDigit)) ++at_;
  const bool fraction =
      *at_ == '.' && (is(at_[1], kDigit) || !is(at_[1], kIdentifierPart) ||
                      ((at_[1] | 0x20) == 'e' && (is(at_[2], kDigit) || at_[2] == '-' || at_[2] == '+')));
  const bool exponent =
      (*at_ | 0x20) == 'e' && (is(at_[1], kDigit) || ((at_[1] == '+' || at_[1] == '-') && is(at_[2], kDigit)));
  if (fraction || exponent) {
    double value = 0;
    const auto result = std::from_chars(start, end_, value);
    at_ = result.ptr > at_ ? result.ptr : at_;
    // 1e999 reads as infinity and 1e-999 as zero, as a C compiler has it; from_chars leaves the value alone.
    if (result.ec == std::errc::result_out_of_range) {
      const std::string_view text(start, static_cast<size_t>(at_ - start));
      const size_t e = text.find_first_of("eE");
      value = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-' ? 0.0 : HUGE_VAL;
    }
    token_.value = std::bit_cast<uint64_t>(value);
    return finish(TokenKind::kFloat64);
  }
  const unsigned base = start[0] == '0' && at_ - start > 1 ? 8 : 10;
  uint64_t value = 0;
  for (const char* digit = start; digit != at_; ++digit) {
    const unsigned d = static_cast<unsigned>(*digit - '0');
    if (d >= base) return fail("a digit that an octal number cannot have");
    if (value > (~uint64_t{0} - d) / base) return fail("an integer of more than 64 bits");
    value = value * base + d;
  }
  token_.value = value;
  if (*at_ == 'U' || *at_ == 'u') {
    token_.is_unsigned = true;
    ++at_;
  }
  token_.is_unsigned |= value >> 63 != 0;
  finish(TokenKind::kInteger);
}

std::string_view Lexer::extend_mnemonic() {
  const char* start = token_.text.data();
  if (at_ != start + token_.text.size()) return token_.text;  // white space was skipped: no suffix touches
  while (*at_ == '.' && is(at_[1], kIdentifierPart)) at_ = scan_word(at_ + 1);
  token_.text = {start, static_cast<size_t>(at_ - start)};
  return token_.text;
}

std::string_view Lexer::skip_braces() {
  const char* start = at_;
  unsigned depth = 1;
  for (;;) {
    skip_space();
    if (at_ >= end_ || (at_[0] == '/' && at_[1] == '*')) {
      const std::string_view body(start, static_cast<size_t>(at_ - start));
      advance();
      return body;
    }
    const char c = *at_;
    if (c == '"') {
      ++at_;
      while (at_ < end_ && *at_ != '"' && *at_ != '\n') ++at_;
      if (at_ < end_ && *at_ == '"') ++at_;
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) {
      const std::string_view body(start, static_cast<size_t>(at_ - start));
      advance();
      return body;
    }
    ++at_;
  }
}

std::string_view Lexer::skip_line() {
  const char* start = token_.text.data();
  const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
  at_ = newline ? static_cast<const char*>(newline) : end_;
  const std::string_view line(start, static_cast<size_t>(at_ - start));
  advance();
  return line;
}

}  // namespace ww::ptx
