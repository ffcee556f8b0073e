#include "net/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace ww::net {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;
constexpr uint64_t kMaxHeaderBytes = uint64_t{16} << 20;
constexpr size_t kMaxDimensions = 8;

constexpr std::array<std::pair<std::string_view, uint64_t>, 14> kTypes = {{
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"F8_E4M3", 1},
    {"F8_E5M2", 1},
    {"I16", 2},
    {"U16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"I32", 4},
    {"U32", 4},
    {"F32", 4},
    {"I64", 8},
    {"F64", 8},
}};

Error broken(const std::string& file, std::string what, std::string found, std::string expected) {
  Error error = input_error(file, std::move(what),
                            "Write the file again, or fetch it again: it is damaged or no safetensors file");
  error.found = std::move(found);
  error.expected = std::move(expected);
  return error;
}

std::string text_of(uint64_t value) {
  return std::to_string(value);
}

uint64_t bytes_of_type(const std::string& dtype) {
  for (const auto& [name, bytes] : kTypes)
    if (name == dtype) return bytes;
  return 0;
}

// One entry of the header; `data` are the bytes behind it.
Result<Tensor> read_tensor(const Json& entry, const std::string& name, std::span<const uint8_t> data,
                           const std::string& file) {
  const std::string where = "tensor '" + name + "'";
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets"))
    return broken(file, where + " is not described", "", "dtype, shape and data_offsets");
  const Json &dtype = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
  Tensor tensor;
  if (dtype.is_string()) tensor.dtype = dtype.get<std::string>();
  const uint64_t width = bytes_of_type(tensor.dtype);
  if (width == 0)
    return broken(file, where + " has an unknown dtype", "'" + tensor.dtype.substr(0, 40) + "'", "F16, F32, ...");
  if (!shape.is_array() || shape.size() > kMaxDimensions)
    return broken(file, where + " has no legal shape", "", "a list of up to 8 sizes");
  uint64_t bytes = width;
  for (const Json& size : shape) {
    if (!size.is_number_unsigned()) return broken(file, where + " has no legal shape", "", "sizes of 0 and more");
    const uint64_t n = size.get<uint64_t>();
    if (n != 0 && bytes > kMaxFileBytes / n) return broken(file, where + " is too large", "", "at most 4 GiB");
    bytes *= n;
    tensor.shape.push_back(n);
  }
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    return broken(file, where + " has no legal data_offsets", "", "[first, one past the last]");
  const uint64_t begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
  if (begin > end || end > data.size())
    return broken(file, where + " lies outside the file", text_of(begin) + " to " + text_of(end),
                  "inside the " + text_of(data.size()) + " bytes behind the header");
  if (end - begin != bytes)
    return broken(file, where + " has another size than its shape", text_of(end - begin) + " bytes",
                  text_of(bytes) + " bytes");
  tensor.bytes = data.subspan(begin, bytes);
  return tensor;
}

}  // namespace

uint64_t Tensor::elements() const {
  uint64_t count = 1;
  for (const uint64_t n : shape) count *= n;
  return count;
}

Result<std::map<std::string, Tensor>> parse_safetensors(std::span<const uint8_t> bytes, const std::string& file) {
  if (bytes.size() < 8)
    return broken(file, "too short for a safetensors file", text_of(bytes.size()) + " bytes", "at least 8");
  uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i) header_bytes = header_bytes << 8 | bytes[static_cast<size_t>(i)];
  if (header_bytes > bytes.size() - 8 || header_bytes > kMaxHeaderBytes)
    return broken(file, "the header does not fit into the file", text_of(header_bytes) + " bytes",
                  "at most " + text_of(std::min<uint64_t>(bytes.size() - 8, kMaxHeaderBytes)) + " bytes");
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + 8;
  const Json header = Json::parse(text, text + header_bytes, nullptr, false);
  if (!header.is_object())
    return broken(file, "the header is not a JSON object", "", "a name and a description for each tensor");
  const std::span<const uint8_t> data = bytes.subspan(8 + header_bytes);
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    WW_ASSIGN(Tensor tensor, read_tensor(entry, name, data, file));
    tensors.emplace(name, std::move(tensor));
  }
  // Tensors share no byte: two that do mean a header that lies.
  std::vector<std::pair<const uint8_t*, const uint8_t*>> ranges;
  for (const auto& [name, tensor] : tensors)
    if (!tensor.bytes.empty()) ranges.emplace_back(tensor.bytes.data(), tensor.bytes.data() + tensor.bytes.size());
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second)
      return broken(file, "two tensors overlap", "", "one range of bytes each");
  return tensors;
}

Result<SafeTensors> SafeTensors::open(const std::string& path) {
  SafeTensors result;
  WW_ASSIGN(result.file_, MappedFile::open(path, kMaxFileBytes));
  WW_ASSIGN(result.tensors_, parse_safetensors(result.file_.bytes(), path));
  return result;
}

const Tensor* SafeTensors::find(std::string_view name) const {
  const auto found = tensors_.find(std::string(name));
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace ww::net
