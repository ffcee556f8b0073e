// What every module may call without defining it (CUDA C++ programming guide, "Formatted Output", "Dynamic Global
// Memory Allocation and Operations", "Assertion"): vprintf, malloc, free, __assertfail.
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/hexadecimal.h"
#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Space;

// Argument `index` of the call: 8 bytes, fewer extended by zeros.
uint64_t argument(Warp& warp, const CallSite& site, size_t index, unsigned lane) {
  if (index >= site.arguments.size()) return 0;
  const CallSite::Argument& a = site.arguments[index];
  if (a.offset == kNone) return warp.read(a.value)[lane];
  uint64_t value = 0;
  std::memcpy(&value, warp.frame->parameter(lane, a.offset), std::min(a.bytes, 8u));
  return value;
}

// The lane's result, if the call wants it.
void give(Warp& warp, const CallSite& site, unsigned lane, uint64_t value, uint32_t bytes) {
  for (const CallSite::Argument& result : site.results) {
    if (result.offset != kNone)
      std::memcpy(warp.frame->parameter(lane, result.offset), &value, std::min(bytes, result.bytes));
    else
      warp.write(result.value)[lane] = value;
  }
}

// A string in the module's memory, up to its zero; ends early where memory does.
std::string text_at(Warp& warp, const Op& op, unsigned lane, uint64_t address) {
  std::string text;
  for (;; ++address) {
    const uint8_t* place = locate_checked(warp, op, lane, Space::kGeneric, address, 1, 1, Access::kRead);
    if (place == nullptr || *place == 0) return text;
    text += char(*place);
  }
}

// vprintf(format, arguments): C's conversions, arguments packed with their natural alignment. The text goes to the
// launch's output. Returns the number of conversions.
void print_formatted(Warp& warp, const Op& op, uint32_t mask) {
  const CallSite& site = warp.frame->function->calls[op.detail];
  each_lane(mask, [&](unsigned lane) {
    const uint64_t pointers[2] = {argument(warp, site, 0, lane), argument(warp, site, 1, lane)};
    std::string& out = warp.block.launch.output;
    const auto byte = [&](uint64_t address) -> char {
      const uint8_t* place = locate_checked(warp, op, lane, Space::kGeneric, address, 1, 1, Access::kRead);
      return place ? char(*place) : 0;
    };
    uint64_t cursor = pointers[1];
    uint32_t conversions = 0;
    const auto next = [&](unsigned bytes) {
      cursor = (cursor + bytes - 1) / bytes * bytes;
      uint64_t value = 0;
      if (const uint8_t* place = locate_checked(warp, op, lane, Space::kGeneric, cursor, bytes, bytes, Access::kRead))
        std::memcpy(&value, place, bytes);
      cursor += bytes;
      ++conversions;
      return value;
    };
    for (uint64_t at = pointers[0];; ++at) {
      char c = byte(at);
      if (c == 0 || warp.block.failed()) break;
      if (c != '%') {
        out += c;
        continue;
      }
      std::string spec = "%";
      unsigned longs = 0;
      for (c = byte(++at); c != 0 && std::strchr("-+ #0123456789.lhz", c); c = byte(++at)) {
        longs += c == 'l' || c == 'z';
        if (!std::strchr("lhz", c)) spec += c;
      }
      char text[128] = "";
      if (c == '%')
        out += '%';
      else if (std::strchr("di", c)) {
        spec += "lld";
        const uint64_t v = next(longs ? 8 : 4);
        std::snprintf(text, sizeof text, spec.c_str(), longs ? (long long)v : (long long)int32_t(v));
      } else if (std::strchr("uxXoc", c) && c) {
        if (c != 'c') spec += "ll";
        spec += c;
        const uint64_t v = next(longs ? 8 : 4);
        if (c == 'c')
          std::snprintf(text, sizeof text, spec.c_str(), int(v));
        else
          std::snprintf(text, sizeof text, spec.c_str(), (unsigned long long)v);
      } else if (std::strchr("eEfFgGaA", c) && c) {
        spec += c;
        std::snprintf(text, sizeof text, spec.c_str(), as<double>(next(8)));
      } else if (c == 'p') {
        std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)next(8));
      } else if (c == 's') {
        uint64_t s = next(8);
        while (const char k = byte(s++)) out += k;
      }
      out += text;
    }
    give(warp, site, lane, conversions, 4);
  });
}

// malloc(bytes): null once 8 MB, the heap's size on an NVIDIA GPU, are in use. Aligned to 256 bytes, with closed bytes
// around.
void allocate(Warp& warp, const Op& op, uint32_t mask) {
  const CallSite& site = warp.frame->function->calls[op.detail];
  each_lane(mask, [&](unsigned lane) {
    const uint64_t bytes = argument(warp, site, 0, lane);
    const Allocation* allocation = warp.block.launch.memory.allocate_from_heap(bytes);
    give(warp, site, lane, allocation == nullptr ? 0 : allocation->base, 8);
  });
}

void release(Warp& warp, const Op& op, uint32_t mask) {
  const CallSite& site = warp.frame->function->calls[op.detail];
  each_lane(mask, [&](unsigned lane) {
    const uint64_t address = argument(warp, site, 0, lane);
    if (address == 0) return;
    Allocation* allocation = warp.block.launch.memory.begins_at(address);
    if (allocation == nullptr || !allocation->on_heap)
      return warp.fault(op, lane,
                        "free of " + hexadecimal(address) + ", which malloc did not give or free already took");
    warp.block.launch.memory.free(*allocation);
    warp.block.last_allocation.fill(nullptr);
  });
}

// __assertfail(condition, file, line, function, bytes a character)
void fail_assertion(Warp& warp, const Op& op, uint32_t mask) {
  const CallSite& site = warp.frame->function->calls[op.detail];
  const unsigned lane = unsigned(std::countr_zero(mask));
  const std::string condition = text_at(warp, op, lane, argument(warp, site, 0, lane));
  const std::string file = text_at(warp, op, lane, argument(warp, site, 1, lane));
  const std::string function = text_at(warp, op, lane, argument(warp, site, 3, lane));
  warp.fault(op, lane,
             file + ":" + std::to_string(uint32_t(argument(warp, site, 2, lane))) + ": " + function + ": Assertion `" +
                 condition + "` failed",
             "The program's own check failed; look at its source");
}

}  // namespace

Handler system_function(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    Handler handler;
  } kFunctions[] = {
      {"vprintf", print_formatted},
      {"malloc", allocate},
      {"free", release},
      {"__assertfail", fail_assertion},
  };
  for (const auto& function : kFunctions)
    if (function.name == name) return function.handler;
  return nullptr;
}

}  // namespace ww::sim
