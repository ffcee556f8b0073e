// What devices answer for all inputs of the approximate forms.
//
// usage: input-probe record DEVICE [options]          "name hash hash ..." of each sweep, a hash for each chunk of
// inputs
//        input-probe check DEVICE [options]           compares with h200_all_inputs.txt; 1 if a chunk differs
//        input-probe errors DEVICE [options]          the lines of h200_approximate.txt: largest errors over all inputs
//        input-probe text [options]                   the kernels
//        input-probe results DEVICE NAME FIRST STEP COUNT   words of 64 bits to standard output, in the machine's order
// options: --only TEXT (in the sweep's name), --isa v2|v3|v4
#include <algorithm>
#include <cstdio>

#include "coverage/approximate_error.h"
#include "coverage/input_sweep.h"
#include "coverage/recorded_sweeps.h"
#include "device/registry.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::coverage;
using testing::fail;

int usage() {
  std::fputs(
      "usage: input-probe record DEVICE | check DEVICE | errors DEVICE | text | results DEVICE NAME FIRST STEP COUNT  "
      "[--only TEXT] [--isa v2|v3|v4]\n",
      stderr);
  return 2;
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

// Over all inputs of one sweep, of pairs those with equal halves: for each bound the largest error, and where it is.
Status add_errors(Device& device, const Sweep& sweep, std::vector<RecordedError>& errors) {
  std::vector<ErrorMeter> meters;
  for (const RecordedError& error : errors) meters.emplace_back(sweep, error.bound);
  WW_ASSIGN(SweepRun run, SweepRun::create(device, sweep));
  const bool halves = sweep.is_pair() || sweep.inputs < kChunkInputs;
  const uint32_t step = sweep.is_pair() ? 0x10001 : 1, count = halves ? 1u << 16 : kChunkInputs;
  for (uint32_t chunk = 0; chunk < (halves ? 1 : sweep.chunks()); ++chunk) {
    WW_ASSIGN(const std::vector<uint64_t> results, run.results(chunk * kChunkInputs, step, count));
    for (size_t k = 0; k < meters.size(); ++k)
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t input = chunk * kChunkInputs + i * step;
        const double error = meters[k].error(input, results[i]);
        if (error > errors[k].largest) errors[k].largest = error, errors[k].input = input;
      }
  }
  return {};
}

int errors(Device& device, const std::string& only) {
  std::vector<RecordedError> found;
  const auto print = [&] {
    for (const RecordedError& error : found) std::puts(line_of(error).c_str());
  };
  for (const Sweep& sweep : chosen_sweeps(only)) {
    if (found.empty() || found[0].form != sweep.form.name) {
      print();
      found.clear();
      for (const ErrorBound& bound : manual_bounds(sweep.form)) found.push_back({sweep.form.name, bound});
    }
    const Status added = add_errors(device, sweep, found);
    if (!added.ok()) return fail(added.error());
  }
  print();
  return 0;
}

int text(const std::string& only) {
  for (const Sweep& sweep : chosen_sweeps(only)) std::printf("// %s\n%s", sweep.name.c_str(), sweep.text.c_str());
  return 0;
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

int ask(int argc, char** argv) {
  DeviceOptions options;
  std::string only;
  std::vector<std::string> words;
  const auto take = [&](const std::string& option, const std::string& value) {
    if (option != "--only") return testing::read_device_option(option, value, options);
    only = value;
    return true;
  };
  if (!testing::read_command_line(argc, argv, words, take)) return usage();
  if (words.size() == 1 && words[0] == "text") return text(only);
  if (words.size() < 2) return usage();
  const bool is_results = words[0] == "results";
  if (words.size() != (is_results ? 6u : 2u)) return usage();
  auto device = open_device(words[1], options);
  if (!device.ok()) return fail(device.error());
  if (words[0] == "record") return record(**device, only);
  if (words[0] == "check") return check(**device, only);
  if (words[0] == "errors") return errors(**device, only);
  return is_results ? results(**device, words) : usage();
}

}  // namespace

int main(int argc, char** argv) {
  return testing::ended(ask(argc, argv));
}
