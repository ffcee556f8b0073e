// Names in scope: registers, register ranges (%r<100>), variables, functions, labels, prototypes.
//
// One open-addressing hash table for all scopes; an inner scope's entries shadow outer ones and are undone when it
// ends. A name of a range is found by arithmetic: "%r57" is the prefix "%r" and the number 57.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ww::ptx {

enum class SymbolKind : uint8_t { kRegister, kRegisterRange, kVariable, kFunction, kLabel, kPrototype };

struct Symbol {
  SymbolKind kind{};
  uint8_t vector = 1;  // elements of a vector register
  uint32_t index = 0;  // first register id, or variable, function, label, prototype id
  uint32_t count = 0;  // kRegisterRange: how many
};

uint64_t hash_name(std::string_view name);

class SymbolTable {
 public:
  SymbolTable();

  void enter_scope();
  void leave_scope();
  unsigned depth() const { return static_cast<unsigned>(scopes_.size()); }

  // False if the innermost scope has the name already.
  bool declare(std::string_view name, Symbol symbol);
  // The same for the outermost scope, while one inner scope is open.
  bool declare_outside(std::string_view name, Symbol symbol);
  // The innermost symbol of that name, or null. A range is found by the name of one of its registers; then `offset`
  // is the number of the register in it.
  const Symbol* find(std::string_view name, uint32_t& offset) const;
  // True if a range of the innermost scope has a register of that name.
  bool in_range_of_scope(std::string_view name) const;
  // The symbol of that name in the innermost scope, or null.
  const Symbol* find_in_scope(std::string_view name) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;

  struct Entry {
    std::string_view name;
    Symbol symbol;
    uint32_t slot = 0;
    uint32_t shadowed = kNone;
    uint32_t depth = 0;
  };
  struct Slot {
    uint64_t hash = 0;
    std::string_view name;
    uint32_t entry = kNone;
    bool used = false;
  };

  // The slot of a name, or the free one where it belongs.
  uint32_t slot_of(std::string_view name, uint64_t hash) const;
  const Entry* lookup(std::string_view name, bool range) const;
  void grow();

  std::vector<Slot> slots_;
  size_t used_slots_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> scopes_;    // entries_.size() where each scope began
  uint32_t plain_with_digits_ = 0;  // single registers whose names end in a digit, as those of ranges do
};

}  // namespace ww::ptx
