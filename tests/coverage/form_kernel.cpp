#include "coverage/form_kernel.h"

namespace ww::coverage {

std::optional<Kernel> form_kernel(const Form& form, const std::string& name) {
  for (const auto family : {register_kernel, memory_kernel, atomic_kernel})
    if (auto kernel = family(form, name)) return kernel;
  return {};
}

}  // namespace ww::coverage
