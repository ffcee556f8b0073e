// The table of ww.* functions.
#include "lower/intrinsics.h"

#include <gtest/gtest.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace ww::lower {
namespace {

TEST(Intrinsics, FindsNamesAndFamilies) {
  ASSERT_NE(find_intrinsic("ww.tid.x"), nullptr);
  EXPECT_EQ(find_intrinsic("ww.tid.x")->flags & kUniform, 0u);
  ASSERT_NE(find_intrinsic("ww.ctaid.z"), nullptr);
  EXPECT_NE(find_intrinsic("ww.ctaid.z")->flags & kUniform, 0u);
  ASSERT_NE(find_intrinsic("ww.mma.m16n8k16.row.col.f32.f16.f16.f32"), nullptr);
  EXPECT_EQ(find_intrinsic("ww.votes"), nullptr);
  EXPECT_EQ(find_intrinsic("ww_vote"), nullptr);
}

TEST(Intrinsics, DeclarationsCarryTheFlags) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i1 = llvm::Type::getInt1Ty(context);
  llvm::Function* ballot = declare_intrinsic(module, "ww.vote.ballot", llvm::FunctionType::get(i32, {i1, i32}, false));
  EXPECT_TRUE(ballot->isConvergent());
  EXPECT_TRUE(ballot->doesNotAccessMemory());
  llvm::Function* barrier = declare_intrinsic(
      module, "ww.barrier.sync", llvm::FunctionType::get(llvm::Type::getVoidTy(context), {i32, i32}, false));
  EXPECT_TRUE(barrier->isConvergent());
  EXPECT_FALSE(barrier->doesNotAccessMemory());
  EXPECT_EQ(declare_intrinsic(module, "ww.vote.ballot", ballot->getFunctionType()), ballot);
}

}  // namespace
}  // namespace ww::lower
