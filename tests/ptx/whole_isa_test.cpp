// data/whole_isa.txt: a line at least for each instruction, directive and special register of PTX 9.0. All parse, are
// legal for their target and print back; those of newer chips are refused by name for sm_90.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "ptx/module_difference.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verifier.h"

namespace ww::ptx {
namespace {

// tools/compare-with-ptxas reads it from here.
constexpr const char* kIsaKernel = R"(.global .align 16 .b8 g[256];
.global .texref tx;
.global .surfref su;
.func (.param .b32 o) twofold(.param .b32 x) { ret; }
.visible .entry k(.param .u64 a)
{
.reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<10>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>;
.shared .align 16 .b8 s[1024];
T: .branchtargets L;
L:
)";

struct IsaRow {
  std::string target, line;
  bool whole = false;  // a module without its head
};

std::vector<IsaRow> read_rows() {
  std::ifstream file(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/whole_isa.txt");
  std::vector<IsaRow> rows;
  std::string target;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("@target ")) {
      target = line.substr(8);
      continue;
    }
    const bool whole = line.starts_with("module: ");
    rows.push_back({target, whole ? line.substr(8) : line, whole});
  }
  return rows;
}

std::string text_of(const IsaRow& row, const std::string& target) {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n" +
         (row.whole ? row.line : kIsaKernel + row.line + "\nret;\n}") + "\n";
}

TEST(WholeIsa, IsLegalForItsTargetAndPrintsBack) {
  const auto rows = read_rows();
  EXPECT_GT(rows.size(), 330u);
  for (const IsaRow& row : rows) {
    const auto module = parse(text_of(row, row.target), "line.ptx");
    if (!module.ok()) {
      ADD_FAILURE() << row.line << "\n  " << module.error().to_string();
      continue;
    }
    const Status status = verify(**module);
    EXPECT_TRUE(status.ok()) << row.line << "\n  " << status.error().to_string();
    const auto again = parse(print(**module), "printed.ptx");
    ASSERT_TRUE(again.ok()) << row.line << "\n  " << again.error().to_string();
    EXPECT_EQ(first_difference(**module, **again), "") << row.line;
  }
}

TEST(WholeIsa, NewerChipsInstructionsAreRefusedByName) {
  unsigned count = 0;
  for (const IsaRow& row : read_rows()) {
    if (row.target == "sm_90a") continue;
    ++count;
    const auto module = parse(text_of(row, "sm_90a"), "line.ptx");
    const Status status = module.ok() ? verify(**module) : Status(module.error());
    if (status.ok()) {
      ADD_FAILURE() << "accepted: " << row.line;
      continue;
    }
    const std::string opcode = row.line.substr(0, row.line.find('.'));
    EXPECT_NE(status.error().to_string().find(opcode), std::string::npos) << status.error().to_string();
    EXPECT_NE(status.error().to_string().find(row.target.substr(0, 6) == "sm_120" ? "needs sm_120" : "needs sm_100"),
              std::string::npos)
        << row.line << "\n  " << status.error().to_string();
  }
  EXPECT_GT(count, 60u);
}

TEST(WholeIsa, HasEveryOpcodeOfTheTable) {
  std::set<std::string> written;
  for (const IsaRow& row : read_rows()) written.insert(row.line.substr(0, row.line.find_first_of(".; ")));
  const auto opcodes = [] {
    std::vector<std::string> names;
#define WW_OPCODE(enumerator, spelling) names.emplace_back(spelling);
#include "ptx/opcodes.def"
#undef WW_OPCODE
    return names;
  }();
  for (const std::string& opcode : opcodes) EXPECT_TRUE(written.contains(opcode)) << opcode;
}

}  // namespace
}  // namespace ww::ptx
