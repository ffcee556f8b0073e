// The table of ww.* functions: what crosses lanes or depends on the machine (docs/lower-ir.md). Back ends read it too.
#pragma once

#include <cstdint>
#include <string_view>

namespace llvm {
class Function;
class FunctionType;
class Module;
}  // namespace llvm

namespace ww::lower {

enum IntrinsicFlags : uint32_t {
  kConvergent = 1,     // lanes that come here together must stay together
  kReadNone = 2,       // touches no memory
  kReadOnly = 4,       // reads memory
  kMemory = 8,         // reads and writes memory, or must not be moved or dropped
  kUniform = 16,       // the same value in all lanes of a warp
  kSpeculatable = 32,  // may be computed where the program did not ask for it
  kNoReturn = 64,
};

struct IntrinsicFacts {
  std::string_view name;  // ends with `*` if it stands for a family
  std::string_view type;  // as LLVM prints it; empty if it depends on the name
  uint32_t flags = 0;
};

// The row of a name such as "ww.shfl.bfly", or null.
const IntrinsicFacts* find_intrinsic(std::string_view name);

// Declares an intrinsic with the attributes that its row asks for. The name must be in the table, with this type.
llvm::Function* declare_intrinsic(llvm::Module& module, std::string_view name, llvm::FunctionType* type);

// "i32 (i1, i32)".
bool has_type(const llvm::FunctionType* type, std::string_view text);

}  // namespace ww::lower
