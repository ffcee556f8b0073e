#include "golden/golden_file.h"

#include <cstdio>
#include <cstring>

#include "base/files.h"
#include "golden/fnv.h"

namespace ww::golden {
namespace {

constexpr std::string_view kMagic = "WWGOLD1\n";
constexpr size_t kHeaderBytes = 16;

template <class T>
T load(const std::vector<uint8_t>& bytes, size_t offset) {
  T x;
  std::memcpy(&x, bytes.data() + offset, sizeof x);
  return x;
}

template <class T>
void append(std::vector<uint8_t>& bytes, T x) {
  const auto* raw = reinterpret_cast<const uint8_t*>(&x);
  bytes.insert(bytes.end(), raw, raw + sizeof x);
}

}  // namespace

Result<Outputs> read_golden(const std::string& path) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path));
  const Error broken = input_error(path, "not a golden file, or cut short", "Record it again (tests/golden/record.sh)");
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return broken;
  const uint32_t count = load<uint32_t>(bytes, 8);
  Outputs outputs;
  size_t offset = kHeaderBytes;
  for (uint32_t i = 0; i < count; ++i) {
    if (bytes.size() - offset < sizeof(uint64_t)) return broken;
    const uint64_t size = load<uint64_t>(bytes, offset);
    offset += sizeof size;
    if (bytes.size() - offset < size) return broken;
    std::vector<std::byte> output(size);
    std::memcpy(output.data(), bytes.data() + offset, size);
    offset += size;
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Status write_golden(const std::string& path, const Outputs& outputs) {
  std::vector<uint8_t> bytes(kMagic.begin(), kMagic.end());
  append(bytes, static_cast<uint32_t>(outputs.size()));
  append(bytes, uint32_t{0});
  for (const auto& output : outputs) {
    append(bytes, uint64_t{output.size()});
    const auto* raw = reinterpret_cast<const uint8_t*>(output.data());
    bytes.insert(bytes.end(), raw, raw + output.size());
  }
  return write_file(path, bytes);
}

std::string hash_of(std::string_view text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(text)));
  return digits;
}

}  // namespace ww::golden
