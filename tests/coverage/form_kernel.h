// The kernel that runs a form. Each family of instructions has its own way to bring operands and to see what happened.
#pragma once

#include <optional>
#include <string>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

// Nothing: no family knows the form, or the verifier refuses it for sm_90.
std::optional<Kernel> form_kernel(const Form& form, const std::string& name);

// The families. Operands that are registers and constants; where a form lets them be negated, selected from, paired or
// be one of several constants, the kernel runs it once for each such way. Threads are whole warps, so that forms that
// look across lanes fit as well.
std::optional<Kernel> register_kernel(const Form& form, const std::string& name);
// ld, ldu, st: 16 bytes a thread in the form's state space, read or written in the form's type.
std::optional<Kernel> memory_kernel(const Form& form, const std::string& name);
// atom, red: on memory of each thread's own, then on memory that a warp shares where the order does not show.
std::optional<Kernel> atomic_kernel(const Form& form, const std::string& name);

}  // namespace ww::coverage
