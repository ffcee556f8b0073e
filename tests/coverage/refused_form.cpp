#include "coverage/refused_form.h"

#include <optional>

#include "coverage/forms.h"
#include "coverage/kernel_writer.h"
#include "ptx/form_samples.h"
#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// The least target that has the form.
std::string target_of(const Form& form) {
  const InstructionForm& row = *form.compiled().form;
  std::string name = "sm_" + std::to_string(row.first_sm);
  if (row.sm_suffix != 0) name += row.sm_suffix;
  return name;
}

// What hardware or driver a form for sm_90 lacks here; nothing if it is one that devices run.
std::optional<std::string> lacking(const Form& form) {
  const Opcode opcode = form.compiled().form->opcode;
  if (opcode == Opcode::kMultimem) return "Memory that the multicast hardware of several GPUs keeps together";
  if (opcode == Opcode::kTensormap || contains(words_of(form), "tensor") || contains(words_of(form), "tensormap"))
    return "Tensor maps, which NVIDIA's driver makes";
  return {};
}

// Whether the verifier takes an example of it.
bool is_legal(const Form& form, const std::string& target) {
  if (form.compiled().any_operands) return false;
  const auto module =
      parse(sample_prologue("9.0", target) + form_sample(form.row, form.suffixes) + "\n" + sample_epilogue(), "form");
  return module.ok() && verify(**module).ok();
}

}  // namespace

std::vector<RefusedForm> refused_forms() {
  std::vector<RefusedForm> refused;
  const auto add = [&](const Form& form, const std::string& name, std::string reason) {
    refused.push_back({name, std::string(ptx::spelling(form.compiled().form->opcode)), std::move(reason)});
  };
  for (const Form& form : written_forms())
    if (auto reason = lacking(form); reason && is_legal(form, "sm_90")) add(form, form.name, std::move(*reason));
  for (const Form& form : written_forms(Rows::kOther)) {
    const std::string target = target_of(form);
    if (is_legal(form, target) && !is_legal(form, "sm_90")) add(form, form.name + " on " + target, "Needs " + target);
  }
  return refused;
}

}  // namespace ww::coverage
