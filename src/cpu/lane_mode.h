// Whether a kernel's warps can run as one flow of control under a mask, or each lane must run by itself.
//
// Assumes prepared functions (prepare.h). Under a mask, lanes that wait keep the others of their warp waiting, too.
#pragma once

#include <llvm/IR/Function.h>

#include <array>
#include <cstdint>
#include <optional>

namespace ww::cpu {

// The PTX line of the first place that asks for lanes on their own, or none:
// - a loop that waits for what another lane of its warp may write, in code that only a part of the lanes may run;
// - a barrier of the warp, or one of the block that counts lanes as they come, that lanes of one warp may reach at
//   different places or times;
// - the same shuffle, vote, ... with the same member mask in two arms of a branch;
// - the end of the thread in a function that is not inlined.
std::optional<uint32_t> needs_lanes(llvm::Function& function, bool is_kernel, std::array<uint32_t, 3> block);

}  // namespace ww::cpu
