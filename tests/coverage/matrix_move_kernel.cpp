// ldmatrix and stmatrix: rows of 16 bytes in shared memory, in an order of the lanes' own.
#include "coverage/form_kernel.h"
#include "coverage/warp_region.h"

namespace ww::coverage {

using namespace ptx;

std::optional<Kernel> matrix_move_kernel(const Form& form, const std::string& name) {
  const Opcode opcode = form.compiled().form->opcode;
  if (opcode != Opcode::kLdmatrix && opcode != Opcode::kStmatrix) return {};
  const auto words = words_of(form);
  const unsigned count = contains(words, "x4") ? 4 : contains(words, "x2") ? 2 : 1;
  constexpr unsigned kBytes = 32 * 16;
  const bool is_load = opcode == Opcode::kLdmatrix;
  KernelWriter writer(form, name);
  add_warp_region(writer, true, "%rows", kBytes, is_load ? Type::kB32 : Type::kNone, "a");
  writer.declare("%row", 64);
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) names.push_back((is_load ? "d" : "b") + std::to_string(i));
  std::string registers = "{";
  for (const std::string& each : names) {
    registers += (registers.size() == 1 ? "" : ", ") + each;
    if (is_load)
      writer.declare(each, 32);
    else
      writer.load(each, {Type::kB32, "b"});
  }
  registers += "}";
  // Rows of a load may be the same; those of a store may not.
  if (is_load) {
    writer.load("which", {Type::kU32, "row"});
    writer.add("mov.u32 %n, which;");
  } else {
    writer.add("mad.lo.u32 %n, %t, 5, 3;");
  }
  writer.add("and.b32 %n, %n, 31;\nmad.wide.u32 %row, %n, 16, %rows;");
  if (space_of(instruction_of(form)) == Space::kGeneric) writer.add("cvta.shared.u64 %row, %row;");
  if (!writer.add_instruction(is_load ? registers + ", [%row]" : "[%row], " + registers)) return {};
  if (is_load) {
    for (const std::string& each : names) writer.store(each, Type::kB32);
  } else {
    add_region_results(writer, true, "%rows", kBytes);
  }
  return writer.finish();
}

}  // namespace ww::coverage
