#include "cpu/device_memory.h"

#include "base/hexadecimal.h"

namespace ww::cpu {

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::create() {
  auto memory = std::make_unique<DeviceMemory>();
  // 1 TiB of addresses; less where a limit (ulimit -v) allows no more.
  for (uint64_t bytes = uint64_t(1) << 40; bytes >= uint64_t(1) << 26; bytes /= 4) {
    if (!memory->range_.reserve(bytes)) continue;
    memory->free_ranges_[0] = bytes;
    return memory;
  }
  return runtime_error("no addresses for device memory", "Raise the limit of virtual memory (ulimit -v)");
}

Result<uint64_t> DeviceMemory::allocate(uint64_t bytes, uint64_t alignment) {
  const auto refused = [&] {
    return runtime_error("no memory for an allocation of " + std::to_string(bytes) + " bytes",
                         "Free allocations, or make fewer and larger ones");
  };
  if (bytes > range_.size() || alignment > range_.size()) return refused();
  const uint64_t rounded = (bytes + 255) / 256 * 256;
  const uint64_t pages = Reservation::whole_pages(rounded + (alignment > 256 ? alignment : 0));
  const uint64_t wanted = pages + Reservation::kPage;  // a closed page in front; the next one's, or the range's, behind
  // From the end, where nothing was before, as long as there is room: addresses are used again as late as possible.
  auto found = free_ranges_.empty() ? free_ranges_.end() : std::prev(free_ranges_.end());
  if (found == free_ranges_.end() || found->second < wanted + Reservation::kPage)
    for (found = free_ranges_.begin(); found != free_ranges_.end(); ++found)
      if (found->second >= wanted + Reservation::kPage) break;
  if (found == free_ranges_.end()) return refused();
  const auto [offset, size] = *found;
  if (!range_.open(offset + Reservation::kPage, pages)) return refused();
  free_ranges_.erase(found);
  free_ranges_[offset + wanted] = size - wanted;
  const uint64_t end = reinterpret_cast<uint64_t>(range_.begin()) + offset + wanted;
  const uint64_t address = (end - rounded) & ~(alignment - 1);
  live_[address] = {bytes, offset + Reservation::kPage, pages};
  return address;
}

bool DeviceMemory::free(uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  range_.close(found->second.offset, found->second.pages);
  uint64_t offset = found->second.offset - Reservation::kPage, bytes = found->second.pages + Reservation::kPage;
  live_.erase(found);
  // Together with free neighbours.
  auto next = free_ranges_.lower_bound(offset);
  if (next != free_ranges_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = free_ranges_.erase(next);
  }
  if (next != free_ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return true;
    }
  }
  free_ranges_[offset] = bytes;
  return true;
}

uint64_t DeviceMemory::bytes_from(uint64_t address) const {
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return 0;
  --next;
  const uint64_t offset = address - next->first;
  return offset < next->second.bytes ? next->second.bytes - offset : 0;
}

std::string DeviceMemory::explain(uint64_t address) const {
  if (address < 65536) return "a null pointer";
  if (!range_.contains(address)) return "no device memory is near";
  constexpr uint64_t kNear = 1 << 20;
  const auto next = live_.upper_bound(address);
  if (next != live_.begin()) {
    const auto& [begin, allocation] = *std::prev(next);
    const uint64_t offset = address - begin;
    const std::string name = std::to_string(allocation.bytes) + "-byte allocation at " + hexadecimal(begin);
    if (offset < allocation.bytes) return "inside the " + name;
    if (offset - allocation.bytes < kNear)
      return std::to_string(offset - allocation.bytes) + " bytes past the end of the " + name;
  }
  if (next != live_.end() && next->first - address < kNear)
    return std::to_string(next->first - address) + " bytes before the " + std::to_string(next->second.bytes) +
           "-byte allocation at " + hexadecimal(next->first);
  return "no allocation is near: freed, or never there";
}

}  // namespace ww::cpu
