// Canonical PTX text of a module.
#include "ptx/printer.h"

#include <algorithm>
#include <cstdio>

#include "ptx/instruction_table.h"
#include "ptx/special_registers.h"

namespace ww::ptx {

namespace {

constexpr std::string_view kSelectors[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
constexpr std::string_view kLinkages[] = {"", ".extern ", ".visible ", ".weak ", ".common "};

class Printer {
 public:
  Printer(const Module& module, std::string& out) : module_(module), out_(out) {}

  void print_module();
  void print_instruction(const Function& function, const Instruction& instruction);

 private:
  void text(std::string_view s) { out_ += s; }
  void number(uint64_t value) { out_ += std::to_string(value); }
  void hex(std::string_view prefix, uint64_t value, int digits) {
    char buffer[24];
    std::snprintf(buffer, sizeof buffer, "%0*llX", digits, static_cast<unsigned long long>(value));
    out_ += prefix;
    out_ += buffer;
  }
  enum class Place : uint8_t { kList, kDeclaration, kDefinition };  // kDeclaration: .extern
  void print_variable(const Variable& variable, Place place);
  void print_initializer(const Variable& variable);
  void print_scalar(const Variable& variable, uint64_t offset, size_t& symbol);
  void print_dimension(const Variable& variable, const std::vector<uint64_t>& bounds, size_t level, uint64_t offset,
                       uint64_t end, size_t& symbol);
  void print_function(const Function& function, bool with_body);
  void print_parameters(const std::vector<VariableId>& ids);
  void print_body(const Function& function);
  void print_prototype(const Function& function, const Prototype& prototype);
  void print_location(const SourceLocation& location);
  void print_operand(const Function& function, const Operand& operand);
  void print_elements(const Function& function, const Operand& operand);
  void print_arguments(const Function& function, const Operand& operand);
  void print_selector(const Operand& operand) {
    if (operand.component < std::size(kSelectors)) return text(kSelectors[operand.component]);
    text(operand.component == 7 ? ".h" : ".b");
    for (unsigned digit = operand.selector_digits(); digit-- > 0;) number(operand.selector_digit(digit));
  }
  void print_offset(uint64_t value) {
    if (value == 0) return;
    text("+");
    text(std::to_string(static_cast<int64_t>(value)));
  }

  const Module& module_;
  std::string& out_;
};

void Printer::print_module() {
  text(".version ");
  number(module_.version_major);
  text(".");
  number(module_.version_minor);
  text("\n.target ");
  for (size_t i = 0; i < module_.targets.size(); ++i) {
    if (i != 0) text(", ");
    text(module_.targets[i]);
  }
  text("\n.address_size ");
  number(module_.address_size);
  text("\n\n");
  for (const TopLevel& item : module_.order) {
    switch (item.kind) {
      case TopLevel::Kind::kVariable:
        print_variable(module_.variables[item.index], item.has_body ? Place::kDefinition : Place::kDeclaration);
        text(";\n");
        break;
      case TopLevel::Kind::kFunction:
        print_function(module_.functions[item.index], item.has_body);
        break;
      case TopLevel::Kind::kAlias:
        text(".alias ");
        text(module_.functions[module_.aliases[item.index].alias].name);
        text(", ");
        text(module_.functions[module_.aliases[item.index].aliasee].name);
        text(";\n");
        break;
      case TopLevel::Kind::kFile: {
        const SourceFile& file = module_.files[item.index];
        text(".file ");
        number(file.number);
        text(" \"");
        text(file.name);
        text("\"");
        if (file.has_timestamp) {
          text(", ");
          number(file.timestamp);
          text(", ");
          number(file.size);
        }
        text("\n");
        break;
      }
      case TopLevel::Kind::kSection: {
        const Section& section = module_.sections[item.index];
        if (section.name == "@@") {
          text("@@");
          text(section.body.substr(section.body.starts_with("@") ? 1 : 0));
          text("\n");
          break;
        }
        text(".section ");
        text(section.name);
        text(" {");
        text(section.body);
        text("}\n");
        break;
      }
      case TopLevel::Kind::kPragma:
        text(".pragma \"");
        text(module_.pragmas[item.index]);
        text("\";\n");
        break;
      case TopLevel::Kind::kLoc:
        print_location(module_.source_locations[item.index]);
        break;
    }
  }
}

void Printer::print_location(const SourceLocation& location) {
  text(".loc ");
  number(location.file);
  text(" ");
  number(location.line);
  text(" ");
  number(location.column);
  if (!location.function_name.empty()) {
    text(", function_name ");
    text(location.function_name);
    if (location.function_name_offset != 0) {
      text("+");
      number(location.function_name_offset);
    }
  }
  if (location.inlined) {
    text(", inlined_at ");
    number(location.inlined_file);
    text(" ");
    number(location.inlined_line);
    text(" ");
    number(location.inlined_column);
  }
  text("\n");
}

void Printer::print_variable(const Variable& variable, Place place) {
  const Linkage linkage = place == Place::kDeclaration ? Linkage::kExtern : variable.linkage;
  if (place != Place::kList && variable.function == kNoIndex) text(kLinkages[static_cast<unsigned>(linkage)]);
  text(spelling(variable.space));
  if (variable.const_bank != 0) {
    text("[");
    number(variable.const_bank);
    text("]");
  }
  if (variable.managed || variable.has_unified) {
    text(" .attribute(");
    if (variable.managed) text(".managed");
    if (variable.has_unified) {
      text(variable.managed ? ", .unified(" : ".unified(");
      number(variable.unified[0]);
      text(", ");
      number(variable.unified[1]);
      text(")");
    }
    text(")");
  }
  const unsigned natural = std::max(1u, bits(variable.type) / 8) * variable.vector;
  if (variable.alignment != natural) {
    text(" .align ");
    number(variable.alignment);
  }
  if (variable.vector > 1) {
    text(" .v");
    number(variable.vector);
  }
  text(" .");
  text(spelling(variable.type));
  if (variable.has_pointer_attribute) {
    text(" .ptr");
    if (variable.pointer_space != Space::kNone) {
      text(" ");
      text(spelling(variable.pointer_space));
    }
    if (variable.pointer_alignment != 0) {
      text(" .align ");
      number(variable.pointer_alignment);
    }
  }
  text(" ");
  text(variable.name);
  for (const uint64_t bound : variable.dimensions) {
    text("[");
    if (bound != 0) number(bound);
    text("]");
  }
  if (place == Place::kDefinition) print_initializer(variable);
}

void Printer::print_scalar(const Variable& variable, uint64_t offset, size_t& symbol) {
  const unsigned size = std::max(1u, bits(variable.type) / 8);
  if (symbol < variable.symbol_initializers.size() && variable.symbol_initializers[symbol].offset == offset) {
    const SymbolInitializer& s = variable.symbol_initializers[symbol++];
    if (s.is_masked) {
      hex("0x", uint64_t{0xff} << s.shift, 2);
      text("(");
    }
    if (s.is_generic) text("generic(");
    text(s.is_function ? module_.functions[s.index].name : module_.variables[s.index].name);
    if (s.is_generic) text(")");
    print_offset(static_cast<uint64_t>(s.addend));
    if (s.is_masked) text(")");
    return;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < size && i < 8; ++i)
    if (offset + i < variable.initializer.size()) value |= uint64_t{variable.initializer[offset + i]} << (8 * i);
  if (variable.type == Type::kF32) return hex("0f", value, 8);
  if (variable.type == Type::kF64) return hex("0d", value, 16);
  number(value);
}

void Printer::print_dimension(const Variable& variable, const std::vector<uint64_t>& bounds, size_t level,
                              uint64_t offset, uint64_t end, size_t& symbol) {
  if (level == bounds.size()) return print_scalar(variable, offset, symbol);
  uint64_t stride = std::max(1u, bits(variable.type) / 8);
  for (size_t k = level + 1; k < bounds.size(); ++k) stride *= bounds[k];
  text("{");
  for (uint64_t i = 0; i < bounds[level]; ++i) {
    const uint64_t at = offset + i * stride;
    if (at >= end) break;  // the rest is zero
    if (i != 0) text(", ");
    print_dimension(variable, bounds, level + 1, at, end, symbol);
  }
  text("}");
}

void Printer::print_initializer(const Variable& variable) {
  if (!variable.opaque_initializer.empty()) {
    for (const OpaqueField& field : variable.opaque_initializer) {
      text(&field == variable.opaque_initializer.data() ? " = { " : ", ");
      text(field.name);
      text(" = ");
      if (field.word.empty())
        number(field.value);
      else
        text(field.word);
    }
    text(" }");
    return;
  }
  const uint64_t end = variable.initializer.size();
  if (end == 0) return;
  std::vector<uint64_t> bounds = variable.dimensions;
  if (variable.vector > 1) bounds.push_back(variable.vector);
  size_t symbol = 0;
  text(" = ");
  print_dimension(variable, bounds, 0, 0, end, symbol);
}

void Printer::print_parameters(const std::vector<VariableId>& ids) {
  text("(");
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i != 0) text(", ");
    print_variable(module_.variables[ids[i]], Place::kList);
  }
  text(")");
}

void Printer::print_function(const Function& function, bool with_body) {
  text(kLinkages[static_cast<unsigned>(function.linkage)]);
  text(function.is_entry ? ".entry " : ".func ");
  if (function.has_unified) {
    text(".attribute(.unified(");
    number(function.unified[0]);
    text(", ");
    number(function.unified[1]);
    text(")) ");
  }
  if (!function.returns.empty()) {
    print_parameters(function.returns);
    text(" ");
  }
  text(function.name);
  print_parameters(function.parameters);
  text("\n");
  const PerformanceDirectives& d = function.directives;
  const auto three = [&](std::string_view word, const std::array<uint32_t, 3>& v) {
    if (v[0] == 0) return;
    text(word);
    for (int i = 0; i < 3; ++i) {
      text(i == 0 ? " " : ", ");
      number(v[static_cast<size_t>(i)]);
    }
    text("\n");
  };
  const auto one = [&](std::string_view word, uint32_t v, uint32_t absent) {
    if (v == absent) return;
    text(word);
    text(" ");
    number(v);
    text("\n");
  };
  one(".abi_preserve", d.abi_preserve, kNoIndex);
  one(".abi_preserve_control", d.abi_preserve_control, kNoIndex);
  if (d.noreturn) text(".noreturn\n");
  if (!with_body) {
    text(";\n\n");
    return;
  }
  three(".maxntid", d.maxntid);
  three(".reqntid", d.reqntid);
  three(".reqnctapercluster", d.reqnctapercluster);
  one(".maxnreg", d.maxnreg, 0);
  one(".minnctapersm", d.minnctapersm, 0);
  one(".maxnctapersm", d.maxnctapersm, 0);
  one(".maxclusterrank", d.maxclusterrank, 0);
  if (d.explicitcluster) text(".explicitcluster\n");
  if (d.blocksareclusters) text(".blocksareclusters\n");
  for (const uint32_t pragma : function.pragmas) {
    text(".pragma \"");
    text(module_.pragmas[pragma]);
    text("\";\n");
  }
  text("{\n");
  print_body(function);
  text("}\n\n");
}

void Printer::print_prototype(const Function& function, const Prototype& prototype) {
  text(prototype.name);
  if (prototype.kind == Prototype::Kind::kCallPrototype) {
    text(": .callprototype ");
    if (!prototype.returns.empty()) {
      print_parameters(prototype.returns);
      text(" ");
    }
    text("_ ");
    print_parameters(prototype.parameters);
    if (prototype.noreturn) text(" .noreturn");
    if (prototype.abi_preserve != kNoIndex) text(" .abi_preserve " + std::to_string(prototype.abi_preserve));
    if (prototype.abi_preserve_control != kNoIndex)
      text(" .abi_preserve_control " + std::to_string(prototype.abi_preserve_control));
  } else {
    const bool labels = prototype.kind == Prototype::Kind::kBranchTargets;
    text(labels ? ": .branchtargets " : ": .calltargets ");
    for (size_t i = 0; i < prototype.targets.size(); ++i) {
      if (i != 0) text(", ");
      text(labels ? function.labels[prototype.targets[i]].name : module_.functions[prototype.targets[i]].name);
    }
  }
  text(";\n");
}

void Printer::print_body(const Function& function) {
  for (const Statement& statement : function.statements) {
    switch (statement.kind) {
      case StatementKind::kInstruction:
        text("\t");
        print_instruction(function, function.instructions[statement.index]);
        text("\n");
        break;
      case StatementKind::kLabel:
        text(function.labels[statement.index].name);
        text(":\n");
        break;
      case StatementKind::kScopeBegin:
        text("\t{\n");
        break;
      case StatementKind::kScopeEnd:
        text("\t}\n");
        break;
      case StatementKind::kRegisterDeclaration: {
        const RegisterDeclaration& d = function.register_declarations[statement.index];
        text("\t.reg ");
        if (d.vector > 1) text(d.vector == 2 ? ".v2 " : ".v4 ");
        text(".");
        text(spelling(d.type));
        text(" ");
        text(d.name);
        if (d.count != 0) {
          text("<");
          number(d.count);
          text(">");
        }
        text(";\n");
        break;
      }
      case StatementKind::kVariable:
        text("\t");
        print_variable(module_.variables[statement.index], Place::kDefinition);
        text(";\n");
        break;
      case StatementKind::kPrototype:
        text("\t");
        print_prototype(function, function.prototypes[statement.index]);
        break;
      case StatementKind::kLoc:
        text("\t");
        print_location(module_.source_locations[statement.index]);
        break;
      case StatementKind::kPragma:
        text("\t.pragma \"");
        text(module_.pragmas[statement.index]);
        text("\";\n");
        break;
    }
  }
}

void Printer::print_instruction(const Function& function, const Instruction& instruction) {
  if (instruction.guard != kNoIndex) {
    text(instruction.guard_negated ? "@!" : "@");
    text(function.register_name(instruction.guard));
    text(" ");
  }
  text(spelling(instruction.opcode));
  const unsigned suffixes = instruction.modifier_count + instruction.type_count;
  for (unsigned i = 0, modifier = 0, type = 0; i < suffixes; ++i) {
    text(".");
    if (instruction.suffix_types >> i & 1)
      text(spelling(instruction.types[type++]));
    else
      text(spelling(instruction.modifiers[modifier++]));
  }
  bool first = true;
  for (const Operand& operand : function.operands_of(instruction)) {
    text(first ? " " : ", ");
    first = false;
    if (operand.kind == OperandKind::kList && instruction.opcode == Opcode::kCall) {
      text("(");
      print_arguments(function, operand);
      text(")");
    } else {
      print_operand(function, operand);
    }
  }
  text(";");
}

void Printer::print_elements(const Function& function, const Operand& operand) {
  bool first = true;
  for (const Operand& element : function.elements(operand)) {
    if (!first) text(", ");
    first = false;
    print_operand(function, element);
  }
}

// A vector is passed by its name: a list of its elements is no argument.
void Printer::print_arguments(const Function& function, const Operand& operand) {
  bool first = true;
  for (const Operand& argument : function.elements(operand)) {
    if (!first) text(", ");
    first = false;
    if (argument.kind != OperandKind::kVector) {
      print_operand(function, argument);
      continue;
    }
    const std::string element = function.register_name(function.elements(argument).front().index);
    text(std::string_view(element).substr(0, element.rfind('.')));
  }
}

void Printer::print_operand(const Function& function, const Operand& operand) {
  if (operand.negated)
    text(operand.kind == OperandKind::kRegister && function.register_types[operand.index] == Type::kPred ? "!" : "-");
  switch (operand.kind) {
    case OperandKind::kNone:
      break;
    case OperandKind::kSink:
      text("_");
      break;
    case OperandKind::kRegister:
      text(function.register_name(operand.index));
      print_selector(operand);
      break;
    case OperandKind::kSpecialRegister: {
      const SpecialRegisterFacts& fact = facts(static_cast<SpecialRegister>(operand.index));
      text(fact.spelling);
      if (fact.components != 1) {
        text(".");
        out_ += "xyzw"[operand.component & 3];
      }
      break;
    }
    case OperandKind::kInteger:
      text(std::to_string(static_cast<int64_t>(operand.value)));
      break;
    case OperandKind::kFloat32:
      hex("0f", operand.value, 8);
      break;
    case OperandKind::kFloat64:
      hex("0d", operand.value, 16);
      break;
    case OperandKind::kVariable:
      text(module_.variables[operand.index].name);
      print_offset(operand.value);
      break;
    case OperandKind::kFunction:
      text(module_.functions[operand.index].name);
      break;
    case OperandKind::kLabel:
      text(function.labels[operand.index].name);
      break;
    case OperandKind::kPrototype:
      text(function.prototypes[operand.index].name);
      break;
    case OperandKind::kAddress:
      text("[");
      if (operand.base == OperandKind::kInteger) {
        text(std::to_string(static_cast<int64_t>(operand.value)));
      } else {
        text(operand.base == OperandKind::kRegister   ? std::string_view(function.register_name(operand.index))
             : operand.base == OperandKind::kVariable ? module_.variables[operand.index].name
                                                      : module_.functions[operand.index].name);
        print_offset(operand.value);
      }
      text("]");
      break;
    case OperandKind::kVector:
      text("{");
      print_elements(function, operand);
      text("}");
      break;
    case OperandKind::kList:
      text("[");
      print_elements(function, operand);
      text("]");
      break;
    case OperandKind::kPair:
      print_operand(function, function.operands[operand.index]);
      text("|");
      print_operand(function, function.operands[operand.index + 1]);
      break;
  }
}

}  // namespace

std::string print(const Module& module) {
  std::string out;
  out.reserve(module.text ? module.text->size() : 0);
  Printer(module, out).print_module();
  return out;
}

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  Printer(module, out).print_instruction(function, instruction);
  return out;
}

}  // namespace ww::ptx
