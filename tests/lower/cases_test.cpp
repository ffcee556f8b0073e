// Every file of cases/: PTX in, IR out (the notation stands in case_file.h).
#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <filesystem>

#include "lower/case_file.h"
#include "lower/module_emitter.h"
#include "lower/passes.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::lower_test {
namespace {

// Lowers the only kernel of the case, up to the pass that it names.
Result<std::string> lower_case(const Case& test) {
  WW_ASSIGN(auto module, ptx::parse(test.ptx, test.file));
  WW_TRY(ptx::verify(*module));
  const ptx::Function* kernel = nullptr;
  for (const ptx::Function& function : module->functions)
    if (function.is_entry) kernel = &function;
  llvm::LLVMContext context;
  lower::Options options;
  options.numerics = test.is_fast ? lower::Numerics::kFast : lower::Numerics::kExact;
  options.validate = true;
  lower::ModuleEmitter emitter(*module, *kernel, context, options);
  WW_TRY(emitter.run());
  if (test.after != "emit") WW_TRY(lower::run_passes(*emitter.llvm, options, test.after));
  std::string text;
  llvm::raw_string_ostream stream(text);
  emitter.llvm->print(stream, nullptr);
  return text;
}

class LowerCase : public testing::TestWithParam<std::string> {};

TEST_P(LowerCase, GivesTheIrThatTheFileSays) {
  const Case test = read_case(GetParam());
  Result<std::string> ir = lower_case(test);
  if (!test.error.empty()) {
    ASSERT_FALSE(ir.ok()) << *ir;
    EXPECT_NE(ir.error().to_string().find(test.error), std::string::npos) << ir.error().to_string();
    return;
  }
  ASSERT_TRUE(ir.ok()) << ir.error().to_string();
  ASSERT_FALSE(test.checks.empty());
  EXPECT_EQ(mismatch(test, *ir), "") << *ir;
}

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(WARPWAVE_SOURCE_DIR "/tests/lower/cases"))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Files, LowerCase, testing::ValuesIn(case_files()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

// The matcher itself.
TEST(CaseFile, FindsTextInOrder) {
  Case test;
  test.checks = {{Check::Kind::kAnywhere, "add i32 [[A:%[0-9]+]], 1", 1}, {Check::Kind::kNext, "ret [[A]]", 2}};
  EXPECT_EQ(mismatch(test, "x\n%2 = add  i32 %1, 1\nret %1\n"), "");
  EXPECT_NE(mismatch(test, "%2 = add i32 %1, 1\nret %12\n"), "");
  EXPECT_NE(mismatch(test, "ret %1\n%2 = add i32 %1, 1\n"), "");
}

TEST(CaseFile, ForbidsTextBetween) {
  Case test;
  test.checks = {
      {Check::Kind::kAnywhere, "one", 1}, {Check::Kind::kNot, "two", 2}, {Check::Kind::kAnywhere, "three", 3}};
  EXPECT_EQ(mismatch(test, "one\nthree\ntwo\n"), "");
  EXPECT_NE(mismatch(test, "one\ntwo\nthree\n"), "");
}

}  // namespace
}  // namespace ww::lower_test
