// Random programs, and what devices make of them.
//
// usage: program-probe vocabulary                               forms that programs may hold, to standard output
//        program-probe show SEED                                its PTX
//        program-probe run DEVICE --seeds A..B                  "seed hash", or "seed error", a line
//        program-probe record DEVICE --seeds A..B > FILE        the hashes in a file (recording.h); errors to stderr
//        program-probe check DEVICE FILE [--seeds A..B]         seeds whose hash is not that of the file
//        program-probe compare FIRST SECOND --seeds A..B        seeds whose hashes differ
//        program-probe reduce SEED --device A --against B       the fewest lines for which A and B differ
//        program-probe reduce SEED --device A --against HASH|error
// options: --jobs N, --batch N (programs a module), --patience SECONDS, --isa v2|v3|v4, --vocabulary FILE
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "device/registry.h"
#include "random/generator.h"
#include "random/recording.h"
#include "random/reducer.h"
#include "random/runner.h"

namespace {

using namespace ww;
using namespace ww::programs;

struct Options {
  std::vector<std::string> words;
  std::string device, against, vocabulary = default_vocabulary();
  uint64_t first = 0, last = 99;
  bool has_seeds = false;
  IsolatedRun run;
};

int usage() {
  std::fputs(
      "usage: program-probe vocabulary | show SEED | run DEVICE | record DEVICE | check DEVICE FILE | compare FIRST "
      "SECOND | reduce SEED --device A --against B|HASH|error\n  [--seeds A..B] [--jobs N] [--batch N] [--patience "
      "SECONDS] [--isa v2|v3|v4] [--vocabulary FILE]\n",
      stderr);
  return 2;
}

std::vector<Outcome> outcomes_of(const Options& options, const std::string& device, const Vocabulary& vocabulary) {
  IsolatedRun run = options.run;
  run.device = device;
  return run_isolated(run, options.first, options.last, [&](uint64_t seed) { return program_of(seed, vocabulary); });
}

int run(const Options& options, const Vocabulary& vocabulary) {
  int status = 0;
  for (const Outcome& outcome : outcomes_of(options, options.words[1], vocabulary)) {
    if (outcome.error.empty())
      std::printf("%llu %08x\n", static_cast<unsigned long long>(outcome.seed), outcome.hash);
    else
      std::printf("%llu %s\n", static_cast<unsigned long long>(outcome.seed), outcome.error.c_str());
    status |= outcome.error.empty() ? 0 : 1;
  }
  return status;
}

int record(const Options& options, const Vocabulary& vocabulary) {
  Recording recording{options.first, fingerprint_of(vocabulary), {}};
  for (const Outcome& outcome : outcomes_of(options, options.words[1], vocabulary)) {
    recording.hashes.push_back(outcome.hash);
    if (!outcome.error.empty())
      std::fprintf(stderr, "%llu %s\n", static_cast<unsigned long long>(outcome.seed), outcome.error.c_str());
  }
  const std::string bytes = bytes_of(recording);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

// Differences between what is expected and what a device gives; an error of either is one.
int report(const std::vector<Outcome>& expected, const std::vector<Outcome>& found) {
  unsigned equal = 0, differ = 0, failed = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto seed = static_cast<unsigned long long>(expected[i].seed);
    if (!expected[i].error.empty() || !found[i].error.empty()) {
      ++failed;
      std::printf("FAILED %llu: %s | %s\n", seed, expected[i].error.c_str(), found[i].error.c_str());
    } else if (expected[i].hash != found[i].hash) {
      ++differ;
      std::printf("DIFFER %llu: %08x, %08x\n", seed, expected[i].hash, found[i].hash);
    } else {
      ++equal;
    }
  }
  std::printf("%zu programs: %u equal, %u differ, %u failed\n", expected.size(), equal, differ, failed);
  return differ + failed != 0;
}

int compare(const Options& options, const Vocabulary& vocabulary) {
  return report(outcomes_of(options, options.words[1], vocabulary), outcomes_of(options, options.words[2], vocabulary));
}

int check(Options options, const Vocabulary& vocabulary) {
  const auto recording = read_recording(options.words[2]);
  if (!recording.ok()) {
    std::fprintf(stderr, "%s\n", recording.error().to_string().c_str());
    return exit_status(recording.error().kind);
  }
  if (recording->fingerprint != fingerprint_of(vocabulary)) {
    std::fprintf(stderr, "%s: recorded of other programs than seeds make now; record again\n",
                 options.words[2].c_str());
    return 1;
  }
  const uint64_t end = recording->first + recording->hashes.size();
  if (!options.has_seeds) {
    options.first = recording->first;
    options.last = end - 1;
  }
  if (options.first < recording->first || options.last >= end) return usage();
  std::vector<Outcome> expected;
  for (uint64_t seed = options.first; seed <= options.last; ++seed) {
    const uint32_t hash = recording->hashes[seed - recording->first];
    expected.push_back({seed, hash, hash == 0 ? "not recorded" : ""});
  }
  return report(expected, outcomes_of(options, options.words[1], vocabulary));
}

void print_difference(const Program& program, const Output& a, const Output& b) {
  unsigned shown = 0;
  const unsigned threads = program.threads();
  for (size_t i = 0; i < a.size() && shown < 8; ++i) {
    if (a[i] == b[i]) continue;
    ++shown;
    if (i < size_t{kColumns} * threads)
      std::printf("// register %zu (.%s) of thread %zu: ", i / threads,
                  std::string(ptx::spelling(column_type(static_cast<unsigned>(i / threads)))).c_str(), i % threads);
    else
      std::printf("// word %zu of memory: ", i - size_t{kColumns} * threads);
    std::printf("%016llx, %016llx\n", static_cast<unsigned long long>(a[i]), static_cast<unsigned long long>(b[i]));
  }
}

int reduce(const Options& options, const Vocabulary& vocabulary) {
  const Program start = program_of(std::strtoull(options.words[1].c_str(), nullptr, 10), vocabulary);
  IsolatedRun first = options.run, second = options.run;
  first.device = options.device;
  second.device = options.against;
  const bool wants_error = options.against == "error";
  char* rest = nullptr;
  const auto hash = static_cast<uint32_t>(std::strtoul(options.against.c_str(), &rest, 16));
  const bool has_hash = !wants_error && *rest == 0;
  std::string wanted;  // the error's own words, without numbers
  const auto gist = [](const std::string& error) {
    std::string text;
    for (const char c : error.substr(0, 2000))
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) text += c;
    const size_t colon = text.rfind(": ");
    return colon == std::string::npos ? text : text.substr(colon).substr(0, 40);
  };
  const auto shows = [&](const Program& program) {
    const auto a = run_one_isolated(first, program);
    if (wants_error) {
      if (a.ok()) return false;
      if (wanted.empty()) wanted = gist(a.error().to_string());
      return gist(a.error().to_string()) == wanted;
    }
    if (!a.ok()) return false;
    // Against a hash only the program as it was can be judged.
    if (has_hash) return hash_of(*a) != hash;
    const auto b = run_one_isolated(second, program);
    return b.ok() && *a != *b;
  };
  if (!shows(start)) {
    std::fputs("nothing to reduce: no difference\n", stderr);
    return 1;
  }
  const Program small = has_hash ? start : ww::programs::reduce(start, shows);
  std::printf("%s%s", module_head().c_str(), text_of(small).c_str());
  const auto a = run_one_isolated(first, small);
  if (!a.ok()) std::printf("// %s\n", a.error().to_string().c_str());
  if (!wants_error && !has_hash) {
    const auto b = run_one_isolated(second, small);
    if (a.ok() && b.ok()) print_difference(small, *a, *b);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      options.words.push_back(argument);
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string value = argv[++i];
    unsigned long long first = 0, last = 0;
    if (argument == "--seeds" && std::sscanf(value.c_str(), "%llu..%llu", &first, &last) == 2 && first <= last) {
      options.first = first;
      options.last = last;
      options.has_seeds = true;
    } else if (argument == "--jobs") {
      options.run.jobs = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    } else if (argument == "--batch") {
      options.run.batch = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    } else if (argument == "--patience") {
      options.run.patience = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    } else if (argument == "--isa" && (value == "v2" || value == "v3" || value == "v4")) {
      options.run.host_isa = value == "v2" ? HostIsa::kV2 : value == "v3" ? HostIsa::kV3 : HostIsa::kV4;
    } else if (argument == "--device") {
      options.device = value;
    } else if (argument == "--against") {
      options.against = value;
    } else if (argument == "--vocabulary") {
      options.vocabulary = value;
    } else {
      return usage();
    }
  }
  if (options.words.empty()) return usage();
  const std::string& command = options.words[0];
  if (command == "vocabulary" && options.words.size() == 1) {
    const std::string folder = WARPWAVE_SOURCE_DIR "/tests/coverage/";
    std::vector<std::string> recorded;
    for (const std::string& line : lines_of(folder + "h200.txt")) recorded.push_back(line.substr(17));
    for (const std::string& name : usable_forms(recorded, lines_of(folder + "known_differences.txt")))
      std::puts(name.c_str());
    return 0;
  }
  const auto names = lines_of(options.vocabulary);
  if (names.empty()) {
    std::fprintf(stderr, "%s: no vocabulary; give one with --vocabulary FILE\n", options.vocabulary.c_str());
    return 3;
  }
  const Vocabulary vocabulary = vocabulary_of(names);
  if (command == "show" && options.words.size() == 2) {
    const uint64_t first = std::strtoull(options.words[1].c_str(), nullptr, 10);
    std::string text = module_head();
    const uint64_t last = options.has_seeds ? options.last : first;
    for (uint64_t seed = first; seed <= last; ++seed) text += text_of(program_of(seed, vocabulary));
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (command == "run" && options.words.size() == 2) return run(options, vocabulary);
  if (command == "record" && options.words.size() == 2) return record(options, vocabulary);
  if (command == "check" && options.words.size() == 3) return check(options, vocabulary);
  if (command == "compare" && options.words.size() == 3) return compare(options, vocabulary);
  if (command == "reduce" && options.words.size() == 2 && !options.device.empty() && !options.against.empty())
    return reduce(options, vocabulary);
  return usage();
}
