// Loads, stores and atomics: on memory of a thread's own, on memory that nobody writes, and on cells that all threads
// update in ways whose order does not matter.
#include "coverage/kernel_writer.h"
#include "random/maker.h"

namespace ww::programs {

using namespace ptx;

namespace {

std::string braces(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ", ") + name;
  return text + "}";
}

// One operation a cell: sums, and what is a least or greatest, come out the same in any order.
constexpr const char* kCellOperations[kCells] = {"add.u32", "or.b32",  "max.s32", "min.u32", "xor.b32", "and.b32",
                                                 "add.u64", "max.u64", "min.s64", "xor.b64", "or.b64",  "max.u32",
                                                 "min.s32", "add.s32", "and.b64", "min.u64"};

// What is ordered or volatile, a loop that branches on it may be one that waits.
bool is_strong(const Instruction& instruction) {
  for (const Modifier m : {Modifier::kVolatile, Modifier::kRelaxed, Modifier::kAcquire, Modifier::kRelease,
                           Modifier::kAcqRel, Modifier::kMmio})
    if (instruction.has(m)) return true;
  return instruction.opcode == Opcode::kAtom;
}

}  // namespace

// The name of the register that holds the address of the thread's own bytes in the space; "" if there are none.
std::string Maker::slot_address(Space space, unsigned bytes, bool constant_space) {
  switch (space) {
    case Space::kGlobal:
      return "%own_global";
    case Space::kShared:
      return "%own_shared";
    case Space::kLocal:
      return "%own_local";
    case Space::kConst:
      return constant_space ? "%constants" : "";
    case Space::kGeneric: {
      static const char* const kGeneric[] = {"%own_global", "%generic_shared", "%generic_local"};
      return kGeneric[below(3)];
    }
    default:
      return "";
  }
}

Statement Maker::memory_statement(const Context& context) {
  for (;;) {
    const bool loads = chance(50);
    const coverage::Form& form = any_form(loads ? vocabulary_.loads : vocabulary_.stores);
    const Instruction instruction = coverage::instruction_of(form);
    if (is_strong(instruction) && context.repetition > 1) continue;
    const Space space = space_of(instruction);
    const unsigned elements = vector_elements(instruction), bytes = elements * bits(instruction.type()) / 8;
    if (bytes > 16) continue;
    if (context.in_function && space != Space::kLocal && space != Space::kConst) {
      if (below(20) == 0) return value_statement();
      continue;
    }
    std::string base = slot_address(space, bytes, loads), text;
    const bool read_only = instruction.has(Modifier::kNc) || instruction.opcode == Opcode::kLdu;
    if (read_only) base = "%input";
    if (space == Space::kParam && loads) base = "block";
    if (base.empty()) continue;
    std::string address = base + "+" + number(below(kSlotBytes / bytes) * bytes);
    if (base != "block" && chance(30)) {
      const std::string offset = temporary("b32"), wide = temporary("b64");
      text = "and.b32 " + offset + ", " + source(Type::kB32) + ", " + number((kSlotBytes - 1) & ~(bytes - 1)) +
             ";\ncvt.u64.u32 " + wide + ", " + offset + ";\nadd.u64 " + wide + ", " + wide + ", " + base + ";\n";
      address = wide;
    }
    std::vector<std::string> values;
    for (unsigned i = 0; i < elements; ++i) {
      std::string name;
      for (int attempt = 0; attempt < 30 && name.empty(); ++attempt) {
        name = loads ? destination(instruction.type(), true) : source(instruction.type(), true);
        for (const std::string& other : values)
          if (!name.empty() && ((loads && other == name) || held(other) != held(name))) name.clear();
      }
      if (name.empty()) break;
      values.push_back(name);
    }
    if (values.size() != elements) continue;
    text += coverage::spelling(form) +
            (loads ? " " + braces(values) + ", [" + address + "];" : " [" + address + "], " + braces(values) + ";");
    return {{text}, {}, {}, false};
  }
}

Statement Maker::own_atomic_statement(const Context& context) {
  if (context.in_function) return value_statement();
  for (;;) {
    const coverage::Form& form = any_form(vocabulary_.atomics);
    const Instruction instruction = coverage::instruction_of(form);
    if (is_strong(instruction) && context.repetition > 1) {
      if (below(30) == 0) return value_statement();
      continue;
    }
    const Space space = space_of(instruction);
    const unsigned elements = vector_elements(instruction), bytes = elements * bits(instruction.type()) / 8;
    if (bytes > 16) continue;
    std::string base = slot_address(space, bytes, false);
    if (base.empty() || base == "%generic_local") continue;
    const auto list = [&](bool written) -> std::string {
      std::vector<std::string> names;
      for (int attempt = 0; attempt < 60 && names.size() < elements; ++attempt) {
        const std::string name = written ? destination(instruction.type()) : source(instruction.type());
        if (name.empty()) return {};
        bool again = false;
        for (const std::string& other : names) again |= (written && other == name) || held(other) != held(name);
        if (!again) names.push_back(name);
      }
      return names.size() < elements ? std::string() : braces(names);
    };
    const std::string d = list(true), b = list(false), c = list(false);
    if (d.empty() || b.empty() || c.empty()) {
      if (below(30) == 0) return value_statement();
      continue;
    }
    std::string line = coverage::spelling(form) + " ";
    if (instruction.opcode == Opcode::kAtom) line += d + ", ";
    line += "[" + base + "+" + number(below(kSlotBytes / bytes) * bytes) + "], " + b;
    if (instruction.has(Modifier::kCas)) line += ", " + c;
    return {{line + ";"}, {}, {}, false};
  }
}

// Adds to a cell of the block or of the grid.
Statement Maker::cell_statement(const Context& context) {
  if (context.in_function) return value_statement();
  const unsigned cell = below(kCells);
  const std::string operation = kCellOperations[cell];
  const bool wide = operation.ends_with("64"), shared = chance(50), returns = chance(30) && context.repetition == 1;
  const std::string value = source(wide ? Type::kB64 : Type::kB32).c_str();
  const Type type = *find_type(operation.substr(operation.find('.') + 1));
  const std::string typed = source(type);
  if (typed.empty()) return value_statement();
  const std::string space = shared ? ".shared." : ".global.", base = shared ? "%cells_shared" : "%cells_global";
  std::string line = (returns ? "atom" : "red") + space + operation + " ";
  if (returns) line += temporary(wide ? "b64" : "b32") + ", ";
  Statement statement{{line + "[" + base + "+" + number(cell * 8) + "], " + typed + ";"}, {}, {}, false};
  if (chance(20)) statement.guard = "@" + predicate() + " ";
  return statement;
}

// What all threads made of a cell.
Statement Maker::shared_cell_statement(const Context& context) {
  if (context.together != Together::kBlock) return cell_statement(context);
  const std::string d = destination(Type::kU64);
  if (d.empty()) return cell_statement(context);
  return {{"bar.sync 0;\nld.shared.b64 " + d + ", [%cells_shared+" + number(below(kCells) * 8) + "];\nbar.sync 0;"},
          {},
          {},
          false};
}

// A register gets a value that is in the input.
Statement Maker::input_statement() {
  const PoolRegister& r = any(pool_);
  for (const Definition& definition : function_->definitions)
    if (definition.name == r.name) return {{definition.start}, {}, {}, false};
  return value_statement();
}

}  // namespace ww::programs
