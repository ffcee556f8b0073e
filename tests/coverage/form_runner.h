// Runs forms on a device.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coverage/form_kernel.h"
#include "coverage/image_settings.h"
#include "device/device.h"
#include "device/device_buffer.h"

namespace ww::coverage {

struct FormKernel {
  Form form;
  Kernel kernel;
};

// Those of `written_forms` that are wanted and have a kernel. `checked`: those that the verifier takes.
std::vector<FormKernel> form_kernels(const std::function<bool(const Form& form)>& wanted, bool checked = true);
// Part `shard` of `shards` equal parts, each over the whole table.
std::vector<FormKernel> form_kernels(unsigned shard = 0, unsigned shards = 1);

// Results of one form: kernel.results.size() * kThreads words. Results narrower than a word leave zeros above.
using Results = std::vector<uint64_t>;

// Runs every form in turn and hands its results, or what went wrong, to `take`.
void run_forms(Device& device, std::span<const FormKernel> forms,
               const std::function<void(const FormKernel& form, Result<Results> results)>& take);

// A module with one form's kernel.
std::string module_text(const FormKernel& form);

// The operands on the device, results that are 0, the images that the form reads or changes, and the kernel's
// parameters.
struct FormMemory {
  DeviceBuffer in, out;
  std::vector<ImageSetting> settings;
  std::vector<std::unique_ptr<DeviceImage>> images;
  std::array<uint64_t, 4> parameters{};

  static Result<FormMemory> create(Device& device, const FormKernel& form);
  Result<Results> results(Device& device, const FormKernel& form) const;

 private:
  // Creates the images and puts their handles among the operands.
  Status add_images(Device& device, const FormKernel& form, std::vector<uint64_t>& operands);
  // The images' bytes, as the last column of the results.
  Status read_images(std::span<uint64_t> column) const;
};

// Runs one form in a module and memory of its own; `loaded` is called between loading and running it.
Result<Results> run_alone(Device& device, const FormKernel& form, const std::function<void()>& loaded);

// FNV-1a taken a word at a time, the upper half folded into the lower after each.
uint64_t hash_of(const Results& results);

}  // namespace ww::coverage
