#include "coverage/form_runner.h"

#include <algorithm>

#include "coverage/operand_values.h"
#include "golden/fnv.h"

namespace ww::coverage {
namespace {

constexpr size_t kBatch = 32;  // kernels a module: loading one has a price of its own

std::string module_text(std::span<const FormKernel> forms) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  for (const FormKernel& form : forms) text += form.kernel.text;
  return text;
}

Result<Results> run_form(Device& device, DeviceModule& module, const FormKernel& form) {
  WW_ASSIGN(DeviceKernel * kernel, module.kernel(form.kernel.name));
  WW_ASSIGN(const FormMemory memory, FormMemory::create(device, form));
  Launch launch;
  launch.grid = {kThreads / kBlock};
  launch.block = {kBlock};
  launch.parameters = std::as_bytes(std::span(memory.parameters));
  WW_TRY(device.launch(*kernel, launch));
  return memory.results(device, form);
}

}  // namespace

std::vector<FormKernel> form_kernels(const std::function<bool(const Form& form)>& wanted, bool checked) {
  std::vector<FormKernel> kernels;
  for (Form& form : written_forms()) {
    if (!wanted(form)) continue;
    form.checked = checked;
    if (auto kernel = form_kernel(form, "form_" + std::to_string(kernels.size())))
      kernels.push_back({std::move(form), std::move(*kernel)});
  }
  return kernels;
}

std::vector<FormKernel> form_kernels(unsigned shard, unsigned shards) {
  unsigned number = 0;
  return form_kernels([&](const Form&) { return number++ % shards == shard; });
}

std::string module_text(const FormKernel& form) {
  return module_text(std::span(&form, 1));
}

Result<FormMemory> FormMemory::create(Device& device, const FormKernel& form) {
  FormMemory memory;
  const auto bytes = [](size_t columns) { return std::max<uint64_t>(columns, 1) * kThreads * 8; };
  WW_ASSIGN(memory.in, DeviceBuffer::create(device, bytes(form.kernel.operands.size())));
  WW_ASSIGN(memory.out, DeviceBuffer::create(device, bytes(form.kernel.results.size())));
  const auto operands = operand_values(form.kernel.operands, form.form.name);
  if (!operands.empty()) WW_TRY(device.upload(memory.in.address(), std::as_bytes(std::span(operands))));
  WW_TRY(device.fill(memory.out.address(), 0, bytes(form.kernel.results.size())));
  memory.parameters = {memory.in.address(), memory.out.address(), kParameterBlock[0], kParameterBlock[1]};
  return memory;
}

Result<Results> FormMemory::results(Device& device, const FormKernel& form) const {
  WW_TRY(device.synchronize());
  Results results(form.kernel.results.size() * kThreads);
  WW_TRY(device.download(std::as_writable_bytes(std::span(results)), out.address()));
  return results;
}

Result<Results> run_alone(Device& device, const FormKernel& form, const std::function<void()>& loaded) {
  auto module = device.load_module(module_text(form), form.form.name);
  if (!module.ok()) return module.error();
  loaded();
  return run_form(device, **module, form);
}

void run_forms(Device& device, std::span<const FormKernel> forms,
               const std::function<void(const FormKernel& form, Result<Results> results)>& take) {
  for (size_t first = 0; first < forms.size(); first += kBatch) {
    const auto batch = forms.subspan(first, std::min(kBatch, forms.size() - first));
    auto together = device.load_module(module_text(batch), "forms");
    for (size_t i = 0; i < batch.size(); ++i) {
      if (together.ok()) {
        take(batch[i], run_form(device, **together, batch[i]));
        continue;
      }
      // One form of the batch is refused: each by itself tells which.
      take(batch[i], run_alone(device, batch[i], [] {}));
    }
  }
}

uint64_t hash_of(const Results& results) {
  uint64_t hash = golden::kFnvBasis;
  for (const uint64_t word : results) {
    hash = (hash ^ word) * golden::kFnvPrime;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace ww::coverage
