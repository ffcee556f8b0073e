// Any text as model.json: a model, or refused with a remedy. The text is read from a folder of this process, where the
// weights are a safetensors file without tensors; every builtin program is there. Seeds: tests/fuzz/net/seeds/model.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "net/guest_program.h"
#include "net/model.h"

namespace ww::net {
std::string_view guest_program(std::string_view name) {
  return name.empty() ? std::string_view() : std::string_view(".version 8.0\n.target sm_80\n.address_size 64\n");
}
}  // namespace ww::net

namespace {

struct Folder {
  Folder() {
    std::error_code ignored;
    path = (std::filesystem::exists("/dev/shm", ignored) ? "/dev/shm" : "/tmp") + std::string("/fuzz-net-model-") +
           std::to_string(getpid());
    std::filesystem::create_directory(path);
    write("weights.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  void write(const char* name, const std::string& text) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
  }
  std::string path;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  folder.write("model.json", std::string(reinterpret_cast<const char*>(data), size));
  const auto model = ww::net::load_model(folder.path + "/model.json");
  if (!model.ok() && (model.error().fix.empty() || model.error().to_string().empty())) std::abort();
  return 0;
}
