// ld, ldu and st.
#include <algorithm>

#include "coverage/form_kernel.h"
#include "coverage/record_space.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// Registers wider than the type in memory show how it is extended.
Type register_type(Type type) {
  return bits(type) < 32 ? Type::kB32 : type;
}

std::optional<Kernel> load_kernel(const Form& form, const Instruction& instruction, const std::string& name) {
  KernelWriter writer(form, name);
  const Space space = space_of(instruction);
  const Type type = register_type(instruction.type());
  std::string address = "[block]";
  if (space != Space::kParam) {
    if (!add_filled_record(writer, space, "%record")) return {};
    address = "[%record]";
  }
  std::vector<std::string> names;
  for (unsigned i = 0; i < vector_elements(instruction); ++i) {
    names.push_back("d" + std::to_string(i));
    writer.declare(names.back(), bits(type));
    writer.clear(names.back(), bits(type));
  }
  if (!writer.add_instruction(operand_list(names) + ", " + address)) return {};
  for (const std::string& d : names) writer.store(d, type);
  return writer.finish();
}

std::optional<Kernel> store_kernel(const Form& form, const Instruction& instruction, const std::string& name) {
  KernelWriter writer(form, name);
  const Space space = space_of(instruction);
  if (!add_writable_record(writer, space, "%record")) return {};
  std::vector<std::string> names;
  for (unsigned i = 0; i < vector_elements(instruction); ++i) {
    names.push_back("b" + std::to_string(i));
    writer.load(names.back(), {register_type(instruction.type()), "b"});
  }
  if (!writer.add_instruction("[%record], " + operand_list(names))) return {};
  add_record_results(writer, space, "%record");
  return writer.finish();
}

}  // namespace

std::optional<Kernel> memory_kernel(const Form& form, const std::string& name) {
  const InstructionForm& row = *form.compiled().form;
  if (row.instruction_class != InstructionClass::kMemory) return {};
  const Instruction instruction = instruction_of(form);
  if (instruction.has(Modifier::kParamFunc)) return {};  // parameters of calls
  if (row.opcode == Opcode::kLd || row.opcode == Opcode::kLdu) return load_kernel(form, instruction, name);
  if (row.opcode == Opcode::kSt) return store_kernel(form, instruction, name);
  return {};
}

}  // namespace ww::coverage
