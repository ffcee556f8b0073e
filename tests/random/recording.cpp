#include "random/recording.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "golden/fnv.h"
#include "random/generator.h"

namespace ww::programs {

namespace {
constexpr std::string_view kMagic = "wwrandom";
constexpr uint64_t kFingerprinted = 64;  // programs
}  // namespace

uint64_t fingerprint_of(const Vocabulary& vocabulary) {
  std::string text;
  for (uint64_t seed = 0; seed < kFingerprinted; ++seed) text += text_of(program_of(seed, vocabulary));
  return golden::fnv1a(text);
}

std::string bytes_of(const Recording& recording) {
  std::string bytes(kMagic);
  const auto add = [&](uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  };
  add(recording.first, 8);
  add(recording.fingerprint, 8);
  for (const uint32_t hash : recording.hashes) add(hash, 4);
  return bytes;
}

Result<Recording> read_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string bytes = stream.str();
  if (!bytes.starts_with(kMagic) || bytes.size() < 24 || bytes.size() % 4 != 0)
    return input_error(path, "no recording of random programs", "Make one with program-probe record");
  const auto take = [&](size_t place, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i)
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[place + i])) << (8 * i);
    return value;
  };
  Recording recording{take(8, 8), take(16, 8), {}};
  for (size_t place = 24; place < bytes.size(); place += 4)
    recording.hashes.push_back(static_cast<uint32_t>(take(place, 4)));
  return recording;
}

Result<Recording> read_logs(std::span<const std::string> paths) {
  std::map<uint64_t, uint32_t> hashes;
  uint64_t fingerprint = 0;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    if (!file) return input_error(path, "can't be read", "Give what program-probe run printed");
    for (std::string line; std::getline(file, line);) {
      unsigned long long number = 0;
      unsigned hash = 0;
      if (std::sscanf(line.c_str(), "# %16llx ", &number) == 1) {
        if (fingerprint != 0 && fingerprint != number)
          return input_error(path, "of other programs than the files before it", "Run them again");
        fingerprint = number;
      } else if (std::sscanf(line.c_str(), "%llu %8x", &number, &hash) == 2) {
        const auto [place, is_new] = hashes.emplace(number, hash);
        if (!is_new && place->second != hash) place->second = 0;
      }
    }
  }
  Recording recording;
  recording.fingerprint = fingerprint;
  if (hashes.empty()) return recording;
  recording.first = hashes.begin()->first;
  recording.hashes.assign(hashes.rbegin()->first - recording.first + 1, 0);
  for (const auto& [seed, hash] : hashes) recording.hashes[seed - recording.first] = hash;
  return recording;
}

std::string default_vocabulary() {
  return WARPWAVE_SOURCE_DIR "/tests/random/vocabulary.txt";
}

}  // namespace ww::programs
