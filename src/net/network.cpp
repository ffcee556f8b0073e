#include "net/network.h"

#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "base/float_formats.h"
#include "net/fragments.h"
#include "net/image_transfer.h"

namespace ww::net {
namespace {

static_assert(sizeof(NetworkFrame) == 13 * 8 + 16 * 4, "the kernels' parameter has no padding");
static_assert(sizeof(NetworkLayer) == 12 * 8 + 6 * 4, "the kernels' parameter has no padding");

uint32_t blocks(int items, int block) {
  return static_cast<uint32_t>((items + block - 1) / block);
}

// The grid of a level: halved, rounding up, once a level.
Size grid_of_level(Size size, int level) {
  for (; level > 0; --level) size = {(size.width + 1) / 2, (size.height + 1) / 2};
  return size;
}

// A tensor's halves as a matrix of `columns` columns.
HalfMatrix matrix(const Tensor& tensor, int columns) {
  return {{reinterpret_cast<const uint16_t*>(tensor.bytes.data()), tensor.bytes.size() / 2},
          static_cast<int>(tensor.elements()) / columns,
          columns};
}

// A bias as floats, padded with zeros to a multiple of 16.
std::vector<float> floats(const Tensor& tensor) {
  const HalfMatrix halves = matrix(tensor, 1);
  std::vector<float> out((static_cast<size_t>(halves.rows) + 15) / 16 * 16, 0.0f);
  for (int i = 0; i < halves.rows; ++i) out[static_cast<size_t>(i)] = f16_to_f32(halves.at(i, 0));
  return out;
}

template <typename T>
Status keep(Device& device, const std::vector<T>& values, std::vector<DeviceBuffer>& owners,
            unsigned long long& address) {
  WW_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create_from(device, std::span<const T>(values)));
  address = buffer.address();
  owners.push_back(std::move(buffer));
  return {};
}

// Kernel names are the model's: one that its PTX lacks is the model's fault, not the caller's.
Result<DeviceKernel*> find_kernel(DeviceModule& module, const std::string& name, const Model& model) {
  Result<DeviceKernel*> kernel = module.kernel(name);
  if (kernel.ok()) return kernel;
  Error error = input_error(model.path, "the model's PTX has no kernel '" + name + "'",
                            "Use a model that was made for this version of the kernels");
  error.found = model.ptx_name;
  return error;
}

}  // namespace

Result<std::unique_ptr<Network>> Network::create(Device& device, Model model) {
  std::unique_ptr<Network> network(new Network(device, std::move(model)));
  WW_TRY(network->load_kernels());
  return network;
}

Status Network::load_kernels() {
  Result<std::unique_ptr<DeviceModule>> loaded = device_.load_module(model_.ptx, model_.ptx_name);
  if (!loaded.ok()) {
    Error error = std::move(loaded.error());
    if (error.fix.empty()) error.fix = "Correct the model's PTX there, or use the shipped model";
    return error;
  }
  module_ = std::move(*loaded);
  WW_ASSIGN(ingest_, find_kernel(*module_, "network_ingest", model_));
  WW_ASSIGN(reconstruct_, find_kernel(*module_, "network_reconstruct", model_));
  for (const ModelLayer& layer : model_.layers) {
    Stage stage;
    WW_ASSIGN(stage.kernel, find_kernel(*module_, layer.kernel, model_));
    WW_TRY(load_weights(layer, stage));
    stages_.push_back(std::move(stage));
  }
  return {};
}

Status Network::load_weights(const ModelLayer& layer, Stage& stage) {
  NetworkLayer& p = stage.parameters;
  const int c = layer.channels;
  // A layer's own weights [outputs, inputs] as right operands.
  const auto right = [&](std::string_view name, int inputs, unsigned long long& address) {
    return keep(device_, right_fragments(matrix(model_.tensor(layer, name), inputs)), stage.weights, address);
  };
  if (layer.kind == LayerKind::kExpand) return right("load", layer.source_channels, p.load);
  if (layer.load == LoadKind::kFeatures) WW_TRY(right("load", layer.source_channels, p.load));
  if (layer.load == LoadKind::kMerge) WW_TRY(right("load", 4 * layer.source_channels, p.load));
  if (layer.mixing == Mixing::kPosition) {
    WW_TRY(keep(device_, left_fragments(matrix(model_.tensor(layer, "mix"), 64)), stage.weights, p.mix));
  } else {
    WW_TRY(right("qkv", c, p.mix));
    WW_TRY(keep(device_, accumulator_fragments(matrix(model_.tensor(layer, "bias"), 64)), stage.weights, p.bias));
  }
  WW_TRY(right("proj", c, p.proj));
  WW_TRY(right("up", c, p.up));
  WW_TRY(keep(device_, floats(model_.tensor(layer, "up_bias")), stage.weights, p.up_bias));
  WW_TRY(right("down", 4 * c, p.down));
  if (layer.head) {
    WW_TRY(right("head", c, p.head));
    WW_TRY(keep(device_, floats(model_.tensor(layer, "head_bias")), stage.weights, p.head_bias));
  }
  return {};
}

Status Network::prepare(Size render, Size output) {
  if (render == render_ && output == output_) return {};
  render_ = output_ = {};
  has_history_ = false;
  tokens_ = {(output.width + 1) / 2, (output.height + 1) / 2};
  WW_ASSIGN(color_, create_image(device_, render, 4, ChannelFormat::kF16));
  WW_ASSIGN(depth_, create_image(device_, render, 1, ChannelFormat::kF32));
  WW_ASSIGN(motion_, create_image(device_, render, 2, ChannelFormat::kF32));
  WW_ASSIGN(target_, create_image(device_, output, 4, ChannelFormat::kF32));
  const auto count = static_cast<uint64_t>(tokens_.pixels());
  for (size_t i = 0; i < 2; ++i) {
    WW_ASSIGN(history_[i], create_image(device_, output, 4, ChannelFormat::kF16));
    WW_ASSIGN(latents_[i], DeviceBuffer::create(device_, count * WW_NETWORK_LATENTS * 2));
    WW_ASSIGN(token_depth_[i], DeviceBuffer::create(device_, count * 4));
  }
  WW_ASSIGN(features_, DeviceBuffer::create(device_, count * WW_NETWORK_FEATURES * 2));
  WW_ASSIGN(warped_, DeviceBuffer::create(device_, count * 32));
  WW_TRY(place_layers());
  render_ = render;
  output_ = output;
  return {};
}

Status Network::place_layers() {
  for (size_t i = 0; i < stages_.size(); ++i) {
    const ModelLayer& layer = model_.layers[i];
    Stage& stage = stages_[i];
    NetworkLayer& p = stage.parameters;
    const auto at = [](int index) { return static_cast<size_t>(index); };
    const Size own = grid_of_level(tokens_, layer.level);
    const Size source = layer.input < 0 ? own : grid_of_level(tokens_, model_.layers[at(layer.input)].level);
    const int columns = layer.head ? WW_NETWORK_HEAD : layer.channels;
    stage.output_halves = static_cast<uint64_t>(own.pixels()) * static_cast<uint64_t>(columns);
    WW_ASSIGN(stage.output, DeviceBuffer::create(device_, stage.output_halves * 2));
    p.input = layer.input < 0 ? features_.address() : stages_[at(layer.input)].output.address();
    p.skip = layer.skip < 0 ? 0 : stages_[at(layer.skip)].output.address();
    p.output = stage.output.address();
    p.width = own.width;
    p.height = own.height;
    p.source_width = source.width;
    p.source_height = source.height;
    p.shift = layer.shift;
    if (layer.kind == LayerKind::kExpand) {
      stage.grid = {static_cast<uint32_t>((source.pixels() + 63) / 64), 1, 1};
    } else {
      stage.grid = {blocks(own.width + layer.shift, WW_NETWORK_WINDOW),
                    blocks(own.height + layer.shift, WW_NETWORK_WINDOW), 1};
    }
  }
  return {};
}

void Network::describe(const FrameInputs& inputs, NetworkFrame& frame) const {
  frame.render_width = render_.width;
  frame.render_height = render_.height;
  frame.output_width = output_.width;
  frame.output_height = output_.height;
  frame.token_width = tokens_.width;
  frame.token_height = tokens_.height;
  frame.step_x = static_cast<float>(render_.width) / static_cast<float>(output_.width);
  frame.step_y = static_cast<float>(render_.height) / static_cast<float>(output_.height);
  frame.jitter_x = inputs.jitter_x;
  frame.jitter_y = inputs.jitter_y;
  frame.exposure = inputs.exposure;
  frame.has_history = has_history_ && !inputs.reset ? 1 : 0;
  frame.exposure_ratio = frame.has_history != 0 ? inputs.exposure / last_exposure_ : 1.0f;
  const DepthConvention& depth = inputs.depth_convention;
  frame.inverse_near = 1.0f / depth.near;
  frame.inverse_far = std::isinf(depth.far) ? 0.0f : 1.0f / depth.far;
  frame.depth_kind = static_cast<int>(depth.kind);
}

Status Network::launch(DeviceKernel& kernel, Dim3 grid, Dim3 block, std::span<const std::byte> parameters) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.parameters = parameters;
  return device_.launch(kernel, launch);
}

Result<Image> Network::upscale(const FrameInputs& inputs) {
  WW_TRY(prepare(inputs.render, inputs.output));
  const size_t now = current_, before = 1 - current_;
  WW_TRY(upload_image(*color_, *inputs.color));
  WW_TRY(upload_image(*depth_, *inputs.depth));
  WW_TRY(upload_image(*motion_, *inputs.motion));
  WW_TRY(poison_image(*target_));

  NetworkFrame frame{};
  WW_ASSIGN(frame.color, color_->texture({}));
  WW_ASSIGN(frame.depth, depth_->texture({}));
  WW_ASSIGN(frame.motion, motion_->texture({}));
  WW_ASSIGN(frame.history, history_[before]->texture({}));
  WW_ASSIGN(frame.next_history, history_[now]->surface());
  WW_ASSIGN(frame.target, target_->surface());
  frame.features = features_.address();
  frame.warped = warped_.address();
  frame.head = stages_.back().output.address();
  frame.latents = latents_[before].address();
  frame.next_latents = latents_[now].address();
  frame.token_depth = token_depth_[before].address();
  frame.next_token_depth = token_depth_[now].address();
  describe(inputs, frame);

  const Dim3 token_block = {WW_NETWORK_BLOCK_X, WW_NETWORK_BLOCK_Y, 1};
  const Dim3 token_grid = {blocks(tokens_.width, WW_NETWORK_BLOCK_X), blocks(tokens_.height, WW_NETWORK_BLOCK_Y), 1};
  const auto frame_bytes = std::as_bytes(std::span(&frame, 1));
  WW_TRY(launch(*ingest_, token_grid, token_block, frame_bytes));
  for (Stage& stage : stages_)
    WW_TRY(launch(*stage.kernel, stage.grid, {WW_NETWORK_LAYER_THREADS, 1, 1},
                  std::as_bytes(std::span(&stage.parameters, 1))));
  WW_TRY(launch(*reconstruct_, token_grid, token_block, frame_bytes));
  WW_TRY(device_.synchronize());
  WW_ASSIGN(Image image, download_image(*target_, 3));
  has_history_ = true;
  last_exposure_ = inputs.exposure;
  current_ = before;
  return image;
}

Result<std::vector<uint16_t>> Network::tokens(size_t index) {
  std::vector<uint16_t> halves(stages_[index].output_halves);
  WW_TRY(device_.download(std::as_writable_bytes(std::span(halves)), stages_[index].output.address()));
  return halves;
}

Result<std::vector<uint16_t>> Network::features() {
  std::vector<uint16_t> halves(static_cast<size_t>(tokens_.pixels()) * WW_NETWORK_FEATURES);
  WW_TRY(device_.download(std::as_writable_bytes(std::span(halves)), features_.address()));
  return halves;
}

namespace {

// Halves that no working pass leaves: one that is not finite, or the same everywhere.
bool looks_broken(const std::vector<uint16_t>& halves) {
  constexpr uint16_t kExponent = 0x7c00;
  bool constant = true;
  for (const uint16_t half : halves) {
    if ((half & kExponent) == kExponent) return true;
    constant = constant && half == halves[0];
  }
  return constant;
}

}  // namespace

std::string Network::suspect_pass() {
  const auto first = features();
  if (!first.ok() || looks_broken(*first)) return "ingest";
  for (size_t i = 0; i < stages_.size(); ++i) {
    const auto halves = tokens(i);
    if (!halves.ok() || looks_broken(*halves)) return model_.layers[i].name;
  }
  return "reconstruct";
}

Result<std::unique_ptr<Upscaler>> make_network(std::string_view, Device& device, const UpscalerOptions& options) {
  std::string path = options.model;
  if (path.empty()) {
    WW_ASSIGN(path, shipped_model_path());
  }
  WW_ASSIGN(Model model, load_model(path));
  WW_ASSIGN(std::unique_ptr<Network> network, Network::create(device, std::move(model)));
  return std::unique_ptr<Upscaler>(std::move(network));
}

}  // namespace ww::net
