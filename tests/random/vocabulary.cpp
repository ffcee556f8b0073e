#include "random/vocabulary.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <unordered_map>

#include "coverage/kernel_writer.h"
#include "coverage/operand_ways.h"

namespace ww::programs {
namespace {

using namespace ptx;
using coverage::Form;

bool has_rounding(const Instruction& instruction) {
  for (const Modifier m : {Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp})
    if (instruction.has(m)) return true;
  return false;
}

bool holds_128_bits(const Instruction& instruction) {
  for (unsigned i = 0; i < instruction.type_count; ++i)
    if (bits(instruction.types[i]) == 128) return true;
  return false;
}

// Whether the manual fixes the result, wherever the form stands.
bool is_determined(const Form& form) {
  const InstructionForm& row = *form.compiled().form;
  const Instruction instruction = coverage::instruction_of(form);
  if (holds_128_bits(instruction)) return false;  // no registers for them
  if (instruction.has(Modifier::kApprox) || instruction.has(Modifier::kFull)) return false;
  // Without a rounding a product and a sum may become one fma.
  const bool is_sum = row.opcode == Opcode::kAdd || row.opcode == Opcode::kSub || row.opcode == Opcode::kMul;
  if (is_sum && is_float(instruction.type()) && !has_rounding(instruction)) return false;
  // Which lanes are there together is the scheduler's business.
  if (row.opcode == Opcode::kActivemask || row.opcode == Opcode::kElect || row.opcode == Opcode::kFns) return false;
  if (row.instruction_class == InstructionClass::kWarp && !instruction.has(Modifier::kSync)) return false;
  // A quotient by zero is unspecified.
  if (row.instruction_class == InstructionClass::kInteger && (row.opcode == Opcode::kDiv || row.opcode == Opcode::kRem))
    return false;
  return true;
}

std::vector<Word>* list_of(Vocabulary& vocabulary, const InstructionForm& row) {
  if (row.opcode == Opcode::kLd || row.opcode == Opcode::kLdu) return &vocabulary.loads;
  if (row.opcode == Opcode::kSt) return &vocabulary.stores;
  switch (row.instruction_class) {
    case InstructionClass::kAtomic:
      return &vocabulary.atomics;
    case InstructionClass::kCarry:
      return &vocabulary.carries;
    case InstructionClass::kWarp:
      return &vocabulary.warp;
    case InstructionClass::kMatrix:
      return row.opcode == Opcode::kMma ? &vocabulary.matrices : &vocabulary.warp;
    default:
      return &vocabulary.values;
  }
}

}  // namespace

std::vector<std::string> usable_forms(std::span<const std::string> recorded, std::span<const std::string> differing) {
  const std::set<std::string> known(recorded.begin(), recorded.end());
  const std::set<std::string> differ(differing.begin(), differing.end());
  std::vector<std::string> names;
  for (const Form& form : coverage::written_forms())
    if (known.contains(form.name) && !differ.contains(form.name) && is_determined(form)) names.push_back(form.name);
  return names;
}

Result<Vocabulary> read_vocabulary(const std::string& path) {
  const auto names = lines_of(path);
  if (names.empty()) return input_error(path, "no names of forms", "Make it with program-probe vocabulary");
  std::unordered_map<std::string, Form> forms;
  for (Form& form : coverage::written_forms()) {
    const std::string name = form.name;
    forms.emplace(name, std::move(form));
  }
  Vocabulary vocabulary;
  for (const std::string& name : names) {
    const auto found = forms.find(name);
    if (found == forms.end())
      return input_error(path, "`" + name + "` is not a form of the instruction table",
                         "Make the file anew with program-probe vocabulary, and record again");
    const InstructionForm& row = *found->second.compiled().form;
    std::vector<Word>& words = *list_of(vocabulary, row);
    if (words.empty() || words.back().opcode != row.opcode) {
      const auto same =
          std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.opcode == row.opcode; });
      if (same != words.end()) {
        same->forms.push_back(found->second);
        continue;
      }
      words.push_back({row.opcode, {}});
    }
    words.back().forms.push_back(found->second);
  }
  return vocabulary;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

}  // namespace ww::programs
