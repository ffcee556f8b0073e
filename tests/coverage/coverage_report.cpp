// Runs every recorded form and says what is equal: the program behind tools/coverage.
//
// usage: coverage-report run DEVICE K/N      part K of N of the recorded forms, a line each on standard output:
//                                            "equal NAME", "lacks NAME<tab>why" (the device refuses it as not
//                                            supported) or "differs NAME<tab>why"
//        coverage-report merge SIM CPU [--json FILE] [--document FILE --measured TEXT] [--forms FILE]
//            SIM, CPU: files that hold all lines of `run sim` and `run cpu`. Exit status 1 if a form differs and is
//            not listed in known_differences.txt or image_differences.txt, or is equal and listed there.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "coverage/coverage.h"
#include "coverage/form_runner.h"
#include "device/registry.h"
#include "support/probe.h"

namespace {

using namespace ww;
using namespace ww::coverage;

int usage() {
  std::fputs(
      "usage: coverage-report run DEVICE K/N | merge SIM CPU [--json FILE] [--document FILE --measured TEXT] "
      "[--forms FILE]\n",
      stderr);
  return 2;
}

std::string reason_of(const Error& error) {
  if (error.kind == ErrorKind::kUnsupported) return "Refused as not supported yet.";
  std::string why = error.message;
  for (char& c : why)
    if (c == '\n' || c == '\t') c = ' ';
  return why;
}

int run(const std::string& name, const std::string& part) {
  unsigned shard = 0, shards = 1, number = 0;
  if (std::sscanf(part.c_str(), "%u/%u", &shard, &shards) != 2 || shard >= shards) return usage();
  DeviceOptions options;
  options.threads = 1;
  auto device = open_device(name, options);
  if (!device.ok()) return testing::fail(device.error());
  const auto record = Known::read().record;
  const auto forms =
      form_kernels([&](const Form& form) { return record.contains(form.name) && number++ % shards == shard; });
  run_forms(**device, forms, [&](const FormKernel& form, Result<Results> results) {
    const std::string& form_name = form.form.name;
    if (results.ok() && hash_of(*results) == record.at(form_name))
      std::printf("equal %s\n", form_name.c_str());
    else if (results.ok())
      std::printf("differs %s\tOther bits, not explained yet.\n", form_name.c_str());
    else
      std::printf("%s %s\t%s\n", results.error().kind == ErrorKind::kUnsupported ? "lacks" : "differs",
                  form_name.c_str(), reason_of(results.error()).c_str());
  });
  return 0;
}

// The lines of `run`.
struct Lines {
  Answers answers;
  std::map<std::string, bool> lacks;
};

Lines read_lines(const std::string& path) {
  Lines lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t space = line.find(' '), tab = line.find('\t');
    if (space == std::string::npos) continue;
    const std::string name = line.substr(space + 1, tab == std::string::npos ? tab : tab - space - 1);
    lines.answers[name] = tab == std::string::npos ? "" : line.substr(tab + 1);
    if (line.starts_with("lacks ")) lines.lacks[name] = true;
  }
  return lines;
}

// Whether what a device gave is what the lists of differences say; prints each form of which it is not.
bool as_listed(const std::string& device, const Lines& lines, const Known& known,
               const std::map<std::string, std::string>& listed) {
  bool well = true;
  for (const auto& [name, hash] : known.record) {
    const auto answer = lines.answers.find(name);
    const bool equal = answer != lines.answers.end() && answer->second.empty();
    if (equal != listed.contains(name) || lines.lacks.contains(name)) continue;
    well = false;
    std::fprintf(stderr, "%s: %s %s\n", device.c_str(), name.c_str(),
                 equal                           ? "is equal, and listed as different"
                 : answer == lines.answers.end() ? "gave no answer"
                                                 : answer->second.c_str());
  }
  return well;
}

bool write(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path);
  file << text;
  if (file.flush()) return true;
  std::fprintf(stderr, "%s can't be written\n", path.c_str());
  return false;
}

int merge(const std::string& sim_path, const std::string& cpu_path, std::map<std::string, std::string>& options) {
  const Known known = Known::read();
  const Lines sim = read_lines(sim_path), cpu = read_lines(cpu_path);
  const auto states = form_states(known, sim.answers, cpu.answers);
  bool well = as_listed("sim", sim, known, known.sim);
  well &= as_listed("cpu", cpu, known, known.cpu);
  well &= write(options["--json"], json(states));
  well &= write(options["--document"], document(states, options["--measured"]));
  well &= write(options["--forms"], listing(states));
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words;
  std::map<std::string, std::string> options{{"--json", {}}, {"--document", {}}, {"--measured", {}}, {"--forms", {}}};
  if (!testing::read_command_line(argc, argv, words, [&](const std::string& option, const std::string& value) {
        const bool known = options.contains(option);
        if (known) options[option] = value;
        return known;
      }))
    return usage();
  if (words.size() == 3 && words[0] == "run") return testing::ended(run(words[1], words[2]));
  if (words.size() == 3 && words[0] == "merge") return merge(words[1], words[2], options);
  return usage();
}
