// Functions of lanes' values: match, redux. And the search over all families.
#include <algorithm>
#include <bit>

#include "cpu/runtime.h"

namespace ww::cpu {

template <typename F>
static void each_lane(uint32_t mask, F&& body) {
  for (; mask != 0; mask &= mask - 1) body(unsigned(std::countr_zero(mask)));
}

// PTX manual, "match.sync": lanes of the member mask that hold this lane's value.
template <typename T>
static void match_any(WarpContext*, uint32_t mask, const void* in, void* out) {
  const T* value = in_array<T>(in, 0);
  const uint32_t* members = in_array<uint32_t>(in, warp_array_bytes(sizeof(T)));
  uint32_t* result = out_array<uint32_t>(out, 0);
  each_lane(mask, [&](unsigned lane) {
    uint32_t same = 0;
    each_lane(mask & members[lane], [&](unsigned other) { same |= uint32_t(value[other] == value[lane]) << other; });
    result[lane] = same;
  });
}

template <typename T>
static void match_all(WarpContext*, uint32_t mask, const void* in, void* out) {
  const T* value = in_array<T>(in, 0);
  const uint32_t* members = in_array<uint32_t>(in, warp_array_bytes(sizeof(T)));
  uint32_t* result = out_array<uint32_t>(out, 0);
  uint8_t* same_everywhere = out_array<uint8_t>(out, warp_array_bytes(4));
  each_lane(mask, [&](unsigned lane) {
    bool same = true;
    each_lane(mask & members[lane], [&](unsigned other) { same = same && value[other] == value[lane]; });
    result[lane] = same ? mask & members[lane] : 0;
    same_everywhere[lane] = same;
  });
}

template <typename T, typename F>
static void reduce(uint32_t mask, const void* in, void* out, F&& combine) {
  const T* value = in_array<T>(in, 0);
  const uint32_t* members = in_array<uint32_t>(in, warp_array_bytes(sizeof(T)));
  T* result = out_array<T>(out, 0);
  each_lane(mask, [&](unsigned lane) {
    const uint32_t group = mask & members[lane];
    bool is_first = true;
    T total{};
    each_lane(group, [&](unsigned other) {
      total = is_first ? value[other] : combine(total, value[other]);
      is_first = false;
    });
    result[lane] = total;
  });
}

#define WW_REDUX(function, type, expression)                                        \
  static void function(WarpContext*, uint32_t mask, const void* in, void* out) {    \
    reduce<type>(mask, in, out, [](type a, type b) -> type { return expression; }); \
  }
WW_REDUX(redux_add, uint32_t, a + b)
WW_REDUX(redux_and, uint32_t, a& b)
WW_REDUX(redux_or, uint32_t, a | b)
WW_REDUX(redux_xor, uint32_t, a ^ b)
WW_REDUX(redux_min_s32, int32_t, std::min(a, b))
WW_REDUX(redux_max_s32, int32_t, std::max(a, b))
WW_REDUX(redux_min_u32, uint32_t, std::min(a, b))
WW_REDUX(redux_max_u32, uint32_t, std::max(a, b))
#undef WW_REDUX

WarpFunction find_lane_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.match.any.b32", &match_any<uint32_t>},
      {"cpu.match.any.b64", &match_any<uint64_t>},
      {"cpu.match.all.b32", &match_all<uint32_t>},
      {"cpu.match.all.b64", &match_all<uint64_t>},
      {"cpu.redux.add", &redux_add},
      {"cpu.redux.and", &redux_and},
      {"cpu.redux.or", &redux_or},
      {"cpu.redux.xor", &redux_xor},
      {"cpu.redux.min.s32", &redux_min_s32},
      {"cpu.redux.max.s32", &redux_max_s32},
      {"cpu.redux.min.u32", &redux_min_u32},
      {"cpu.redux.max.u32", &redux_max_u32},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  return nullptr;
}

WarpFunction find_warp_function(std::string_view name) {
  if (const WarpFunction found = find_lane_function(name)) return found;
  if (const WarpFunction found = find_vote_function(name)) return found;
  if (const WarpFunction found = find_matrix_function(name)) return found;
  if (const WarpFunction found = find_lane_mma_function(name)) return found;
  if (const WarpFunction found = find_texture_function(name)) return found;
  return find_block_function(name);
}

}  // namespace ww::cpu
