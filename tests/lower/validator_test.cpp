// The validator catches what docs/lower-ir.md forbids. Each case is legal LLVM IR with one violation.
#include "lower/validator.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <string_view>

#include "lower/passes.h"

namespace ww::lower {
namespace {

struct Violation {
  const char* name;
  const char* body;      // of a kernel
  const char* expected;  // in the message; empty: none
  const char* globals = "";
};

constexpr Violation kViolations[] = {
    {"Nothing", "ret void", ""},
    {"FreezeInFinalForm", "%1 = ptrtoint ptr addrspace(4) %params to i64 %2 = freeze i64 %1 ret void", "do not take"},
    {"OddInteger", "%1 = ptrtoint ptr addrspace(4) %params to i64 %2 = trunc i64 %1 to i17 ret void", "type"},
    {"VectorArithmetic", "%1 = load <2 x i32>, ptr addrspace(4) %params, !dbg !5 %2 = add <2 x i32> %1, %1 ret void",
     "vectors"},
    {"ComputedVectorIndex",
     "%1 = load <2 x i32>, ptr addrspace(4) %params, !dbg !5 %2 = load i32, ptr addrspace(4) %params, !dbg !5 "
     "%3 = extractelement <2 x i32> %1, i32 %2 ret void",
     "computed vector index"},
    {"FastMath", "%1 = load float, ptr addrspace(4) %params, !dbg !5 %2 = fadd fast float %1, %1 ret void",
     "fast-math"},
    {"UndefinedOperand", "%1 = load i32, ptr addrspace(4) %params, !dbg !5 %2 = add i32 %1, undef ret void",
     "undefined"},
    {"NoLine", "%1 = load i32, ptr addrspace(4) %params ret void", "without the line"},
    {"AllocaInGenericSpace", "%1 = alloca i32 ret void", "address space 5"},
    {"UnknownFunction", "call void @ww.nonsense(), !dbg !5 ret void", "does not know", "declare void @ww.nonsense()"},
    {"WrongType", "%1 = call i64 @ww.laneid(), !dbg !5 ret void", "another type",
     "declare i64 @ww.laneid() memory(none)"},
    {"NotConvergent", "call void @ww.barrier.sync(i32 0, i32 0), !dbg !5 ret void", "convergent",
     "declare void @ww.barrier.sync(i32, i32)"},
    {"DevicelibCall", "%1 = call float @ww_ftz_f32(float 0.0), !dbg !5 ret void", "not inlined",
     "declare float @ww_ftz_f32(float)"},
    {"ComesBackFromTrap", "call void @ww.trap(), !dbg !5 ret void", "does not return",
     "declare void @ww.trap() noreturn"},
    {"BareUnreachable", "unreachable", "unreachable"},
    {"IndirectCall", "%1 = load ptr, ptr addrspace(4) %params, !dbg !5 call void %1(), !dbg !5 ret void", "indirect"},
    {"GlobalWithContents", "ret void", "does not place", "@g = addrspace(1) global i32 1"},
    {"SharedWithoutPlace", "ret void", "neither static nor dynamic", "@s = addrspace(3) global i32 poison"},
    {"TwoEntriesOfALoop",
     "%1 = load i1, ptr addrspace(4) %params, !dbg !5 br i1 %1, label %a, label %b a: br label %b "
     "b: br i1 %1, label %a, label %c c: ret void",
     "several entries"},
};

class Validator : public testing::TestWithParam<Violation> {};

// The kernel `k` with this body; null if it does not parse.
std::unique_ptr<llvm::Module> kernel_with(llvm::LLVMContext& context, std::string_view globals, std::string_view body) {
  const std::string text = "target datalayout = \"e-p3:32:32-p5:32:32-A5\"\n" + std::string(globals) +
                           "\ndefine void @k(ptr addrspace(4) %params) !dbg !4 {\n" + std::string(body) + "\n}\n" + R"(
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.ptx", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, unit: !0, type: !3, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 1, scope: !4)
)";
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str() << " at line " << diagnostic.getLineNo();
  return module;
}

TEST_P(Validator, NamesTheViolation) {
  const Violation& test = GetParam();
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = kernel_with(context, test.globals, test.body);
  ASSERT_NE(module, nullptr);
  const Status status = validate(*module, Stage::kFinal);
  if (std::string(test.expected).empty()) {
    EXPECT_TRUE(status.ok()) << status.error().to_string();
    return;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(test.expected), std::string::npos) << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(Rules, Validator, testing::ValuesIn(kViolations),
                         [](const auto& info) { return std::string(info.param.name); });

// Illegal IR planted before the first pass is found right after it: in debug builds always, else on demand.
TEST(ValidatorBetweenPasses, RunsInDebugBuildsAndOnDemand) {
  const auto error_of = [](bool validate) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module =
        kernel_with(context, "declare void @ww.nonsense()", "call void @ww.nonsense(), !dbg !5 ret void");
    if (module == nullptr) return std::string("no module");
    Options options;
    options.validate = validate;
    const Status status = run_passes(*module, options);
    return status.ok() ? std::string() : status.error().message;
  };
  constexpr std::string_view kExpected = "after pass promote: ";
  EXPECT_TRUE(error_of(true).starts_with(kExpected)) << error_of(true);
#ifdef NDEBUG
  EXPECT_FALSE(error_of(false).starts_with(kExpected)) << error_of(false);
#else
  EXPECT_TRUE(error_of(false).starts_with(kExpected)) << error_of(false);
#endif
}

}  // namespace
}  // namespace ww::lower
