#include "lower/intrinsics.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cassert>
#include <string>

namespace ww::lower {
namespace {

constexpr IntrinsicFacts kTable[] = {
#define WW_INTRINSIC(name, type, flags) {name, type, flags},
#include "lower/intrinsics.def"
#undef WW_INTRINSIC
};

}  // namespace

const IntrinsicFacts* find_intrinsic(std::string_view name) {
  for (const IntrinsicFacts& row : kTable) {
    const bool is_family = row.name.back() == '*';
    if (is_family ? name.starts_with(row.name.substr(0, row.name.size() - 1)) : name == row.name) return &row;
  }
  return nullptr;
}

bool has_type(const llvm::FunctionType* type, std::string_view text) {
  std::string printed;
  llvm::raw_string_ostream(printed) << *type;
  return printed == text;
}

llvm::Function* declare_intrinsic(llvm::Module& module, std::string_view name, llvm::FunctionType* type) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  const IntrinsicFacts* facts = find_intrinsic(name);
  assert(facts != nullptr && (facts->type.empty() || has_type(type, facts->type)));
  llvm::Function* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NoCallback);
  if (facts->flags & kReadNone) function->setDoesNotAccessMemory();
  if (facts->flags & kReadOnly) function->setOnlyReadsMemory();
  if (facts->flags & kConvergent) function->setConvergent();
  if (facts->flags & kSpeculatable) function->addFnAttr(llvm::Attribute::Speculatable);
  if (facts->flags & kNoReturn)
    function->setDoesNotReturn();
  else if (!(facts->flags & kMemory))
    function->setWillReturn();
  return function;
}

}  // namespace ww::lower
