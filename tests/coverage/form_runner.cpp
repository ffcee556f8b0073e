#include "coverage/form_runner.h"

#include <algorithm>

#include "coverage/operand_values.h"
#include "device/device_buffer.h"
#include "golden/fnv.h"

namespace ww::coverage {
namespace {

constexpr size_t kBatch = 32;  // kernels a module: loading one has a price of its own

std::string module_text(std::span<const FormKernel> forms) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  for (const FormKernel& form : forms) text += form.kernel.text;
  return text;
}

// Device memory for the widest form of a run.
struct Buffers {
  Device& device;
  DeviceBuffer in, out;
};

Result<Results> run_form(Buffers& buffers, DeviceModule& module, const FormKernel& form) {
  Device& device = buffers.device;
  WW_ASSIGN(DeviceKernel * kernel, module.kernel(form.kernel.name));
  const auto operands = operand_values(form.kernel.operands, form.form.name);
  if (!operands.empty()) WW_TRY(device.upload(buffers.in.address(), std::as_bytes(std::span(operands))));
  Results results(form.kernel.results.size() * kThreads);
  const auto bytes = std::as_writable_bytes(std::span(results));
  WW_TRY(device.fill(buffers.out.address(), 0, bytes.size()));
  const uint64_t parameters[] = {buffers.in.address(), buffers.out.address(), kParameterBlock[0], kParameterBlock[1]};
  Launch launch;
  launch.grid = {kThreads / kBlock};
  launch.block = {kBlock};
  launch.parameters = std::as_bytes(std::span(parameters));
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  WW_TRY(device.download(bytes, buffers.out.address()));
  return results;
}

}  // namespace

std::vector<FormKernel> form_kernels(unsigned shard, unsigned shards) {
  std::vector<FormKernel> kernels;
  unsigned number = 0;
  for (Form& form : written_forms()) {
    if (number++ % shards != shard) continue;
    if (auto kernel = form_kernel(form, "form_" + std::to_string(kernels.size())))
      kernels.push_back({std::move(form), std::move(*kernel)});
  }
  return kernels;
}

Status run_forms(Device& device, std::span<const FormKernel> forms,
                 const std::function<void(const FormKernel& form, Result<Results> results)>& take) {
  size_t operands = 1, results = 1;
  for (const FormKernel& form : forms) {
    operands = std::max(operands, form.kernel.operands.size());
    results = std::max(results, form.kernel.results.size());
  }
  Buffers buffers{device, {}, {}};
  WW_ASSIGN(buffers.in, DeviceBuffer::create(device, operands * kThreads * 8));
  WW_ASSIGN(buffers.out, DeviceBuffer::create(device, results * kThreads * 8));
  for (size_t first = 0; first < forms.size(); first += kBatch) {
    const auto batch = forms.subspan(first, std::min(kBatch, forms.size() - first));
    auto together = device.load_module(module_text(batch), "forms");
    for (size_t i = 0; i < batch.size(); ++i) {
      if (together.ok()) {
        take(batch[i], run_form(buffers, **together, batch[i]));
        continue;
      }
      // One form of the batch is refused: each by itself tells which.
      auto alone = device.load_module(module_text(batch.subspan(i, 1)), batch[i].form.name);
      if (alone.ok())
        take(batch[i], run_form(buffers, **alone, batch[i]));
      else
        take(batch[i], alone.error());
    }
  }
  return {};
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
