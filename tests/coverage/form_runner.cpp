#include "coverage/form_runner.h"

#include <algorithm>
#include <cstring>

#include "coverage/image_settings.h"
#include "coverage/operand_values.h"
#include "golden/fnv.h"

namespace ww::coverage {
namespace {

constexpr size_t kBatch = 32;  // kernels a module: loading one has a price of its own

std::string module_text(std::span<const FormKernel> forms) {
  std::string text = ".version 9.0\n.target sm_90";
  text += std::string(forms[0].kernel.has_samplers ? ", texmode_independent" : "") + "\n.address_size 64\n";
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
  auto operands = operand_values(form.kernel.operands, form.form.name);
  if (form.kernel.images.use != ImageUse::kNone) WW_TRY(memory.add_images(device, form, operands));
  if (!operands.empty()) WW_TRY(device.upload(memory.in.address(), std::as_bytes(std::span(operands))));
  WW_TRY(device.fill(memory.out.address(), 0, bytes(form.kernel.results.size())));
  memory.parameters = {memory.in.address(), memory.out.address(), kParameterBlock[0], kParameterBlock[1]};
  return memory;
}

Status FormMemory::add_images(Device& device, const FormKernel& form, std::vector<uint64_t>& operands) {
  settings = image_settings(form.kernel.images);
  std::vector<uint64_t> handles;
  for (uint32_t i = 0; i < settings.size(); ++i) {
    WW_ASSIGN(auto image, device.create_image(settings[i].image));
    WW_ASSIGN(const uint64_t handle,
              form.kernel.images.is_surface() ? image->surface() : image->texture(settings[i].sampler));
    const std::vector<uint8_t> texels = image_texels(settings[i], i);
    WW_TRY(image->upload(std::as_bytes(std::span(texels))));
    handles.push_back(handle);
    images.push_back(std::move(image));
  }
  fill_image_operands(form.kernel, settings, handles, form.form.name, operands);
  return {};
}

Status FormMemory::read_images(std::span<uint64_t> column) const {
  for (uint32_t i = 0; i < images.size(); ++i) {
    std::vector<uint8_t> texels(image_bytes(settings[i].image));
    if (texels.size() > kBlock * 8) return usage_error("an image of a form is larger than 2 KB");
    WW_TRY(images[i]->download(std::as_writable_bytes(std::span(texels))));
    std::memcpy(column.data() + size_t{i} * kBlock, texels.data(), texels.size());
  }
  return {};
}

Result<Results> FormMemory::results(Device& device, const FormKernel& form) const {
  WW_TRY(device.synchronize());
  Results results(form.kernel.results.size() * kThreads);
  WW_TRY(device.download(std::as_writable_bytes(std::span(results)), out.address()));
  if (form.kernel.images.changes_image()) WW_TRY(read_images(std::span(results).last(kThreads)));
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
  for (size_t first = 0, size = 0; first < forms.size(); first += size) {
    for (size = 1; size < kBatch && first + size < forms.size(); ++size)
      if (forms[first + size].kernel.has_samplers != forms[first].kernel.has_samplers) break;
    const auto batch = forms.subspan(first, size);
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
