#include "net/model.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/sha256.h"
#include "frame/json_position.h"
#include "guest/network/frame.h"
#include "net/guest_program.h"

namespace ww::net {
namespace {

using Json = nlohmann::json;
using frame::JsonPath;

constexpr uint64_t kMaxDescriptionBytes = 1 << 20;
constexpr size_t kMaxLayers = 256;
constexpr int kMaxLevel = 8;
constexpr std::string_view kBuiltin = "builtin:";

// The document with what messages need.
struct Document {
  Json json;
  std::string file;
  std::string text;

  Error error(const JsonPath& path, const std::string& what, std::string expected) const {
    Error error = input_error(file, "field '" + frame::path_text(path) + "' " + what,
                              "Export the model again with train/export.py, or use the shipped one");
    const frame::TextPosition position = frame::json_position(text, path);
    error.line = position.line;
    error.column = position.column;
    error.expected = std::move(expected);
    return error;
  }
  // The member of an object at `path`, or null.
  static const Json* member(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
  }
  Result<int> integer(const Json& object, JsonPath path, const char* name, int least, int most) const {
    path.push_back({name, 0});
    const std::string expected = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    const Json* value = member(object, name);
    if (value == nullptr || !value->is_number_integer()) return error(path, "is missing or no whole number", expected);
    if (value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(most))
      return error(path, "is out of range", expected);
    const int64_t number = value->get<int64_t>();
    if (number < least || number > most) return error(path, "is out of range", expected);
    return static_cast<int>(number);
  }
  Result<std::string> string(const Json& object, JsonPath path, const char* name) const {
    path.push_back({name, 0});
    const Json* value = member(object, name);
    if (value == nullptr || !value->is_string()) return error(path, "is missing or no text", "a text");
    return value->get<std::string>();
  }
};

template <typename T, size_t N>
Result<T> choose(const Document& d, const Json& object, JsonPath path, const char* name,
                 const std::array<std::pair<std::string_view, T>, N>& choices) {
  WW_ASSIGN(const std::string text, d.string(object, path, name));
  std::string known;
  for (const auto& [word, value] : choices) {
    if (word == text) return value;
    known += (known.empty() ? "'" : ", '") + std::string(word) + "'";
  }
  path.push_back({name, 0});
  Error error = d.error(path, "is unknown", "one of " + known);
  error.found = "'" + text.substr(0, 60) + "'";
  return error;
}

constexpr std::array<std::pair<std::string_view, LayerKind>, 2> kKinds = {
    {{"window", LayerKind::kWindow}, {"expand", LayerKind::kExpand}}};
constexpr std::array<std::pair<std::string_view, Mixing>, 2> kMixings = {
    {{"position", Mixing::kPosition}, {"attention", Mixing::kAttention}}};
constexpr std::array<std::pair<std::string_view, LoadKind>, 3> kLoads = {
    {{"same", LoadKind::kSame}, {"features", LoadKind::kFeatures}, {"merge", LoadKind::kMerge}}};

// Index of an earlier layer by name, or nothing.
std::optional<int> earlier(const std::vector<ModelLayer>& layers, const std::string& name) {
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}

Status connect(const Document& d, const Json& json, const JsonPath& path, const std::vector<ModelLayer>& layers,
               ModelLayer& layer) {
  WW_ASSIGN(const std::string input, d.string(json, path, "input"));
  JsonPath at = path;
  at.push_back({"input", 0});
  if (layer.load == LoadKind::kFeatures && layer.kind == LayerKind::kWindow) {
    if (input != "features") return d.error(at, "is not the features", "'features' with load 'features'");
    layer.source_channels = WW_NETWORK_FEATURES;
    return {};
  }
  const std::optional<int> index = earlier(layers, input);
  if (!index || layers[static_cast<size_t>(*index)].head)
    return d.error(at, "names no earlier layer with tokens", "the name of one");
  const ModelLayer& source = layers[static_cast<size_t>(*index)];
  layer.input = *index;
  layer.source_channels = source.channels;
  layer.level = source.level + (layer.load == LoadKind::kMerge ? 1 : 0);
  if (layer.level > kMaxLevel) return d.error(at, "leads to too coarse a grid", "at most 8 merges");
  if (layer.kind == LayerKind::kWindow) {
    if (layer.load == LoadKind::kSame && source.channels != layer.channels)
      return d.error(at, "has other channels", std::to_string(layer.channels) + " channels");
    return {};
  }
  WW_ASSIGN(const std::string skip, d.string(json, path, "skip"));
  at.back().name = "skip";
  const std::optional<int> added = earlier(layers, skip);
  if (!added || layers[static_cast<size_t>(*added)].head ||
      layers[static_cast<size_t>(*added)].channels != layer.channels ||
      layers[static_cast<size_t>(*added)].level + 1 != source.level)
    return d.error(at, "names no layer that fits",
                   "an earlier layer with as many channels, one level finer than the input");
  layer.skip = *added;
  layer.level = source.level - 1;
  return {};
}

Result<ModelLayer> read_layer(const Document& d, const Json& json, const JsonPath& path,
                              const std::vector<ModelLayer>& layers) {
  if (!json.is_object()) return d.error(path, "is not an object", "a layer");
  ModelLayer layer;
  WW_ASSIGN(layer.name, d.string(json, path, "name"));
  JsonPath at = path;
  at.push_back({"name", 0});
  if (layer.name == "features" || earlier(layers, layer.name))
    return d.error(at, "is used already", "a name of its own");
  WW_ASSIGN(layer.kernel, d.string(json, path, "kernel"));
  WW_ASSIGN(layer.weights, d.string(json, path, "weights"));
  WW_ASSIGN(layer.kind, choose(d, json, path, "kind", kKinds));
  WW_ASSIGN(layer.channels, d.integer(json, path, "channels", 32, 1024));
  at.back().name = "channels";
  if (layer.channels % 32 != 0) return d.error(at, "is no multiple of 32", "a multiple of 32");
  if (layer.kind == LayerKind::kWindow) {
    WW_ASSIGN(layer.mixing, choose(d, json, path, "mixing", kMixings));
    WW_ASSIGN(layer.load, choose(d, json, path, "load", kLoads));
    WW_ASSIGN(layer.shift, d.integer(json, path, "shift", 0, WW_NETWORK_WINDOW - 1));
    if (const Json* head = Document::member(json, "head"); head != nullptr) {
      at.back().name = "head";
      if (!head->is_boolean()) return d.error(at, "is neither true nor false", "true or false");
      layer.head = head->get<bool>();
    }
  }
  WW_TRY(connect(d, json, path, layers, layer));
  return layer;
}

// A tensor that must be there, f16, of this shape.
Status expect_tensor(const Model& model, const std::string& file, const std::string& name,
                     const std::vector<uint64_t>& shape) {
  const auto shown = [](const std::vector<uint64_t>& sizes) {
    std::string text = "[";
    for (const uint64_t n : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + "]";
  };
  const Tensor* tensor = model.weights.find(name);
  if (tensor != nullptr && tensor->dtype == "F16" && tensor->shape == shape) return {};
  Error error = input_error(file, "tensor '" + name + "' does not fit the model",
                            "Use the weights that were exported together with this model.json");
  error.found = tensor == nullptr ? "no such tensor" : tensor->dtype + " " + shown(tensor->shape);
  error.expected = "F16 " + shown(shape);
  return error;
}

Status check_tensors(const Model& model, const std::string& file) {
  for (const ModelLayer& layer : model.layers) {
    const auto c = static_cast<uint64_t>(layer.channels), s = static_cast<uint64_t>(layer.source_channels);
    const std::string prefix = layer.weights + ".";
    if (layer.kind == LayerKind::kExpand) {
      WW_TRY(expect_tensor(model, file, prefix + "load", {4 * c, s}));
      continue;
    }
    if (layer.load == LoadKind::kFeatures) WW_TRY(expect_tensor(model, file, prefix + "load", {c, s}));
    if (layer.load == LoadKind::kMerge) WW_TRY(expect_tensor(model, file, prefix + "load", {c, 4 * s}));
    if (layer.mixing == Mixing::kPosition) {
      WW_TRY(expect_tensor(model, file, prefix + "mix", {c / 8, 64, 64}));
    } else {
      WW_TRY(expect_tensor(model, file, prefix + "qkv", {3 * c, c}));
      WW_TRY(expect_tensor(model, file, prefix + "bias", {c / 32, 64, 64}));
    }
    WW_TRY(expect_tensor(model, file, prefix + "proj", {c, c}));
    WW_TRY(expect_tensor(model, file, prefix + "up", {4 * c, c}));
    WW_TRY(expect_tensor(model, file, prefix + "up_bias", {4 * c}));
    WW_TRY(expect_tensor(model, file, prefix + "down", {c, 4 * c}));
    if (layer.head) {
      WW_TRY(expect_tensor(model, file, "head", {WW_NETWORK_HEAD, c}));
      WW_TRY(expect_tensor(model, file, "head_bias", {WW_NETWORK_HEAD}));
    }
  }
  return {};
}

// A file named in model.json, in its folder.
Result<std::string> beside(const Document& d, const char* field, const std::string& name) {
  const std::filesystem::path relative(name);
  if (name.empty() || relative.is_absolute() || relative.has_parent_path() || name.find('\0') != std::string::npos)
    return d.error({{field, 0}}, "is no plain file name", "the name of a file beside model.json");
  return (std::filesystem::path(d.file).parent_path() / relative).string();
}

Result<Document> parse_document(const std::string& path) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMaxDescriptionBytes));
  Document d;
  d.file = path;
  d.text.assign(bytes.begin(), bytes.end());
  size_t bad_at = 0;
  try {
    d.json = Json::parse(d.text);
  } catch (const Json::parse_error& exception) {
    bad_at = exception.byte;
  } catch (const Json::exception&) {
    bad_at = 1;
  }
  if (!d.json.is_object()) {
    Error error = input_error(path, "not a JSON object", "Give the path of a model.json");
    const frame::TextPosition position = frame::position_of_offset(d.text, bad_at == 0 ? 0 : bad_at - 1);
    error.line = position.line;
    error.column = position.column;
    return error;
  }
  return d;
}

Status read_ptx(const Document& d, Model& model) {
  WW_ASSIGN(const std::string ptx, d.string(d.json, {}, "ptx"));
  if (ptx.starts_with(kBuiltin)) {
    const std::string_view text = guest_program(std::string_view(ptx).substr(kBuiltin.size()));
    if (text.empty()) return d.error({{"ptx", 0}}, "names no program of this build", "'builtin:network'");
    model.ptx = text;
    model.ptx_name = ptx.substr(kBuiltin.size()) + ".ptx";
    return {};
  }
  WW_ASSIGN(const std::string path, beside(d, "ptx", ptx));
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, uint64_t{256} << 20));
  model.ptx.assign(bytes.begin(), bytes.end());
  model.ptx_name = path;
  return {};
}

}  // namespace

const Tensor& Model::tensor(const ModelLayer& layer, std::string_view name) const {
  const bool shared = name == "head" || name == "head_bias";
  return *weights.find(shared ? std::string(name) : layer.weights + "." + std::string(name));
}

Result<Model> load_model(const std::string& path) {
  WW_ASSIGN(const Document d, parse_document(path));
  WW_ASSIGN(const std::string format, d.string(d.json, {}, "format"));
  if (format != "warpwave-network") return d.error({{"format", 0}}, "is another format", "'warpwave-network'");
  WW_ASSIGN([[maybe_unused]] const int version, d.integer(d.json, {}, "version", kModelVersion, kModelVersion));
  const std::array<std::pair<const char*, int>, 4> fixed = {{{"features", WW_NETWORK_FEATURES},
                                                             {"latents", WW_NETWORK_LATENTS},
                                                             {"head", WW_NETWORK_HEAD},
                                                             {"window", WW_NETWORK_WINDOW}}};
  for (const auto& [name, value] : fixed) {
    WW_ASSIGN([[maybe_unused]] const int found, d.integer(d.json, {}, name, value, value));
  }
  Model model;
  model.path = path;
  WW_TRY(read_ptx(d, model));
  const Json* layers = Document::member(d.json, "layers");
  if (layers == nullptr || !layers->is_array() || layers->empty() || layers->size() > kMaxLayers)
    return d.error({{"layers", 0}}, "is no list of layers", "1 to 256 of them");
  for (size_t i = 0; i < layers->size(); ++i) {
    WW_ASSIGN(ModelLayer layer, read_layer(d, (*layers)[i], {{"layers", 0}, {"", i}}, model.layers));
    if (layer.head != (i + 1 == layers->size()))
      return d.error({{"layers", 0}, {"", i}}, "is in the wrong place", "the last layer, and it alone, has the head");
    model.layers.push_back(std::move(layer));
  }
  if (model.layers.back().level != 0)
    return d.error({{"layers", 0}}, "ends on a coarse grid", "a last layer on the finest grid");
  WW_ASSIGN(const std::string weights, d.string(d.json, {}, "weights"));
  WW_ASSIGN(const std::string weights_path, beside(d, "weights", weights));
  WW_ASSIGN(model.weights, SafeTensors::open(weights_path));
  WW_ASSIGN(const std::string hash, d.string(d.json, {}, "weights_sha256"));
  if (const std::string found = sha256_text(model.weights.bytes()); found != hash) {
    Error error = d.error({{"weights_sha256", 0}}, "is not the hash of the weights", hash);
    error.found = found + " (" + weights_path + ")";
    return error;
  }
  WW_TRY(check_tensors(model, weights_path));
  return model;
}

Result<std::string> shipped_model_path() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path wanted = fs::path("models") / "upscaler" / "model.json";
  if (const fs::path installed = folder.parent_path() / "share" / "warpwave" / wanted; fs::exists(installed, ignored))
    return installed.string();
  for (int i = 0; i < 6 && folder.has_relative_path(); ++i, folder = folder.parent_path())
    if (fs::exists(folder / wanted, ignored)) return (folder / wanted).string();
  return input_error(wanted.string(), "the shipped model is found in no folder above the program",
                     "Name a model with --model, or run the program from its checkout");
}

}  // namespace ww::net
