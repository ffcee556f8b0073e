#include "sim/trace.h"

#include <bit>
#include <cstdio>

#include "ptx/printer.h"
#include "sim/decode.h"
#include "sim/lanes.h"
#include "sim/launch.h"

namespace ww::sim {
namespace {

// How many of an op's further operands are results. Fragments of mma stand behind one another, destination first.
uint32_t results_among_extra(const DecodedFunction& function, const Op& op) {
  if (op.destination || op.instruction->operand_count == 0) return 0;
  const ptx::Operand& first = function.function->operands_of(*op.instruction)[0];
  if (first.kind == ptx::OperandKind::kVector) return std::min<uint32_t>(first.count, op.extra_count);
  if (first.kind == ptx::OperandKind::kRegister) return std::min(1u, op.extra_count);
  return op.extra_count;
}

std::string shown(const DecodedFunction& function, const Frame& frame, const Ref& ref, unsigned lane) {
  if (ref.kind == RefKind::kPredicate) return std::to_string(frame.predicates[ref.index] >> lane & 1);
  char text[40];
  const auto value_of = [&](const Ref& r) {
    return r.kind == RefKind::kConstant ? function.constants[r.index][lane] : frame.values[r.index][lane];
  };
  const unsigned bytes = ref.kind == RefKind::kRegister ? function.slot_bytes[ref.index] : 8;
  if (bytes == 16) {
    std::snprintf(text, sizeof text, "0x%llx%016llx",
                  static_cast<unsigned long long>(value_of(Decoder::high_half(ref))),
                  static_cast<unsigned long long>(value_of(ref)));
  } else {
    const uint64_t all = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value_of(ref) & all));
  }
  return text;
}

std::string results(const DecodedFunction& function, const Frame& frame, const Op& op, unsigned lane) {
  std::string text;
  const auto show = [&](const Ref& ref) {
    if (ref.kind != RefKind::kRegister && ref.kind != RefKind::kPredicate && ref.kind != RefKind::kConstant) return;
    text += (text.empty() ? "  -> " : ", ") + shown(function, frame, ref, lane);
  };
  show(op.destination);
  show(op.second);
  const uint32_t count = results_among_extra(function, op);
  for (uint32_t i = 0; i < count; ++i) show(function.extra[op.first_extra + i]);
  return text;
}

bool has_results(const Op& op) {
  return op.kind == OpKind::kPlain || op.kind == OpKind::kWarpSync || op.kind == OpKind::kBarrier;
}

}  // namespace

uint32_t Trace::lanes_of(const Warp& warp) const {
  const Dim3 at = warp.block.position, size = warp.block.launch.block;
  uint32_t lanes = 0;
  for (const ThreadPosition& t : options_.threads) {
    if (t.block != std::array<uint32_t, 3>{at.x, at.y, at.z}) continue;
    if (t.thread[0] >= size.x || t.thread[1] >= size.y || t.thread[2] >= size.z) continue;
    const uint32_t thread = t.thread[0] + size.x * (t.thread[1] + size.y * t.thread[2]);
    if (thread / kLanes == warp.index) lanes |= 1u << thread % kLanes;
  }
  return lanes;
}

void Trace::record(Warp& warp, const DecodedFunction& function, const Op& op, uint32_t mask) const {
  if (!op.instruction) return;
  const Block& block = warp.block;
  const std::string place = function.module->name + ":" + std::to_string(op.instruction->location.line) + ": in " +
                            std::string(block.launch.entry.function->name) + ": ";
  const std::string text = ptx::print(*function.module, *function.function, *op.instruction);
  each_lane(mask, [&](unsigned lane) {
    std::string line = place + block.describe_thread(warp, lane) + ": " + text;
    if (has_results(op) && !block.failed()) line += results(function, *warp.frames[lane], op, lane);
    line += '\n';
    const ThreadPosition here = block.position_of(warp, lane);
    for (size_t i = 0; i < options_.threads.size(); ++i)
      if (options_.threads[i].block == here.block && options_.threads[i].thread == here.thread) options_.sink(i, line);
  });
}

}  // namespace ww::sim
