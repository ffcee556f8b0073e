// PTX text to tokens, one at a time. Knows no PTX names; every token's text is a view into the source.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/module.h"

namespace ww::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,   // foo, %r5, $L__BB0_1, _
  kDotWord,      // .reg, .b32, .2d, .shared::cta: the text includes the dot
  kInteger,      // value; is_unsigned if written with U or too large for 63 bits
  kFloat32,      // 0f...: value holds the 32 bits
  kFloat64,      // 0d... or decimal: value holds the 64 bits
  kString,       // "...": the text is without quotes
  kPunctuation,  // one character, or one of << >> <= >= == != && ||: `punctuation` holds it
  kError,        // text that is no token: `text` says what is wrong, in words
};

// Two-character punctuation is coded as first * 256 + second.
constexpr uint16_t two_characters(char first, char second) {
  return static_cast<uint16_t>(static_cast<unsigned char>(first) * 256 + static_cast<unsigned char>(second));
}

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool is_unsigned = false;
  uint16_t punctuation = 0;
  Location location;
  std::string_view text;
  uint64_t value = 0;
};

class Lexer {
 public:
  // `text` must be followed by a readable NUL (as std::string's is) and outlive every token.
  explicit Lexer(std::string_view text);

  const Token& current() const { return token_; }
  void advance();

  // True if the character right after the current token is `c`.
  bool touches(char c) const { return *at_ == c; }
  // True if, after white space and comments, the text goes on with the character `c`.
  bool next_is(char c);
  // The same for a name.
  bool next_is_name();
  // The current token is an identifier: appends the suffixes that touch it (".rn.f32"), and returns the whole.
  std::string_view extend_mnemonic();

  // The current token is `{`: returns the raw text up to the matching `}`, which becomes the current token. Strings and
  // comments may hold braces. At the end of the text the current token becomes kEnd.
  std::string_view skip_braces();
  // The rest of the current line; the next token is the first one of the next line.
  std::string_view skip_line();

 private:
  void skip_space();
  void lex_number();
  void fail(std::string_view message);

  const char* at_;
  const char* end_;
  const char* line_start_;
  uint32_t line_ = 1;
  Token token_;
};

}  // namespace ww::ptx
