// Runs tiles on a device.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "device/device_buffer.h"
#include "tiles/tile_kernel.h"

namespace ww::tiles {

// The operands of `count` pairs of tiles, as the kernel `tiles` reads them.
std::vector<uint32_t> tile_operands(const TileForm& form, uint32_t first_pair, uint32_t count);

// Folds results of pairs, as the kernel `tiles` writes them, into the lanes' hashes, as the kernel `hash` does.
struct LaneHashes {
  uint64_t lanes[32];
  LaneHashes();
  void fold(const TileForm& form, std::span<const uint32_t> results);
  uint64_t all() const;  // one number of them
};

// One form on one device, operands made on the host.
class TileRunner {
 public:
  static Result<TileRunner> create(Device& device, const TileForm& form);
  // Results of pairs first .. first + count - 1; count <= kBatchPairs.
  Result<std::vector<uint32_t>> run(uint32_t first_pair, uint32_t count);
  // The hash of the first `pairs` pairs of a batch; all: of the batch.
  Result<uint64_t> batch_hash(uint32_t batch, uint32_t pairs = kBatchPairs);

 private:
  TileRunner(Device& device, const TileForm& form) : device_(&device), form_(&form) {}
  Device* device_;
  const TileForm* form_;
  std::unique_ptr<DeviceModule> module_;
  DeviceBuffer in_, out_;
};

// Hashes of `count` batches, operands made by the device.
Result<std::vector<uint64_t>> hash_batches(Device& device, DeviceModule& module, uint32_t first, uint32_t count);

// Hashes of `count` batches by the chip's model itself (devicelib/mma.h), in the functions of that level.
Result<std::vector<uint64_t>> model_hashes(const TileForm& form, uint32_t first, uint32_t count,
                                           HostIsa isa = HostIsa::kNative);

}  // namespace ww::tiles
