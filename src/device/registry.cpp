// Finds back ends by device name. One row a back end: what its devices are called and how they are listed.
//
// The libraries lie in ../lib of the running program's folder, or in the folder that WARPWAVE_BACKENDS names. They stay
// open until the process ends: devices hold code of theirs.
#include "device/registry.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "device/host.h"

namespace ww {
namespace {

enum class Listing : uint8_t {
  kAsk,   // open the library and ask it
  kHost,  // runs wherever its library lies: opening it would load LLVM, which takes longer than the whole listing may
};

struct Row {
  const char* family;  // the device is called this, or this with ":N"
  Listing listing;
  const char* what;  // for kHost's description
  const Backend* backend = nullptr;
};

Row* rows() {
  static Row table[] = {
      {"cpu", Listing::kHost, ""},
      {"sim", Listing::kHost, "reference interpreter, "},
      {"nvidia", Listing::kAsk, ""},
      {nullptr, Listing::kAsk, ""},
  };
  return table;
}

std::mutex& table_lock() {
  static std::mutex lock;
  return lock;
}

std::filesystem::path library_folder() {
  if (const char* folder = std::getenv("WARPWAVE_BACKENDS"); folder != nullptr && *folder != 0) return folder;
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "lib";
}

std::filesystem::path library_path(const std::string& name) {
  return library_folder() / ("libwarpwave-" + name + ".so");
}
std::filesystem::path library_path(const Row& row) {
  return library_path(std::string(row.family));
}

Error missing_library(const Row& row) {
  Error error = runtime_error(std::string("the back end of device ") + row.family + " is missing",
                              "Build it (tools/build), or set WARPWAVE_BACKENDS to the folder that holds it");
  error.expected = library_path(row).string();
  return error;
}

// The back end's table, opening its library on first use.
Result<const Backend*> load(Row& row) {
  const std::lock_guard<std::mutex> guard(table_lock());
  if (row.backend != nullptr) return row.backend;
  std::error_code ignored;
  if (!std::filesystem::exists(library_path(row), ignored)) return missing_library(row);
  WW_ASSIGN(void* function, find_library_function(row.family, kBackendSymbol));
  row.backend = reinterpret_cast<BackendFunction>(function)();
  return row.backend;
}

DeviceStatus unavailable(const Row& row, const Error& error) {
  DeviceStatus status;
  status.name = row.family;
  status.reason = error.message;
  if (!error.expected.empty()) status.reason += " (expected " + error.expected + ")";
  status.fix = error.fix;
  return status;
}

bool belongs_to(std::string_view name, std::string_view family) {
  return name == family || (name.size() > family.size() && name.starts_with(family) && name[family.size()] == ':');
}

}  // namespace

Result<void*> find_library_function(const std::string& name, const char* symbol) {
  const std::filesystem::path path = library_path(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return runtime_error(
        "the library of " + name + " can't be opened: " + (reason != nullptr ? reason : "no reason given"),
        "Install the libraries that it names, or build it again (tools/build)");
  }
  void* function = dlsym(library, symbol);
  if (function == nullptr) {
    Error error = runtime_error("not a library of this warpwave", "Build it again (tools/build)");
    error.file = path.string();
    error.expected = std::string("a function ") + symbol;
    return error;
  }
  return function;
}

std::vector<DeviceStatus> list_devices() {
  std::vector<DeviceStatus> all;
  for (Row* row = rows(); row->family != nullptr; ++row) {
    if (row->listing == Listing::kHost) {
      std::error_code ignored;
      if (!std::filesystem::exists(library_path(*row), ignored)) {
        all.push_back(unavailable(*row, missing_library(*row)));
        continue;
      }
      DeviceStatus status;
      status.name = row->family;
      status.description = row->what + host_description();
      status.available = true;
      all.push_back(std::move(status));
      continue;
    }
    const auto backend = load(*row);
    if (!backend.ok()) {
      all.push_back(unavailable(*row, backend.error()));
      continue;
    }
    for (DeviceStatus& status : (*backend)->list()) all.push_back(std::move(status));
  }
  return all;
}

Result<std::unique_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options) {
  std::string known;
  for (Row* row = rows(); row->family != nullptr; ++row) {
    if (belongs_to(name, row->family)) {
      WW_ASSIGN(const Backend* backend, load(*row));
      return backend->open(name, options);
    }
    known += (known.empty() ? "" : ", ") + std::string(row->family);
  }
  Error error = usage_error("unknown device", "Run `warpwave devices` to see what can run here");
  error.found = "`" + name + "`";
  error.expected = "one of " + known;
  return error;
}

}  // namespace ww
