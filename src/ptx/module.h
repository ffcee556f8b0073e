// The syntax tree of a PTX module: flat, compact, with every name resolved to an index.
//
// Built for size (a 100 MB module has to fit in 1.5 GB): a small Instruction and 16 bytes an operand; names are views
// into the source text, which the module keeps. Ids index the vector that the comment names. Nothing here knows
// semantics: those stand in the instruction table (ptx/instruction_table.h), which `Instruction::form` points into.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/types.h"

namespace ww::ptx {

constexpr uint32_t kNoIndex = 0xffffffffu;

// 1-based place in the PTX text.
struct Location {
  uint32_t line = 0;
  uint32_t column = 0;
};

using RegisterId = uint32_t;  // in Function::register_types
using VariableId = uint32_t;  // in Module::variables (also parameters and variables of functions)
using FunctionId = uint32_t;  // in Module::functions
using LabelId = uint32_t;     // in Function::labels

enum class OperandKind : uint8_t {
  kNone,
  kSink,             // `_`
  kRegister,         // index: RegisterId
  kSpecialRegister,  // index: SpecialRegister; component: 0..3 for .x .y .z .w
  kInteger,          // value: the 64 bits of the constant (sign-extended)
  kFloat32,          // value: the low 32 bits of a 0f constant
  kFloat64,          // value: the bits of a 0d or decimal constant
  kVariable,         // the address of a variable: index: VariableId, value: byte offset
  kFunction,         // index: FunctionId
  kLabel,            // index: LabelId
  kPrototype,        // index in Function::prototypes: .callprototype, .calltargets or .branchtargets
  kAddress,  // [base + offset]; base: the kind of base (kRegister, kVariable, kInteger); index: its id; value: offset
  kVector,   // {a, b, ...}: elements at Function::operands[index .. index + count)
  kList,     // (a, b, ...) of a call, or [a, b, ...] of tex, cp.async.bulk.tensor and the like: as kVector
  kPair,     // d|p: two elements, as kVector
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  OperandKind base = OperandKind::kNone;  // kAddress only
  // Special register's component; 1..6: .b0 .b1 .b2 .b3 .h0 .h1 of video operands; 7, 8: .h and .b with the digits that
  // `value` holds: four bits each, the last one lowest, above them their number (.h10: 0x210).
  uint16_t component : 4 = 0;
  uint16_t negated : 1 = 0;  // !p of a predicate, -a of vmad
  uint16_t count : 11 = 0;   // elements of kVector, kList, kPair
  uint32_t index = 0;
  uint64_t value = 0;

  // How many digits a video selector has (component 7 or 8), and each of them; 0 is the last one.
  unsigned selector_digits() const {
    unsigned digits = 4;
    while (digits > 1 && value >> (4 * digits) != digits) --digits;
    return digits;
  }
  unsigned selector_digit(unsigned i) const { return value >> (4 * i) & 15; }
};
static_assert(sizeof(Operand) == 16);

// One instruction. `modifiers` and `types` are in the order in which they were written.
struct Instruction {
  Opcode opcode{};
  uint8_t modifier_count = 0;
  uint8_t type_count = 0;
  uint8_t operand_count = 0;
  std::array<Type, 6> types{};  // cvt: destination, source; mma: d, a, b, c
  uint16_t form = 0;            // in the instruction table
  std::array<Modifier, 12> modifiers{};
  RegisterId guard = kNoIndex;  // @p
  uint32_t first_operand = 0;   // in Function::operands; destination first, as written
  Location location;
  uint32_t suffix_types = 0;   // bit i: the suffix written at place i is a type, else a modifier
  bool guard_negated = false;  // @!p

  // True if `.modifier` was written.
  bool has(Modifier modifier) const {
    for (unsigned i = 0; i < modifier_count; ++i)
      if (modifiers[i] == modifier) return true;
    return false;
  }
  Type type(unsigned i = 0) const { return i < type_count ? types[i] : Type::kNone; }
};

enum class Linkage : uint8_t { kInternal, kExtern, kVisible, kWeak, kCommon };

// One scalar of an initialiser that is not plain bytes: the address of a symbol, plus `addend`, at `offset`.
struct SymbolInitializer {
  uint64_t offset = 0;  // byte offset in the variable
  uint8_t size = 8;     // bytes written
  uint8_t shift = 0;    // mask() forms: the address is shifted right by this many bits
  bool is_function = false;
  bool is_generic = false;  // generic(symbol)
  bool is_masked = false;   // 0xFF00(symbol): the one byte of the address that `shift` selects
  uint32_t index = 0;       // VariableId or FunctionId
  int64_t addend = 0;
};

// `filter_mode = nearest` or `width = 64`: one field of the initialiser of a texture, sampler or surface.
struct OpaqueField {
  std::string_view name;
  std::string_view word;  // empty: `value` counts
  uint64_t value = 0;
};

// A variable of any state space, a kernel or function parameter, or a module-scope texture, sampler or surface
// reference.
struct Variable {
  std::string_view name;
  Space space = Space::kNone;
  Type type = Type::kNone;
  Linkage linkage = Linkage::kInternal;
  uint8_t vector = 1;  // 1, 2, 4 (8 for .v8)
  bool is_array = false;
  bool is_unsized = false;  // `[]`: extern .shared, or trailing parameter of a variadic function
  bool managed = false;     // .attribute(.managed)
  bool has_pointer_attribute = false;
  Space pointer_space = Space::kNone;  // .ptr.global and the like
  uint32_t alignment = 0;              // bytes; natural if none was written
  uint32_t pointer_alignment = 0;
  uint32_t const_bank = 0;           // .const[n], PTX before 2.2
  FunctionId function = kNoIndex;    // owner, if not at module scope
  uint64_t size = 0;                 // bytes, 0 if unsized
  std::vector<uint64_t> dimensions;  // of an array; 0: unsized
  std::vector<uint8_t> initializer;  // the bytes, from the start; shorter than size: zeros follow
  std::vector<SymbolInitializer> symbol_initializers;
  std::vector<OpaqueField> opaque_initializer;  // of a texref, samplerref or surfref
  std::array<uint64_t, 2> unified{};            // .attribute(.unified(a, b))
  bool has_unified = false;
  bool redeclared = false;               // declared .extern elsewhere in the module, too
  RegisterId first_register = kNoIndex;  // of a .reg parameter
  Location location;
};

// `.reg .b32 %r<100>;` (count 100) or `.reg .pred p;` (count 0: a single register named `name`).
struct RegisterDeclaration {
  std::string_view name;
  Type type = Type::kNone;
  uint8_t vector = 1;  // .reg .v4 .f32 v: one register id an element
  uint32_t count = 0;
  RegisterId first = 0;
  Location location;
};

struct Label {
  std::string_view name;
  uint32_t statement = kNoIndex;  // in Function::statements
  Location location;
};

// .callprototype (name : returns/parameters), .calltargets or .branchtargets, named by a label.
struct Prototype {
  enum class Kind : uint8_t { kCallPrototype, kCallTargets, kBranchTargets };
  Kind kind = Kind::kCallPrototype;
  std::string_view name;
  std::vector<VariableId> returns, parameters;  // kCallPrototype
  std::vector<uint32_t> targets;                // LabelId or FunctionId
  bool noreturn = false;
  uint32_t abi_preserve = kNoIndex, abi_preserve_control = kNoIndex;
  Location location;
};

enum class StatementKind : uint8_t {
  kInstruction,          // index in Function::instructions
  kLabel,                // LabelId
  kScopeBegin,           // {
  kScopeEnd,             // }
  kRegisterDeclaration,  // index in Function::register_declarations
  kVariable,             // VariableId
  kPrototype,            // index in Function::prototypes
  kLoc,                  // index in Module::source_locations
  kPragma,               // index in Module::pragmas
};

struct Statement {
  StatementKind kind{};
  uint32_t index = 0;
};

// .loc file line column, with `function_name label+offset, inlined_at file line column`.
struct SourceLocation {
  uint32_t file = 0, line = 0, column = 0;
  bool inlined = false;
  std::string_view function_name;  // label in .debug_str, or empty
  uint64_t function_name_offset = 0;
  uint32_t inlined_file = 0, inlined_line = 0, inlined_column = 0;
};

// .maxntid, .reqntid, ...: zeros where absent.
struct PerformanceDirectives {
  std::array<uint32_t, 3> maxntid{}, reqntid{}, reqnctapercluster{};
  uint32_t maxnreg = 0, minnctapersm = 0, maxnctapersm = 0, maxclusterrank = 0;
  bool explicitcluster = false, noreturn = false, blocksareclusters = false;
  uint32_t abi_preserve = kNoIndex, abi_preserve_control = kNoIndex;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool is_declaration = false;
  bool is_variadic = false;
  Linkage linkage = Linkage::kInternal;
  PerformanceDirectives directives;
  std::vector<VariableId> returns;     // .func only
  std::vector<VariableId> parameters;  // in order; registers (.reg parameters of old PTX) have Space::kRegister
  std::vector<uint32_t> pragmas;       // of the whole function, in Module::pragmas
  std::array<uint64_t, 2> unified{};   // .attribute(.unified(a, b))
  bool has_unified = false;
  std::vector<std::string_view> unresolved;  // reserved for declarations in the middle

  std::vector<Type> register_types;  // by RegisterId
  std::vector<RegisterDeclaration> register_declarations;
  std::vector<Label> labels;
  std::vector<Prototype> prototypes;
  std::vector<Statement> statements;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  Location location;

  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return {operands.data() + instruction.first_operand, instruction.operand_count};
  }
  // Elements of a kVector, kList or kPair.
  std::span<const Operand> elements(const Operand& operand) const {
    return {operands.data() + operand.index, operand.count};
  }
  // "%r5": the name of a register as written.
  std::string register_name(RegisterId id) const;
};

// `.alias a, b;`
struct Alias {
  FunctionId alias = 0, aliasee = 0;
};

// A directive that is kept as text: .section (debug information), .file, module-scope .pragma.
struct SourceFile {
  uint32_t number = 0;
  std::string_view name;
  uint64_t timestamp = 0, size = 0;
  bool has_timestamp = false;
};

struct Section {
  std::string_view name, body;
};

// Order in which module-scope things were declared, for the printer.
struct TopLevel {
  enum class Kind : uint8_t { kVariable, kFunction, kAlias, kFile, kSection, kPragma, kLoc };
  Kind kind{};
  uint32_t index = 0;
  bool has_body = false;  // kFunction, kVariable: here it is defined, elsewhere declared
};

struct Module {
  std::string name;                         // the file as the user gave it, for messages
  std::shared_ptr<const std::string> text;  // every string_view points into it, or into `owned_names`
  std::shared_ptr<std::deque<std::string>> owned_names;
  uint32_t version_major = 0, version_minor = 0;
  std::vector<std::string_view> targets;  // "sm_89", "texmode_independent", "debug", ...
  uint32_t sm = 0;                        // 89 of sm_89; 90 of sm_90a
  char sm_suffix = 0;                     // 'a' or 'f', or 0
  bool texmode_independent = false;
  uint32_t address_size = 32;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // a declaration and its definition are one Function
  std::vector<Alias> aliases;
  std::vector<SourceFile> files;
  std::vector<Section> sections;
  std::vector<std::string_view> pragmas;
  std::vector<SourceLocation> source_locations;
  std::vector<TopLevel> order;

  // The function with this name, or null.
  const Function* find_function(std::string_view name) const;
};

}  // namespace ww::ptx
