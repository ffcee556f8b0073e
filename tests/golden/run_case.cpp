#include "golden/run_case.h"

#include <cmath>
#include <cstdio>

#include "base/files.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

// A resource on the device; freed with the object.
class Live {
 public:
  explicit Live(Device& device) : device_(device) {}
  Live(Live&& other) noexcept
      : device_(other.device_), address_(other.address_), owned_(other.owned_), image_(std::move(other.image_)) {
    other.owned_ = false;
  }
  ~Live() {
    if (owned_) (void)device_.free(address_);
  }

  Status create(const Resource& resource, DeviceModule& module) {
    switch (resource.kind) {
      case Resource::Kind::kBuffer: {
        WW_ASSIGN(address_, device_.allocate(resource.contents.size()));
        owned_ = true;
        return device_.upload(address_, resource.contents);
      }
      case Resource::Kind::kImage: {
        WW_ASSIGN(image_, device_.create_image(resource.image));
        return image_->upload(resource.contents);
      }
      case Resource::Kind::kVariable: {
        WW_ASSIGN(const auto found, module.global(resource.variable));
        if (found.second != resource.contents.size()) {
          return runtime_error("variable " + resource.variable + " has " + std::to_string(found.second) +
                               " bytes, not " + std::to_string(resource.contents.size()));
        }
        address_ = found.first;
        return device_.upload(address_, resource.contents);
      }
    }
    return {};
  }

  Result<std::vector<std::byte>> contents(const Resource& resource) {
    std::vector<std::byte> bytes(resource.contents.size());
    WW_TRY(image_ != nullptr ? image_->download(bytes) : device_.download(bytes, address_));
    return bytes;
  }

  // The eight bytes that a kernel gets.
  Result<uint64_t> argument(const Argument& argument) {
    if (argument.kind == Argument::Kind::kTexture) return image_->texture(argument.sampler);
    if (argument.kind == Argument::Kind::kSurface) return image_->surface();
    return address_ + argument.offset;
  }

 private:
  Device& device_;
  DeviceAddress address_ = 0;
  bool owned_ = false;
  std::unique_ptr<DeviceImage> image_;
};

Status run_step(Device& device, DeviceModule& module, const Step& step, std::vector<Live>& resources) {
  WW_ASSIGN(DeviceKernel * kernel, module.kernel(step.entry));
  const KernelInfo& info = kernel->info();
  if (info.parameter_sizes.size() != step.arguments.size()) {
    return runtime_error("kernel " + step.entry + " has " + std::to_string(info.parameter_sizes.size()) +
                         " parameters; the case gives " + std::to_string(step.arguments.size()));
  }
  std::vector<std::byte> block(info.parameter_bytes);
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const Argument& argument = step.arguments[i];
    std::vector<std::byte> value = argument.value;
    if (argument.kind != Argument::Kind::kValue) {
      WW_ASSIGN(const uint64_t word, resources[argument.resource].argument(argument));
      value.resize(sizeof word);
      std::memcpy(value.data(), &word, sizeof word);
    }
    if (value.size() != info.parameter_sizes[i]) {
      return runtime_error("parameter " + std::to_string(i) + " of kernel " + step.entry + " has " +
                           std::to_string(info.parameter_sizes[i]) + " bytes; the case gives " +
                           std::to_string(value.size()));
    }
    std::memcpy(block.data() + info.parameter_offsets[i], value.data(), value.size());
  }
  Launch launch;
  launch.grid = step.grid;
  launch.block = step.block;
  launch.dynamic_shared_bytes = step.shared_bytes;
  launch.parameters = block;
  WW_TRY(device.launch(*kernel, launch));
  return device.synchronize();
}

// One element as a number; NaN included.
double element(Comparison::Kind kind, const std::byte* at) {
  if (kind == Comparison::Kind::kF16) {
    uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return half_to_float(bits);
  }
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool close_enough(const Comparison& comparison, double ours, double recorded) {
  if (std::isnan(ours) || std::isnan(recorded)) return std::isnan(ours) && std::isnan(recorded);
  if (std::isinf(ours) || std::isinf(recorded)) return ours == recorded;
  return std::fabs(ours - recorded) <= comparison.absolute + comparison.relative * std::fabs(recorded);
}

}  // namespace

Result<std::string> read_ptx(const PtxFolders& folders, const std::string& module) {
  const bool in_data = module.find('/') != std::string::npos;
  WW_ASSIGN(const std::vector<uint8_t> bytes,
            read_file((in_data ? folders.data : folders.guest) + "/" + module + ".ptx"));
  return std::string(bytes.begin(), bytes.end());
}

Result<Outputs> run_case(Device& device, const GoldenCase& golden, const std::string& ptx) {
  WW_ASSIGN(std::unique_ptr<DeviceModule> module, device.load_module(ptx, golden.module + ".ptx"));
  return run_case(device, *module, golden);
}

Result<Outputs> run_case(Device& device, DeviceModule& module, const GoldenCase& golden) {
  std::vector<Live> live;
  live.reserve(golden.resources.size());
  for (const Resource& resource : golden.resources) {
    live.emplace_back(device);
    WW_TRY(live.back().create(resource, module));
  }
  for (const Step& step : golden.steps) WW_TRY(run_step(device, module, step, live));
  Outputs outputs;
  for (size_t i = 0; i < live.size(); ++i) {
    if (!golden.resources[i].is_output) continue;
    WW_ASSIGN(std::vector<std::byte> bytes, live[i].contents(golden.resources[i]));
    outputs.push_back(std::move(bytes));
  }
  return outputs;
}

std::string first_difference(const Comparison& comparison, const std::vector<std::byte>& ours,
                             const std::vector<std::byte>& recorded) {
  if (ours.size() != recorded.size()) {
    return std::to_string(ours.size()) + " bytes, recorded " + std::to_string(recorded.size());
  }
  char text[160];
  if (comparison.kind == Comparison::Kind::kBits) {
    size_t different = 0;
    size_t first = 0;
    for (size_t i = ours.size(); i-- > 0;) {
      if (ours[i] == recorded[i]) continue;
      ++different;
      first = i;
    }
    if (different == 0) return {};
    const size_t word = first / 4 * 4;
    uint32_t a = 0;
    uint32_t b = 0;
    std::memcpy(&a, ours.data() + word, std::min<size_t>(4, ours.size() - word));
    std::memcpy(&b, recorded.data() + word, std::min<size_t>(4, ours.size() - word));
    std::snprintf(text, sizeof text, "%zu bytes differ, the first in word %zu: %08x, recorded %08x", different,
                  word / 4, a, b);
    return text;
  }
  const size_t size = comparison.kind == Comparison::Kind::kF16 ? 2 : 4;
  for (size_t i = 0; i + size <= ours.size(); i += size) {
    const double a = element(comparison.kind, ours.data() + i);
    const double b = element(comparison.kind, recorded.data() + i);
    if (close_enough(comparison, a, b)) continue;
    std::snprintf(text, sizeof text, "element %zu: %.9g, recorded %.9g, allowed %.3g + %.3g of it", i / size, a, b,
                  comparison.absolute, comparison.relative);
    return text;
  }
  return {};
}

}  // namespace ww::golden
