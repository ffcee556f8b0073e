// Logic of three operands whose result some lanes alone take: what LLVM's vpternlog with a mask got wrong.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <array>

#include "cpu/jit.h"
#include "cpu/warp_program.h"

namespace ww::cpu {
namespace {

class MaskedLogic : public testing::TestWithParam<HostIsa> {};

// Sixteen lanes, of doubles eight; the offsets in bytes are the IR's.
struct Lanes {
  std::array<uint32_t, 16> a, b, signs, bits;
  std::array<uint64_t, 8> wide_a, wide_b, wide_signs;
};

const char* const kText = R"(
define void @k(ptr %lanes, ptr %unused) #0 {
  %bp = getelementptr i8, ptr %lanes, i64 64
  %sp = getelementptr i8, ptr %lanes, i64 128
  %cp = getelementptr i8, ptr %lanes, i64 192
  %wap = getelementptr i8, ptr %lanes, i64 256
  %wbp = getelementptr i8, ptr %lanes, i64 320
  %wsp = getelementptr i8, ptr %lanes, i64 384
  %a = load <16 x i32>, ptr %lanes, align 4
  %b = load <16 x i32>, ptr %bp, align 4
  %low = and <16 x i32> %b, splat (i32 1)
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %af = bitcast <16 x i32> %a to <16 x float>
  %bf = bitcast <16 x i32> %b to <16 x float>
  %sf = call <16 x float> @llvm.copysign.v16f32(<16 x float> %af, <16 x float> %bf)
  %s = bitcast <16 x float> %sf to <16 x i32>
  %signs = select <16 x i1> %odd, <16 x i32> %s, <16 x i32> %a
  store <16 x i32> %signs, ptr %sp, align 4
  %ac = and <16 x i32> %a, splat (i32 267390975)
  %bc = and <16 x i32> %b, splat (i32 -267390976)
  %c = or <16 x i32> %ac, %bc
  %bits = select <16 x i1> %odd, <16 x i32> %c, <16 x i32> %a
  store <16 x i32> %bits, ptr %cp, align 4
  %wa = load <8 x double>, ptr %wap, align 8
  %wb = load <8 x double>, ptr %wbp, align 8
  %ws = call <8 x double> @llvm.copysign.v8f64(<8 x double> %wa, <8 x double> %wb)
  %wodd = shufflevector <16 x i1> %odd, <16 x i1> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %wsigns = select <8 x i1> %wodd, <8 x double> %ws, <8 x double> %wa
  store <8 x double> %wsigns, ptr %wsp, align 8
  ret void
}
attributes #0 = { "min-legal-vector-width"="512" "prefer-vector-width"="512" })";

TEST_P(MaskedLogic, TakesTheBitsThatTheConstantSays) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kText, diagnostic, context);
  ASSERT_NE(module, nullptr) << diagnostic.getMessage().str();
  const auto jit = Jit::create(host_level(GetParam()));
  ASSERT_TRUE(jit.ok()) << jit.error().to_string();
  const auto kernel = (*jit)->compile(*module, "k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  Lanes lanes{};
  for (uint32_t i = 0; i < 16; ++i) {
    lanes.a[i] = 0x9e3779b9 * (i + 1);
    lanes.b[i] = 0x85ebca6b * (i + 7) + i;
  }
  for (uint64_t i = 0; i < 8; ++i) {
    lanes.wide_a[i] = 0x9e3779b97f4a7c15 * (i + 1);
    lanes.wide_b[i] = 0xc2b2ae3d27d4eb4f * (i + 3);
  }
  reinterpret_cast<void (*)(Lanes*, void*)> (*kernel)(&lanes, nullptr);
  for (size_t i = 0; i < 16; ++i) {
    const uint32_t a = lanes.a[i], b = lanes.b[i];
    EXPECT_EQ(lanes.signs[i], b % 2 != 0 ? (a & 0x7fffffff) | (b & 0x80000000) : a) << "lane " << i;
    EXPECT_EQ(lanes.bits[i], b % 2 != 0 ? (a & 0x0ff00fff) | (b & 0xf00ff000) : a) << "lane " << i;
  }
  for (size_t i = 0; i < 8; ++i) {
    const uint64_t a = lanes.wide_a[i], b = lanes.wide_b[i], sign = uint64_t{1} << 63;
    EXPECT_EQ(lanes.wide_signs[i], lanes.b[i] % 2 != 0 ? (a & ~sign) | (b & sign) : a) << "lane " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, MaskedLogic, testing::ValuesIn(host_levels_here()));

}  // namespace
}  // namespace ww::cpu
