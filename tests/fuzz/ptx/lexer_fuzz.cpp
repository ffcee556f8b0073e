// Any bytes: the lexer ends, and never looks outside the text.
#include <cstdint>
#include <string>

#include "ptx/lexer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ww::ptx::Lexer lexer(text);
  while (lexer.current().kind != ww::ptx::TokenKind::kEnd && lexer.current().kind != ww::ptx::TokenKind::kError) {
    if (lexer.current().kind == ww::ptx::TokenKind::kIdentifier) lexer.extend_mnemonic();
    lexer.advance();
  }
  return 0;
}
