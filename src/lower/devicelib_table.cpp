#include "lower/devicelib_table.h"

#include <llvm/IR/DerivedTypes.h>

#include <string_view>
#include <unordered_map>
#include <vector>

namespace ww::lower {
namespace {

// A row of functions.def as text: "f32" and "(f32, f32)".
struct Signature {
  std::string_view result, arguments;
};

const std::unordered_map<std::string_view, Signature>& table() {
  static const std::unordered_map<std::string_view, Signature> rows = {
#define WW_FUNCTION(name, result, arguments) {#name, {#result, #arguments}},
#include "devicelib/functions.def"
#undef WW_FUNCTION
  };
  return rows;
}

// f32, f64, bool, or u8 s8 ... u64 s64.
llvm::Type* parse_type(llvm::LLVMContext& context, std::string_view text) {
  if (text == "f32") return llvm::Type::getFloatTy(context);
  if (text == "f64") return llvm::Type::getDoubleTy(context);
  if (text == "bool") return llvm::Type::getInt1Ty(context);
  return llvm::IntegerType::get(context, unsigned(std::stoul(std::string(text.substr(1)))));
}

}  // namespace

llvm::Function* declare_devicelib_function(llvm::Module& module, const std::string& name) {
  const auto row = table().find(name);
  if (row == table().end()) return nullptr;
  const std::string symbol = "ww_" + name;
  if (llvm::Function* known = module.getFunction(symbol)) return known;
  std::vector<llvm::Type*> arguments;
  std::string_view text = row->second.arguments;
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of("(), ");
    if (begin == std::string_view::npos) break;
    const size_t end = text.find_first_of("(), ", begin);
    arguments.push_back(parse_type(module.getContext(), text.substr(begin, end - begin)));
    text.remove_prefix(end);
  }
  llvm::FunctionType* type =
      llvm::FunctionType::get(parse_type(module.getContext(), row->second.result), arguments, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return function;
}

}  // namespace ww::lower
