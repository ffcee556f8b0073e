// What a device makes of the control cases.
//
// usage: control-probe list | text NAME | expected
//        control-probe run DEVICE [NAME ...] [--isa v2|v3|v4] [--threads N] [--schedule SEED]
// `run` prints "hash name" for each case, as `expected` does, and what differs on the standard error stream. Exit
// status: 0, 1 if a case differs or fails, 3 if one hangs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "control/control_runner.h"
#include "device/registry.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::control;

constexpr unsigned kPatience = 60;  // seconds a case

int usage() {
  std::fputs(
      "usage: control-probe list | text NAME | expected | run DEVICE [NAME ...] [--isa v2|v3|v4] [--threads N] "
      "[--schedule SEED]\n",
      stderr);
  return 2;
}

void print_hash(const std::vector<uint32_t>& words, const std::string& name) {
  std::printf("%016llx %s\n", static_cast<unsigned long long>(hash_of(words)), name.c_str());
}

// Each case has a device of its own: a fault that breaks one must not reach the next.
bool run_one(const std::string& device_name, const DeviceOptions& options, const ControlCase& control) {
  const Watchdog watchdog(control.name + " on " + device_name, kPatience);
  auto device = open_device(device_name, options);
  if (!device.ok()) {
    testing::fail(device.error());
    return false;
  }
  const auto words = run_case(**device, control);
  if (!words.ok()) {
    std::fprintf(stderr, "FAILED %s: %s\n", control.name.c_str(), words.error().to_string().c_str());
    return false;
  }
  print_hash(*words, control.name);
  const std::string differs = difference(*words, expected_words(control));
  if (differs.empty()) return true;
  std::fprintf(stderr, "DIFFERS %s: %s\n", control.name.c_str(), differs.c_str());
  return false;
}

int ask(int argc, char** argv) {
  DeviceOptions options;
  std::vector<std::string> words;
  if (!testing::read_command_line(argc, argv, words, [&](const std::string& option, const std::string& value) {
        return testing::read_device_option(option, value, options);
      }))
    return usage();
  if (words.empty() || !testing::are_names(words, words[0] == "run" ? 2 : 1, all_cases())) return usage();
  bool good = true;
  for (const ControlCase& control : all_cases()) {
    const bool named = std::find(words.begin() + 1, words.end(), control.name) != words.end();
    if (words[0] == "list")
      std::printf("%s\n", control.name.c_str());
    else if (words[0] == "text" && named)
      std::printf("%s", ptx_text(control).c_str());
    else if (words[0] == "expected")
      print_hash(expected_words(control), control.name);
    else if (words[0] == "run" && words.size() > 1 && (named || words.size() == 2))
      good = run_one(words[1], options, control) && good;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return testing::ended(ask(argc, argv));
}
