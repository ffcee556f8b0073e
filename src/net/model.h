// A model file: model.json says which kernels make up the network and how they are connected, a safetensors file beside
// it holds the weights. docs/network.md, "The model file", has every field. What is loaded here is checked: shapes of
// tensors, connections and the weights' hash all fit.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/safetensors.h"

namespace ww::net {

// The version of model.json that this program reads.
inline constexpr int kModelVersion = 1;

enum class LayerKind : uint8_t { kWindow, kExpand };
enum class Mixing : uint8_t { kPosition, kAttention };
enum class LoadKind : uint8_t { kSame, kFeatures, kMerge };

// One launch of the network, in order.
struct ModelLayer {
  std::string name;
  std::string kernel;
  LayerKind kind = LayerKind::kWindow;
  Mixing mixing = Mixing::kPosition;
  LoadKind load = LoadKind::kSame;
  bool head = false;  // the last layer: stores the head in place of tokens
  int channels = 0;
  int source_channels = 0;  // of the tokens it reads; those of the features for the first layer
  int input = -1;           // index of the layer whose tokens it reads; -1: the features
  int skip = -1;            // expand: index of the layer whose tokens are added
  int level = 0;            // its grid: 0 is one token per 2x2 output pixels, each further one halves it, rounding up
  int shift = 0;            // 0 or 4
  std::string weights;      // prefix of its tensors' names
};

struct Model {
  std::string path;  // of model.json, as the user gave it
  std::string ptx;   // PTX text of the kernels
  std::string ptx_name;
  std::vector<ModelLayer> layers;
  SafeTensors weights;

  // The tensor "PREFIX.NAME" of a layer; loading made sure that it is there. f16.
  const Tensor& tensor(const ModelLayer& layer, std::string_view name) const;
};

// Reads and checks a model. Errors (kInput) name file, line, column and field.
Result<Model> load_model(const std::string& path);

// Where the shipped model lies: models/upscaler/model.json in a folder above the program, or in
// share/warpwave beside its bin. Error (kInput): found nowhere.
Result<std::string> shipped_model_path();

}  // namespace ww::net
