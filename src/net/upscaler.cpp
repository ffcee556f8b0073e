#include "net/upscaler.h"

#include "net/classical.h"
#include "net/network.h"

namespace ww::net {
namespace {

using Factory = Result<std::unique_ptr<Upscaler>> (*)(std::string_view method, Device& device,
                                                      const UpscalerOptions& options);

struct Entry {
  std::string_view name;
  Factory make;
};

Result<std::unique_ptr<Upscaler>> classical(std::string_view method, Device& device, const UpscalerOptions&) {
  return make_classical(method, device);
}

constexpr Entry kUpscalers[] = {
    {"network", make_network},
    {"bilinear", classical},
    {"lanczos", classical},
    {"taau", classical},
};

}  // namespace

Result<std::unique_ptr<Upscaler>> make_upscaler(std::string_view method, Device& device,
                                                const UpscalerOptions& options) {
  std::string known;
  for (const Entry& entry : kUpscalers) {
    if (entry.name == method) return entry.make(method, device, options);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  Error error = usage_error("unknown upscaling method", "Choose one of them with --method");
  error.found = "'" + std::string(method) + "'";
  error.expected = "one of " + known;
  return error;
}

const std::vector<std::string>& upscaler_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kUpscalers) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

}  // namespace ww::net
