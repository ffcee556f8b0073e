// What devices answer for each form.
//
// usage: form-probe list                                forms, one a line: "kernel" if there is one for it, or "none"
//        form-probe text [options]                      the kernels, without a module's head
//        form-probe record DEVICE [options]             "hash name" for each form, to standard output
//        form-probe save DEVICE FOLDER [options]        results of every eighth thread, a file a form
//        form-probe compare FIRST SECOND [options]      forms whose results differ, with examples
// options: --only TEXT    forms with it in their names
//          --names FILE   forms whose names are lines of the file
//          --form NAME    one form
//          --missing-from FILE  forms that a record lacks
//          --shard K/N    one of N parts
//          --isa v2|v3|v4
//          --unchecked yes  also forms that the verifier refuses (for `text`)
//          --examples N   of differences, for each result of a form (3)
//          --jobs N       work in N processes, which go on after a form that makes one crash; --seconds S: or that
//          takes
//                         longer than that (60); --assembler PATH: NVIDIA's ptxas, for forms whose compilation crashes
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/files.h"
#include "coverage/form_runner.h"
#include "coverage/form_workers.h"
#include "coverage/machine_code.h"
#include "coverage/operand_values.h"
#include "device/registry.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::coverage;
using testing::fail;

struct Options {
  std::string only;
  std::optional<std::set<std::string>> names;
  std::set<std::string> recorded;
  bool checked = true;
  unsigned shard = 0, shards = 1;
  DeviceOptions device;
  unsigned examples = 3, jobs = 0, seconds = 60;
  std::string assembler;
  // Of a worker.
  unsigned worker = 0, workers = 0;  // 0: this is none
  std::string from, machine_code;
};

int usage() {
  std::fputs("usage: form-probe list | text | record DEVICE | save DEVICE FOLDER | compare FIRST SECOND  [options]\n",
             stderr);
  return 2;
}

std::set<std::string> recorded_names(const std::string& path) {
  std::set<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.size() > 17 && line[0] != '#') names.insert(line.substr(17));
  return names;
}

std::vector<FormKernel> chosen_forms(const Options& options) {
  unsigned number = 0;
  const unsigned workers = std::max(options.workers, 1u);
  return form_kernels(
      [&](const Form& form) {
        return form.name.find(options.only) != std::string::npos &&
               (!options.names || options.names->contains(form.name)) && !options.recorded.contains(form.name) &&
               number++ % (options.shards * workers) == options.shard + options.shards * options.worker;
      },
      options.checked);
}

int list() {
  for (const Form& form : written_forms())
    std::printf("%s\t%s\n", form_kernel(form, "k") ? "kernel" : "none", form.name.c_str());
  return 0;
}

int text(const Options& options) {
  for (const FormKernel& form : chosen_forms(options))
    std::printf("// %s\n%s", form.form.name.c_str(), form.kernel.text.c_str());
  return 0;
}

using Take = std::function<void(const FormKernel& form, Result<Results> results)>;

// As `run_forms`; a worker says what it does, and ends when a GPU's driver has failed it.
void run(Device& device, std::span<const FormKernel> forms, const Options& options, const Take& take) {
  if (options.workers == 0) return run_forms(device, forms, take);
  const bool nvidia = device.name().starts_with("nvidia");
  for (const FormKernel& form : forms) {
    const bool assembled = nvidia && !options.machine_code.empty() && form.form.name == options.from;
    bool loaded = assembled;
    announce(assembled ? Step::kRun : Step::kCompile, form.form);
    auto results = assembled ? run_machine_code(device, form, options.machine_code) : run_alone(device, form, [&] {
      loaded = true;
      announce(Step::kRun, form.form);
    });
    const bool lost = nvidia && loaded && !results.ok();
    take(form, std::move(results));
    std::fflush(stdout);
    if (lost) std::_Exit(kDeviceLost);
  }
}

// What is left for a worker that goes on.
std::span<const FormKernel> from(std::span<const FormKernel> forms, const Options& options) {
  size_t first = 0;
  while (!options.from.empty() && first < forms.size() && forms[first].form.name != options.from) ++first;
  return forms.subspan(first);
}

// The exit status of a worker, or of a program that is none, when all its forms have been dealt with.
int dealt_with(int status, const Options& options) {
  if (options.workers != 0) announce_end();
  return status;
}

int record(const std::string& name, const Options& options) {
  auto device = open_device(name, options.device);
  if (!device.ok()) return fail(device.error());
  unsigned failed = 0;
  const auto forms = chosen_forms(options);
  run(**device, from(forms, options), options, [&](const FormKernel& form, Result<Results> results) {
    if (results.ok()) {
      std::printf("%016llx %s\n", static_cast<unsigned long long>(hash_of(*results)), form.form.name.c_str());
    } else {
      ++failed;
      std::fprintf(stderr, "%s: %s\n", form.form.name.c_str(), results.error().to_string().c_str());
    }
  });
  return dealt_with(failed != 0, options);
}

int save(const std::string& name, const std::string& folder, const Options& options) {
  auto device = open_device(name, options.device);
  if (!device.ok()) return fail(device.error());
  unsigned failed = 0;
  const auto forms = chosen_forms(options);
  run(**device, from(forms, options), options, [&](const FormKernel& form, Result<Results> results) {
    std::vector<uint8_t> bytes;
    Status written = results.ok() ? Status() : Status(results.error());
    if (results.ok()) {
      for (size_t i = 0; i < results->size(); i += 8)
        for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<uint8_t>((*results)[i] >> (8 * k)));
      written = write_file(folder + "/" + form.form.name + ".bin", bytes);
    }
    if (written.ok()) return;
    ++failed;
    std::fprintf(stderr, "%s: %s\n", form.form.name.c_str(), written.error().to_string().c_str());
  });
  return dealt_with(failed != 0, options);
}

void print_difference(const FormKernel& form, const Results& a, const Results& b, unsigned examples) {
  unsigned differ = 0;
  for (size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i];
  std::string lines;
  char text[128];
  const auto operands = operand_values(form.kernel.operands, form.form.name);
  for (size_t column = 0; column < form.kernel.results.size(); ++column) {
    unsigned shown = 0;
    for (size_t t = 0; t < kThreads; ++t) {
      const size_t i = column * kThreads + t;
      if (a[i] == b[i] || shown++ >= examples) continue;
      lines += "   ";
      for (size_t k = 0; k < form.kernel.operands.size(); ++k) {
        std::snprintf(text, sizeof text, " %s=%llx", form.kernel.operands[k].name.c_str(),
                      static_cast<unsigned long long>(operands[k * kThreads + t]));
        lines += text;
      }
      std::snprintf(text, sizeof text, " -> result %zu (%s): %llx, %llx\n", column,
                    form.kernel.results[column].name.c_str(), static_cast<unsigned long long>(a[i]),
                    static_cast<unsigned long long>(b[i]));
      lines += text;
    }
    if (shown > examples)
      lines += "    result " + std::to_string(column) + ": " + std::to_string(shown) + " of " +
               std::to_string(kThreads) + "\n";
  }
  std::printf("DIFFER %s: %u of %zu\n    %s\n%s", form.form.name.c_str(), differ, a.size(),
              form.kernel.lines[0].c_str(), lines.c_str());
}

int compare(const std::string& first, const std::string& second, const Options& options) {
  std::unique_ptr<Device> devices[2];
  for (int i = 0; i < 2; ++i) {
    auto device = open_device(i == 0 ? first : second, options.device);
    if (!device.ok()) return fail(device.error());
    devices[i] = std::move(*device);
  }
  const auto forms = chosen_forms(options);
  unsigned equal = 0, different = 0, failed = 0;
  const auto note = [&](const std::string& name, const FormKernel& form, const Error& error) {
    ++failed;
    std::printf("FAILED %s on %s: %s\n", form.form.name.c_str(), name.c_str(), error.to_string().c_str());
  };
  const auto left = from(forms, options);
  const size_t at_once = options.workers == 0 ? std::max<size_t>(left.size(), 1) : 1;
  for (size_t begin = 0; begin < left.size(); begin += at_once) {
    const auto some = left.subspan(begin, std::min(at_once, left.size() - begin));
    std::map<std::string, Results> expected;
    run(*devices[0], some, options, [&](const FormKernel& form, Result<Results> results) {
      if (results.ok())
        expected[form.form.name] = std::move(*results);
      else
        note(first, form, results.error());
    });
    run(*devices[1], some, options, [&](const FormKernel& form, Result<Results> results) {
      if (!results.ok()) return note(second, form, results.error());
      const auto other = expected.find(form.form.name);
      if (other == expected.end()) return;
      if (*results == other->second) {
        ++equal;
        return;
      }
      ++different;
      print_difference(form, other->second, *results, options.examples);
    });
  }
  std::printf("%zu forms: %u equal, %u differ, %u failed\n", left.size(), equal, different, failed);
  return dealt_with(different + failed != 0, options);
}

// The command's own work, in processes.
int run_in_workers(char** argv, int argc, const Options& options) {
  WorkerPlan plan;
  plan.command.assign(argv, argv + argc);
  plan.workers = options.jobs;
  plan.seconds = options.seconds;
  plan.assembler = options.assembler;
  plan.forms = [&](unsigned worker) {
    Options part = options;
    part.worker = worker;
    part.workers = options.jobs;
    return chosen_forms(part);
  };
  return run_workers(plan) ? 0 : 1;
}

bool part(const std::string& value, unsigned& k, unsigned& n) {
  return std::sscanf(value.c_str(), "%u/%u", &k, &n) == 2 && k < n;
}

bool set_option(const std::string& argument, const std::string& value, Options& options) {
  if (argument == "--names") {
    std::ifstream file(value);
    options.names.emplace();
    for (std::string line; std::getline(file, line);) options.names->insert(line);
    return !options.names->empty();
  }
  if (argument == "--form") {
    options.names = std::set<std::string>{value};
    return true;
  }
  if (argument == "--missing-from") {
    options.recorded = recorded_names(value);
    return true;
  }
  if (argument == "--unchecked") {
    options.checked = false;
    return value == "yes";
  }
  const std::map<std::string, std::string*> texts = {{"--only", &options.only},
                                                     {"--assembler", &options.assembler},
                                                     {"--from", &options.from},
                                                     {"--machine-code", &options.machine_code}};
  if (const auto text = texts.find(argument); text != texts.end()) {
    *text->second = value;
    return true;
  }
  return (argument == "--shard" && part(value, options.shard, options.shards)) ||
         (argument == "--worker" && part(value, options.worker, options.workers)) ||
         (argument == "--examples" && testing::read_count(value, options.examples)) ||
         (argument == "--jobs" && testing::read_count(value, options.jobs)) ||
         (argument == "--seconds" && testing::read_count(value, options.seconds)) ||
         testing::read_device_option(argument, value, options.device);
}

int ask(int argc, char** argv) {
  Options options;
  std::vector<std::string> words;
  if (!testing::read_command_line(argc, argv, words, [&](const std::string& option, const std::string& value) {
        return set_option(option, value, options);
      }))
    return usage();
  if (words.size() == 1 && words[0] == "list") return list();
  if (words.size() == 1 && words[0] == "text") return text(options);
  const bool records = words.size() == 2 && words[0] == "record", compares = words.size() == 3 && words[0] == "compare";
  const bool saves = words.size() == 3 && words[0] == "save";
  if (!records && !compares && !saves) return usage();
  if (options.jobs != 0 && options.workers == 0) return run_in_workers(argv, argc, options);
  if (saves) return save(words[1], words[2], options);
  return records ? record(words[1], options) : compare(words[1], words[2], options);
}

}  // namespace

int main(int argc, char** argv) {
  return testing::ended(ask(argc, argv));
}
