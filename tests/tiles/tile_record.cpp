#include "tiles/tile_record.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "golden/fnv.h"

namespace ww::tiles {

uint64_t group_hash(std::span<const uint64_t> batches) {
  uint64_t hash = golden::kFnvBasis;
  for (const uint64_t batch : batches) {
    hash = (hash ^ batch) * golden::kFnvPrime;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string record_line(const std::string& name, const TileRecord& record) {
  std::string line = name;
  char text[24];
  for (const std::vector<uint64_t>* hashes : {&record.batches, &record.groups})
    for (const uint64_t hash : *hashes) {
      std::snprintf(text, sizeof text, " %016llx", static_cast<unsigned long long>(hash));
      line += text;
    }
  return line + "\n";
}

Result<std::map<std::string, TileRecord>> read_records(const std::string& path) {
  std::ifstream file(path);
  if (!file) return input_error(path, "cannot open the record of tiles");
  std::map<std::string, TileRecord> records;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, hash;
    words >> name;
    TileRecord& record = records[name];
    while (words >> hash)
      (record.batches.size() < kSingleBatches ? record.batches : record.groups)
          .push_back(std::stoull(hash, nullptr, 16));
  }
  return records;
}

}  // namespace ww::tiles
