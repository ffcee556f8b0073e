// The page, the JSON text and the listing that coverage.h names.
#include <algorithm>
#include <cstdio>
#include <set>

#include "coverage/coverage.h"
#include "coverage/recorded_sweeps.h"

namespace ww::coverage {
namespace {

constexpr size_t kNamedOnPage = 24;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string number(size_t value) {
  return std::to_string(value);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

struct Counts {
  size_t forms = 0, refused = 0, recorded = 0, sim = 0, cpu = 0, both = 0;
  void add(const FormState& state) {
    ++forms;
    refused += state.form_class == FormClass::kRefused;
    recorded += state.recorded;
    sim += state.sim_equal;
    cpu += state.cpu_equal;
    both += state.sim_equal && state.cpu_equal;
  }
};

bool is_missing(const FormState& state) {
  return state.form_class != FormClass::kRefused && !(state.sim_equal && state.cpu_equal);
}

std::map<std::string, Counts> by_family(const std::vector<FormState>& states) {
  std::map<std::string, Counts> families;
  for (const FormState& state : states) families[state.family].add(state);
  return families;
}

// "| `add` | 120 | 0 | 120 |": what the record alone says.
std::string row_begin(const std::string& name, const Counts& c) {
  return "| " + name + " | " + number(c.forms) + " | " + number(c.refused) + " | " + number(c.recorded) + " |";
}

std::string row(const std::string& name, const Counts& c) {
  return row_begin(name, c) + " " + number(c.sim) + " | " + number(c.cpu) + " |\n";
}

std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamedOnPage); ++i) text += (i == 0 ? "`" : ", `") + names[i] + "`";
  if (names.size() > kNamedOnPage) text += ", and " + number(names.size() - kNamedOnPage) + " more";
  return text;
}

std::string approximate_table() {
  std::string text =
      "| form | error in | of operands with magnitude | largest on the H200 | manual |\n|---|---|---|---|---|\n";
  for (const RecordedError& error : recorded_errors()) {
    const ErrorBound& bound = error.bound;
    text += "| `" + error.form + "` | " + std::string(name_of(bound.unit)) + " | " +
            (bound.outside ? "outside of " : "") + number(bound.low) + " to " + number(bound.high) + " | " +
            number(error.largest) + " | " + number(bound.bound) + (error.largest > bound.bound ? ", exceeded" : "") +
            " |\n";
  }
  return text;
}

}  // namespace

std::string missing_row(const std::string& page, const std::vector<FormState>& states) {
  for (const auto& [name, counts] : by_family(states)) {
    const std::string begin = row_begin("`" + name + "`", counts);
    if (page.find("\n" + begin) == std::string::npos) return begin;
  }
  return {};
}

std::string document(const std::vector<FormState>& states, const std::string& measured) {
  std::map<std::string, std::vector<std::string>> missing, refused;
  Counts all, exact, approximate;
  for (const FormState& state : states) {
    all.add(state);
    if (state.form_class == FormClass::kExact) exact.add(state);
    if (state.form_class == FormClass::kApproximate) approximate.add(state);
    if (state.form_class == FormClass::kRefused)
      refused[state.reason].push_back(state.name);
    else if (is_missing(state))
      missing[state.reason].push_back(state.name);
  }
  const auto summary = [](const std::string& name, const Counts& c) {
    return "- " + name + ": " + number(c.forms) + " forms, " + number(c.recorded) + " recorded, " + number(c.sim) +
           " equal on sim, " + number(c.cpu) + " on cpu, " + number(c.both) + " on both.\n";
  };
  std::string text =
      "# Forms of instructions, and what is proved of each\n\n"
      "Written by `tools/coverage`. " +
      measured +
      "\n\nA *form* is an opcode with every suffix that changes what it does; "
      "[tests/coverage](../tests/coverage/README.md)\n"
      "says how forms become kernels, and how an NVIDIA H200 was asked. *Recorded*: the H200's results are kept, as a\n"
      "hash. *Equal*: the device gives the same bits for all operands. *Refused*: legal PTX 9.0, and refused by name.\n"
      "`tools/coverage --forms FILE` writes a line for each form.\n\n";
  text += summary("Exact", exact) + summary("Approximate", approximate) + "- Refused: " + number(all.refused) +
          " forms.\n\n";
  text +=
      "| instruction | forms | refused | recorded | equal on sim | equal on cpu |\n|---|---:|---:|---:|---:|---:|\n";
  for (const auto& [name, counts] : by_family(states)) text += row("`" + name + "`", counts);
  text += row("all", all);
  text += "\n## Not recorded, or not equal\n\n";
  for (const auto& [reason, names] : missing)
    text += "- " + reason + " (" + number(names.size()) + ": " + named(names) + ")\n";
  text += "\n## Refused by name\n\n";
  for (const auto& [reason, names] : refused)
    text += "- " + reason + ": " + number(names.size()) + " forms, such as `" + names[0] + "`\n";
  text +=
      "\n## Errors of approximate forms\n\nOver all inputs, as the H200 has them; sim and cpu have its bits. The "
      "manual "
      "gives f64 no bound.\n\n" +
      approximate_table();
  return text;
}

std::string json(const std::vector<FormState>& states) {
  Counts all, exact, approximate;
  std::string missing;
  size_t within = 0;
  for (const FormState& state : states) {
    all.add(state);
    if (state.form_class == FormClass::kRefused) continue;
    const bool is_exact = state.form_class == FormClass::kExact;
    (is_exact ? exact : approximate).add(state);
    within += !is_exact && !is_missing(state);
    if (!is_missing(state)) continue;
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    missing += std::string(missing.empty() ? "" : ",") + "\n    {\"form\": " + quoted(state.name) +
               ", \"reason\": " + quoted(state.reason) + ", \"on_h200\": " + flag(state.recorded) +
               ", \"sim_equal\": " + flag(state.sim_equal) + ", \"cpu_equal\": " + flag(state.cpu_equal) + "}";
  }
  return "{\n  \"forms\": " + number(all.forms) + ",\n  \"refused\": " + number(all.refused) +
         ",\n  \"exact\": {\"forms\": " + number(exact.forms) + ", \"on_h200\": " + number(exact.recorded) +
         ", \"sim_equal\": " + number(exact.sim) + ", \"cpu_equal\": " + number(exact.cpu) +
         "},\n  \"approximate\": {\"forms\": " + number(approximate.forms) +
         ", \"on_h200\": " + number(approximate.recorded) + ", \"bits_equal\": " + number(approximate.both) +
         ", \"within_error\": " + number(within) + "},\n  \"not_equal\": [" + missing +
         (missing.empty() ? "" : "\n  ") + "]\n}\n";
}

std::string listing(const std::vector<FormState>& states) {
  static constexpr const char* kNames[] = {"exact", "approximate", "refused"};
  std::string text;
  for (const FormState& state : states)
    text += state.name + '\t' + kNames[static_cast<size_t>(state.form_class)] + '\t' +
            (state.recorded ? "recorded" : "-") + '\t' + (state.sim_equal ? "sim" : "-") + '\t' +
            (state.cpu_equal ? "cpu" : "-") + '\t' + state.reason + '\n';
  return text;
}

}  // namespace ww::coverage
