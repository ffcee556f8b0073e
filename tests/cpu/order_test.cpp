// Ordered accesses keep their order in the code for a warp, though its strips take turns.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include "cpu/host_level.h"
#include "cpu/prepare.h"
#include "cpu/vectorize.h"
#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

// The loads and stores of the code that a body becomes, in order: "load 2" with LLVM's name of the ordering, "-" if
// there is none. Those of the context and of stacks are not among them.
std::vector<std::string> accesses_of(const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const auto module = llvm::parseAssemblyString(kernel_text(2, body), diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  EXPECT_TRUE(prepare_module(*module, {32, 1, 1}).ok());
  VectorizeOptions options;
  options.level = &host_level(HostIsa::kV3);
  const auto facts = vectorize_module(*module, "k", options);
  EXPECT_TRUE(facts.ok());
  std::vector<std::string> found;
  for (const llvm::Instruction& instruction : llvm::instructions(*module->getFunction(facts->symbol))) {
    const auto order = [](llvm::AtomicOrdering ordering) {
      return ordering == llvm::AtomicOrdering::NotAtomic ? std::string("-") : std::string(llvm::toIRString(ordering));
    };
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (load != nullptr && load->getType()->getScalarType()->isIntegerTy(32) && !load->isVolatile() &&
        llvm::isa<llvm::IntToPtrInst>(load->getPointerOperand()))
      found.push_back("load " + order(load->getOrdering()));
    if (store != nullptr && llvm::isa<llvm::IntToPtrInst>(store->getPointerOperand()))
      found.push_back("store " + order(store->getOrdering()));
  }
  return found;
}

constexpr char kPlaces[] = R"(
  %i = zext i32 %t to i64
  %mixed = mul i64 %i, %i
  %q0 = getelementptr i32, ptr addrspace(1) %p0, i64 %mixed
  %q1 = getelementptr i32, ptr addrspace(1) %p1, i64 %mixed
)";

// All 32 acquires stand before the load that is the same for all lanes.
TEST(Order, AcquireBeforeAUniformLoad) {
  const auto found = accesses_of(std::string(kPlaces) + R"(
  %flag = load atomic i32, ptr addrspace(1) %q0 syncscope("device") acquire, align 4
  %data = load i32, ptr addrspace(1) %p1, align 4
  %sum = add i32 %flag, %data
  store atomic i32 %sum, ptr addrspace(1) %q1 syncscope("device") release, align 4
  ret void
)");
  ASSERT_EQ(found.size(), 65u);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(found[i], "load acquire") << i;
  EXPECT_EQ(found[32], "load -");
  for (size_t i = 33; i < 65; ++i) EXPECT_EQ(found[i], "store release") << i;
}

// Relaxed accesses of one location stay in program order, whichever way their addresses are written.
TEST(Order, RelaxedThenUniformRelaxed) {
  const auto found = accesses_of(std::string(kPlaces) + R"(
  %a = load atomic i32, ptr addrspace(1) %q0 syncscope("device") monotonic, align 4
  %b = load atomic i32, ptr addrspace(1) %p0 syncscope("device") monotonic, align 4
  %sum = add i32 %a, %b
  store atomic i32 %sum, ptr addrspace(1) %q1 syncscope("device") monotonic, align 4
  ret void
)");
  ASSERT_EQ(found.size(), 65u);
  for (size_t i = 0; i < 33; ++i) EXPECT_EQ(found[i], "load monotonic") << i;
  for (size_t i = 33; i < 65; ++i) EXPECT_EQ(found[i], "store monotonic") << i;
}

}  // namespace
}  // namespace ww::cpu
