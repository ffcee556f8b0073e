#include "coverage/kernel_writer.h"

#include <algorithm>

namespace ww::coverage {

using namespace ptx;

namespace {

constexpr uint64_t kColumnBytes = uint64_t{kThreads} * 8;

std::string register_type(unsigned width) {
  return width == 1 ? ".pred" : ".b" + std::to_string(width);
}

}  // namespace

Instruction instruction_of(const Form& form) {
  Instruction instruction;
  instruction.opcode = form.compiled().form->opcode;
  add_suffixes(instruction, form.suffixes);
  return instruction;
}

unsigned register_bits(Type type) {
  return type == Type::kPred ? 1 : std::max(bits(type), 16u);
}

std::vector<std::string> words_of(const Form& form) {
  std::vector<std::string> words = {std::string(ptx::spelling(form.compiled().form->opcode))};
  for (const SuffixCode code : form.suffixes) words.emplace_back(suffix_spelling(code));
  return words;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string operand_list(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ", ") + name;
  return text + "}";
}

void KernelWriter::declare(const std::string& name, unsigned width) {
  declarations_ += ".reg " + register_type(width) + " " + name + ";\n";
}

std::string KernelWriter::operand_place() const {
  return "[%in+" + std::to_string(kernel_.operands.size() * kColumnBytes) + "]";
}

std::string KernelWriter::result_place() const {
  return "[%out+" + std::to_string(kernel_.results.size() * kColumnBytes) + "]";
}

void KernelWriter::load(const std::string& name, const Column& column) {
  const unsigned width = register_bits(column.type);
  const std::string place = operand_place();
  declare(name, width);
  kernel_.operands.push_back(column);
  if (width == 1) {
    declare(name + "_byte", 16);
    loads_ += "ld.global.u8 " + name + "_byte, " + place + ";\nand.b16 " + name + "_byte, " + name +
              "_byte, 1;\nsetp.ne.b16 " + name + ", " + name + "_byte, 0;\n";
  } else if (width == 128) {
    declare(name + "_low", 64);
    declare(name + "_high", 64);
    loads_ += "ld.global.b64 " + name + "_low, " + place + ";\nld.global.b64 " + name + "_high, " + operand_place() +
              ";\nmov.b128 " + name + ", {" + name + "_low, " + name + "_high};\n";
    kernel_.operands.push_back(column);
  } else {
    loads_ += "ld.global.b" + std::to_string(width) + " " + name + ", " + place + ";\n";
  }
}

std::string KernelWriter::line(const std::string& operands) const {
  return spelling(form_) + (operands.empty() ? ";" : " " + operands + ";");
}

bool KernelWriter::is_legal(const std::string& operands) const {
  return !form_.checked || refusal(module_variables_, declarations_, line(operands)).empty();
}

bool KernelWriter::add_instruction(const std::string& operands) {
  if (!is_legal(operands)) return false;
  kernel_.lines.push_back(line(operands));
  add(kernel_.lines.back());
  return true;
}

void KernelWriter::store(const std::string& name, Type type) {
  const unsigned width = register_bits(type);
  if (width == 1) {
    body_ += "selp.b32 %n, 1, 0, " + name + ";\nst.global.b32 " + result_place() + ", %n;\n";
  } else if (width == 128) {
    declare(name + "_half0", 64);
    declare(name + "_half1", 64);
    body_ += "mov.b128 {" + name + "_half0, " + name + "_half1}, " + name + ";\nst.global.b64 " + result_place() +
             ", " + name + "_half0;\n";
    kernel_.results.push_back({type, name});
    body_ += "st.global.b64 " + result_place() + ", " + name + "_half1;\n";
  } else {
    body_ += "st.global.b" + std::to_string(width) + " " + result_place() + ", " + name + ";\n";
  }
  kernel_.results.push_back({type, name});
}

void KernelWriter::clear(const std::string& name, unsigned width) {
  if (width == 1)
    add("setp.ne.u32 " + name + ", %t, %t;");
  else if (width == 128)
    add("{ .reg .b64 %zero; mov.b64 %zero, 0; mov.b128 " + name + ", {%zero, %zero}; }");
  else
    add("mov.b" + std::to_string(width) + " " + name + ", 0;");
}

void KernelWriter::add_operands(Type type, const std::string& operand, unsigned columns) {
  for (unsigned i = 0; i < columns; ++i) kernel_.operands.push_back({type, operand});
}

uint64_t KernelWriter::operand_bytes() const {
  return kernel_.operands.size() * kColumnBytes;
}

uint64_t KernelWriter::add_results(Type type, const std::string& name, unsigned columns) {
  const uint64_t offset = kernel_.results.size() * kColumnBytes;
  for (unsigned i = 0; i < columns; ++i) kernel_.results.push_back({type, name});
  return offset;
}

Kernel KernelWriter::finish() {
  kernel_.text = module_variables_ + ".visible .entry " + kernel_.name +
                 "(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[16])\n" + directives_ + "{\n" +
                 declarations_ +
                 ".reg .b32 %t, %n;\n.reg .b64 %in, %out;\nmov.u32 %t, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
                 "mul.lo.u32 %t, %t, %n;\nmov.u32 %n, %tid.x;\nadd.u32 %t, %t, %n;\nld.param.u64 %in, [in];\n"
                 "ld.param.u64 %out, [out];\nmad.wide.u32 %in, %t, 8, %in;\nmad.wide.u32 %out, %t, 8, %out;\n" +
                 loads_ + body_ + "ret;\n}\n";
  return std::move(kernel_);
}

}  // namespace ww::coverage
