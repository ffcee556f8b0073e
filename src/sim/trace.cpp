#include "sim/trace.h"

#include <cinttypes>

#include "ptx/printer.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {

Result<std::unique_ptr<Trace>> Trace::open(const std::string& path, const std::vector<std::string>& threads) {
  auto trace = std::make_unique<Trace>();
  for (const std::string& text : threads) {
    Thread t;
    int used = 0;
    const int count =
        std::sscanf(text.c_str(), "%" SCNu32 ",%" SCNu32 ",%" SCNu32 ":%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%n",
                    &t.block[0], &t.block[1], &t.block[2], &t.thread[0], &t.thread[1], &t.thread[2], &used);
    if (count != 6 || size_t(used) != text.size()) {
      Error error = usage_error("a traced thread cannot be read");
      error.found = "'" + text + "'";
      error.expected = "block.x,block.y,block.z:thread.x,thread.y,thread.z, such as 0,0,0:5,0,0";
      return error;
    }
    trace->threads_.push_back(t);
  }
  if (trace->threads_.empty()) trace->threads_.push_back({});
  trace->file_.reset(std::fopen(path.c_str(), "w"));
  if (!trace->file_) return input_error(path, "the trace cannot be written", "Check the folder and its permissions");
  return trace;
}

uint32_t Trace::lanes_of(const Warp& warp) const {
  const Dim3 at = warp.block.position, size = warp.block.launch.block;
  uint32_t lanes = 0;
  for (const Thread& t : threads_) {
    if (t.block != std::array<uint32_t, 3>{at.x, at.y, at.z}) continue;
    const uint32_t thread = t.thread[0] + size.x * (t.thread[1] + size.y * t.thread[2]);
    if (thread / kLanes == warp.index) lanes |= 1u << thread % kLanes;
  }
  return lanes;
}

void Trace::record(Warp& warp, const Op& op, uint32_t mask) {
  if (!op.instruction) return;
  const DecodedFunction& function = *warp.frame->function;
  const std::string text = ptx::print(*function.module, *function.function, *op.instruction);
  each_lane(mask, [&](unsigned lane) {
    std::fprintf(file_.get(), "%s line %u: %s", warp.block.describe_thread(warp, lane).c_str(),
                 op.instruction->location.line, text.c_str());
    const char* separator = "  ->";
    const auto show = [&](const Ref& ref) {
      if (ref.kind == RefKind::kRegister)
        std::fprintf(file_.get(), "%s 0x%" PRIx64, separator, warp.frame->values[ref.index][lane]);
      if (ref.kind == RefKind::kPredicate)
        std::fprintf(file_.get(), "%s %u", separator, warp.frame->predicates[ref.index] >> lane & 1);
      if (ref) separator = ",";
    };
    if (op.kind == OpKind::kPlain || op.kind == OpKind::kWarpSync) {
      show(op.destination);
      show(op.second);
      // Loads and the like keep their destinations in a list; stores keep sources there, which are shown, too.
      for (uint32_t i = 0; i < op.extra_count && i < 8; ++i) show(function.extra[op.first_extra + i]);
    }
    std::fputc('\n', file_.get());
  });
}

}  // namespace ww::sim
