// atom and red.
#include <algorithm>

#include "coverage/form_kernel.h"
#include "coverage/record_space.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// Operations whose result in memory does not depend on the order of the threads.
bool is_commutative(const Instruction& instruction) {
  static constexpr Modifier kOperations[] = {Modifier::kAnd,         Modifier::kOr,          Modifier::kXor,
                                             Modifier::kAddModifier, Modifier::kMinModifier, Modifier::kMaxModifier};
  return !is_float(instruction.type()) &&
         std::any_of(std::begin(kOperations), std::end(kOperations), [&](Modifier m) { return instruction.has(m); });
}

}  // namespace

std::optional<Kernel> atomic_kernel(const Form& form, const std::string& name) {
  const InstructionForm& row = *form.compiled().form;
  if (row.instruction_class != InstructionClass::kAtomic || (row.opcode != Opcode::kAtom && row.opcode != Opcode::kRed))
    return {};
  const Instruction instruction = instruction_of(form);
  if (instruction.has(Modifier::kAsync)) return {};
  const bool returns = row.opcode == Opcode::kAtom;
  const Type type = instruction.type();
  const unsigned elements = vector_elements(instruction);
  const unsigned bytes = bits(type) / 8;
  const Space space = space_of(instruction);
  KernelWriter writer(form, name);
  if (elements * bytes > kRecordBytes || !add_writable_record(writer, space, "%record")) return {};
  // What memory holds first, then what the instruction brings: equal often enough for cas.
  std::vector<std::string> before, values, swaps, results;
  for (unsigned i = 0; i < elements; ++i) {
    const std::string n = std::to_string(i);
    before.push_back("m" + n);
    values.push_back("b" + n);
    writer.load(before.back(), {type, "memory"});
    writer.load(values.back(), {type, "b"});
    if (instruction.has(Modifier::kCas)) {
      swaps.push_back("c" + n);
      writer.load(swaps.back(), {type, "c"});
    }
    if (returns) {
      results.push_back("d" + n);
      writer.declare(results.back(), register_bits(type));
    }
    writer.add("st" + std::string(space == Space::kShared ? ".shared" : ".global") + ".b" + std::to_string(bits(type)) +
               " [%record+" + std::to_string(i * bytes) + "], " + before.back() + ";");
  }
  std::string operands = (returns ? operand_list(results) + ", " : "") + "[%record], " + operand_list(values);
  if (!swaps.empty()) operands += ", " + operand_list(swaps);
  if (!writer.add_instruction(operands)) return {};
  for (const std::string& d : results) writer.store(d, type);
  add_record_results(writer, space, "%record");
  if (is_commutative(instruction) && space != Space::kShared) {
    const uint64_t offset = writer.add_results(Type::kB64, "of the warp", 2);
    writer.declare("%warp", 64);
    writer.add(
        "ld.param.u64 %warp, [out];\nshr.u32 %n, %t, 5;\nmad.wide.u32 %warp, %n, 16, %warp;\nadd.u64 %warp, "
        "%warp, " +
        std::to_string(offset) + ";");
    writer.add_instruction((returns ? operand_list(results) + ", " : "") + "[%warp], " + operand_list(values));
  }
  return writer.finish();
}

}  // namespace ww::coverage
