// Every error class of parser and verifier: data/errors.txt holds the text, the place and the words of the message.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::ptx {
namespace {

constexpr const char* kPrologue = R"(.version 9.0
.target sm_89
.address_size 64
.global .align 16 .b8 g[256];
.const .align 16 .b8 c[64];
.func (.param .b32 r) twofold (.param .b32 x) ;
.visible .entry k(.param .u64 a)
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;
.shared .align 16 .b8 s[1024];
)";
constexpr unsigned kPrologueLines = 10;

struct Case {
  unsigned file_line = 0;  // in errors.txt
  bool body = false;
  bool hopper = false;  // @body90: for sm_90a
  unsigned line = 0, column = 0;
  std::vector<std::string> words;
  std::string text;
};

std::vector<Case> read_cases() {
  std::ifstream file(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/errors.txt");
  std::vector<Case> cases;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("#")) continue;
    if (!line.starts_with("@body ") && !line.starts_with("@body90 ") && !line.starts_with("@module ")) {
      if (cases.empty()) continue;
      if (line.starts_with("NEST ")) line = std::string(std::stoul(line.substr(5)), '{');
      cases.back().text += line + '\n';
      continue;
    }
    Case c;
    c.file_line = number;
    c.body = line[1] == 'b';
    c.hopper = line.starts_with("@body90 ");
    std::istringstream words(line.substr(line.find(' ')));
    char colon = 0, bar = 0;
    words >> c.line >> colon >> c.column >> bar;
    std::string word;
    while (std::getline(words, word, ';')) c.words.push_back(word.substr(word.find_first_not_of(' ')));
    cases.push_back(c);
  }
  return cases;
}

TEST(Errors, HavePlaceAndWords) {
  const auto cases = read_cases();
  EXPECT_GE(cases.size(), 120u);
  for (const Case& c : cases) {
    std::string prologue = kPrologue;
    if (c.hopper) prologue.replace(prologue.find("sm_89"), 5, "sm_90a");
    const auto module = parse(c.body ? prologue + c.text + "ret;\n}\n" : c.text, "case.ptx");
    Error error;
    if (!module.ok()) {
      error = module.error();
    } else {
      const Status status = verify(**module);
      if (status.ok()) {
        ADD_FAILURE() << "errors.txt:" << c.file_line << ": accepted:\n" << c.text;
        continue;
      }
      error = status.error();
    }
    const unsigned first = c.body ? kPrologueLines : 0;
    const std::string message = error.to_string();
    EXPECT_EQ(std::to_string(error.line - first) + ':' + std::to_string(error.column),
              std::to_string(c.line) + ':' + std::to_string(c.column))
        << "errors.txt:" << c.file_line << ": " << message;
    for (const std::string& word : c.words)
      EXPECT_NE(message.find(word), std::string::npos)
          << "errors.txt:" << c.file_line << ": no \"" << word << "\" in: " << message;
    if (c.body) {
      EXPECT_EQ(error.kernel, "k") << "errors.txt:" << c.file_line;
    }
  }
}

}  // namespace
}  // namespace ww::ptx
