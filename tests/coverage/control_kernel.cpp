// Control flow, stack memory, and what passes time; parameters of calls.
#include "coverage/form_kernel.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// f(x) = 3x + 1, or x ^ 0x5555 for odd x: the ways through a program differ in what they compute.
const char* const kOdd = "xor.b64 got, got, 0x5555;";
const char* const kEven = "mad.lo.u64 got, got, 3, 1;";

class Control {
 public:
  Control(const Form& form, const std::string& name)
      : form_(form), opcode_(form.compiled().form->opcode), words_(words_of(form)), name_(name), writer_(form, name) {}

  std::optional<Kernel> build() {
    writer_.load("v", {Type::kU64, "value"});
    writer_.declare("got", 64);
    writer_.declare("%p", 1);
    writer_.declare("%low", 32);
    writer_.add("cvt.u32.u64 %low, v;\nand.b32 %n, %low, 1;\nsetp.ne.u32 %p, %n, 0;\nmov.u64 got, v;");
    if (!add()) return {};
    writer_.store("got", Type::kU64);
    return writer_.finish();
  }

 private:
  bool add() {
    switch (opcode_) {
      case Opcode::kBra:
        return branch();
      case Opcode::kBrx:
        return branch_indexed();
      case Opcode::kCall:
        return call();
      case Opcode::kRet:
        return leave("ret");
      case Opcode::kExit:
        return leave("exit");
      case Opcode::kTrap:
      case Opcode::kBrkpt:
        return never();
      case Opcode::kNanosleep:
        return plain("100") && plain("%n");
      case Opcode::kPmevent:
        return plain("3");
      case Opcode::kGriddepcontrol:
        return plain("");
      case Opcode::kAlloca:
      case Opcode::kStacksave:
      case Opcode::kStackrestore:
        return stack();
      default:
        return false;
    }
  }

  bool plain(const std::string& operands) { return writer_.add_instruction(operands); }

  bool uniform() const { return contains(words_, "uni"); }

  // A loop with as many rounds as the low bits say (of the block's number, where all lanes must agree).
  bool branch() {
    writer_.add(uniform() ? "mov.u32 %n, %ctaid.x;\nand.b32 %n, %n, 7;" : "and.b32 %n, %low, 15;");
    if (!uniform())
      writer_.add(spelled("@%p ", "$odd") + "\n" + kEven + "\n" + spelled("", "$join") + "\n$odd:\n" + kOdd +
                  "\n$join:");
    writer_.add("$loop:\nmad.lo.u64 got, got, 5, 7;\nsetp.ne.u32 %p, %n, 0;\nsub.u32 %n, %n, 1;\n" +
                spelled("@%p ", "$loop"));
    writer_.note_line(spelled("", "$loop"));
    return true;
  }
  std::string spelled(const std::string& guard, const std::string& target) const {
    return guard + coverage::spelling(form_) + " " + target + ";";
  }

  bool branch_indexed() {
    writer_.declare("%index", 32);
    writer_.add(uniform() ? "mov.u32 %index, %ctaid.x;\nand.b32 %index, %index, 3;" : "and.b32 %index, %low, 3;");
    const std::string line = coverage::spelling(form_) + " %index, $list;";
    writer_.add("$list: .branchtargets $w0, $w1, $w2, $w3;\n" + line +
                "\n$w0:\nmad.lo.u64 got, got, 3, 1;\nbra $end;\n$w1:\nxor.b64 got, got, 0x5555;\nbra $end;\n"
                "$w2:\nnot.b64 got, got;\n$w3:\nadd.u64 got, got, 99;\n$end:");
    writer_.note_line(line);
    return true;
  }

  // A function by its name, one of two by address, and one that calls itself.
  bool call() {
    const std::string direct = name_ + "_direct", other = name_ + "_other", recursive = name_ + "_recursive";
    const std::string op = coverage::spelling(form_);
    writer_.declare_module_variable(
        ".func (.reg .b64 r) " + direct +
        "(.reg .b64 x, .reg .b32 y)\n{\n.reg .b64 %w;\ncvt.u64.u32 %w, y;\n"
        "mad.lo.u64 r, x, 3, %w;\nret;\n}\n"
        ".func (.reg .b64 r) " +
        other +
        "(.reg .b64 x, .reg .b32 y)\n{\n.reg .b64 %w;\ncvt.u64.u32 %w, y;\n"
        "xor.b64 r, x, %w;\nret;\n}\n"
        ".func (.param .b64 r) " +
        recursive +
        "(.param .b64 x, .param .b32 y)\n{\n.reg .b64 %x;\n.reg .b32 %y;\n"
        ".reg .pred %p;\nld.param.b64 %x, [x];\nld.param.b32 %y, [y];\nsetp.eq.u32 %p, %y, 0;\n@%p bra $done;\n"
        "sub.u32 %y, %y, 1;\nmad.lo.u64 %x, %x, 5, 7;\n{\n.param .b64 a;\n.param .b32 b;\n.param .b64 c;\n"
        "st.param.b64 [a], %x;\nst.param.b32 [b], %y;\n" +
        op + " (c), " + recursive +
        ", (a, b);\n"
        "ld.param.b64 %x, [c];\n}\n$done:\nst.param.b64 [r], %x;\nret;\n}");
    writer_.declare("%address", 64);
    writer_.declare("%second", 64);
    const std::string line = op + " (got), " + direct + ", (got, %low);";
    writer_.add(line + "\n$proto: .callprototype (.reg .b64 _) _ (.reg .b64 _, .reg .b32 _);\nmov.u64 %address, " +
                direct + ";\nmov.u64 %second, " + other + ";");
    if (uniform()) {
      writer_.add("mov.u32 %n, %ctaid.x;\nand.b32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;");
    }
    writer_.add("selp.b64 %address, %address, %second, %p;\n" + op + " (got), %address, (got, %low), $proto;\n" +
                (uniform() ? "mov.u32 %low, %ctaid.x;\n" : "") +
                "and.b32 %n, %low, 7;\n{\n.param .b64 a;\n"
                ".param .b32 b;\n.param .b64 c;\nst.param.b64 [a], got;\nst.param.b32 [b], %n;\n" +
                op + " (c), " + recursive + ", (a, b);\nld.param.b64 got, [c];\n}");
    writer_.note_line(line);
    return true;
  }

  // Some threads leave a function, or end, before others; what they had written stays.
  bool leave(const std::string& what) {
    const std::string op = coverage::spelling(form_) + ";";
    if (what == "exit") {
      writer_.store("got", Type::kU64);
      writer_.add("@%p " + op + "\n" + kEven);
      writer_.note_line(op);
      return true;
    }
    const std::string function = name_ + "_leave";
    const std::string choose = uniform() ? "mov.u32 y, %ctaid.x;\nand.b32 y, y, 1;\n" : "and.b32 y, y, 1;\n";
    writer_.declare_module_variable(
        ".func (.reg .b64 r) " + function + "(.reg .b64 x, .reg .b32 y)\n{\n.reg .pred %p;\n" + choose +
        "setp.ne.u32 %p, y, 0;\nxor.b64 r, x, 0x5555;\n@%p " + op + "\nmad.lo.u64 r, x, 3, 1;\n" + op + "\n}");
    writer_.add("call (got), " + function + ", (got, %low);");
    writer_.note_line(op);
    return true;
  }

  // What ends the program stands where no thread comes.
  bool never() {
    const std::string op = coverage::spelling(form_) + ";";
    writer_.add("mov.u32 %n, %ntid.x;\nsetp.eq.u32 %p, %n, 77;\n@%p " + op + "\n" + kEven);
    writer_.note_line(op);
    return true;
  }

  bool stack() {
    const bool narrow = words_.back() == "u32";
    const std::string type = narrow ? ".u32" : ".u64", wide = "%place";
    const unsigned width = narrow ? 32 : 64;
    writer_.declare("%saved", width);
    writer_.declare("%memory", width);
    writer_.declare("%size", width);
    writer_.declare(wide, 64);
    const auto use = [&](const std::string& address) {
      writer_.add(std::string(narrow ? "cvt.u64.u32 " : "mov.u64 ") + wide + ", " + address + ";\nst.local.b64 [" +
                  wide + "+8], got;\nst.local.b64 [" + wide + "], 5;\nld.local.b64 got, [" + wide + "+8];");
    };
    const auto add = [&](Opcode opcode, const std::string& text, const std::string& operands) {
      if (opcode == opcode_) return writer_.add_instruction(operands);
      writer_.add(text + type + " " + operands + ";");
      return true;
    };
    if (!add(Opcode::kStacksave, "stacksave", "%saved")) return false;
    writer_.add(std::string(narrow ? "and.b32 %size, %low, 48;\nadd.u32 %size, %size, 16;"
                                   : "and.b64 %size, v, 48;\nadd.u64 %size, %size, 16;"));
    if (!add(Opcode::kAlloca, "alloca", "%memory, %size, 16")) return false;
    use("%memory");
    writer_.add(kEven);
    if (!add(Opcode::kStackrestore, "stackrestore", "%saved")) return false;
    if (!add(Opcode::kAlloca, "alloca", "%memory, 32")) return false;
    use("%memory");
    return true;
  }

  const Form& form_;
  const Opcode opcode_;
  const std::vector<std::string> words_;
  const std::string name_;
  KernelWriter writer_;
};

}  // namespace

std::optional<Kernel> control_kernel(const Form& form, const std::string& name) {
  const InstructionClass kind = form.compiled().form->instruction_class;
  if (kind != InstructionClass::kControl && kind != InstructionClass::kMiscellaneous) return {};
  return Control(form, name).build();
}

// Bytes go to a function that gives them back: st.param writes its argument, ld.param reads its result. Parameters are
// as large as what is moved: of bytes that nobody writes there is nothing to say. What is not under test moves .b128 as
// two halves, since NVIDIA's compiler (of driver 580) loses the upper half in ld.param.b128 of functions and results.
std::optional<Kernel> parameter_kernel(const Form& form, const std::string& name) {
  const Instruction instruction = instruction_of(form);
  const bool is_store = instruction.opcode == Opcode::kSt;
  if (space_of(instruction) != Space::kParam || (!is_store && !instruction.has(Modifier::kParamFunc))) return {};
  if (instruction.opcode != Opcode::kLd && !is_store) return {};
  KernelWriter writer(form, name);
  const Type type = instruction.type();
  const Type held = bits(type) < 32 ? Type::kB32 : type;
  const unsigned elements = vector_elements(instruction), bytes = elements * bits(type) / 8;
  const bool wide = bits(type) == 128;
  const std::string suffix =
      wide ? ".v2.b64"
           : (elements == 1 ? "" : ".v" + std::to_string(elements)) + "." + std::string(ptx::spelling(type));
  const std::string array = ".param .align " + std::to_string(bytes) + " .b8 ",
                    size = "[" + std::to_string(bytes) + "]";
  std::vector<std::string> inner, values, results;
  std::string registers;
  for (unsigned i = 0; i < elements; ++i) {
    const std::string n = std::to_string(i);
    inner.push_back("%r" + n);
    registers += ".reg .b" + std::to_string(register_bits(held)) + " %r" + n + ";\n";
    values.push_back("b" + n);
    writer.load(values.back(), {held, "b"});
    results.push_back("d" + n);
    if (!wide || !is_store) writer.declare(results.back(), register_bits(held));
  }
  Type stored = held;
  std::vector<std::string> sent = values;
  if (wide) {
    inner = {"%low", "%high"};
    registers = ".reg .b64 %low, %high;\n";
    sent = {"b0_low", "b0_high"};
  }
  if (wide && is_store) {
    results = {"d_low", "d_high"};
    for (const std::string& d : results) writer.declare(d, 64);
    stored = Type::kB64;
  }
  writer.declare_module_variable(".func (" + array + "r" + size + ") " + name + "_same(" + array + "x" + size +
                                 ")\n{\n" + registers + "ld.param" + suffix + " " + operand_list(inner) +
                                 ", [x];\nst.param" + suffix + " [r], " + operand_list(inner) + ";\nret;\n}");
  writer.declare_variable(array + "argument" + size + ";\n" + array + "result" + size + ";");
  const std::string take = operand_list(results) + ", [result]";
  if (!is_store) writer.add("st.param" + suffix + " [argument], " + operand_list(sent) + ";");
  if (is_store && !writer.add_instruction("[argument], " + operand_list(values))) return {};
  writer.add("call (result), " + name + "_same, (argument);");
  if (is_store) writer.add("ld.param" + suffix + " " + take + ";");
  if (!is_store && !writer.add_instruction(take)) return {};
  for (const std::string& d : results) writer.store(d, stored);
  return writer.finish();
}

}  // namespace ww::coverage
