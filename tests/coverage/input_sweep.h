// All inputs of the approximate forms.
//
// An approximate form is one whose result the PTX manual bounds instead of defining: exact mode gives an H200's bits,
// and since these forms have one operand that matters, all of its values can be run. A sweep is a kernel that runs a
// form over a range of them; the results make one hash for each chunk of 2^23 (one sign and exponent of f32).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "coverage/forms.h"
#include "device/device.h"

namespace ww::coverage {

constexpr uint32_t kChunkInputs = 1u << 23;

struct Sweep {
  Form form;
  std::string name;          // the form's; with the dividend's bits after it where the form divides
  std::string text;          // a module with one entry, `sweep`
  uint64_t inputs = 0;       // 2^32, or 2^16 where the operand has 16 bits
  unsigned result_bits = 0;  // 16, 32 or 64
  uint32_t dividend = 0;     // of a division
  bool is_pair() const;
  uint32_t chunks() const { return static_cast<uint32_t>((inputs + kChunkInputs - 1) / kChunkInputs); }
};

// Of every approximate form. Input i of f32 and packed forms is the word i; of f64 its upper word, with the lower half
// of `mixed(i)` below it; of a division the divisor, one sweep for each of several dividends.
std::vector<Sweep> approximate_sweeps();

// A sweep on a device.
class SweepRun {
 public:
  static Result<SweepRun> create(Device& device, const Sweep& sweep);
  // The sum modulo 2^64 of mixed(i << 32 | result) over the chunk's inputs, or of mixed(mixed(input) + result) for f64.
  Result<uint64_t> hash(uint32_t chunk);
  // Results for inputs first, first + step, ... modulo 2^32; `count` a multiple of 2^16.
  Result<std::vector<uint64_t>> results(uint32_t first, uint32_t step, uint32_t count);

 private:
  Status launch(uint64_t hash, uint64_t results, uint32_t first, uint32_t step, uint32_t count);

  Device* device_ = nullptr;
  const Sweep* sweep_ = nullptr;
  std::unique_ptr<DeviceModule> module_;
};

// A bijection of 64-bit words that spreads every bit (the finaliser of SplitMix64: Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014).
uint64_t mixed(uint64_t word);

}  // namespace ww::coverage
