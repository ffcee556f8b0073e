// How far the results of approximate forms are from the functions they approximate, measured as the PTX manual states
// its bounds ("Floating Point Instructions").
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/float_formats.h"
#include "coverage/input_sweep.h"

namespace ww::coverage {

enum class ErrorUnit : uint8_t {
  kUlp,       // distance from the correctly rounded value, in units of its last place
  kAbsolute,  // |result - exact|
  kRelative,  // |result - exact| / |exact|
};

std::string_view name_of(ErrorUnit unit);  // "ulp", "absolute", "relative"

// A bound, and the magnitudes of the operand (of a division: of the divisor) for which it is stated.
struct ErrorBound {
  ErrorUnit unit = ErrorUnit::kUlp;
  double bound = 0;
  double low = 0, high = 0;
  bool outside = false;  // stated for what is not in (low, high)
};

// The manual's statements about a form; none for one that is not approximate, or of f64.
std::vector<ErrorBound> manual_bounds(const Form& form);

// Measures the errors of a sweep's results against one bound.
class ErrorMeter {
 public:
  ErrorMeter(const Sweep& sweep, const ErrorBound& bound);
  // The error of a result for input i, of a pair the larger; 0 where the bound does not speak: operands that are not
  // finite or not in its range, or flushed (.ftz), exact values that are not normal numbers of the result's type.
  double error(uint32_t input, uint64_t result) const;

 private:
  double error_of_value(uint64_t operand, uint64_t result) const;

  ErrorBound bound_;
  const FloatFormat& format_;
  double (*function_)(double);                        // null: dividend_ / x
  double dividend_ = 0, smallest_ = 0, largest_ = 0;  // of the format's normal numbers
  bool flushes_ = false, is_pair_ = false;
};

}  // namespace ww::coverage
