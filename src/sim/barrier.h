// Block-wide barriers: what an Op of one carries in `detail`.
#pragma once

#include <cstdint>

namespace ww::sim {

enum class BarrierKind : uint32_t { kSync, kArrive, kReducePopc, kReduceAnd, kReduceOr };

}  // namespace ww::sim
