#include "random/assembler.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ww::programs {
namespace {

// The types of d and a of "set.CmpOp...types", its last words.
struct SetTypes {
  std::string_view to, from;
};

SetTypes types_of(std::string_view opcode) {
  const size_t last = opcode.rfind('.'), before = opcode.rfind('.', last - 1);
  return {opcode.substr(before + 1, last - before - 1), opcode.substr(last + 1)};
}

bool is(std::string_view type, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

// What becomes of d, in %old, where the guard of a `set` is false; empty: it stays.
std::string converted(const SetTypes& types, const std::string& d) {
  const bool is_short = is(types.from, {"b16", "u16", "s16", "f16", "bf16"});
  const std::string low = ".reg .b16 %low, %high;\n.reg .b32 %old;\nmov.b32 {%low, %high}, " + d + ";\n";
  if (types.to == "f32" && is_short) return low + "abs.s16 %low, %low;\ncvt.rn.f32.s16 %old, %low;\n";
  if (types.to == "f32")
    return ".reg .b32 %old;\nmov.b32 %old, " + d + ";\nabs.s32 %old, %old;\ncvt.rn.f32.s32 %old, %old;\n";
  if (is(types.to, {"u32", "s32"}) && is_short) return low + "cvt.s32.s16 %old, %low;\n";
  if (is(types.to, {"f16", "bf16"})) {
    return ".reg .b16 %old;\nmov.b16 %old, " + d + ";\nabs.s16 %old, %old;\ncvt.rn." + std::string(types.to) +
           ".s16 %old, %old;\n";
  }
  return "";
}

void change_guarded(Statement& statement, std::string& line) {
  const std::string opcode = line.substr(0, line.find(' '));
  if (opcode.starts_with("testp.")) {
    line += " // " + statement.guard;  // the predicate stays mentioned (program.h)
    statement.guard.clear();
  } else if (opcode.starts_with("set.")) {
    const size_t begin = line.find(' ') + 1;
    const std::string d = line.substr(begin, line.find(',') - begin);
    const std::string text = converted(types_of(opcode), d);
    if (text.empty()) return;
    const bool negated = statement.guard[1] == '!';
    const std::string other = (negated ? "@" : "@!") + statement.guard.substr(negated ? 2 : 1);
    const char* move = is(types_of(opcode).to, {"f16", "bf16"}) ? "mov.b16 " : "mov.b32 ";
    line += "\n{\n" + text + other + move + d + ", %old;\n}";
  }
}

using Registers = std::vector<std::string>;

// The lists in braces of "mma... {a, b}, {c}, ...".
std::vector<Registers> lists_of(const std::string& line) {
  std::vector<Registers> lists;
  for (size_t at = line.find('{'); at != std::string::npos; at = line.find('{', at + 1)) {
    lists.emplace_back();
    for (size_t end = at; line[end] != '}';) {
      const size_t begin = line.find_first_not_of(" ,", end + 1);
      end = line.find_first_of(",}", begin);
      lists.back().push_back(line.substr(begin, end - begin));
    }
  }
  return lists;
}

std::string joined(const Registers& registers) {
  std::string text;
  for (const std::string& name : registers) text += (text.empty() ? "{" : ", ") + name;
  return text + "}";
}

bool is_mma_of_bytes(std::string_view opcode) {
  return opcode.starts_with("mma.sync") &&
         (opcode.find(".e4m3") != std::string_view::npos || opcode.find(".e5m2") != std::string_view::npos);
}

std::string mma_by_elements(const std::string& line) {
  const auto lists = lists_of(line);
  const Registers &d = lists[0], &c = lists[3];
  const bool is_half = line.find(".col.f16.") != std::string::npos;
  Registers sums, zeros(c.size(), "%negative_zero");
  for (size_t i = 0; i < d.size(); ++i) sums.push_back("%sum" + std::to_string(i));
  std::string text = "{\n.reg .b32 %negative_zero, %element, %sum<4>;\nmov.b32 %negative_zero, ";
  text += is_half ? "0x80008000;\n" : "0x80000000;\n";
  text += line.substr(0, line.find(' ')) + " " + joined(sums) + ", " + joined(lists[1]) + ", " + joined(lists[2]) +
          ", " + joined(zeros) + ";\n";
  for (size_t i = 0; i < d.size(); ++i)
    text += "mov.b32 %element, " + c[i] + ";\nadd.rn." + (is_half ? "f16x2" : "f32") + " %element, %element, " +
            sums[i] + ";\nmov.b32 " + d[i] + ", %element;\n";
  return text + "}";
}

bool reads_what_it_wrote(const std::string& line) {
  const auto lists = lists_of(line);
  for (size_t i = 0; i < lists[0].size(); ++i)
    for (size_t k = i + 1; k < lists[3].size(); ++k)
      if (lists[0][i] == lists[3][k]) return true;
  return false;
}

void change(std::vector<Statement>& body) {
  for (Statement& statement : body) {
    for (std::string& line : statement.lines) {
      if (!statement.guard.empty()) change_guarded(statement, line);
      if (is_mma_of_bytes(line) && reads_what_it_wrote(line)) line = mma_by_elements(line);
    }
    for (auto& inner : statement.bodies) change(inner);
  }
}

}  // namespace

Program as_assembled(Program program) {
  for (Function& function : program.functions) change(function.body);
  return program;
}

}  // namespace ww::programs
