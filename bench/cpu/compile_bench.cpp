// Seconds of each phase of compiling the kernels of a PTX file: `bench-compile FILE.ptx [v2|v3|v4] [threads of a block]
// [kernel]`.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/files.h"
#include "cpu/jit.h"
#include "cpu/prepare.h"
#include "cpu/vectorize.h"
#include "lower/lower.h"
#include "ptx/parser.h"

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

size_t instructions(const llvm::Module& module) {
  size_t count = 0;
  for (const llvm::Function& function : module) count += function.getInstructionCount();
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ww;
  if (argc < 2) return 2;
  const std::string isa = argc > 2 ? argv[2] : "v4";
  const uint32_t threads = argc > 3 ? uint32_t(std::atoi(argv[3])) : 128;
  const std::string only = argc > 4 ? argv[4] : "";
  const cpu::HostLevel& level = cpu::host_level(isa == "v2" ? HostIsa::kV2 : isa == "v3" ? HostIsa::kV3 : HostIsa::kV4);
  auto text = read_file(argv[1]);
  if (!text.ok()) return 3;
  auto module = ptx::parse(std::string(text->begin(), text->end()), argv[1]);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.error().to_string().c_str());
    return 3;
  }
  auto jit = cpu::Jit::create(level);
  if (!jit.ok()) return 1;
  std::printf("%-32s %8s %8s %8s %8s | %8s %8s %8s\n", "kernel", "lower", "prepare", "vector", "codegen", "lane IR",
              "prepared", "warp IR");
  double total = 0;
  for (const ptx::Function& function : (*module)->functions) {
    if (!function.is_entry || function.is_declaration || (!only.empty() && function.name != only)) continue;
    const auto& bounds =
        function.directives.reqntid[0] != 0 ? function.directives.reqntid : function.directives.maxntid;
    std::array<uint32_t, 3> block = {threads, 1, 1};
    if (bounds[0] != 0) block = {bounds[0], std::max(bounds[1], 1u), std::max(bounds[2], 1u)};
    llvm::LLVMContext context;
    const double t0 = cpu_seconds();
    auto lowered = lower::lower_kernel(**module, function, context, {});
    if (!lowered.ok()) {
      std::printf("%-32s %s\n", std::string(function.name).c_str(), lowered.error().to_string().c_str());
      continue;
    }
    const double t1 = cpu_seconds();
    const size_t lane = instructions(**lowered);
    if (!cpu::prepare_module(**lowered, block).ok()) return 1;
    const double t2 = cpu_seconds();
    const size_t prepared = instructions(**lowered);
    cpu::VectorizeOptions options;
    options.level = &level;
    options.block = block;
    for (const llvm::GlobalVariable& global : (*lowered)->globals()) options.globals[global.getName().str()] = 0x1000;
    auto facts = cpu::vectorize_module(**lowered, std::string(function.name), options);
    if (!facts.ok()) {
      std::printf("%-32s %s\n", std::string(function.name).c_str(), facts.error().to_string().c_str());
      continue;
    }
    const double t3 = cpu_seconds();
    const size_t warp = instructions(**lowered);
    if (std::getenv("WW_DUMP_IR") != nullptr) (*lowered)->print(llvm::outs(), nullptr);
    auto code = (*jit)->compile(**lowered, facts->symbol);
    const double t4 = cpu_seconds();
    std::printf("%-32s %8.3f %8.3f %8.3f %8.3f | %8zu %8zu %8zu%s\n", std::string(function.name).c_str(), t1 - t0,
                t2 - t1, t3 - t2, t4 - t3, lane, prepared, warp, code.ok() ? "" : code.error().to_string().c_str());
    std::fflush(stdout);
    total += t4 - t0;
  }
  std::printf("%.3f s of one core\n", total);
}
