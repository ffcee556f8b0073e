// Runs litmus tests and prints how often each outcome appeared; "FORBIDDEN" stands in front of those that must not.
//
// usage: litmus-probe DEVICE [NAME ...] [--count N] [--place blocks|wide-blocks|warps|lanes] [--scope cta|gpu|sys]
//                     [--threads N] [--isa v2|v3|v4] [--schedule SEED] [--seed N]
//        litmus-probe text NAME [--place P] [--scope S]
// Exit status: 0; 1 if a forbidden outcome appeared or a test failed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device/registry.h"
#include "litmus/litmus.h"

namespace {

using namespace ww;
using namespace ww::litmus;

int usage() {
  std::fputs(
      "usage: litmus-probe DEVICE|text [NAME ...] [--count N] [--place blocks|wide-blocks|warps|lanes] [--scope "
      "cta|gpu|sys] [--threads N] [--isa v2|v3|v4] [--schedule SEED] [--seed N]\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  DeviceOptions options;
  std::vector<std::string> words;
  std::vector<Place> places = {Place::kBlocks, Place::kWideBlocks, Place::kWarps, Place::kLanes};
  uint64_t count = 100000, seed = 1;
  std::string scope;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      words.push_back(argument);
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string value = argv[++i];
    if (argument == "--count")
      count = uint64_t(std::atoll(value.c_str()));
    else if (argument == "--seed")
      seed = uint64_t(std::atoll(value.c_str()));
    else if (argument == "--threads")
      options.threads = unsigned(std::atoi(value.c_str()));
    else if (argument == "--schedule")
      options.schedule_seed = uint64_t(std::atoll(value.c_str()));
    else if (argument == "--scope")
      scope = value;
    else if (argument == "--isa")
      options.host_isa = value == "v2" ? HostIsa::kV2 : value == "v3" ? HostIsa::kV3 : HostIsa::kV4;
    else if (argument == "--place")
      std::erase_if(places, [&](Place place) { return name_of(place) != value; });
    else
      return usage();
  }
  if (words.empty() || places.empty()) return usage();
  std::unique_ptr<Device> device;
  if (words[0] != "text") {
    auto opened = open_device(words[0], options);
    if (!opened.ok()) {
      std::fprintf(stderr, "%s\n", opened.error().to_string().c_str());
      return 1;
    }
    device = std::move(*opened);
  }
  bool good = true;
  for (const Test& test : all_tests()) {
    if (words.size() > 1 && std::find(words.begin() + 1, words.end(), test.name) == words.end()) continue;
    for (const Place place : places) {
      const bool is_grid = place == Place::kBlocks || place == Place::kWideBlocks;
      const std::string in = !scope.empty() ? scope : is_grid ? "gpu" : "cta";
      if (device == nullptr) {
        std::printf("%s", ptx_text(test, place, in).c_str());
        continue;
      }
      const auto histogram = run(*device, test, place, in, count, seed);
      std::printf("%s, %s, .%s\n", test.name.c_str(), name_of(place), in.c_str());
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
