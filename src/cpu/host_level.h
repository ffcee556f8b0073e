// The levels of x86-64 that code is generated for, as the psABI names them, and what each gives.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "device/device.h"

namespace ww::cpu {

constexpr unsigned kWarpLanes = 32;

// What code generation has to know about a level.
struct HostLevel {
  HostIsa isa = HostIsa::kV2;
  std::string_view name;      // "x86-64-v4"
  std::string_view features;  // LLVM features on top of the CPU of that name
  unsigned lanes = 4;         // 32-bit values in the widest vector
  bool has_fma = false;       // fma and half conversion in hardware
  bool has_gather = false;    // loads from one address a lane
  bool has_scatter = false;   // stores to one address a lane, and masks in registers of their own

  unsigned strips() const { return kWarpLanes / lanes; }
};

// kV2, kV3 or kV4.
const HostLevel& host_level(HostIsa isa);

// The highest level that this processor and its operating system support (CPUID, XGETBV); below v2: an error.
Result<HostIsa> best_host_isa();

// `wanted`, or the best for kNative. A level that the processor lacks is an error that says so.
Result<HostIsa> choose_host_isa(HostIsa wanted);

}  // namespace ww::cpu
