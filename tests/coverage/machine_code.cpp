#include "coverage/machine_code.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>

#include "base/files.h"
#include "nvidia/driver_api.h"

namespace ww::coverage {
namespace {

using namespace nvidia;

// The entry points that running a module needs, from the library that the device has opened.
struct Entries {
  CuResult (*load)(CuModule* module, const void* image) = nullptr;
  CuResult (*unload)(CuModule module) = nullptr;
  CuResult (*function)(CuFunction* function, CuModule module, const char* name) = nullptr;
  CuResult (*launch)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                     unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void** parameters,
                     void** extra) = nullptr;
};

Result<Entries> entries() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return runtime_error("no NVIDIA driver to run machine code with");
  Entries entries;
  entries.load = reinterpret_cast<decltype(entries.load)>(dlsym(library, "cuModuleLoadData"));
  entries.unload = reinterpret_cast<decltype(entries.unload)>(dlsym(library, "cuModuleUnload"));
  entries.function = reinterpret_cast<decltype(entries.function)>(dlsym(library, "cuModuleGetFunction"));
  entries.launch = reinterpret_cast<decltype(entries.launch)>(dlsym(library, "cuLaunchKernel"));
  if (!entries.load || !entries.unload || !entries.function || !entries.launch)
    return runtime_error("NVIDIA's driver lacks an entry point");
  return entries;
}

Status check(CuResult result, const char* what) {
  if (result == kCuSuccess) return {};
  return runtime_error(std::string(what) + " failed: CUDA error " + std::to_string(result));
}

}  // namespace

Status assemble(const std::string& assembler, const std::string& text, const std::string& machine_code_file) {
  const std::string source = machine_code_file + ".ptx";
  WW_TRY(write_file(source, text));
  std::string words[] = {assembler, "-arch=sm_90", source, "-o", machine_code_file};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
  pid_t child = 0;
  int status = 0;
  const bool ended = posix_spawn(&child, assembler.c_str(), nullptr, nullptr, arguments, environ) == 0 &&
                     waitpid(child, &status, 0) == child;
  std::remove(source.c_str());
  if (!ended) return runtime_error("can't run " + assembler, "Give the path of NVIDIA's ptxas");
  if (status != 0) return runtime_error(assembler + " made no code of it");
  return {};
}

Status assemble(const std::string& assembler, const FormKernel& form, const std::string& machine_code_file) {
  return assemble(assembler, module_text(form), machine_code_file);
}

Result<std::unique_ptr<MachineCode>> MachineCode::load(const std::string& machine_code_file) {
  WW_ASSIGN(const Entries api, entries());
  WW_ASSIGN(const std::vector<uint8_t> image, read_file(machine_code_file));
  CuModule module = nullptr;
  WW_TRY(check(api.load(&module, image.data()), "loading machine code"));
  std::unique_ptr<MachineCode> loaded(new MachineCode());
  loaded->module_ = module;
  return loaded;
}

MachineCode::~MachineCode() {
  if (const auto api = entries(); api.ok()) api->unload(static_cast<CuModule>(module_));
}

Status MachineCode::launch(const std::string& kernel, const Launch& launch) {
  WW_ASSIGN(const Entries api, entries());
  CuFunction function = nullptr;
  WW_TRY(check(api.function(&function, static_cast<CuModule>(module_), kernel.c_str()), "finding the kernel"));
  std::vector<std::byte> parameters(launch.parameters.begin(), launch.parameters.end());
  size_t bytes = parameters.size();
  void* extra[] = {kCuLaunchParamBufferPointer, parameters.data(), kCuLaunchParamBufferSize, &bytes, kCuLaunchParamEnd};
  return check(api.launch(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                          launch.block.z, 0, nullptr, nullptr, extra),
               "launching");
}

Result<Results> run_machine_code(Device& device, const FormKernel& form, const std::string& machine_code_file) {
  WW_ASSIGN(const FormMemory memory, FormMemory::create(device, form));
  WW_ASSIGN(const auto module, MachineCode::load(machine_code_file));
  Launch launch;
  launch.grid = {kThreads / kBlock};
  launch.block = {kBlock};
  launch.parameters = std::as_bytes(std::span(memory.parameters));
  WW_TRY(module->launch(form.kernel.name, launch));
  return memory.results(device, form);
}

}  // namespace ww::coverage
