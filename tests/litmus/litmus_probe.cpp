// Runs litmus tests and prints how often each outcome appeared; "FORBIDDEN" stands in front of those that must not.
//
// usage: litmus-probe DEVICE [NAME ...] [--count N] [--place PLACE] [--scope cta|gpu|sys]   (places: all_places())
//                     [--threads N] [--isa v2|v3|v4] [--schedule SEED] [--seed N]
//        litmus-probe text NAME [--place P] [--scope S]
// Exit status: 0; 1 if a forbidden outcome appeared or a test failed; that of the error if there is no such device.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device/registry.h"
#include "litmus/litmus.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::litmus;

int usage() {
  std::fputs(
      "usage: litmus-probe DEVICE|text [NAME ...] [--count N] [--place PLACE] [--scope "
      "cta|gpu|sys] [--threads N] [--isa v2|v3|v4] [--schedule SEED] [--seed N]\n",
      stderr);
  return 2;
}

int ask(int argc, char** argv) {
  DeviceOptions options;
  std::vector<std::string> words;
  std::vector<Place> places(all_places().begin(), all_places().end());
  uint64_t count = 100000, seed = 1;
  std::string scope;
  const auto take = [&](const std::string& option, const std::string& value) {
    if (option == "--count") return testing::read_number(value, count);
    if (option == "--seed") return testing::read_number(value, seed);
    if (option == "--scope")
      scope = value;
    else if (option == "--place")
      std::erase_if(places, [&](const Place& place) { return place.name != value; });
    else
      return testing::read_device_option(option, value, options);
    return true;
  };
  if (!testing::read_command_line(argc, argv, words, take)) return usage();
  if (words.empty() || places.empty() || !testing::are_names(words, 1, all_tests())) return usage();
  std::unique_ptr<Device> device;
  if (words[0] != "text") {
    auto opened = open_device(words[0], options);
    if (!opened.ok()) return testing::fail(opened.error());
    device = std::move(*opened);
  }
  bool good = true;
  for (const Test& test : all_tests()) {
    if (words.size() > 1 && std::find(words.begin() + 1, words.end(), test.name) == words.end()) continue;
    for (const Place& place : places) {
      const std::string in = !scope.empty() ? scope : place.is_grid ? "gpu" : "cta";
      if (device == nullptr) {
        std::printf("%s", ptx_text(test, place, in).c_str());
        continue;
      }
      const auto histogram = run(*device, test, place, in, count, seed);
      std::printf("%s, %s, .%s\n", test.name.c_str(), place.name, in.c_str());
      if (!histogram.ok()) {
        std::printf("  FAILED %s\n", histogram.error().to_string().c_str());
        good = false;
        continue;
      }
      for (const auto& [outcome, times] : *histogram) {
        const bool forbidden = test.forbidden != nullptr && test.forbidden(outcome);
        good = good && !forbidden;
        std::printf("  %s%s: %llu\n", forbidden ? "FORBIDDEN " : "", describe(outcome).c_str(),
                    static_cast<unsigned long long>(times));
      }
    }
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return testing::ended(ask(argc, argv));
}
