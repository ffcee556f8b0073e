// A random program as a tree of statements, and its PTX text.
//
// Every register has a value from the start and every statement is legal wherever it stands, so that whatever is taken
// away leaves a program that is still valid: what the reducer (reducer.h) lives on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ww::programs {

constexpr unsigned kBlocks = 2;
constexpr unsigned kColumns = 48;        // registers of a kernel: words a thread of the input, and of the output
constexpr unsigned kSlotBytes = 64;      // of each thread in global, shared and local memory
constexpr unsigned kCells = 16;          // 64-bit words that all threads update, of a block or of the grid
constexpr unsigned kConstantWords = 16;  // 32-bit words of constant memory

struct Statement {
  // lines[0], bodies[0], lines[1], ...: "#a" in a line is a label of the statement's own.
  std::vector<std::string> lines;
  std::vector<std::vector<Statement>> bodies;
  std::string guard;        // "@%p0 " of a statement that is one instruction, or empty
  bool may_unwrap = false;  // its bodies may stand in its place
};

// A register or memory that a function has if its name is mentioned.
struct Definition {
  std::string name;         // "%r3"
  std::string declaration;  // ".reg .b32 %r3;"
  std::string start;        // lines that give it its first value; may mention definitions that stand before it
};

struct Function {
  std::string name, head, tail;
  std::vector<Definition> definitions;
  std::vector<Statement> body;
  // Lines at the end, each for a register (its name) that the body mentions.
  std::vector<Definition> stores;
};

struct Program {
  uint64_t seed = 0;
  unsigned block = 32;                         // threads
  std::vector<Definition> module_definitions;  // constants, functions' tables: kept if mentioned
  std::vector<Function> functions;             // kept if mentioned; the last one is the kernel
  unsigned threads() const { return kBlocks * block; }
  const Function& kernel() const { return functions.back(); }
};

// Text without the module's head, so that several programs make one module. Names contain the seed.
std::string text_of(const Program& program);
// The head of a module.
std::string module_head();
// Instructions that the body's statements hold.
unsigned size_of(const std::vector<Statement>& body);

}  // namespace ww::programs
