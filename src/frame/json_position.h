// Where a value stands in a JSON text. The JSON library checks and parses but keeps no positions; messages about a
// field need its line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww::frame {

struct TextPosition {
  uint32_t line = 0;    // 1-based; 0: not found
  uint32_t column = 0;  // 1-based, in bytes
};

// One step of a path: a member's name, or an element's index where name is empty.
struct PathStep {
  std::string name;
  size_t index = 0;
};
using JsonPath = std::vector<PathStep>;

// "frames[3].jitter[0]"; the empty path is "the document".
std::string path_text(const JsonPath& path);

// The first character of the value at `path` in `text`, which must be valid JSON; where the path ends early (a missing
// member), the innermost value that is there.
TextPosition json_position(std::string_view text, const JsonPath& path);

// Line and column of a byte offset.
TextPosition position_of_offset(std::string_view text, size_t offset);

}  // namespace ww::frame
