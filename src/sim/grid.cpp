#include "sim/grid.h"

#include <memory>

#include "sim/cluster.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

constexpr uint64_t kAloneTurn = uint64_t{1} << 20, kTurn = 4096;  // warp instructions
constexpr unsigned kPatience = 16;                                // turns of all clusters

}  // namespace

Status run_grid(LaunchContext& context, Dim3 cluster) {
  const Dim3 clusters{context.grid.x / cluster.x, context.grid.y / cluster.y, context.grid.z / cluster.z};
  const uint64_t count = uint64_t{clusters.x} * clusters.y * clusters.z;
  std::vector<std::unique_ptr<Cluster>> active;
  uint64_t next = 0;
  unsigned rounds = 0;  // since a cluster ended or began
  const auto start = [&] {
    const Dim3 at{uint32_t(next % clusters.x) * cluster.x, uint32_t(next / clusters.x % clusters.y) * cluster.y,
                  uint32_t(next / clusters.x / clusters.y) * cluster.z};
    active.push_back(std::make_unique<Cluster>(context, cluster, at));
    ++next;
  };
  while (next < count || !active.empty()) {
    if (active.empty()) start();
    // With an order by chance clusters begin side by side, and their turns are short.
    while (context.random && next < count && (*context.random)() % 4 != 0) start();
    bool ended = false;
    const uint64_t turn = active.size() == 1 ? kAloneTurn : kTurn;
    for (size_t i = 0; i < active.size();) {
      WW_TRY(active[i]->run(context.random ? (*context.random)() % 3000 + 1 : turn));
      if (active[i]->done()) {
        active.erase(active.begin() + std::ptrdiff_t(i));
        ended = true;
      } else {
        ++i;
      }
    }
    if (ended) rounds = 0;
    if (ended || (++rounds < kPatience && active.size() > 1)) continue;
    rounds = 0;
    for (size_t more = active.size(); more != 0 && next < count; --more) start();
  }
  return {};
}

}  // namespace ww::sim
