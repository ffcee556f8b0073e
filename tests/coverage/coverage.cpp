#include "coverage/coverage.h"

#include <algorithm>
#include <fstream>

#include "coverage/form_kernel.h"
#include "coverage/refused_form.h"

namespace ww::coverage {
namespace {

const std::string kFolder = WARPWAVE_SOURCE_DIR "/tests/coverage/";

// What a device's answer says is wrong; "" if nothing is.
std::string wrong(const std::string& device, const Answers& answers, const std::string& form,
                  const std::map<std::string, std::string>& reasons) {
  const auto answer = answers.find(form);
  if (answer != answers.end() && answer->second.empty()) return {};
  if (const auto reason = reasons.find(form); reason != reasons.end()) return reason->second;
  return device + ": " + (answer == answers.end() ? "it gave no answer" : answer->second);
}

}  // namespace

std::map<std::string, uint64_t> read_record(const std::string& path) {
  std::map<std::string, uint64_t> hashes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.size() > 17 && line[0] != '#') hashes[line.substr(17)] = std::stoull(line.substr(0, 16), nullptr, 16);
  return hashes;
}

std::map<std::string, std::string> read_reasons(const std::string& path, const std::string& device) {
  std::map<std::string, std::string> reasons;
  std::ifstream file(path);
  std::string reason;
  bool in_comment = false;
  for (std::string line; std::getline(file, line);) {
    const bool comment = line.starts_with('#');
    if (comment) {
      const std::string text = line.substr(std::min(line.size(), size_t{2}));
      reason = in_comment ? reason + ' ' + text : text;
    } else if (!line.starts_with("cpu ") && !line.starts_with("sim ")) {
      if (!line.empty()) reasons[line] = reason;
    } else if (line.starts_with(device + ' ')) {
      reasons[line.substr(4)] = reason;
    }
    in_comment = comment;
  }
  return reasons;
}

Known Known::read() {
  Known known;
  known.record = read_record(kFolder + "h200.txt");
  known.record.merge(read_record(kFolder + "h200_images.txt"));
  known.not_recorded = read_reasons(kFolder + "not_recorded.txt", {});
  for (const std::string device : {"sim", "cpu"}) {
    auto& reasons = device == "sim" ? known.sim : known.cpu;
    reasons = read_reasons(kFolder + "known_differences.txt", device);
    reasons.merge(read_reasons(kFolder + "image_differences.txt", device));
  }
  return known;
}

std::vector<FormState> form_states(const Known& known, const Answers& sim, const Answers& cpu) {
  std::vector<FormState> states;
  for (const Form& form : written_forms()) {
    if (!form_kernel(form, "k")) continue;
    FormState state;
    state.name = form.name;
    state.family = ptx::spelling(form.compiled().form->opcode);
    if (is_approximate(form)) state.form_class = FormClass::kApproximate;
    state.recorded = known.record.contains(form.name);
    if (state.recorded) {
      const std::string on_sim = wrong("sim", sim, form.name, known.sim);
      const std::string on_cpu = wrong("cpu", cpu, form.name, known.cpu);
      state.sim_equal = on_sim.empty();
      state.cpu_equal = on_cpu.empty();
      state.reason = state.sim_equal ? on_cpu : on_sim;
    } else {
      const auto reason = known.not_recorded.find(form.name);
      state.reason = reason == known.not_recorded.end() ? "Not recorded yet." : reason->second;
    }
    states.push_back(std::move(state));
  }
  for (const RefusedForm& form : refused_forms()) {
    FormState state;
    state.name = form.name;
    state.family = form.opcode;
    state.form_class = FormClass::kRefused;
    state.reason = form.reason;
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace ww::coverage
