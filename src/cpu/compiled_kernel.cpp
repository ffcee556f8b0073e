#include "cpu/compiled_kernel.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "cpu/prepare.h"
#include "lower/lower.h"
#include "ptx/special_registers.h"

namespace ww::cpu {

CpuKernel::CpuKernel(const ModuleSource& source, const ptx::Function& function, KernelInfo info)
    : source_(source), function_(function), info_(std::move(info)) {}

static bool reads_tid_beyond_x(const ptx::Function& function) {
  return std::ranges::any_of(function.operands, [](const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::kSpecialRegister &&
           ptx::SpecialRegister(operand.index) == ptx::SpecialRegister::kTid && operand.component > 0;
  });
}

std::array<uint32_t, 3> CpuKernel::likely_block() const {
  if (info_.required_block[0] == 0 && reads_tid_beyond_x(function_)) return {};
  std::array<uint32_t, 3> block = info_.required_block[0] != 0 ? info_.required_block : info_.max_block;
  if (block[0] != 0)
    for (uint32_t& size : block) size = std::max(size, 1u);
  return block;
}

Result<KernelCode> CpuKernel::compile(std::array<uint32_t, 3> block) const {
  llvm::LLVMContext context;
  lower::Options lowering;
  lowering.numerics = source_.numerics == Numerics::kFast ? lower::Numerics::kFast : lower::Numerics::kExact;
  WW_ASSIGN(auto module, lower::lower_kernel(*source_.ptx, function_, context, lowering));
  WW_TRY(prepare_module(*module, block));
  VectorizeOptions options;
  options.level = &source_.jit->level();
  options.block = block;
  options.fast = source_.numerics == Numerics::kFast;
  options.ada = source_.tensor_core == TensorCore::kAda;
  options.clustered = info_.cluster.x * info_.cluster.y * info_.cluster.z > 1;
  options.globals = source_.globals;
  KernelCode code;
  auto facts = vectorize_module(*module, info_.name, options);
  if (!facts.ok()) {
    if (facts.error().file.empty()) facts.error().file = source_.ptx->name;
    return std::move(facts.error());
  }
  code.facts = std::move(*facts);
  auto function = source_.jit->compile(*module, code.facts.symbol);
  if (!function.ok()) {
    function.error().file = source_.ptx->name;
    function.error().kernel = info_.name;
    return std::move(function.error());
  }
  code.function = *function;
  return code;
}

Result<const KernelCode*> CpuKernel::code(std::array<uint32_t, 3> block) {
  Entry* entry;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Entry>& place = entries_[block];
    if (place == nullptr) place = std::make_unique<Entry>();
    entry = place.get();
  }
  const std::lock_guard lock(entry->mutex);
  if (!entry->done) {
    auto compiled = compile(block);
    if (compiled.ok())
      entry->code = std::move(*compiled);
    else
      entry->status = std::move(compiled.error());
    entry->done = true;
  }
  if (!entry->status.ok()) return Error(entry->status.error());
  return const_cast<const KernelCode*>(&entry->code);
}

}  // namespace ww::cpu
