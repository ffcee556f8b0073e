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
// wmma: fragments are opaque, so each form is one step of loads, multiplication and store.
std::optional<Kernel> wmma_kernel(const Form& form, const std::string& name);
// ldmatrix, stmatrix.
std::optional<Kernel> matrix_move_kernel(const Form& form, const std::string& name);
// bar, barrier, fence, membar: values pass from thread to thread.
std::optional<Kernel> barrier_kernel(const Form& form, const std::string& name);
std::optional<Kernel> mbarrier_kernel(const Form& form, const std::string& name);
// cp.async, cp.async.bulk, cp.reduce, st.async, red.async.
std::optional<Kernel> async_copy_kernel(const Form& form, const std::string& name);
// cvta, isspacep, mapa, getctarank, prefetch, applypriority, discard, createpolicy.
std::optional<Kernel> address_kernel(const Form& form, const std::string& name);
// Branches, calls, ends of threads, stack memory, what passes time.
std::optional<Kernel> control_kernel(const Form& form, const std::string& name);
// ld and st of parameters of calls.
std::optional<Kernel> parameter_kernel(const Form& form, const std::string& name);
// tex, tld4, txq, istypep: 32 images (image_settings.h), each read by a block of threads.
std::optional<Kernel> texture_kernel(const Form& form, const std::string& name);
// suld, sust, sured, suq: 32 images, each changed by one block alone.
std::optional<Kernel> surface_kernel(const Form& form, const std::string& name);

}  // namespace ww::coverage
