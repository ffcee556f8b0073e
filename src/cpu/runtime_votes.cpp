// Votes, shuffles and elections as runtime functions, for lanes that run by themselves and come together here. (Code
// for whole warps has them in line: cross_lane.cpp.)
#include <bit>

#include "cpu/runtime.h"

namespace ww::cpu {

template <typename F>
static void each_lane(uint32_t mask, F&& body) {
  for (; mask != 0; mask &= mask - 1) body(unsigned(std::countr_zero(mask)));
}

static uint32_t set_lanes(uint32_t mask, const void* in) {
  const uint8_t* predicate = in_array<uint8_t>(in, 0);
  uint32_t bits = 0;
  each_lane(mask, [&](unsigned lane) { bits |= uint32_t(predicate[lane] != 0) << lane; });
  return bits;
}

// `decide(yes, members)` for each lane, of its members that are here.
template <typename T, typename F>
static void vote(uint32_t mask, const void* in, void* out, F&& decide) {
  const uint32_t set = set_lanes(mask, in);
  const uint32_t* members = in_array<uint32_t>(in, warp_array_bytes(1));
  each_lane(mask, [&](unsigned lane) {
    const uint32_t here = mask & members[lane];
    out_array<T>(out, 0)[lane] = T(decide(set & here, here));
  });
}

static void vote_all(WarpContext*, uint32_t mask, const void* in, void* out) {
  vote<uint8_t>(mask, in, out, [](uint32_t yes, uint32_t here) { return yes == here; });
}
static void vote_any(WarpContext*, uint32_t mask, const void* in, void* out) {
  vote<uint8_t>(mask, in, out, [](uint32_t yes, uint32_t) { return yes != 0; });
}
static void vote_uni(WarpContext*, uint32_t mask, const void* in, void* out) {
  vote<uint8_t>(mask, in, out, [](uint32_t yes, uint32_t here) { return yes == here || yes == 0; });
}
static void vote_ballot(WarpContext*, uint32_t mask, const void* in, void* out) {
  vote<uint32_t>(mask, in, out, [](uint32_t yes, uint32_t) { return yes; });
}

// PTX manual, "shfl.sync". `target(lane, distance, least, most)` gives the lane to read and whether it is in range.
template <typename F>
static void shuffle(uint32_t mask, const void* in, void* out, F&& target) {
  const size_t array = warp_array_bytes(4);
  const uint32_t* value = in_array<uint32_t>(in, 0);
  each_lane(mask, [&](unsigned lane) {
    const uint32_t b = in_array<uint32_t>(in, array)[lane] & 31, c = in_array<uint32_t>(in, 2 * array)[lane];
    const uint32_t segment = c >> 8 & 31, least = lane & segment, most = least | (c & 31 & ~segment);
    const auto [from, in_range] = target(int(lane), int(b), int(least), int(most), int(~segment & 31));
    out_array<uint32_t>(out, 0)[lane] = value[in_range ? from & 31 : int(lane)];
    out_array<uint8_t>(out, array)[lane] = in_range;
  });
}

struct Source {
  int lane;
  bool in_range;
};

static void shuffle_up(WarpContext*, uint32_t mask, const void* in, void* out) {
  shuffle(mask, in, out, [](int lane, int b, int, int most, int) { return Source{lane - b, lane - b >= most}; });
}
static void shuffle_down(WarpContext*, uint32_t mask, const void* in, void* out) {
  shuffle(mask, in, out, [](int lane, int b, int, int most, int) { return Source{lane + b, lane + b <= most}; });
}
static void shuffle_bfly(WarpContext*, uint32_t mask, const void* in, void* out) {
  shuffle(mask, in, out, [](int lane, int b, int, int most, int) { return Source{lane ^ b, (lane ^ b) <= most}; });
}
static void shuffle_idx(WarpContext*, uint32_t mask, const void* in, void* out) {
  shuffle(mask, in, out, [](int, int b, int least, int most, int outside) {
    return Source{least | (b & outside), (least | (b & outside)) <= most};
  });
}

static void elect(WarpContext*, uint32_t mask, const void* in, void* out) {
  const uint32_t* members = in_array<uint32_t>(in, 0);
  each_lane(mask, [&](unsigned lane) {
    const auto leader = uint32_t(std::countr_zero(mask & members[lane]));
    out_array<uint32_t>(out, 0)[lane] = leader;
    out_array<uint8_t>(out, warp_array_bytes(4))[lane] = leader == lane;
  });
}

WarpFunction find_vote_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.vote.all", &vote_all},       {"cpu.vote.any", &vote_any},    {"cpu.vote.uni", &vote_uni},
      {"cpu.vote.ballot", &vote_ballot}, {"cpu.shfl.up", &shuffle_up},   {"cpu.shfl.down", &shuffle_down},
      {"cpu.shfl.bfly", &shuffle_bfly},  {"cpu.shfl.idx", &shuffle_idx}, {"cpu.elect", &elect},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  return nullptr;
}

}  // namespace ww::cpu
