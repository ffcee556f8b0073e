// The command line of the programs that ask a device something (`*-probe`): words, and options with a value each.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "device/device.h"

namespace ww::testing {

// Prints the error; the exit status that goes with it.
inline int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return exit_status(error.kind);
}

// The exit status at the program's end: 1 if what it printed could not be written (a record with holes), else `status`.
inline int ended(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fputs("standard output can't be written: the disk is full, or the pipe's reader has gone\n", stderr);
  return 1;
}

// A decimal number.
inline bool read_number(const std::string& value, uint64_t& number) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size();
}

// One that is not 0.
inline bool read_count(const std::string& value, unsigned& count) {
  uint64_t number = 0;
  if (!read_number(value, number) || number == 0 || number > ~0u) return false;
  count = unsigned(number);
  return true;
}

// --isa v2|v3|v4, --threads N, --schedule SEED. False: none of these, or a value that it can't have.
inline bool read_device_option(std::string_view option, const std::string& value, DeviceOptions& options) {
  if (option == "--threads") return read_count(value, options.threads);
  if (option == "--schedule") return read_number(value, options.schedule_seed);
  if (option != "--isa") return false;
  options.host_isa = value == "v2" ? HostIsa::kV2 : value == "v3" ? HostIsa::kV3 : HostIsa::kV4;
  return value == "v2" || value == "v3" || value == "v4";
}

// Whether each of the words from `first` on is a name of one of `all`; prints the first that is not.
template <typename All>
bool are_names(const std::vector<std::string>& words, size_t first, const All& all) {
  for (size_t i = first; i < words.size(); ++i) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == words[i]; });
    if (known) continue;
    std::fprintf(stderr, "nothing is named '%s'\n", words[i].c_str());
    return false;
  }
  return true;
}

// Puts what begins with no -- into `words`, and hands options with their values to `take`, which says whether it knows
// them. False: it does not, or a value is missing. What the program prints comes out line by line, so that a device's
// crash leaves whole lines behind.
template <typename Take>
bool read_command_line(int argc, char** argv, std::vector<std::string>& words, Take&& take) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (!option.starts_with("--"))
      words.push_back(option);
    else if (i + 1 >= argc || !take(option, std::string(argv[++i])))
      return false;
  }
  return true;
}

}  // namespace ww::testing
