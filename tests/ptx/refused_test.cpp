// data/refused.txt: what NVIDIA's assembler refuses is refused here, at the right place and with the right message.
#include <gtest/gtest.h>

#include <fstream>

#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::ptx {
namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_90a\n.address_size 64\n";
constexpr unsigned kHeadLines = 3;
// Also in tools/compare-with-ptxas, which reads it from here: between the brackets of R"(...)".
constexpr const char* kRefusedKernel = R"(.global .align 16 .b8 g[256];
.const .align 16 .b8 c[64];
.global .texref tx;
.global .surfref su;
.func (.param .b32 o) twofold(.param .b32 x) { ret; }
.func nothing() { ret; }
.visible .entry k(.param .u64 a, .param .align 8 .b8 st[24])
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>;
.shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64];
P: .callprototype _ ();
T: .branchtargets L;
L:
)";
constexpr unsigned kRefusedKernelLines = 13;

std::string with_new_lines(std::string text) {
  for (size_t at = 0; (at = text.find("\\n", at)) != std::string::npos;) text.replace(at, 2, "\n");
  return text;
}

// The error of parser or verifier; a message of "" if the text is legal.
Error error_of(const std::string& text) {
  const auto module = parse(text, "case.ptx");
  if (!module.ok()) return module.error();
  const Status status = verify(**module);
  return status.ok() ? Error() : status.error();
}

TEST(Refused, HavePlaceAndMessage) {
  std::ifstream file(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/refused.txt");
  std::string part;
  unsigned count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '@') {
      part = line.substr(1);
      continue;
    }
    ++count;
    const size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    ASSERT_NE(second, std::string::npos) << line;
    const std::string place = line.substr(0, first), message = line.substr(first + 3, second - first - 3);
    const std::string text = with_new_lines(line.substr(second + 3));
    const unsigned before = part == "lines" ? kHeadLines + kRefusedKernelLines : part == "modules" ? kHeadLines : 0;
    const Error error = error_of(part == "lines"     ? std::string(kHead) + kRefusedKernel + text + "\nret;\n}\n"
                                 : part == "modules" ? kHead + text + '\n'
                                                     : text + '\n');
    EXPECT_EQ(std::to_string(error.line - before) + ':' + std::to_string(error.column), place) << line;
    EXPECT_NE(error.to_string().find(": " + message), std::string::npos) << line << "\n  " << error.to_string();
    EXPECT_FALSE(error.expected.empty() && error.fix.empty()) << line;
  }
  EXPECT_GT(count, 860u);
}

}  // namespace
}  // namespace ww::ptx
