// Runs control cases on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/control_case.h"
#include "device/device.h"

namespace ww::control {

// What the launch leaves in `out`.
Result<std::vector<uint32_t>> run_case(Device& device, const ControlCase& control);

// FNV-1a of the words' bytes, little endian.
uint64_t hash_of(const std::vector<uint32_t>& words);

// The first words that differ, "out[5]: 1, expected 2"; empty if none does.
std::string difference(const std::vector<uint32_t>& words, const std::vector<uint32_t>& expected);

// Ends the process with status 3 and the message "hangs: NAME" when it lives longer than `seconds`: a launch that never
// ends can't be stopped otherwise.
class Watchdog {
 public:
  Watchdog(std::string name, unsigned seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  struct State;
  State* state_;
};

}  // namespace ww::control
