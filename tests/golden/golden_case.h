// One run of guest programs that every device must answer alike: buffers and images with generated contents, launches
// over them, and how each output is compared with what an NVIDIA GPU gave. The recorder, the tests of every device and
// the benchmarks run the same cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "device/device.h"

namespace ww::golden {

// How an output of a device is compared with the recorded one.
struct Comparison {
  enum class Kind : uint8_t {
    kBits,  // byte for byte
    kF32,   // |ours - recorded| <= absolute + relative * |recorded|; NaN only where NaN is, infinities equal
    kF16,   // the same on halves
  };
  Kind kind = Kind::kBits;
  double absolute = 0.0;
  double relative = 0.0;
  const char* why = "";  // the documented reason for a bound
};

// A buffer, an image or a module variable that lives for the whole case.
struct Resource {
  enum class Kind : uint8_t { kBuffer, kImage, kVariable };
  Kind kind = Kind::kBuffer;
  std::vector<std::byte> contents;  // before the first launch; outputs that are no inputs are filled with kPoison
  bool is_output = false;
  Comparison comparison;
  ImageDescription image;  // kImage
  std::string variable;    // kVariable: a .global or .const of the case's module
};

constexpr std::byte kPoison{0xc9};

// A parameter of a kernel: a value, or something of a resource.
struct Argument {
  enum class Kind : uint8_t { kValue, kAddress, kTexture, kSurface };
  Kind kind = Kind::kValue;
  std::vector<std::byte> value;  // kValue: as many bytes as the parameter has
  size_t resource = 0;           // the others: index in GoldenCase::resources
  uint64_t offset = 0;           // kAddress: bytes added
  SamplerDescription sampler;    // kTexture
};

struct Step {
  std::string entry;
  Dim3 grid, block;
  std::vector<Argument> arguments;
  uint32_t shared_bytes = 0;  // dynamic
};

struct GoldenCase {
  std::string name;    // the golden file's stem
  std::string family;  // folder of the golden file: "guests", "scene", ...
  std::string module;  // PTX file's stem: guest/NAME.ptx of the build, or a file under tests/data ("nvcc/NAME")
  std::vector<Resource> resources;
  std::vector<Step> steps;
};

// Builds a case: each function that adds a resource gives its index.
class CaseBuilder {
 public:
  // module: stem of the PTX file; `name` is the case's.
  CaseBuilder(std::string name, std::string module) {
    case_.name = std::move(name);
    case_.module = std::move(module);
    case_.family = "guests";
  }
  CaseBuilder& family(std::string name) {
    case_.family = std::move(name);
    return *this;
  }

  template <class T>
  size_t input(const std::vector<T>& values) {
    return add(bytes_of(values), false, {});
  }
  template <class T>
  size_t in_out(const std::vector<T>& values, Comparison comparison = {}) {
    return add(bytes_of(values), true, comparison);
  }
  // `count` elements of `size` bytes, poisoned.
  size_t output(size_t count, size_t size, Comparison comparison = {}) {
    return add(std::vector<std::byte>(count * size, kPoison), true, comparison);
  }
  // Scratch space that is zero before the first launch and is not compared.
  size_t scratch(size_t bytes) { return add(std::vector<std::byte>(bytes), false, {}); }
  template <class T>
  size_t image(const ImageDescription& description, const std::vector<T>& texels, bool is_output = false,
               Comparison comparison = {}) {
    const size_t index = add(bytes_of(texels), is_output, comparison);
    case_.resources[index].kind = Resource::Kind::kImage;
    case_.resources[index].image = description;
    return index;
  }
  template <class T>
  size_t variable(std::string name, const std::vector<T>& values, bool is_output = false) {
    const size_t index = add(bytes_of(values), is_output, {});
    case_.resources[index].kind = Resource::Kind::kVariable;
    case_.resources[index].variable = std::move(name);
    return index;
  }

  CaseBuilder& launch(std::string entry, Dim3 grid, Dim3 block, std::vector<Argument> arguments, uint32_t shared = 0) {
    case_.steps.push_back({std::move(entry), grid, block, std::move(arguments), shared});
    return *this;
  }
  GoldenCase build() { return std::move(case_); }

  template <class T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

 private:
  size_t add(std::vector<std::byte> contents, bool is_output, Comparison comparison) {
    Resource resource;
    resource.contents = std::move(contents);
    resource.is_output = is_output;
    resource.comparison = comparison;
    case_.resources.push_back(std::move(resource));
    return case_.resources.size() - 1;
  }

  GoldenCase case_;
};

// Arguments of a step.
inline Argument at(size_t resource, uint64_t offset = 0) {
  Argument argument;
  argument.kind = Argument::Kind::kAddress;
  argument.resource = resource;
  argument.offset = offset;
  return argument;
}
inline Argument texture(size_t resource, const SamplerDescription& sampler = {}) {
  Argument argument;
  argument.kind = Argument::Kind::kTexture;
  argument.resource = resource;
  argument.sampler = sampler;
  return argument;
}
inline Argument surface(size_t resource) {
  Argument argument;
  argument.kind = Argument::Kind::kSurface;
  argument.resource = resource;
  return argument;
}
template <class T>
Argument value(T x) {
  Argument argument;
  argument.value.resize(sizeof(T));
  std::memcpy(argument.value.data(), &x, sizeof(T));
  return argument;
}

// Every case, in a fixed order. A family of its own is one file here and one line in cases.cpp.
const std::vector<GoldenCase>& all_cases();

}  // namespace ww::golden
