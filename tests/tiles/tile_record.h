// What the tiles of a form gave, as hashes in a text file: a line a form with its name, the hashes of the first batches
// by themselves, and the hashes of groups of batches, the first ones included.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ww::tiles {

constexpr uint32_t kSingleBatches = 4;  // 16,384 tiles
constexpr uint32_t kGroupBatches = 64;  // 262,144 tiles
constexpr uint32_t kGroups = 39;        // 10,223,616 tiles

struct TileRecord {
  std::vector<uint64_t> batches, groups;
};

// The hash of a group from those of its batches.
uint64_t group_hash(std::span<const uint64_t> batches);

std::string record_line(const std::string& name, const TileRecord& record);
// By the form's name. Lines that begin with # say what was recorded.
Result<std::map<std::string, TileRecord>> read_records(const std::string& path);

}  // namespace ww::tiles
