#include "cpu/vectorize.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "cpu/lane_mode.h"
#include "cpu/vectorizer.h"

namespace ww::cpu {

FunctionVectorizer::FunctionVectorizer(ModuleState& state, llvm::Function& source, llvm::Function& target,
                                       bool is_kernel)
    : state_(state),
      source_(source),
      target_(target),
      is_kernel_(is_kernel),
      level_(*state.options.level),
      lanes_(level_.lanes),
      strips_(level_.strips()),
      layout_(state.layout),
      dominators_(source),
      loops_(dominators_),
      divergence_(source, loops_, is_kernel, state.options.block),
      steps_(source, divergence_, state.options.block),
      builder_(source.getContext()) {}

uint32_t FunctionVectorizer::line_of(const Instruction& instruction) const {
  const llvm::DebugLoc& location = instruction.getDebugLoc();
  return location ? location.getLine() : 0;
}

Status FunctionVectorizer::unsupported(const Instruction& instruction, const std::string& why) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      call != nullptr && call->getCalledFunction() != nullptr)
    text = call->getCalledFunction()->getName().str();
  Error error =
      unsupported_error("the cpu device does not support `" + text + "` yet" + (why.empty() ? "" : ": " + why),
                        "Run this kernel on the device `sim`");
  error.line = line_of(instruction);
  error.kernel = source_.getName().str();
  if (const llvm::DebugLoc& location = instruction.getDebugLoc()) error.file = location->getFilename().str();
  return error;
}

Status FunctionVectorizer::run() {
  llvm::LLVMContext& context = source_.getContext();
  context_ = target_.getArg(0);
  entry_ = BasicBlock::Create(context, "entry", &target_);
  for (BasicBlock* block : divergence_.order().blocks()) {
    entries_[block] = BasicBlock::Create(context, block->getName(), &target_);
    if (divergence_.parted(block)) bodies_[block] = BasicBlock::Create(context, block->getName() + ".lanes", &target_);
  }
  builder_.SetInsertPoint(entry_);
  builder_.SetInsertPoint(builder_.CreateBr(entry_of(*divergence_.order().blocks().front())));
  const std::array<uint32_t, 3> block = state_.options.block;
  if (!is_kernel_)
    start_mask_ = target_.getArg(1);
  else if (uint64_t(block[0]) * block[1] * block[2] % kWarpLanes == 0 && !state_.by_lanes)
    start_mask_ = builder_.getInt32(~0u);
  else
    start_mask_ = context_field(offsetof(WarpContext, mask), builder_.getInt32Ty());
  if (!is_kernel_) {
    load_arguments();
  } else {
    builder_.SetInsertPoint(entry_->getTerminator());
    direct_[{source_.getArg(0), 0u}].strip[0] = builder_.CreatePtrToInt(target_.getArg(1), builder_.getInt64Ty());
  }
  for (BasicBlock* source_block : divergence_.order().blocks()) WW_TRY(emit_block(*source_block));
  if (scratch_ != nullptr) {
    llvm::IRBuilder<> builder(scratch_);
    llvm::AllocaInst* sized = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), scratch_bytes_));
    sized->setAlignment(llvm::Align(64));
    scratch_->replaceAllUsesWith(sized);
    scratch_->eraseFromParent();
  }
  std::vector<llvm::AllocaInst*> promotable;
  for (Instruction& instruction : *entry_)
    if (auto* allocation = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        allocation != nullptr && !llvm::is_contained(kept_in_memory_, allocation) &&
        llvm::isAllocaPromotable(allocation))
      promotable.push_back(allocation);
  llvm::DominatorTree dominators(target_);
  llvm::PromoteMemToReg(promotable, dominators);
  return {};
}

// Static shared variables, one behind the other.
static void place_shared(ModuleState& state) {
  for (const llvm::GlobalVariable& global : state.module.globals()) {
    if (global.getAddressSpace() != 3 || global.isDeclaration()) continue;
    const uint32_t alignment = uint32_t(global.getAlign().valueOrOne().value());
    state.static_shared = (state.static_shared + alignment - 1) / alignment * alignment;
    state.shared_offsets[&global] = state.static_shared;
    state.static_shared += uint32_t(state.layout.getTypeAllocSize(global.getValueType()));
  }
  // Dynamic shared memory starts at a multiple of 16, or of what the variable asks for.
  uint32_t dynamic = 0;
  bool has_dynamic = false;
  for (const llvm::GlobalVariable& global : state.module.globals()) {
    if (global.getAddressSpace() != 3 || !global.isDeclaration()) continue;
    const uint32_t alignment = std::max<uint32_t>(16, uint32_t(global.getAlign().valueOrOne().value()));
    dynamic = std::max(dynamic, (state.static_shared + alignment - 1) / alignment * alignment);
    has_dynamic = true;
  }
  if (!has_dynamic) return;
  for (const llvm::GlobalVariable& global : state.module.globals())
    if (global.getAddressSpace() == 3 && global.isDeclaration()) state.shared_offsets[&global] = dynamic;
  state.static_shared = dynamic;
}

Result<VectorizedKernel> vectorize_module(llvm::Module& module, const std::string& kernel,
                                          const VectorizeOptions& options) {
  llvm::LLVMContext& context = module.getContext();
  ModuleState state{module, module.getDataLayout(), options, {}, 0, {}};
  module.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  place_shared(state);
  llvm::Function* entry = module.getFunction(kernel);
  if (entry == nullptr || entry->isDeclaration()) return runtime_error("the module has no kernel `" + kernel + "`");
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const auto line = needs_lanes(function, &function == entry, options.block);
    if (!line) continue;
    state.by_lanes = state.waits = true;
    state.lane_wait_line = *line;
    break;
  }
  for (const llvm::GlobalVariable& global : module.globals())
    if ((global.getAddressSpace() == 1 || global.getAddressSpace() == 4) &&
        !options.globals.contains(global.getName().str()))
      return runtime_error("kernel `" + kernel + "` uses the variable `" + global.getName().str() +
                           "`, which has no memory");
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* none = llvm::Type::getVoidTy(context);
  std::vector<llvm::Function*> sources;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) sources.push_back(&function);
  for (llvm::Function* source : sources) {
    // A function gets the context, its mask, and the arrays of its arguments and results.
    auto* type = source == entry ? llvm::FunctionType::get(none, {pointer, pointer}, false)
                                 : llvm::FunctionType::get(none, {pointer, i32, pointer, pointer}, false);
    llvm::Function* target = llvm::Function::Create(
        type, source == entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
        source->getName() + ".warp", module);
    target->setDoesNotThrow();
    target->addFnAttr("min-legal-vector-width", std::to_string(options.level->lanes * 32));
    target->addFnAttr("prefer-vector-width", std::to_string(options.level->lanes * 32));
    state.functions[source] = target;
  }
  for (llvm::Function* source : sources)
    WW_TRY(FunctionVectorizer(state, *source, *state.functions[source], source == entry).run());
  VectorizedKernel result;
  result.symbol = state.functions[entry]->getName().str();
  for (llvm::Function* source : sources) source->deleteBody();
  for (llvm::Function* source : sources) source->eraseFromParent();
  // What is left of the per-lane module: globals and declarations nobody uses.
  for (llvm::GlobalVariable& global : llvm::make_early_inc_range(module.globals()))
    if (global.use_empty()) global.eraseFromParent();
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  result.static_shared = state.static_shared;
  result.waits = state.waits;
  result.by_lanes = state.by_lanes;
  result.lane_stacks = state.lane_stacks;
  // Recursion needs room: 16 times this (scheduler.cpp).
  result.stack_bytes = std::max(state.stack_bytes, sources.size() > 1 ? uint64_t{1} << 20 : uint64_t{0});
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return runtime_error("the vectoriser made invalid code for kernel `" + kernel + "`: " + problem,
                         "Please report this, with the PTX");
  return result;
}

}  // namespace ww::cpu
