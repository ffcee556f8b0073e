// Random programs, and what devices make of them.
//
// usage: program-probe vocabulary                               forms that programs may hold, to standard output
//        program-probe show SEED [--seeds A..B|FILE]                 its PTX, or that of all the seeds
//        program-probe run DEVICE --seeds A..B|FILE                "seed hash", or "seed - error", a line, as they come
//        program-probe pack LOG... > FILE                       the hashes of such lines as a record (recording.h)
//        program-probe check DEVICE FILE|LOG [--seeds A..B|FILE]     seeds whose hash is not that of the record
//        program-probe replay DEVICE PTX...                     whether programs of reduced/ do what they should
//        program-probe save DEVICE FOLDER SEED...               the outputs, each in a file SEED.bin
//        program-probe compare FIRST SECOND --seeds A..B        seeds whose hashes differ
//        program-probe reduce SEED --device A --against B       the fewest lines for which A and B differ
//        program-probe reduce SEED --device A --against HASH|error
// options: --jobs N, --batch N (programs a module), --patience SECONDS, --isa v2|v3|v4, --schedule SEED, --vocabulary
// FILE, --assembler PTXAS (nvidia: makes machine code beforehand), --reading manual|assembler (check: assembler):
// whether devices other than nvidia get the program itself or what ptxas makes of it (assembler.h)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "device/registry.h"
#include "random/assembler.h"
#include "random/generator.h"
#include "random/recording.h"
#include "random/reducer.h"
#include "random/runner.h"
#include "random/undefined.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::programs;

struct Options {
  std::vector<std::string> words;
  std::string device, against, reading, vocabulary = default_vocabulary();
  std::vector<uint64_t> seeds;
  bool has_seeds = false;
  IsolatedRun run;
};

int usage() {
  std::fputs(
      "usage: program-probe vocabulary | show SEED | run DEVICE | pack LOG... | check DEVICE FILE [LOG...] | replay "
      "DEVICE PTX... | save "
      "DEVICE FOLDER "
      "SEED... | compare FIRST SECOND | reduce SEED --device A --against B|HASH|error\n  [--seeds A..B|FILE] [--jobs "
      "N] "
      "[--batch N] [--patience SECONDS] [--isa v2|v3|v4] [--schedule SEED] [--vocabulary FILE] [--assembler PTXAS]\n  "
      "[--reading manual|assembler]\n",
      stderr);
  return 2;
}

unsigned long long printed(uint64_t seed) {
  return seed;
}

std::vector<uint64_t> sequence(uint64_t first, uint64_t last) {
  std::vector<uint64_t> seeds;
  for (uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

// "A..B", or a file with a seed at the beginning of each line; none: it's neither.
std::vector<uint64_t> read_seeds(const std::string& text) {
  unsigned long long first = 0, last = 0;
  if (std::sscanf(text.c_str(), "%llu..%llu", &first, &last) == 2)
    return first <= last ? sequence(first, last) : std::vector<uint64_t>();
  std::vector<uint64_t> seeds;
  for (const std::string& line : lines_of(text)) seeds.push_back(std::strtoull(line.c_str(), nullptr, 10));
  return seeds;
}

IsolatedRun run_on(const Options& options, const std::string& device) {
  IsolatedRun run = options.run;
  run.device = device;
  return run;
}

// The program of a seed as a device that does what the manual says has to read it.
std::function<Program(uint64_t)> maker_of(const Options& options, const Vocabulary& vocabulary,
                                          const std::string& device) {
  const bool assembled = options.reading == "assembler" && !device.starts_with("nvidia");
  return [assembled, &vocabulary](uint64_t seed) {
    return assembled ? as_assembled(program_of(seed, vocabulary)) : program_of(seed, vocabulary);
  };
}

// Outcomes in the order of their seeds.
std::vector<Outcome> outcomes_of(const Options& options, const std::string& device, const Vocabulary& vocabulary) {
  std::vector<Outcome> outcomes;
  run_isolated(run_on(options, device), options.seeds, maker_of(options, vocabulary, device),
               [&](const Outcome& outcome) { outcomes.push_back(outcome); });
  std::sort(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.seed < b.seed; });
  return outcomes;
}

int run(const Options& options, const Vocabulary& vocabulary) {
  std::printf("# %016llx %s\n", printed(fingerprint_of(vocabulary)), options.words[1].c_str());
  int status = 0;
  run_isolated(run_on(options, options.words[1]), options.seeds, maker_of(options, vocabulary, options.words[1]),
               [&](const Outcome& outcome) {
                 if (outcome.error.empty())
                   std::printf("%llu %08x\n", printed(outcome.seed), outcome.hash);
                 else
                   std::printf("%llu - %s\n", printed(outcome.seed), outcome.error.c_str());
                 status |= outcome.error.empty() ? 0 : 1;
               });
  return status;
}

int pack(const Options& options) {
  const auto recording = read_logs(std::span(options.words).subspan(1));
  if (!recording.ok()) return testing::fail(recording.error());
  const std::string bytes = bytes_of(*recording);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

// Prints differences as they are known; an error of either is one.
class Comparison {
 public:
  void take(const Outcome& expected, const Outcome& found) {
    if (!expected.error.empty() || !found.error.empty()) {
      ++failed_;
      std::printf("FAILED %llu: %s | %s\n", printed(found.seed), expected.error.c_str(), found.error.c_str());
    } else if (expected.hash != found.hash) {
      ++differ_;
      std::printf("DIFFER %llu: %08x, %08x\n", printed(found.seed), expected.hash, found.hash);
    } else {
      ++equal_;
    }
  }
  int report() const {
    std::printf("%u programs: %u equal, %u differ, %u failed\n", equal_ + differ_ + failed_, equal_, differ_, failed_);
    return differ_ + failed_ != 0;
  }

 private:
  unsigned equal_ = 0, differ_ = 0, failed_ = 0;
};

int compare(const Options& options, const Vocabulary& vocabulary) {
  const auto first = outcomes_of(options, options.words[1], vocabulary);
  const auto second = outcomes_of(options, options.words[2], vocabulary);
  Comparison comparison;
  for (size_t i = 0; i < first.size(); ++i) comparison.take(first[i], second[i]);
  return comparison.report();
}

// What answers a GPU gave: its hashes, and those of the same programs assembled without optimisation.
struct Answers {
  Recording optimised, plain;
  uint32_t of(const Recording& recording, uint64_t seed) const {
    const uint64_t place = seed - recording.first;
    return seed < recording.first || place >= recording.hashes.size() ? 0 : recording.hashes[place];
  }
};

// Seeds that are not in the record are left out, as are programs without a defined result that differ.
int check(Options options, const Vocabulary& vocabulary) {
  Answers answers;
  const std::vector<std::string> logs(options.words.begin() + 3, options.words.end());
  auto recording = read_recording(options.words[2]);
  if (!recording.ok()) return testing::fail(recording.error());
  answers.optimised = std::move(*recording);
  auto plain = read_logs(logs);
  if (!plain.ok()) return testing::fail(plain.error());
  answers.plain = std::move(*plain);
  const uint64_t fingerprint = fingerprint_of(vocabulary);
  for (const Recording* one : {&answers.optimised, &answers.plain})
    if (!one->hashes.empty() && one->fingerprint != fingerprint) {
      std::fputs("recorded of other programs than seeds make now; record again\n", stderr);
      return 1;
    }
  if (!options.has_seeds)
    options.seeds = sequence(answers.optimised.first, answers.optimised.first + answers.optimised.hashes.size() - 1);
  const size_t asked = options.seeds.size();
  std::erase_if(options.seeds, [&](uint64_t seed) {
    return answers.of(answers.optimised, seed) == 0 && answers.of(answers.plain, seed) == 0;
  });
  unsigned unoptimised = 0;
  std::map<std::string, unsigned> undefined;
  const auto listed = undefined_seeds(WARPWAVE_SOURCE_DIR "/tests/random/undefined.txt");
  Comparison comparison;
  run_isolated(run_on(options, options.words[1]), options.seeds, maker_of(options, vocabulary, options.words[1]),
               [&](const Outcome& found) {
                 uint32_t hash = answers.of(answers.optimised, found.seed);
                 if (const uint32_t other = answers.of(answers.plain, found.seed);
                     found.hash != hash && other != 0 && (other == found.hash || hash == 0)) {
                   hash = other;
                   unoptimised += other == found.hash ? 1 : 0;
                 }
                 if (found.error.empty() && found.hash != hash) {
                   std::string reason = undefined_in(program_of(found.seed, vocabulary));
                   if (const auto place = listed.find(found.seed); place != listed.end()) reason = place->second;
                   if (!reason.empty()) {
                     ++undefined[reason];
                     return;
                   }
                 }
                 comparison.take({found.seed, hash, ""}, found);
               });
  std::printf("%zu seeds are not recorded\n", asked - options.seeds.size());
  for (const auto& [reason, count] : undefined) std::printf("%u differ and are undefined: %s\n", count, reason.c_str());
  std::printf("%u are equal to what the GPU answered without the assembler's optimisation\n", unoptimised);
  return comparison.report();
}

// A program in a file that begins with "// seed S, block B, answer HASH": the seed gives its input, its kernel is "kS".
// False: it can't be run, or its output has another hash.
bool replay_file(Device& device, const std::string& path) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  unsigned long long seed = 0;
  unsigned block = 0, answer = 0;
  if (std::sscanf(text.c_str(), "// seed %llu, block %u, answer %8x", &seed, &block, &answer) != 3) {
    std::printf("%s: no program to replay\n", path.c_str());
    return false;
  }
  Program program;
  program.seed = seed;
  program.block = block;
  program.functions.push_back({"k" + std::to_string(seed), {}, {}, {}, {}, {}});
  const auto module = ProgramModule::load_text(device, text, path);
  const auto output = module.ok() ? (*module)->run(device, program) : Result<Output>(module.error());
  if (!output.ok()) {
    std::printf("%s: %s\n", path.c_str(), output.error().to_string().c_str());
    return false;
  }
  if (hash_of(*output) == answer) return true;
  std::printf("%s: %08x, not %08x\n", path.c_str(), hash_of(*output), answer);
  return false;
}

int replay(const Options& options) {
  const auto device = open_device(options.words[1], options.run.options);
  if (!device.ok()) return testing::fail(device.error());
  unsigned equal = 0;
  for (size_t i = 2; i < options.words.size(); ++i) equal += replay_file(**device, options.words[i]) ? 1 : 0;
  std::printf("%u of %zu as they should be\n", equal, options.words.size() - 2);
  return equal == options.words.size() - 2 ? 0 : 1;
}

int save(const Options& options, const Vocabulary& vocabulary) {
  int status = 0;
  const auto make = maker_of(options, vocabulary, options.words[1]);
  for (size_t i = 3; i < options.words.size(); ++i) {
    const Program program = make(std::strtoull(options.words[i].c_str(), nullptr, 10));
    const auto output = run_one_isolated(run_on(options, options.words[1]), program);
    std::ofstream file(options.words[2] + "/" + options.words[i] + ".bin", std::ios::binary);
    if (output.ok()) file.write(reinterpret_cast<const char*>(output->data()), std::streamsize(output->size() * 8));
    if (output.ok() && file) continue;
    std::printf("%s: %s\n", options.words[i].c_str(), output.ok() ? "can't write" : output.error().to_string().c_str());
    status = 1;
  }
  return status;
}

void print_difference(const Program& program, const Output& a, const Output& b) {
  const unsigned threads = program.threads();
  const auto print = [&](const std::string& what, const char* first, const char* second, unsigned bytes) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, first, bytes);
    std::memcpy(&y, second, bytes);
    std::printf("// %s: %0*llx, %0*llx\n", what.c_str(), static_cast<int>(2 * bytes),
                static_cast<unsigned long long>(x), static_cast<int>(2 * bytes), static_cast<unsigned long long>(y));
  };
  unsigned shown = 0;
  for (size_t i = 0; i < a.size() && shown < 8; ++i) {
    if (a[i] == b[i]) continue;
    const auto *first = reinterpret_cast<const char*>(&a[i]), *second = reinterpret_cast<const char*>(&b[i]);
    const auto column = static_cast<unsigned>(i / threads);
    if (column >= kColumns) {
      print("word " + std::to_string(i - size_t{kColumns} * threads) + " of memory", first, second, 8);
      ++shown;
      continue;
    }
    const ptx::Type type = column_type(column);
    const unsigned bytes = type == ptx::Type::kNone ? 8 : column_bytes(type);
    for (unsigned k = 0; k < 8; k += bytes) {
      if (std::memcmp(first + k, second + k, bytes) == 0) continue;
      const size_t thread = (8 * (i % threads) + k) / bytes;
      print("register " + std::to_string(column) + " (." + std::string(ptx::spelling(type)) + ") of thread " +
                std::to_string(thread),
            first + k, second + k, bytes);
      ++shown;
    }
  }
}

int reduce(const Options& options, const Vocabulary& vocabulary) {
  const Program start = maker_of(options, vocabulary, "")(std::strtoull(options.words[1].c_str(), nullptr, 10));
  const IsolatedRun first = run_on(options, options.device), second = run_on(options, options.against);
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

bool set_option(const std::string& option, const std::string& value, Options& options) {
  if (option == "--seeds") {
    options.seeds = read_seeds(value);
    return options.has_seeds = !options.seeds.empty();
  }
  const std::map<std::string, std::string*> texts = {{"--device", &options.device},
                                                     {"--against", &options.against},
                                                     {"--reading", &options.reading},
                                                     {"--vocabulary", &options.vocabulary},
                                                     {"--assembler", &options.run.assembler}};
  if (const auto text = texts.find(option); text != texts.end()) {
    *text->second = value;
    return true;
  }
  return (option == "--jobs" && testing::read_count(value, options.run.jobs)) ||
         (option == "--batch" && testing::read_count(value, options.run.batch)) ||
         (option == "--patience" && testing::read_count(value, options.run.patience)) ||
         testing::read_device_option(option, value, options.run.options);
}

int ask(int argc, char** argv) {
  Options options;
  options.seeds = sequence(0, 99);
  if (!testing::read_command_line(argc, argv, options.words, [&](const std::string& option, const std::string& value) {
        return set_option(option, value, options);
      }))
    return usage();
  const size_t count = options.words.size();
  const std::string command = count == 0 ? "" : options.words[0];
  if (options.reading.empty()) options.reading = command == "check" ? "assembler" : "manual";
  if (options.reading != "assembler" && options.reading != "manual") return usage();
  if (command == "vocabulary" && count == 1) {
    const std::string folder = WARPWAVE_SOURCE_DIR "/tests/coverage/";
    std::vector<std::string> recorded;
    for (const std::string& line : lines_of(folder + "h200.txt")) recorded.push_back(line.substr(17));
    for (const std::string& name : usable_forms(recorded, lines_of(folder + "known_differences.txt")))
      std::puts(name.c_str());
    return 0;
  }
  if (command == "pack" && count > 1) return pack(options);
  if (command == "replay" && count > 2) return replay(options);
  const auto vocabulary = read_vocabulary(options.vocabulary);
  if (!vocabulary.ok()) return testing::fail(vocabulary.error());
  if (command == "show" && count == 2) {
    if (!options.has_seeds) options.seeds = {std::strtoull(options.words[1].c_str(), nullptr, 10)};
    std::string text = module_head();
    const auto make = maker_of(options, *vocabulary, "");
    for (const uint64_t seed : options.seeds) text += text_of(make(seed));
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (command == "run" && count == 2) return run(options, *vocabulary);
  if (command == "check" && count >= 3) return check(options, *vocabulary);
  if (command == "save" && count > 3) return save(options, *vocabulary);
  if (command == "compare" && count == 3) return compare(options, *vocabulary);
  if (command == "reduce" && count == 2 && !options.device.empty() && !options.against.empty())
    return reduce(options, *vocabulary);
  return usage();
}

}  // namespace

int main(int argc, char** argv) {
  return ww::testing::ended(ask(argc, argv));
}
