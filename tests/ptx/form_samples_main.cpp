// Prints samples of every form that a target can have, as one module: `ptx-form-samples 9.0 sm_90a`. What an assembler
// says of the module is a check of the instruction table (tools/check_instruction_table).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ptx/form_samples.h"
#include "ptx/matcher.h"

int main(int argc, char** argv) {
  const std::string version = argc > 1 ? argv[1] : "9.0";
  const std::string target = argc > 2 ? argv[2] : "sm_90a";
  const int sm = std::atoi(target.c_str() + 3);
  const bool arch = target.back() == 'a';
  const int number = (version[0] - '0') * 10 + (version[2] - '0');
  std::string out = ww::ptx::sample_prologue(version, target);
  for (const auto& sample : ww::ptx::all_form_samples()) {
    const auto& form = *ww::ptx::compiled_form(sample.form).form;
    if (form.first_sm > sm || form.first_version > number || (form.sm_suffix != 0 && !arch)) continue;
    out += sample.line + '\n';
  }
  out += ww::ptx::sample_epilogue();
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}
