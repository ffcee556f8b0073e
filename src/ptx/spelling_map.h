// Spelling -> index in a fixed array of spellings: a sorted index, searched by halving. Built once, on first use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace ww::ptx {

class SpellingMap {
 public:
  // `spellings` must outlive the map. Of equal spellings the first one is found.
  explicit SpellingMap(std::span<const std::string_view> spellings) : spellings_(spellings), order_(spellings.size()) {
    std::iota(order_.begin(), order_.end(), uint16_t{0});
    std::sort(order_.begin(), order_.end(), [&](uint16_t a, uint16_t b) {
      return spellings_[a] != spellings_[b] ? spellings_[a] < spellings_[b] : a < b;
    });
  }

  // The index of `spelling`, or -1.
  int find(std::string_view spelling) const {
    const auto at = std::lower_bound(order_.begin(), order_.end(), spelling,
                                     [&](uint16_t index, std::string_view s) { return spellings_[index] < s; });
    return at != order_.end() && spellings_[*at] == spelling ? *at : -1;
  }

 private:
  std::span<const std::string_view> spellings_;
  std::vector<uint16_t> order_;
};

}  // namespace ww::ptx
