#include "nvidia/module.h"

#include <utility>

#include "device/kernel_info.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::nvidia {

Result<std::unique_ptr<DeviceModule>> Module::load(std::shared_ptr<Context> context, std::string ptx,
                                                   const std::string& name) {
  WW_ASSIGN(const std::shared_ptr<const ptx::Module> parsed, ptx::parse(ptx, name));
  WW_TRY(ptx::verify(*parsed));

  const Driver& api = context->use();
  std::string log(8192, '\0');
  int keys[] = {kCuJitErrorLogBuffer, kCuJitErrorLogBufferSizeBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CuModule handle = nullptr;
  if (const CuResult result = api.module_load(&handle, ptx.c_str(), 2, keys, values); result != kCuSuccess) {
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    while (!log.empty() && log.back() == '\n') log.pop_back();
    Error error =
        runtime_error("the driver can't load the module: " + api.describe(result) + (log.empty() ? "" : "\n" + log));
    error.file = name;
    return error;
  }
  std::unique_ptr<Module> module(new Module(context, handle));
  for (KernelInfo& info : kernel_infos(*parsed)) {
    CuFunction function = nullptr;
    WW_TRY(api.check(api.module_function(&function, handle, info.name.c_str()), "finding kernel " + info.name));
    int shared = 0;
    WW_TRY(
        api.check(api.function_attribute(&shared, kCuSharedSizeBytes, function), "asking about kernel " + info.name));
    info.static_shared_bytes = static_cast<uint32_t>(shared);
    module->kernels_.emplace_back(std::move(info), function);
  }
  return std::unique_ptr<DeviceModule>(std::move(module));
}

Module::~Module() {
  context_->use().module_unload(module_);
}

Result<DeviceKernel*> Module::kernel(std::string_view name) {
  for (Kernel& kernel : kernels_)
    if (kernel.info().name == name) return &kernel;
  Error error = usage_error("unknown entry", "See `warpwave check` for the entries of a module");
  error.found = "`" + std::string(name) + "`";
  for (const Kernel& kernel : kernels_)
    error.expected += (error.expected.empty() ? "one of " : ", ") + kernel.info().name;
  if (kernels_.empty()) error.expected = "a module with an entry";
  return error;
}

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_) names.push_back(kernel.info().name);
  return names;
}

Result<std::pair<DeviceAddress, uint64_t>> Module::global(std::string_view name) {
  const Driver& api = context_->use();
  CuPointer address = 0;
  size_t bytes = 0;
  if (const CuResult result = api.module_global(&address, &bytes, module_, std::string(name).c_str());
      result != kCuSuccess) {
    Error error = usage_error("no variable of this name in the module: " + api.describe(result));
    error.found = "`" + std::string(name) + "`";
    return error;
  }
  return std::pair<DeviceAddress, uint64_t>(address, bytes);
}

}  // namespace ww::nvidia
