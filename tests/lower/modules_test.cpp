// Every kernel of the guest programs, and of PTX that NVIDIA's compiler wrote, lowers to IR that the validator passes.
#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lower/lower.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::lower {
namespace {

std::vector<std::string> ptx_files() {
  std::vector<std::string> files;
  for (const char* folder : {WARPWAVE_BINARY_DIR "/guest", WARPWAVE_SOURCE_DIR "/tests/data/nvcc"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Modules, EveryKernelLowers) {
  const std::vector<std::string> files = ptx_files();
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    std::ifstream stream(file);
    auto module = ptx::parse(std::string(std::istreambuf_iterator<char>(stream), {}), file);
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    const Status verified = ptx::verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.error().to_string();
    for (const ptx::Function& function : (*module)->functions) {
      if (!function.is_entry) continue;
      for (const Numerics numerics : {Numerics::kExact, Numerics::kFast}) {
        llvm::LLVMContext context;
        Options options;
        options.numerics = numerics;
        options.validate = true;
        const auto lowered = lower_kernel(**module, function, context, options);
        EXPECT_TRUE(lowered.ok()) << lowered.error().to_string();
      }
    }
  }
}

}  // namespace
}  // namespace ww::lower
