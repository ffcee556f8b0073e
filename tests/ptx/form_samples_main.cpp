// Samples of the instruction table's forms and what parser and verifier say of them, for tools/check_instruction_table:
// `ptx-form-samples 9.0 sm_90a` prints the samples that the target can have, as one module; with `verdicts` the verdict
// on each sample of every form, a line each: "legal" or "refused", the sample, the message, with tabs between; with
// `crossed` the same of the crossed samples.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>

#include "ptx/form_samples.h"
#include "ptx/matcher.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace {

using namespace ww::ptx;

// "" if the line is legal in the kernel of `prologue`, else the message.
std::string refusal(const std::string& prologue, const std::string& line) {
  const auto module = parse(prologue + line + '\n' + sample_epilogue(), "sample");
  if (!module.ok()) return module.error().to_string();
  const ww::Status status = verify(**module);
  return status.ok() ? std::string() : status.error().to_string();
}

void print_module(const std::string& version, const std::string& target) {
  const int sm = std::atoi(target.c_str() + 3);
  const bool arch = target.back() == 'a';
  const int number = (version[0] - '0') * 10 + (version[2] - '0');
  std::string out = sample_prologue(version, target);
  for (const FormSample& sample : all_form_samples()) {
    const InstructionForm& form = *compiled_form(sample.form).form;
    if (form.first_sm > sm || form.first_version > number || (form.sm_suffix != 0 && !arch)) continue;
    out += sample.line + '\n';
  }
  out += sample_epilogue();
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void print_verdicts(const std::string& version, const std::string& target, bool crossed) {
  const std::string prologue = sample_prologue(version, target);
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < instruction_table().size(); ++i) {
    const auto index = static_cast<uint16_t>(i);
    for (const FormSample& sample : crossed ? crossed_samples(index) : form_samples(index)) {
      if (!seen.insert(sample.line).second) continue;
      std::string message = refusal(prologue, sample.line);
      for (char& c : message)
        if (c == '\n' || c == '\t') c = ' ';
      std::printf("%s\t%s\t%s\n", message.empty() ? "legal" : "refused", sample.line.c_str(), message.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string version = argc > 1 ? argv[1] : "9.0";
  const std::string target = argc > 2 ? argv[2] : "sm_90a";
  const std::string what = argc > 3 ? argv[3] : "";
  if (what == "prologue")
    std::fputs(sample_prologue(version, target).c_str(), stdout);
  else if (what.empty())
    print_module(version, target);
  else
    print_verdicts(version, target, what == "crossed");
  return 0;
}
