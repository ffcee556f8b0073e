// Loops over lanes and the views of a 64-bit slot as a typed value.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "sim/warp.h"

namespace ww::sim {

template <class Body>
inline void each_lane(uint32_t mask, Body body) {
  if (mask == kFullMask) {
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) body(unsigned(std::countr_zero(mask)));
  }
}

template <class T>
inline T as(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(uint32_t(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return T(bits);
}

// Signed values are sign-extended, so that a wider destination register holds them.
template <class T>
inline uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_signed_v<T>)
    return uint64_t(int64_t(value));
  else
    return uint64_t(value);
}

// A handler that calls a scalar function of one to four operands in each lane.
template <class Function>
struct LaneCall;

template <class R, class... A>
struct LaneCall<R (*)(A...)> {
  static constexpr unsigned kOperands = sizeof...(A);

  template <R (*kFunction)(A...)>
  static void run(Warp& warp, const Op& op, uint32_t mask) {
    apply<kFunction>(warp, op, mask, std::make_index_sequence<sizeof...(A)>());
  }

 private:
  template <R (*kFunction)(A...), size_t... I>
  static void apply(Warp& warp, const Op& op, uint32_t mask, std::index_sequence<I...>) {
    const LaneValues* operands[] = {&warp.read(op.source[I])...};
    if constexpr (std::is_same_v<R, bool>) {
      uint32_t bits = 0;
      each_lane(mask, [&](unsigned lane) { bits |= uint32_t{kFunction(as<A>((*operands[I])[lane])...)} << lane; });
      warp.set_predicate(op.destination, bits, mask);
    } else {
      LaneValues& result = warp.write(op.destination);
      each_lane(mask, [&](unsigned lane) { result[lane] = bits_of<R>(kFunction(as<A>((*operands[I])[lane])...)); });
    }
  }
};

// LANE_HANDLER(function): the Handler that applies a function (a captureless lambda or a name) lane by lane.
template <auto kFunction>
inline constexpr Handler kLaneHandler = &LaneCall<decltype(kFunction)>::template run<kFunction>;

}  // namespace ww::sim
