#include "coverage/forms.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ptx/parser.h"
#include "ptx/verifier.h"

namespace ww::coverage {
namespace {

using namespace ptx;

bool is_hint(SuffixCode code) {
  static constexpr std::string_view kCacheOperators[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};
  const std::string_view word = suffix_spelling(code);
  return word.starts_with("L1::") || word.starts_with("L2::") ||
         std::find(std::begin(kCacheOperators), std::end(kCacheOperators), word) != std::end(kCacheOperators);
}

bool is_optional_hint(const PatternElement& element) {
  return element.optional && std::all_of(element.alternatives.begin(), element.alternatives.end(), is_hint);
}

// Every choice of the elements from `position` on, after `chosen`.
void choose(const CompiledForm& row, size_t position, Form& chosen, std::vector<Form>& forms) {
  if (position == row.pattern.size()) {
    forms.push_back(chosen);
    return;
  }
  const PatternElement& element = row.pattern[position];
  if (element.optional) choose(row, position + 1, chosen, forms);
  if (is_optional_hint(element)) return;
  for (const SuffixCode code : element.alternatives) {
    chosen.suffixes.push_back(code);
    choose(row, position + 1, chosen, forms);
    chosen.suffixes.pop_back();
  }
}

std::string operand_names(const CompiledForm& row) {
  std::string text;
  for (const OperandSpec& spec : row.operands) {
    if (spec.optional) continue;
    text += text.empty() ? " " : ",";
    text += spec.name;
    if (spec.shape == OperandShape::kPackedVector) text += "{}";
    if (spec.selector) text += ".";
    if (spec.shape == OperandShape::kBracketList) {
      text += '[';
      for (const OperandSpec& element : spec.elements) text += std::string(element.name);
      text += ']';
    }
  }
  return text;
}

}  // namespace

std::string spelling(const Form& form) {
  std::string text(ptx::spelling(form.compiled().form->opcode));
  for (const SuffixCode code : form.suffixes) text += '.' + std::string(suffix_spelling(code));
  return text;
}

bool is_approximate(const Form& form) {
  return std::any_of(form.suffixes.begin(), form.suffixes.end(), [](SuffixCode code) {
    const std::string_view word = suffix_spelling(code);
    return word == "approx" || word == "full";
  });
}

std::vector<Form> written_forms(Rows rows) {
  std::vector<Form> forms;
  for (size_t i = 0; i < instruction_table().size(); ++i) {
    Form form;
    form.row = static_cast<uint16_t>(i);
    const InstructionForm& row = *form.compiled().form;
    const bool other = row.first_sm > 90 || row.sm_suffix != 0;
    if (other != (rows == Rows::kOther) || (!other && form.compiled().any_operands)) continue;
    choose(form.compiled(), 0, form, forms);
  }
  std::unordered_map<std::string, unsigned> rows_of;
  for (Form& form : forms) ++rows_of[form.name = spelling(form)];
  for (Form& form : forms)
    if (rows_of[form.name] > 1) form.name += operand_names(form.compiled());
  std::unordered_set<std::string> seen;  // two rows may allow the very same form
  std::erase_if(forms, [&](const Form& form) { return !seen.insert(form.name).second; });
  return forms;
}

std::string refusal(const std::string& variables, const std::string& declarations, const std::string& line) {
  const auto module = parse(".version 9.0\n.target sm_90\n.address_size 64\n" + variables +
                                ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[16])\n"
                                "{\n.reg .b32 %t, %n;\n.reg .b64 %in, %out;\n" +
                                declarations + line + "\nret;\n}\n",
                            "form");
  if (!module.ok()) return module.error().to_string();
  const Status status = verify(**module);
  return status.ok() ? std::string() : status.error().to_string();
}

}  // namespace ww::coverage
