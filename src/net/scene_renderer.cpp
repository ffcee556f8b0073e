#include "net/scene_renderer.h"

#include <Imath/half.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "guest/scene/scene.h"
#include "net/guest_program.h"

namespace ww::net {

const float kSceneNear = scene::kNear, kSceneFar = scene::kFar;

namespace {

constexpr uint32_t kTileWidth = 16, kTileHeight = 8;  // scene.cu's blocks
constexpr uint32_t kJitterPhases = 32;

// The radical inverse of index in a base.
float halton(uint32_t index, uint32_t base) {
  double value = 0, digit = 1;
  for (; index > 0; index /= base) value += (digit /= base) * (index % base);
  return static_cast<float>(value);
}

// Rounds to `bits` stored bits of mantissa.
float rounded(float value, int bits) {
  const int drop = 23 - bits;
  const uint32_t word = std::bit_cast<uint32_t>(value) + (1u << (drop - 1));
  return std::bit_cast<float>(word & ~((1u << drop) - 1));
}

// Memory of the device that is freed with its owner.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (address_ != 0) (void)device_->free(address_);
  }
  Status allocate(Device& device, uint64_t bytes) {
    device_ = &device;
    WW_ASSIGN(address_, device.allocate(bytes));
    return {};
  }
  DeviceAddress address() const { return address_; }

 private:
  Device* device_ = nullptr;
  DeviceAddress address_ = 0;
};

// Planes one after the other, as kernels write them, to interleaved values.
Image interleave(const std::vector<float>& planes, Size size, int channels) {
  Image image(size.width, size.height, channels);
  const size_t pixels = static_cast<size_t>(size.pixels());
  for (int c = 0; c < channels; ++c)
    for (size_t i = 0; i < pixels; ++i) image.data[i * channels + c] = planes[c * pixels + i];
  return image;
}

class Renderer : public SceneRenderer {
 public:
  Renderer(Device& device, const SceneOptions& options, uint32_t family)
      : device_(device), options_(options), family_(family) {}

  Status prepare() {
    WW_ASSIGN(module_, device_.load_module(std::string(guest_program("scene")), "scene.ptx"));
    WW_ASSIGN(build_, module_->kernel("scene_build"));
    WW_ASSIGN(draw_, module_->kernel("scene_render"));
    WW_ASSIGN(refer_, module_->kernel("scene_reference"));
    const uint64_t pixels = options_.render.pixels();
    WW_TRY(request_.allocate(device_, sizeof(scene::Request)));
    WW_TRY(scene_.allocate(device_, sizeof(scene::Scene)));
    WW_TRY(info_.allocate(device_, sizeof(scene::Info)));
    WW_TRY(color_.allocate(device_, pixels * 3 * sizeof(uint16_t)));
    WW_TRY(depth_.allocate(device_, pixels * sizeof(float)));
    WW_TRY(motion_.allocate(device_, pixels * 2 * sizeof(float)));
    if (options_.samples > 0)
      WW_TRY(reference_.allocate(device_, uint64_t(options_.output.pixels()) * 3 * sizeof(uint16_t)));
    return {};
  }

  Result<SceneFrame> render(int index) override {
    const uint32_t phase = 1 + static_cast<uint32_t>(index) % kJitterPhases;
    SceneFrame frame;
    frame.jitter_x = halton(phase, 2) - 0.5f;
    frame.jitter_y = halton(phase, 3) - 0.5f;
    WW_TRY(build(index, frame));

    const Size render = options_.render, output = options_.output;
    WW_TRY(launch(*draw_, tiles(render), {kTileWidth, kTileHeight, 1}, scene_.address(), color_.address(),
                  depth_.address(), motion_.address(), uint32_t(render.width), uint32_t(render.height),
                  uint32_t(output.height), uint32_t{1}));
    WW_ASSIGN(frame.color, download_halves(color_, render));
    WW_ASSIGN(auto depth, download_floats(depth_, render, 1));
    WW_ASSIGN(auto motion, download_floats(motion_, render, 2));
    frame.depth = interleave(depth, render, 1);
    frame.motion = interleave(motion, render, 2);
    if (options_.samples > 0) {
      WW_TRY(launch(*refer_, tiles(output), {kTileWidth, kTileHeight, 1}, scene_.address(), reference_.address(),
                    uint32_t(output.width), uint32_t(output.height), options_.samples));
      WW_ASSIGN(frame.reference, download_halves(reference_, output));
    }
    return frame;
  }

 private:
  Status build(int index, SceneFrame& frame) {
    scene::Request request{};
    request.family = family_;
    request.seed = options_.seed;
    request.frame = index;
    request.flags = (options_.particles ? scene::kFlagParticles : 0u) | (options_.cuts ? scene::kFlagCuts : 0u) |
                    (options_.motion_errors ? scene::kFlagMotionErrors : 0u);
    request.window[2] = request.window[3] = request.crop = request.crop_y = 1.0f;
    request.jitter[0] = frame.jitter_x;
    request.jitter[1] = frame.jitter_y;
    request.aspect = static_cast<float>(options_.output.width) / static_cast<float>(options_.output.height);
    request.frame_step = 1;
    WW_TRY(device_.upload(request_.address(), std::as_bytes(std::span(&request, 1))));
    WW_TRY(launch(*build_, {}, {32, 1, 1}, request_.address(), scene_.address(), info_.address(), uint32_t{1}));
    scene::Info info{};
    WW_TRY(device_.download(std::as_writable_bytes(std::span(&info, 1)), info_.address()));
    frame.exposure = info.exposure;
    frame.fov_y = info.fov_y;
    frame.reset = info.reset != 0.0f || index == 0;
    return {};
  }

  static Dim3 tiles(Size size) {
    return {(uint32_t(size.width) + kTileWidth - 1) / kTileWidth,
            (uint32_t(size.height) + kTileHeight - 1) / kTileHeight, 1};
  }

  // Arguments in parameter order, as the kernel's own layout places them.
  template <typename... Arguments>
  Status launch(DeviceKernel& kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    const KernelInfo& info = kernel.info();
    if (info.parameter_offsets.size() != sizeof...(arguments))
      return runtime_error("kernel " + info.name + " does not have the parameters its launcher knows");
    std::vector<std::byte> parameters(info.parameter_bytes);
    size_t i = 0;
    ((std::memcpy(parameters.data() + info.parameter_offsets[i++], &arguments, sizeof(arguments))), ...);
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.parameters = parameters;
    WW_TRY(device_.launch(kernel, launch));
    return device_.synchronize();
  }

  Result<std::vector<float>> download_floats(const Buffer& buffer, Size size, int channels) {
    std::vector<float> values(static_cast<size_t>(size.pixels()) * channels);
    WW_TRY(device_.download(std::as_writable_bytes(std::span(values)), buffer.address()));
    return values;
  }

  Result<Image> download_halves(const Buffer& buffer, Size size) {
    std::vector<uint16_t> halves(static_cast<size_t>(size.pixels()) * 3);
    WW_TRY(device_.download(std::as_writable_bytes(std::span(halves)), buffer.address()));
    std::vector<float> values(halves.size());
    std::transform(halves.begin(), halves.end(), values.begin(), [](uint16_t bits) {
      Imath::half half;
      half.setBits(bits);
      return static_cast<float>(half);
    });
    return interleave(values, size, 3);
  }

  Device& device_;
  SceneOptions options_;
  uint32_t family_;
  std::unique_ptr<DeviceModule> module_;
  DeviceKernel *build_ = nullptr, *draw_ = nullptr, *refer_ = nullptr;
  Buffer request_, scene_, info_, color_, depth_, motion_, reference_;
};

}  // namespace

void make_compact(SceneFrame& frame) {
  for (Image* image : {&frame.color, &frame.reference})
    for (float& value : image->data) value = rounded(value, 8);
  for (float& value : frame.depth.data) value = rounded(value, 15);
  for (float& value : frame.motion.data) value = std::round(value * 1024.0f) / 1024.0f;
}

std::vector<std::string> scene_names() {
  return {std::begin(scene::kFamilyNames), std::end(scene::kFamilyNames)};
}

Result<uint32_t> scene_number(const std::string& name) {
  const std::vector<std::string> names = scene_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
  Error error = usage_error("unknown scene", "See docs/scene.md for what they are");
  error.found = "'" + name + "'";
  error.expected = "one of " + known;
  return error;
}

Result<std::unique_ptr<SceneRenderer>> SceneRenderer::make(Device& device, const SceneOptions& options) {
  WW_ASSIGN(const uint32_t family, scene_number(options.family));
  auto renderer = std::make_unique<Renderer>(device, options, family);
  WW_TRY(renderer->prepare());
  return std::unique_ptr<SceneRenderer>(std::move(renderer));
}

}  // namespace ww::net
