// Checks of numbers that options take; CLI11's own print the largest double in full.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ww::cli {

inline CLI::Validator number_check(const std::string& wanted, bool zero_too) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0.0;
        const bool good = CLI::detail::lexical_cast(text, value) && (value > 0.0 || (zero_too && value == 0.0));
        return good ? std::string() : "'" + text + "' is not " + wanted;
      },
      "");
}

inline CLI::Validator above_zero() {
  return number_check("a number above 0", false);
}
inline CLI::Validator zero_or_more() {
  return number_check("a number of 0 or more", true);
}

}  // namespace ww::cli
