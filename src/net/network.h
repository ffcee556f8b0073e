// The upscaling network as an Upscaler: a model's kernels and weights on a device, the buffers of one pair of sizes,
// and the history of one sequence. docs/network.md is the reference of what a frame does.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "device/device_buffer.h"
#include "guest/network/frame.h"
#include "net/model.h"
#include "net/upscaler.h"

namespace ww::net {

class Network : public Upscaler {
 public:
  // Loads the model's kernels into the device and its weights, in fragment order, into the device's memory. The device
  // must outlive the network. Errors: those of the device, and kInput where the model names a kernel that its PTX
  // lacks.
  static Result<std::unique_ptr<Network>> create(Device& device, Model model);

  std::string_view name() const override { return "network"; }
  Status prepare(Size render, Size output) override;
  Result<Image> upscale(const FrameInputs& inputs) override;
  // "ingest", a layer's name, or "reconstruct".
  std::string suspect_pass() override;

  // Forgets the history; builds nothing anew.
  void reset() { has_history_ = false; }

  const Model& model() const { return model_; }

  // For tests and measurements, after a frame. Tokens of layer `index` as stored (f16 bits, row-major tokens of
  // `channels`); the last layer gives the head. features(): 80 a token.
  Result<std::vector<uint16_t>> tokens(size_t index);
  Result<std::vector<uint16_t>> features();

 private:
  // A layer's kernel, weights on the device and, once sizes are known, parameters and grid.
  struct Stage {
    DeviceKernel* kernel = nullptr;
    std::vector<DeviceBuffer> weights;
    NetworkLayer parameters{};
    Dim3 grid;
    DeviceBuffer output;
    uint64_t output_halves = 0;
  };

  Network(Device& device, Model model) : device_(device), model_(std::move(model)) {}

  Status load_kernels();
  Status load_weights(const ModelLayer& layer, Stage& stage);
  Status place_layers();
  void describe(const FrameInputs& inputs, NetworkFrame& frame) const;
  Status launch(DeviceKernel& kernel, Dim3 grid, Dim3 block, std::span<const std::byte> parameters);

  Device& device_;
  Model model_;
  std::unique_ptr<DeviceModule> module_;
  DeviceKernel* ingest_ = nullptr;
  DeviceKernel* reconstruct_ = nullptr;
  std::vector<Stage> stages_;

  Size render_, output_, tokens_;
  std::unique_ptr<DeviceImage> color_, depth_, motion_, target_;
  // What the frame before left and what this one leaves, in turns.
  std::array<std::unique_ptr<DeviceImage>, 2> history_;
  std::array<DeviceBuffer, 2> latents_, token_depth_;
  DeviceBuffer features_, warped_;
  size_t current_ = 0;
  bool has_history_ = false;
  float last_exposure_ = 1.0f;
};

// The network with the model at options.model, or with the shipped one.
Result<std::unique_ptr<Upscaler>> make_network(std::string_view method, Device& device, const UpscalerOptions& options);

}  // namespace ww::net
