#include "cpu/jit.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <atomic>
#include <mutex>

#include "cpu/masked_logic.h"
#include "cpu/runtime_table.h"

namespace ww::cpu {

struct Jit::State {
  std::unique_ptr<llvm::orc::LLJIT> lljit;
  std::atomic<unsigned> count{0};
};

static Error jit_error(const std::string& what, llvm::Error error) {
  return runtime_error(what + ": " + llvm::toString(std::move(error)), "Please report this, with the PTX");
}

static std::unique_ptr<llvm::TargetMachine> make_target_machine(const HostLevel& level) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  const llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  // The routines that stand in for instructions that the level lacks use few registers: callers need not save the rest.
  options.EnableIPRA = !level.has_scatter;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, level.name, level.features, options,
                                                                          llvm::Reloc::PIC_, std::nullopt,
                                                                          llvm::CodeGenOptLevel::Default, true));
}

Jit::Jit(const HostLevel& level, std::unique_ptr<State> state) : level_(level), state_(std::move(state)) {}
Jit::~Jit() = default;

Result<std::unique_ptr<Jit>> Jit::create(const HostLevel& level) {
  if (make_target_machine(level) == nullptr)
    return runtime_error("this LLVM generates no code for x86-64", "Install LLVM with the X86 target");
  llvm::orc::JITTargetMachineBuilder builder(llvm::Triple("x86_64-unknown-linux-gnu"));
  builder.setCPU(std::string(level.name));
  auto lljit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create();
  if (!lljit) return jit_error("the code generator could not be started", lljit.takeError());
  auto state = std::make_unique<State>();
  state->lljit = std::move(*lljit);
  return std::unique_ptr<Jit>(new Jit(level, std::move(state)));
}

static void optimize(llvm::Module& module, llvm::TargetMachine& machine, const HostLevel& level) {
  llvm::StripDebugInfo(module);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::PassBuilder passes(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) {
      simplify.run(function, functions);
      if (level.has_scatter) separate_masked_logic(function);
    }
}

static Status emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::SmallVectorImpl<char>& output,
                   llvm::CodeGenFileType type) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return runtime_error("the code generator can't emit this kind of file");
  passes.run(module);
  return {};
}

Result<std::string> Jit::assembly(llvm::Module& module) {
  const auto machine = make_target_machine(level_);
  optimize(module, *machine, level_);
  llvm::SmallVector<char, 0> text;
  WW_TRY(emit(module, *machine, text, llvm::CodeGenFileType::AssemblyFile));
  return std::string(text.begin(), text.end());
}

Result<WarpKernel> Jit::compile(llvm::Module& module, const std::string& symbol) {
  const auto machine = make_target_machine(level_);
  optimize(module, *machine, level_);
  llvm::SmallVector<char, 0> object;
  WW_TRY(emit(module, *machine, object, llvm::CodeGenFileType::ObjectFile));
  llvm::orc::LLJIT& lljit = *state_->lljit;
  // Each kernel is a library of its own: names of different modules, or of one kernel for two block sizes, don't meet.
  const std::string name = symbol + "." + std::to_string(state_->count++);
  auto dylib = lljit.createJITDylib(name);
  if (!dylib) return jit_error("kernel `" + symbol + "` could not be linked", dylib.takeError());
  llvm::orc::SymbolMap runtime;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) continue;
    if (function.isIntrinsic()) continue;
    const void* address = runtime_function(level_.isa, function.getName());
    if (address == nullptr) {
      // Not the device's fault alone: name what the kernel asked for.
      return unsupported_error("the cpu device does not support `" + function.getName().str() + "` yet",
                               "Run this kernel on the device `sim`");
    }
    runtime[lljit.mangleAndIntern(function.getName())] = {
        llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  for (std::string_view libcall : runtime_library_calls())
    runtime.try_emplace(
        lljit.mangleAndIntern(libcall),
        llvm::orc::ExecutorSymbolDef{llvm::orc::ExecutorAddr::fromPtr(runtime_function(level_.isa, libcall)),
                                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable});
  if (auto error = dylib->define(llvm::orc::absoluteSymbols(std::move(runtime))))
    return jit_error("kernel `" + symbol + "` could not be linked", std::move(error));
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), name, false);
  if (auto error = lljit.addObjectFile(*dylib, std::move(buffer)))
    return jit_error("kernel `" + symbol + "` could not be linked", std::move(error));
  auto address = lljit.lookup(*dylib, symbol);
  if (!address) return jit_error("kernel `" + symbol + "` could not be linked", address.takeError());
  return address->toPtr<WarpKernel>();
}

}  // namespace ww::cpu
