// Forms that are legal PTX 9.0 and that no device here runs: they are refused by name.
#pragma once

#include <string>
#include <vector>

namespace ww::coverage {

struct RefusedForm {
  std::string name, opcode, reason;
};

// Forms for the memory of several GPUs, for tensor maps, and of chips other than sm_50 to sm_90 (sm_90a, sm_100 and
// newer), each if the verifier takes an example of it for its own target. Rows of newer chips whose operands the table
// does not know ("...": tcgen05.mma, block-scaled mma) are left out: which of their choices are legal is not known.
std::vector<RefusedForm> refused_forms();

}  // namespace ww::coverage
