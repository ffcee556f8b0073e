#include "random/program.h"

#include <cctype>
#include <set>

namespace ww::programs {
namespace {

using Names = std::set<std::string, std::less<>>;

bool is_name_start(char c) {
  return c == '%' || c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

void mention(std::string_view text, Names& names) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (is_name_start(text[i])) {
      while (end < text.size() &&
             (is_name_start(text[end]) || std::isdigit(static_cast<unsigned char>(text[end])) != 0))
        ++end;
      names.emplace(text.substr(i, end - i));
    }
    i = end;
  }
}

class Writer {
 public:
  std::string body(const std::vector<Statement>& statements) {
    std::string text;
    for (const Statement& statement : statements) write(statement, text);
    return text;
  }

 private:
  void write(const Statement& statement, std::string& text) {
    const std::string label = "L" + std::to_string(labels_++) + "_";
    for (size_t i = 0; i < statement.lines.size(); ++i) {
      if (!statement.lines[i].empty()) {
        text += statement.guard;
        for (const char c : statement.lines[i])
          if (c == '#')
            text += label;
          else
            text += c;
        text += '\n';
      }
      if (i < statement.bodies.size()) text += body(statement.bodies[i]);
    }
  }
  unsigned labels_ = 0;
};

std::string function_text(const Function& function) {
  std::string body = Writer().body(function.body);
  Names names;
  mention(body, names);
  for (const Definition& store : function.stores)
    if (names.contains(store.name)) body += store.start + "\n";
  body += function.tail;
  mention(body, names);
  std::string declarations, start;
  for (size_t i = function.definitions.size(); i-- != 0;) {
    const Definition& definition = function.definitions[i];
    if (!names.contains(definition.name)) continue;
    mention(definition.start, names);
    declarations = definition.declaration + "\n" + declarations;
    if (!definition.start.empty()) start = definition.start + "\n" + start;
  }
  return function.head + "{\n" + declarations + start + body + "}\n";
}

}  // namespace

std::string module_head() {
  return ".version 9.0\n.target sm_90\n.address_size 64\n";
}

std::string text_of(const Program& program) {
  std::string text;
  Names names = {program.kernel().name};
  for (size_t i = program.functions.size(); i-- != 0;) {
    const Function& function = program.functions[i];
    if (!names.contains(function.name)) continue;
    const std::string own = function_text(function);
    mention(own, names);
    text = own + text;
    for (size_t k = i == program.functions.size() - 1 ? program.module_definitions.size() : 0; k-- != 0;)
      if (names.contains(program.module_definitions[k].name)) mention(program.module_definitions[k].start, names);
  }
  // Functions of a table come before it; what is in the table is declared first.
  std::string head;
  for (const Definition& definition : program.module_definitions)
    if (names.contains(definition.name)) head += definition.declaration + "\n";
  return head + text;
}

unsigned size_of(const std::vector<Statement>& body) {
  unsigned size = 0;
  for (const Statement& statement : body) {
    for (const std::string& line : statement.lines)
      for (const char c : line) size += c == ';' ? 1 : 0;
    for (const auto& inner : statement.bodies) size += size_of(inner);
  }
  return size;
}

}  // namespace ww::programs
