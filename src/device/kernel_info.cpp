#include "device/kernel_info.h"

#include <string>

namespace ww {

std::vector<KernelInfo> kernel_infos(const ptx::Module& module) {
  std::vector<KernelInfo> infos;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.is_declaration) continue;
    KernelInfo info;
    info.name = std::string(function.name);
    info.required_block = function.directives.reqntid;
    info.max_block = function.directives.maxntid;
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
