#include "nvidia/driver.h"

#include <dlfcn.h>

namespace ww::nvidia {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";
constexpr char kNoDriverFix[] = "Install NVIDIA's driver if there is such a GPU here, or use --device cpu";

Result<Driver> open_driver() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return runtime_error("no NVIDIA driver: " + std::string(reason != nullptr ? reason : kLibrary), kNoDriverFix);
  }
  Driver driver;
#define WW_CU_LOAD(member, symbol, ...)                                                                \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));                   \
  if (driver.member == nullptr) {                                                                      \
    return runtime_error(std::string("the NVIDIA driver is too old: ") + kLibrary + " has no " symbol, \
                         "Install a driver of CUDA 12 or newer");                                      \
  }
  WW_CU_FUNCTIONS(WW_CU_LOAD)
#undef WW_CU_LOAD
  if (const CuResult result = driver.init(0); result != kCuSuccess) {
    return runtime_error(
        "the NVIDIA driver can't start: " + driver.describe(result),
        result == kCuNoDevice ? kNoDriverFix : "Check that the driver's kernel module is loaded and may be opened");
  }
  if (driver.driver_version(&driver.version) != kCuSuccess) driver.version = 0;
  return driver;
}

}  // namespace

std::string Driver::describe(CuResult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  std::string description = error_name(result, &name) == kCuSuccess && name != nullptr ? name : "CUDA error";
  description += " (" + std::to_string(result) + ")";
  if (error_string(result, &text) == kCuSuccess && text != nullptr) description += std::string(": ") + text;
  return description;
}

Status Driver::check(CuResult result, const std::string& what) const {
  if (result == kCuSuccess) return {};
  return runtime_error(what + " failed: " + describe(result));
}

Result<const Driver*> driver() {
  static const Result<Driver> opened = open_driver();
  if (!opened.ok()) return opened.error();
  return &opened.value();
}

}  // namespace ww::nvidia
