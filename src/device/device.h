// One interface over everything that can run a kernel: memory, images, modules, launches.
//
// A Device comes from a back end's shared library (device/registry.h). All calls may come from any thread, one at a
// time a device. Launches on one device run in order; a launch may return before the work is done, and `synchronize`
// (or any copy to the host) reports what went wrong. Errors name kernel and PTX line where the back end knows them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/texel_format.h"

namespace ww {

enum class Numerics : uint8_t { kExact, kFast };
// Whose sums the matrix instructions of sim and cpu make: those of sm_90, proved on an H200, or of sm_89, as published
// and not proved on hardware.
enum class TensorCore : uint8_t { kHopper, kAda };
enum class HostIsa : uint8_t { kNative, kV2, kV3, kV4 };  // psABI levels of x86-64; for the cpu device

// One thread of a launch.
struct ThreadPosition {
  std::array<uint32_t, 3> block{}, thread{};  // x, y, z
};

// What chosen threads compute (sim).
struct TraceOptions {
  std::vector<ThreadPosition> threads;
  // Takes one line, newline included, for each instruction that `threads[thread]` has executed, in its order; called by
  // `launch`. Null: no trace.
  std::function<void(size_t thread, std::string_view line)> sink;
};

struct DeviceOptions {
  Numerics numerics = Numerics::kExact;
  HostIsa host_isa = HostIsa::kNative;
  TensorCore tensor_core = TensorCore::kHopper;  // sim, cpu; nvidia has its own
  unsigned threads = 0;                          // 0: all cores
  uint64_t schedule_seed = 0;                    // sim: order of warps; 0: in order
  bool check_uninitialized = false;              // sim: report reads of bytes nobody wrote
  uint64_t max_instructions = 0;                 // sim: warp instructions after which a launch is stopped; 0: 2^36
  TraceOptions trace;                            // sim
  bool progress = false;                         // print "compiling 3 of 15" lines for long compiles
};

// An address in the device's global memory, as kernels see it. 0 is null.
using DeviceAddress = uint64_t;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

// Texels owned by the device, which textures read and surfaces read and write. Lives as long as the object.
class DeviceImage {
 public:
  virtual ~DeviceImage() = default;
  virtual const ImageDescription& description() const = 0;
  // All levels, laid out as `level_offset` says; the size must be image_bytes(description()).
  virtual Status upload(std::span<const std::byte> texels) = 0;
  virtual Status download(std::span<std::byte> texels) = 0;
  // The 64-bit handle that a kernel passes to tex (bindless). Valid while the image lives.
  virtual Result<uint64_t> texture(const SamplerDescription& sampler) = 0;
  // The 64-bit handle for suld, sust and sured, of the largest level.
  virtual Result<uint64_t> surface() = 0;
};

// What a kernel asks for, and what it used.
struct KernelInfo {
  std::string name;
  std::vector<uint32_t> parameter_sizes, parameter_offsets;  // bytes, in the kernel's parameter block
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  std::array<uint32_t, 3> required_block{};  // .reqntid; zeros if none
  std::array<uint32_t, 3> max_block{};       // .maxntid; zeros if none
  Dim3 cluster;                              // .reqnctapercluster; one block if none
};

class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  virtual const KernelInfo& info() const = 0;
};

// A loaded PTX module with its global variables.
class DeviceModule {
 public:
  virtual ~DeviceModule() = default;
  // Entry by name; unknown: kUsage, naming the entries there are. The kernel lives as long as the module.
  virtual Result<DeviceKernel*> kernel(std::string_view name) = 0;
  virtual std::vector<std::string> kernel_names() const = 0;
  // Address and bytes of a .global or .const variable.
  virtual Result<std::pair<DeviceAddress, uint64_t>> global(std::string_view name) = 0;
};

// What a cooperative grid's barriers count in, as it is before a launch: the first word is the size in bytes.
inline constexpr std::array<uint32_t, 2> kFreshGridWorkspace{8};

// What malloc of kernels has at most: what an NVIDIA GPU gives at first (cudaLimitMallocHeapSize).
constexpr uint64_t kHeapBytes = uint64_t{8} << 20;

struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  // The kernel's parameter block: parameter i at parameter_offsets[i], parameter_bytes in all.
  std::span<const std::byte> parameters;
  // All blocks are there at the same time, and %envreg1 (upper half) and %envreg2 hold the address of
  // global memory that holds kFreshGridWorkspace, in which barriers of the grid count; a grid too large for that is
  // refused. Without it both registers read 0.
  bool cooperative = false;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;         // "cpu", "sim", "nvidia:0"
  virtual std::string description() const = 0;  // "NVIDIA H200, driver 580.159", "x86-64-v4, 2 threads"

  // `bytes` > 0, aligned to 256. Fresh memory holds arbitrary values.
  virtual Result<DeviceAddress> allocate(uint64_t bytes) = 0;
  virtual Status free(DeviceAddress address) = 0;
  virtual Status upload(DeviceAddress destination, std::span<const std::byte> source) = 0;
  virtual Status download(std::span<std::byte> destination, DeviceAddress source) = 0;
  virtual Status fill(DeviceAddress destination, uint8_t value, uint64_t bytes) = 0;

  virtual Result<std::unique_ptr<DeviceImage>> create_image(const ImageDescription& description) = 0;

  // Parses, verifies and loads PTX text. `name` stands in messages.
  virtual Result<std::unique_ptr<DeviceModule>> load_module(std::string ptx, std::string name) = 0;

  virtual Status launch(DeviceKernel& kernel, const Launch& launch) = 0;
  virtual Status synchronize() = 0;
};

}  // namespace ww
