// What the parts of the generator share: choices, registers by kind, and the families of statements.
#pragma once

#include <string>
#include <vector>

#include "golden/random.h"
#include "random/program.h"
#include "random/vocabulary.h"

namespace ww::programs {

// Who is certain to execute a statement together.
enum class Together : uint8_t {
  kBlock,  // all threads of the block
  kLanes,  // the lanes of the warp in Context::mask
  kNobody,
};

struct Context {
  Together together = Together::kBlock;
  std::string mask = "0xffffffff";
  unsigned depth = 0;       // of statements in statements
  unsigned repetition = 1;  // how often loops around run it, at most
  bool in_function = false;
  bool may_leave = false;  // "bra #leave" of the function is legal: nobody will wait for this thread
};

struct PoolRegister {
  std::string name;
  ptx::Type held;  // as declared
  ptx::Type kind;  // what it mostly holds
};

class Maker {
 public:
  Maker(uint64_t seed, const Vocabulary& vocabulary);
  Program make();

 private:
  using Body = std::vector<Statement>;

  // choices
  uint32_t below(uint32_t bound) { return random_.below(bound); }
  bool chance(uint32_t percent) { return random_.below(100) < percent; }
  template <typename T>
  const T& any(const std::vector<T>& list) {
    return list[below(static_cast<uint32_t>(list.size()))];
  }
  std::string number(uint64_t value) const { return std::to_string(value); }

  // registers.cpp
  void add_kernel_registers();
  void add_function_registers(Function& function);
  void choose_pool(unsigned percent);
  std::string source(ptx::Type type, bool relaxed = false);
  std::string destination(ptx::Type type, bool relaxed = false);
  std::string constant(ptx::Type type);
  std::string predicate() { return source(ptx::Type::kPred); }
  // A register of the statement's own.
  std::string temporary(const char* type);
  ptx::Type held(const std::string& name) const;  // as which a register of the pool is declared
  std::string find_register(ptx::Type type, bool relaxed);

  // value_statements.cpp
  const coverage::Form& any_form(const std::vector<Word>& words);
  // False: the form has an operand that is not known here. `mask`: for an operand m.
  bool write_instruction(const coverage::Form& form, const std::string& mask, std::string& line);
  Statement value_statement();
  Statement carry_statement();
  Statement quotient_statement();

  // memory_statements.cpp
  Statement memory_statement(const Context& context);
  std::string slot_address(ptx::Space space, unsigned bytes, bool constant_space);
  Statement own_atomic_statement(const Context& context);
  Statement shared_cell_statement(const Context& context);
  Statement input_statement();

  // warp_statements.cpp
  Statement warp_statement(const Context& context);
  Statement matrix_statement();
  Statement exchange_statement(const Context& context);
  Statement cell_statement(const Context& context);
  Statement barrier_statement();

  // control_statements.cpp
  Body body(const Context& context, unsigned statements);
  Statement statement(const Context& context);
  Statement if_statement(const Context& context);
  Statement masked_if_statement(const Context& context);
  Statement loop_statement(const Context& context);
  Statement two_entry_loop_statement(const Context& context);
  Statement graph_statement(const Context& context);
  Statement switch_statement(const Context& context);
  Statement leave_statement();
  Context inside(const Context& context, unsigned repetition, bool diverges) const;

  // call_statements.cpp
  void add_functions();
  Statement call_statement();

  golden::Random random_;
  const Vocabulary& vocabulary_;
  Program program_;
  Function* function_ = nullptr;
  std::vector<PoolRegister> pool_;
  bool strict_ = false;  // only registers of an operand's own type, or untyped ones of its width
  unsigned temporaries_ = 0;
  unsigned callable_ = 0;          // functions that may be called from here
  std::vector<unsigned> weights_;  // of families of statements, by their place in control_statements.cpp
  std::vector<uint8_t> word_enabled_;
  unsigned constant_percent_ = 10, guard_percent_ = 8;
  std::string id_;  // of the seed, in names
};

}  // namespace ww::programs
