// Field by field over the whole tree; every struct of module.h has one function here.
#include "ptx/module_difference.h"

#include <algorithm>

namespace ww::ptx {

namespace {

class Comparison {
 public:
  bool same(const Module& a, const Module& b) {
    return field("version", a.version_major, b.version_major) && field("version", a.version_minor, b.version_minor) &&
           field("targets", a.targets, b.targets) && field("sm", a.sm, b.sm) &&
           field("sm_suffix", a.sm_suffix, b.sm_suffix) &&
           field("texmode", a.texmode_independent, b.texmode_independent) &&
           field("address_size", a.address_size, b.address_size) && each("variables", a.variables, b.variables) &&
           each("functions", a.functions, b.functions) && each("aliases", a.aliases, b.aliases) &&
           each("files", a.files, b.files) && each("sections", a.sections, b.sections) &&
           field("pragmas", a.pragmas, b.pragmas) && each("source_locations", a.source_locations, b.source_locations) &&
           each("order", a.order, b.order);
  }
  std::string where() const { return where_; }

 private:
  template <typename T>
  bool field(const char* name, const T& a, const T& b) {
    if (a == b) return true;
    where_ = name;
    return false;
  }
  template <typename T>
  bool each(const char* name, const std::vector<T>& a, const std::vector<T>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (same(a[i], b[i])) continue;
      where_ = std::string(name) + '[' + std::to_string(i) + "]." + where_;
      return false;
    }
    if (a.size() == b.size()) return true;
    where_ = std::string(name) + ": " + std::to_string(a.size()) + " against " + std::to_string(b.size());
    return false;
  }

  bool same(const OpaqueField& a, const OpaqueField& b) {
    return field("name", a.name, b.name) && field("word", a.word, b.word) && field("value", a.value, b.value);
  }
  bool same(const SymbolInitializer& a, const SymbolInitializer& b) {
    return field("offset", a.offset, b.offset) && field("size", a.size, b.size) && field("shift", a.shift, b.shift) &&
           field("is_function", a.is_function, b.is_function) && field("is_generic", a.is_generic, b.is_generic) &&
           field("is_masked", a.is_masked, b.is_masked) && field("index", a.index, b.index) &&
           field("addend", a.addend, b.addend);
  }
  bool same(const Variable& a, const Variable& b) {
    return field("name", a.name, b.name) && field("space", a.space, b.space) && field("type", a.type, b.type) &&
           field("linkage", a.linkage, b.linkage) && field("vector", a.vector, b.vector) &&
           field("is_array", a.is_array, b.is_array) && field("is_unsized", a.is_unsized, b.is_unsized) &&
           field("managed", a.managed, b.managed) &&
           field("has_pointer_attribute", a.has_pointer_attribute, b.has_pointer_attribute) &&
           field("pointer_space", a.pointer_space, b.pointer_space) && field("alignment", a.alignment, b.alignment) &&
           field("pointer_alignment", a.pointer_alignment, b.pointer_alignment) &&
           field("const_bank", a.const_bank, b.const_bank) && field("function", a.function, b.function) &&
           field("size", a.size, b.size) && field("dimensions", a.dimensions, b.dimensions) &&
           field("initializer", a.initializer, b.initializer) &&
           each("symbol_initializers", a.symbol_initializers, b.symbol_initializers) &&
           each("opaque_initializer", a.opaque_initializer, b.opaque_initializer) &&
           field("unified", a.unified, b.unified) && field("has_unified", a.has_unified, b.has_unified) &&
           field("redeclared", a.redeclared, b.redeclared) &&
           field("first_register", a.first_register, b.first_register);
  }
  bool same(const RegisterDeclaration& a, const RegisterDeclaration& b) {
    return field("name", a.name, b.name) && field("type", a.type, b.type) && field("vector", a.vector, b.vector) &&
           field("count", a.count, b.count) && field("first", a.first, b.first);
  }
  bool same(const Label& a, const Label& b) {
    return field("name", a.name, b.name) && field("statement", a.statement, b.statement);
  }
  bool same(const Prototype& a, const Prototype& b) {
    return field("kind", a.kind, b.kind) && field("name", a.name, b.name) && field("returns", a.returns, b.returns) &&
           field("parameters", a.parameters, b.parameters) && field("targets", a.targets, b.targets) &&
           field("noreturn", a.noreturn, b.noreturn) && field("abi_preserve", a.abi_preserve, b.abi_preserve) &&
           field("abi_preserve_control", a.abi_preserve_control, b.abi_preserve_control);
  }
  bool same(const Statement& a, const Statement& b) {
    return field("kind", a.kind, b.kind) && field("index", a.index, b.index);
  }
  bool same(const Instruction& a, const Instruction& b) {
    return field("opcode", a.opcode, b.opcode) && field("modifier_count", a.modifier_count, b.modifier_count) &&
           field("type_count", a.type_count, b.type_count) &&
           field("operand_count", a.operand_count, b.operand_count) && field("types", a.types, b.types) &&
           field("form", a.form, b.form) && field("modifiers", a.modifiers, b.modifiers) &&
           field("guard", a.guard, b.guard) && field("first_operand", a.first_operand, b.first_operand) &&
           field("suffix_types", a.suffix_types, b.suffix_types) &&
           field("guard_negated", a.guard_negated, b.guard_negated);
  }
  bool same(const Operand& a, const Operand& b) {
    return field("kind", a.kind, b.kind) && field("base", a.base, b.base) &&
           field<unsigned>("component", a.component, b.component) && field<unsigned>("negated", a.negated, b.negated) &&
           field<unsigned>("count", a.count, b.count) && field("index", a.index, b.index) &&
           field("value", a.value, b.value);
  }
  bool same(const SourceLocation& a, const SourceLocation& b) {
    return field("file", a.file, b.file) && field("line", a.line, b.line) && field("column", a.column, b.column) &&
           field("inlined", a.inlined, b.inlined) && field("function_name", a.function_name, b.function_name) &&
           field("function_name_offset", a.function_name_offset, b.function_name_offset) &&
           field("inlined_file", a.inlined_file, b.inlined_file) &&
           field("inlined_line", a.inlined_line, b.inlined_line) &&
           field("inlined_column", a.inlined_column, b.inlined_column);
  }
  bool same(const PerformanceDirectives& a, const PerformanceDirectives& b) {
    return field("maxntid", a.maxntid, b.maxntid) && field("reqntid", a.reqntid, b.reqntid) &&
           field("reqnctapercluster", a.reqnctapercluster, b.reqnctapercluster) &&
           field("maxnreg", a.maxnreg, b.maxnreg) && field("minnctapersm", a.minnctapersm, b.minnctapersm) &&
           field("maxnctapersm", a.maxnctapersm, b.maxnctapersm) &&
           field("maxclusterrank", a.maxclusterrank, b.maxclusterrank) &&
           field("explicitcluster", a.explicitcluster, b.explicitcluster) &&
           field("noreturn", a.noreturn, b.noreturn) &&
           field("blocksareclusters", a.blocksareclusters, b.blocksareclusters) &&
           field("abi_preserve", a.abi_preserve, b.abi_preserve) &&
           field("abi_preserve_control", a.abi_preserve_control, b.abi_preserve_control);
  }
  bool same(const Function& a, const Function& b) {
    return field("name", a.name, b.name) && field("is_entry", a.is_entry, b.is_entry) &&
           field("is_declaration", a.is_declaration, b.is_declaration) &&
           field("is_variadic", a.is_variadic, b.is_variadic) && field("linkage", a.linkage, b.linkage) &&
           same(a.directives, b.directives) && field("returns", a.returns, b.returns) &&
           field("parameters", a.parameters, b.parameters) && field("pragmas", a.pragmas, b.pragmas) &&
           field("unified", a.unified, b.unified) && field("has_unified", a.has_unified, b.has_unified) &&
           field("register_types", a.register_types, b.register_types) &&
           each("register_declarations", a.register_declarations, b.register_declarations) &&
           each("labels", a.labels, b.labels) && each("prototypes", a.prototypes, b.prototypes) &&
           each("statements", a.statements, b.statements) && each("instructions", a.instructions, b.instructions) &&
           each("operands", a.operands, b.operands);
  }
  bool same(const Alias& a, const Alias& b) {
    return field("alias", a.alias, b.alias) && field("aliasee", a.aliasee, b.aliasee);
  }
  bool same(const SourceFile& a, const SourceFile& b) {
    return field("number", a.number, b.number) && field("name", a.name, b.name) &&
           field("timestamp", a.timestamp, b.timestamp) && field("size", a.size, b.size) &&
           field("has_timestamp", a.has_timestamp, b.has_timestamp);
  }
  bool same(const Section& a, const Section& b) {
    return field("name", a.name, b.name) && field("body", a.body, b.body);
  }
  bool same(const TopLevel& a, const TopLevel& b) {
    return field("kind", a.kind, b.kind) && field("index", a.index, b.index) &&
           field("has_body", a.has_body, b.has_body);
  }

  std::string where_;
};

}  // namespace

std::string first_difference(const Module& a, const Module& b) {
  Comparison comparison;
  return comparison.same(a, b) ? std::string() : comparison.where();
}

}  // namespace ww::ptx
