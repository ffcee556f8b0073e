// What devices answer for all inputs of the approximate forms.
//
// usage: input-probe record DEVICE [options]          "name hash hash ..." of each sweep, a hash for each chunk of
// inputs
//        input-probe check DEVICE [options]           compares with h200_all_inputs.txt; 1 if a chunk differs
//        input-probe results DEVICE NAME FIRST STEP COUNT   words of 64 bits to standard output, in the machine's order
// options: --only TEXT (in the sweep's name), --isa v2|v3|v4
#include <cstdio>
#include <cstring>

#include "coverage/input_sweep.h"
#include "coverage/recorded_sweeps.h"
#include "device/registry.h"

namespace {

using namespace ww;
using namespace ww::coverage;

int usage() {
  std::fputs(
      "usage: input-probe record DEVICE | check DEVICE | results DEVICE NAME FIRST STEP COUNT  [--only TEXT] [--isa "
      "v2|v3|v4]\n",
      stderr);
  return 2;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return exit_status(error.kind);
}

std::vector<Sweep> chosen_sweeps(const std::string& only) {
  std::vector<Sweep> sweeps = approximate_sweeps();
  std::erase_if(sweeps, [&](const Sweep& sweep) { return sweep.name.find(only) == std::string::npos; });
  return sweeps;
}

int record(Device& device, const std::string& only) {
  for (const Sweep& sweep : chosen_sweeps(only)) {
    auto run = SweepRun::create(device, sweep);
    if (!run.ok()) return fail(run.error());
    std::string line = sweep.name + ":";
    for (uint32_t chunk = 0; chunk < sweep.chunks(); ++chunk) {
      const auto hash = run->hash(chunk);
      if (!hash.ok()) return fail(hash.error());
      char text[24];
      std::snprintf(text, sizeof text, " %016llx", static_cast<unsigned long long>(*hash));
      line += text;
    }
    std::puts(line.c_str());
  }
  return 0;
}

int check(Device& device, const std::string& only) {
  const auto recorded = recorded_sweeps();
  unsigned different = 0;
  for (const Sweep& sweep : chosen_sweeps(only)) {
    const auto expected = recorded.find(sweep.name);
    if (expected == recorded.end() || expected->second.size() != sweep.chunks()) {
      std::printf("NOT RECORDED %s\n", sweep.name.c_str());
      ++different;
      continue;
    }
    auto run = SweepRun::create(device, sweep);
    if (!run.ok()) return fail(run.error());
    std::string chunks;
    for (uint32_t chunk = 0; chunk < sweep.chunks(); ++chunk) {
      const auto hash = run->hash(chunk);
      if (!hash.ok()) return fail(hash.error());
      if (*hash != expected->second[chunk]) chunks += " " + std::to_string(chunk);
    }
    different += !chunks.empty();
    std::printf("%s %s%s%s\n", chunks.empty() ? "equal " : "DIFFER", sweep.name.c_str(),
                chunks.empty() ? "" : ": chunks", chunks.c_str());
  }
  return different != 0;
}

int results(Device& device, const std::vector<std::string>& words) {
  const auto number = [&](size_t i) { return static_cast<uint32_t>(std::stoull(words[i], nullptr, 0)); };
  for (const Sweep& sweep : approximate_sweeps()) {
    if (sweep.name != words[2]) continue;
    auto run = SweepRun::create(device, sweep);
    if (!run.ok()) return fail(run.error());
    const auto values = run->results(number(3), number(4), number(5));
    if (!values.ok()) return fail(values.error());
    return std::fwrite(values->data(), 8, values->size(), stdout) == values->size() ? 0 : 1;
  }
  std::fprintf(stderr, "no sweep is named %s\n", words[2].c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  DeviceOptions options;
  std::string only;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      words.push_back(argument);
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string value = argv[++i];
    if (argument == "--only")
      only = value;
    else if (argument == "--isa" && (value == "v2" || value == "v3" || value == "v4"))
      options.host_isa = value == "v2" ? HostIsa::kV2 : value == "v3" ? HostIsa::kV3 : HostIsa::kV4;
    else
      return usage();
  }
  if (words.size() < 2) return usage();
  const bool is_results = words[0] == "results";
  if (words.size() != (is_results ? 6u : 2u)) return usage();
  auto device = open_device(words[1], options);
  if (!device.ok()) return fail(device.error());
  if (words[0] == "record") return record(**device, only);
  if (words[0] == "check") return check(**device, only);
  return is_results ? results(**device, words) : usage();
}
