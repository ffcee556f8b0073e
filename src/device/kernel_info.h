// What the kernels of a module ask for, read from its syntax tree.
#pragma once

#include <vector>

#include "device/device.h"
#include "ptx/module.h"

namespace ww {

// The entries of the module in the order of the text. Parameters are laid out as PTX says (".param", each at the next
// multiple of its alignment). static_shared_bytes is left at 0: it depends on how a back end lays out what a kernel
// reaches.
std::vector<KernelInfo> kernel_infos(const ptx::Module& module);

// The blocks of a cluster that the entry demands; one if it demands none.
Dim3 cluster_of(const ptx::Function& entry);

}  // namespace ww
