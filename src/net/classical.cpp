#include "net/classical.h"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "device/device.h"
#include "guest/classical/frame.h"
#include "net/guest_program.h"
#include "net/image_transfer.h"

namespace ww::net {
namespace {

static_assert(sizeof(ClassicalFrame) == 112, "the kernels' parameter has no padding");

uint32_t blocks(int pixels, int block) {
  return static_cast<uint32_t>((pixels + block - 1) / block);
}

class Classical : public Upscaler {
 public:
  Classical(std::string name, Device& device) : name_(std::move(name)), device_(device) {}

  std::string_view name() const override { return name_; }

  Status prepare(Size render, Size output) override {
    WW_TRY(load());
    if (render == render_ && output == output_) return {};
    render_ = output_ = {};
    has_history_ = false;
    WW_ASSIGN(color_, create_image(device_, render, 4, ChannelFormat::kF16));
    WW_ASSIGN(motion_, create_image(device_, render, 2, ChannelFormat::kF32));
    // taau reads the last frame's depth and result while it writes this one's; the others need one of each.
    for (size_t i = 0; i < slots(); ++i) {
      WW_ASSIGN(depth_[i], create_image(device_, render, 1, ChannelFormat::kF32));
      WW_ASSIGN(result_[i], create_image(device_, output, 4, ChannelFormat::kF32));
    }
    WW_ASSIGN(handles_.color, color_->texture({}));
    WW_ASSIGN(handles_.color_linear, color_->texture({.filter = Filter::kLinear}));
    WW_ASSIGN(handles_.motion, motion_->texture({}));
    render_ = render;
    output_ = output;
    return {};
  }

  Result<Image> upscale(const FrameInputs& inputs) override {
    WW_TRY(prepare(inputs.render, inputs.output));
    const size_t now = current_, before = slots() - 1 - current_;
    WW_TRY(upload_image(*color_, *inputs.color));
    WW_TRY(upload_image(*motion_, *inputs.motion));
    WW_TRY(upload_image(*depth_[now], *inputs.depth));
    WW_TRY(poison_image(*result_[now]));

    ClassicalFrame frame = handles_;
    WW_ASSIGN(frame.depth, depth_[now]->texture({}));
    WW_ASSIGN(frame.previous_depth, depth_[before]->texture({}));
    WW_ASSIGN(frame.history, result_[before]->texture({}));
    WW_ASSIGN(frame.target, result_[now]->surface());
    describe(inputs, frame);
    Launch launch;
    launch.grid = {blocks(output_.width, WW_CLASSICAL_BLOCK_X), blocks(output_.height, WW_CLASSICAL_BLOCK_Y), 1};
    launch.block = {WW_CLASSICAL_BLOCK_X, WW_CLASSICAL_BLOCK_Y, 1};
    launch.parameters = std::as_bytes(std::span(&frame, 1));
    WW_TRY(device_.launch(*kernel_, launch));
    WW_TRY(device_.synchronize());
    WW_ASSIGN(Image image, download_image(*result_[now], 3));
    has_history_ = true;
    current_ = before;
    return image;
  }

 private:
  size_t slots() const { return name_ == "taau" ? 2 : 1; }

  Status load() {
    if (kernel_ != nullptr) return {};
    WW_ASSIGN(module_, device_.load_module(std::string(guest_program(name_)), name_ + ".ptx"));
    WW_ASSIGN(kernel_, module_->kernel(name_));
    return {};
  }

  void describe(const FrameInputs& inputs, ClassicalFrame& frame) const {
    frame.render_width = render_.width;
    frame.render_height = render_.height;
    frame.output_width = output_.width;
    frame.output_height = output_.height;
    frame.scale_x = static_cast<float>(output_.width) / static_cast<float>(render_.width);
    frame.scale_y = static_cast<float>(output_.height) / static_cast<float>(render_.height);
    frame.jitter_x = inputs.jitter_x;
    frame.jitter_y = inputs.jitter_y;
    frame.exposure = inputs.exposure;
    frame.near = inputs.depth_convention.near;
    frame.far = inputs.depth_convention.far;
    frame.depth_kind = static_cast<int>(inputs.depth_convention.kind);
    frame.reset = inputs.reset || !has_history_ ? 1 : 0;
    frame.reserved = 0;
  }

  std::string name_;
  Device& device_;
  std::unique_ptr<DeviceModule> module_;
  DeviceKernel* kernel_ = nullptr;
  Size render_, output_;
  std::unique_ptr<DeviceImage> color_, motion_;
  std::array<std::unique_ptr<DeviceImage>, 2> depth_, result_;
  ClassicalFrame handles_{};
  size_t current_ = 0;
  bool has_history_ = false;
};

}  // namespace

Result<std::unique_ptr<Upscaler>> make_classical(std::string_view method, Device& device) {
  return std::unique_ptr<Upscaler>(std::make_unique<Classical>(std::string(method), device));
}

}  // namespace ww::net
