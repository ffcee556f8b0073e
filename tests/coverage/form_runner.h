// Runs forms on a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coverage/form_kernel.h"
#include "device/device.h"

namespace ww::coverage {

struct FormKernel {
  Form form;
  Kernel kernel;
};

// Those of `written_forms` that have a kernel. Part `shard` of `shards` equal parts, each over the whole table.
std::vector<FormKernel> form_kernels(unsigned shard = 0, unsigned shards = 1);

// Results of one form: kernel.results.size() * kThreads words. Results narrower than a word leave zeros above.
using Results = std::vector<uint64_t>;

// Runs every form in turn and hands its results, or what went wrong, to `take`.
Status run_forms(Device& device, std::span<const FormKernel> forms,
                 const std::function<void(const FormKernel& form, Result<Results> results)>& take);

// FNV-1a taken a word at a time, the upper half folded into the lower after each.
uint64_t hash_of(const Results& results);

}  // namespace ww::coverage
