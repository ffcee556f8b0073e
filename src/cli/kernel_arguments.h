// The arguments of `warpwave run`: read from the command line, checked against a kernel's signature, given to a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "ptx/module.h"

namespace ww::cli {

// One --arg.
struct KernelArgument {
  enum class Kind : uint8_t { kScalar, kBytes, kBuffer, kTexture, kSurface };
  std::string text;  // as written, for messages
  Kind kind = Kind::kScalar;
  ptx::Type type = ptx::Type::kNone;  // kScalar
  std::vector<std::byte> value;       // kScalar
  std::string input, output;          // files; empty: none
  uint64_t bytes = 0;                 // out: size of the buffer
  SamplerDescription sampler;         // kTexture
};

// Reads "u32:5", "in:FILE", ... as docs/command.md describes. kUsage: an unknown kind, a value that its type can't
// hold.
Result<KernelArgument> parse_kernel_argument(const std::string& text);

// kUsage, naming the argument, if the list doesn't fit the entry's parameters: their number, sizes, float against
// integer. Files of `bytes:` are not read for it.
Status check_signature(const std::vector<KernelArgument>& arguments, const ptx::Module& module,
                       const ptx::Function& entry);

// The arguments of one launch on a device: buffers and images that live as long as the object.
class BoundArguments {
 public:
  explicit BoundArguments(Device& device) : device_(device) {}
  ~BoundArguments();
  BoundArguments(const BoundArguments&) = delete;
  BoundArguments& operator=(const BoundArguments&) = delete;

  // Reads the files and fills buffers and images; then parameters() is the kernel's parameter block.
  Status bind(const std::vector<KernelArgument>& arguments, const KernelInfo& info);
  const std::vector<std::byte>& parameters() const { return parameters_; }

  // Writes every output file. Called after the launch.
  Status save();

 private:
  struct Buffer {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
    std::string output;
  };
  struct Picture {
    std::unique_ptr<DeviceImage> image;
    std::vector<std::string> channels;  // in the file; a colour without alpha has four in the image all the same
    std::string output;
  };
  // The eight bytes that the kernel gets.
  Result<uint64_t> bind_buffer(const KernelArgument& argument);
  Result<uint64_t> bind_image(const KernelArgument& argument);

  Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<Picture> pictures_;
  std::vector<std::byte> parameters_;
};

}  // namespace ww::cli
