#include "coverage/form_kernel.h"

namespace ww::coverage {

std::optional<Kernel> form_kernel(const Form& form, const std::string& name) {
  for (const auto family : {register_kernel, memory_kernel, parameter_kernel, atomic_kernel, wmma_kernel,
                            matrix_move_kernel, barrier_kernel, mbarrier_kernel, async_copy_kernel, address_kernel,
                            control_kernel, texture_kernel, surface_kernel})
    if (auto kernel = family(form, name)) return kernel;
  return {};
}

}  // namespace ww::coverage
