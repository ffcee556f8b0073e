#include "cpu/warp_program.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

#include "cpu/prepare.h"

namespace ww::cpu {

std::vector<HostIsa> host_levels_here() {
  std::vector<HostIsa> levels;
  for (HostIsa isa : {HostIsa::kV2, HostIsa::kV3, HostIsa::kV4})
    if (choose_host_isa(isa).ok()) levels.push_back(isa);
  return levels;
}

WarpProgram::WarpProgram(const std::string& ir, HostIsa isa, std::array<uint32_t, 3> block) : block_(block) {
  build(ir, isa);
}

void WarpProgram::build(const std::string& ir, HostIsa isa) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (module == nullptr) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    diagnostic.print("test", stream);
    ADD_FAILURE() << text;
    return;
  }
  ASSERT_TRUE(prepare_module(*module, block_).ok());
  if (std::getenv("WW_DUMP") != nullptr) module->print(llvm::errs(), nullptr);
  VectorizeOptions options;
  options.level = &host_level(isa);
  options.block = block_;
  auto vectorized = vectorize_module(*module, "k", options);
  ASSERT_TRUE(vectorized.ok()) << vectorized.error().to_string();
  if (std::getenv("WW_DUMP") != nullptr) module->print(llvm::errs(), nullptr);
  facts_ = *vectorized;
  auto jit = Jit::create(host_level(isa));
  ASSERT_TRUE(jit.ok()) << jit.error().to_string();
  jit_ = std::move(*jit);
  auto kernel = jit_->compile(*module, facts_.symbol);
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  kernel_ = *kernel;
}

Status WarpProgram::run(uint32_t blocks, std::vector<uint64_t> parameters) {
  if (kernel_ == nullptr) return runtime_error("not compiled");
  GridLaunch launch;
  launch.kernel = kernel_;
  launch.name = "k";
  launch.waits = facts_.waits;
  launch.stack_bytes = facts_.stack_bytes;
  launch.static_shared = facts_.static_shared;
  launch.grid = {blocks, 1, 1};
  launch.block = {block_[0], block_[1], block_[2]};
  launch.parameters = std::as_bytes(std::span(parameters));
  return scheduler_.run(launch);
}

std::string kernel_text(unsigned parameters, const std::string& body, const std::string& rest) {
  std::string text =
      "target datalayout = \"e-p:64:64-p1:64:64-p3:32:32-p4:64:64-p5:32:32-i64:64-i128:128-n8:16:32:64-S128-A5-G1\"\n"
      "declare i32 @ww.tid.x()\ndeclare i32 @ww.tid.y()\ndeclare i32 @ww.ctaid.x()\ndeclare i32 @ww.ntid.x()\ndeclare "
      "i32 @ww.laneid()\n" +
      rest + "\ndefine void @k(ptr addrspace(4) %params) {\nentry:\n  %t = call i32 @ww.tid.x()\n";
  for (unsigned i = 0; i < parameters; ++i) {
    const std::string n = std::to_string(i);
    text += "  %a" + n + " = getelementptr i8, ptr addrspace(4) %params, i64 " + std::to_string(8 * i) + "\n";
    text += "  %p" + n + " = load ptr addrspace(1), ptr addrspace(4) %a" + n + "\n";
  }
  return text + body + "\n}\n";
}

}  // namespace ww::cpu
