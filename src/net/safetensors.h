// Reads safetensors files: eight bytes of header length, a JSON header, then the tensors' bytes. The file stays mapped;
// tensors are views into it. Format: huggingface/safetensors, "Format". Hostile files are refused with the reason;
// nothing is allocated by what a header claims beyond the header itself.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace ww::net {

// One tensor: row-major, little endian.
struct Tensor {
  std::string dtype;            // "F16", "F32", ...
  std::vector<uint64_t> shape;  // up to 8 sizes
  std::span<const uint8_t> bytes;

  uint64_t elements() const;
};

// name -> tensor of a whole file in memory; `file` stands in messages. Errors are kInput.
Result<std::map<std::string, Tensor>> parse_safetensors(std::span<const uint8_t> bytes, const std::string& file);

// An open file with its tensors.
class SafeTensors {
 public:
  static Result<SafeTensors> open(const std::string& path);

  std::span<const uint8_t> bytes() const { return file_.bytes(); }
  // Null if there is no such tensor.
  const Tensor* find(std::string_view name) const;
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

 private:
  MappedFile file_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace ww::net
