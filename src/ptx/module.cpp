// Look-ups of the syntax tree by name or id.
#include "ptx/module.h"

#include <algorithm>

namespace ww::ptx {

std::string Function::register_name(RegisterId id) const {
  // Declarations are in the order of their first ids.
  auto at = std::upper_bound(register_declarations.begin(), register_declarations.end(), id,
                             [](RegisterId value, const RegisterDeclaration& d) { return value < d.first; });
  if (id >= register_types.size() || at == register_declarations.begin()) return "%?" + std::to_string(id);
  const RegisterDeclaration& declaration = *--at;
  const uint32_t offset = id - declaration.first;
  std::string name(declaration.name);
  if (declaration.count != 0) name += std::to_string(offset / declaration.vector);
  if (declaration.vector > 1) {
    name += '.';
    name += "xyzw"[offset % declaration.vector & 3];
  }
  return name;
}

const Function* Module::find_function(std::string_view name) const {
  for (const Function& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace ww::ptx
