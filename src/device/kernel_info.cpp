#include "device/kernel_info.h"

#include <algorithm>
#include <string>

namespace ww {

Dim3 cluster_of(const ptx::Function& entry) {
  const auto& blocks = entry.directives.reqnctapercluster;
  return {std::max(blocks[0], 1u), std::max(blocks[1], 1u), std::max(blocks[2], 1u)};
}

std::vector<KernelInfo> kernel_infos(const ptx::Module& module) {
  std::vector<KernelInfo> infos;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.is_declaration) continue;
    KernelInfo info;
    info.name = std::string(function.name);
    info.required_block = function.directives.reqntid;
    info.max_block = function.directives.maxntid;
    info.cluster = cluster_of(function);
    uint32_t end = 0;
    for (const ptx::VariableId id : function.parameters) {
      const ptx::Variable& parameter = module.variables[id];
      const uint32_t alignment = parameter.alignment == 0 ? 1 : parameter.alignment;
      const uint32_t offset = (end + alignment - 1) / alignment * alignment;
      info.parameter_offsets.push_back(offset);
      info.parameter_sizes.push_back(static_cast<uint32_t>(parameter.size));
      end = offset + static_cast<uint32_t>(parameter.size);
    }
    info.parameter_bytes = end;
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace ww
