#include "ptx/table_markdown.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ptx/instruction_table.h"

namespace ww::ptx {

namespace {

constexpr std::array<const char*, 20> kClassNames = {"Integer arithmetic",
                                                     "Extended precision",
                                                     "Floating point",
                                                     "Half precision",
                                                     "Comparison and selection",
                                                     "Logic and shift",
                                                     "Conversion",
                                                     "Data movement",
                                                     "Memory",
                                                     "Atomics",
                                                     "The warp",
                                                     "Barriers",
                                                     "Matrices",
                                                     "Textures",
                                                     "Surfaces",
                                                     "Control flow",
                                                     "Video",
                                                     "Asynchronous copies",
                                                     "Clusters",
                                                     "Miscellaneous"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string instructions_markdown() {
  std::string out =
      "# Instructions\n\n"
      "Every form of PTX that the parser knows: generated from the instruction table (`src/ptx/forms/`), whose "
      "notation\n"
      "`src/ptx/instruction_table.cpp` explains. `tests/ptx` holds this page to the table. \"Since\" is the PTX "
      "version and the\n"
      "chip that first had the form; forms that need more than sm_90 (or sm_90a) are refused by name.\n";
  std::vector<const InstructionForm*> rows;
  for (const InstructionForm& row : instruction_table()) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const InstructionForm* a, const InstructionForm* b) {
    if (a->instruction_class != b->instruction_class) return a->instruction_class < b->instruction_class;
    return spelling(a->opcode) < spelling(b->opcode);
  });
  const InstructionForm* previous = nullptr;
  for (const InstructionForm* row : rows) {
    if (!previous || previous->instruction_class != row->instruction_class) {
      out += "\n## " + std::string(kClassNames[static_cast<size_t>(row->instruction_class)]) + "\n\n";
      out += "| instruction | operands | since |\n|---|---|---|\n";
    }
    out += "| `" + std::string(spelling(row->opcode)) + escaped(row->pattern) + "` | ";
    if (!row->operands.empty()) out += '`' + escaped(row->operands) + '`';
    out += " | " + std::to_string(row->first_version / 10) + '.' + std::to_string(row->first_version % 10) + ", sm_" +
           std::to_string(row->first_sm);
    if (row->sm_suffix != 0) out += row->sm_suffix;
    out += " |\n";
    previous = row;
  }
  return out;
}

}  // namespace ww::ptx
