#include "control/control_case.h"

namespace ww::control {

std::string ptx_text(const ControlCase& control) {
  return ".version 8.7\n.target sm_90\n.address_size 64\n" + control.functions +
         "\n.visible .entry k(.param .u64 parameter) {\n"
         ".reg .pred %p<16>; .reg .b32 %r<48>; .reg .b64 %d<24>;\n"
         ".reg .b32 %t, %lane, %b, %n, %g; .reg .b64 %out, %mine;\n"
         "ld.param.u64 %out, [parameter];\n"
         "cvta.to.global.u64 %out, %out;\n"
         "mov.u32 %t, %tid.x;\n"
         "mov.u32 %lane, %laneid;\n"
         "mov.u32 %b, %ctaid.x;\n"
         "mov.u32 %n, %ntid.x;\n"
         "mad.lo.u32 %g, %b, %n, %t;\n"
         "mul.wide.u32 %mine, %g, 4;\n"
         "add.u64 %mine, %mine, %out;\n" +
         control.body + "\nret;\n}\n";
}

std::vector<uint32_t> expected_words(const ControlCase& control) {
  std::vector<uint32_t> words(control.words);
  for (uint32_t i = 0; i < control.words; ++i) words[i] = control.expected(i);
  return words;
}

std::vector<ControlCase> all_cases() {
  std::vector<ControlCase> all;
  for (const auto& family : {divergence_cases(), call_cases(), warp_cases(), barrier_cases(), mbarrier_cases(),
                             waiting_cases(), grid_cases()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace ww::control
