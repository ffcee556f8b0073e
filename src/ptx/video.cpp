#include "ptx/video.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ww::ptx {
namespace {

struct Row {
  Opcode opcode;
  VideoOperation operation;
  uint8_t parts;
};
constexpr Row kRows[] = {
    {Opcode::kVadd, VideoOperation::kAdd, 1},          {Opcode::kVadd2, VideoOperation::kAdd, 2},
    {Opcode::kVadd4, VideoOperation::kAdd, 4},         {Opcode::kVsub, VideoOperation::kSub, 1},
    {Opcode::kVsub2, VideoOperation::kSub, 2},         {Opcode::kVsub4, VideoOperation::kSub, 4},
    {Opcode::kVabsdiff, VideoOperation::kAbsdiff, 1},  {Opcode::kVabsdiff2, VideoOperation::kAbsdiff, 2},
    {Opcode::kVabsdiff4, VideoOperation::kAbsdiff, 4}, {Opcode::kVmin, VideoOperation::kMin, 1},
    {Opcode::kVmin2, VideoOperation::kMin, 2},         {Opcode::kVmin4, VideoOperation::kMin, 4},
    {Opcode::kVmax, VideoOperation::kMax, 1},          {Opcode::kVmax2, VideoOperation::kMax, 2},
    {Opcode::kVmax4, VideoOperation::kMax, 4},         {Opcode::kVset, VideoOperation::kSet, 1},
    {Opcode::kVset2, VideoOperation::kSet, 2},         {Opcode::kVset4, VideoOperation::kSet, 4},
    {Opcode::kVavrg2, VideoOperation::kAvrg, 2},       {Opcode::kVavrg4, VideoOperation::kAvrg, 4},
    {Opcode::kVshl, VideoOperation::kShl, 1},          {Opcode::kVshr, VideoOperation::kShr, 1},
    {Opcode::kVmad, VideoOperation::kMad, 1},
};

constexpr std::pair<Modifier, VideoSecond> kSeconds[] = {{Modifier::kAddModifier, VideoSecond::kAdd},
                                                         {Modifier::kMinModifier, VideoSecond::kMin},
                                                         {Modifier::kMaxModifier, VideoSecond::kMax}};

constexpr std::pair<Modifier, VideoCompare> kCompares[] = {
    {Modifier::kEq, VideoCompare::kEq}, {Modifier::kNe, VideoCompare::kNe}, {Modifier::kLt, VideoCompare::kLt},
    {Modifier::kLe, VideoCompare::kLe}, {Modifier::kGt, VideoCompare::kGt}, {Modifier::kGe, VideoCompare::kGe}};

// Digits of a SIMD operand's selector, lowest part lowest. Without one: the parts from `first` on, in order.
uint16_t digits(const Operand& operand, unsigned parts, unsigned first) {
  unsigned value = 0;
  const bool written = operand.component == 7 || operand.component == 8;
  for (unsigned i = 0; i < parts; ++i) value |= (written ? operand.selector_digit(i) : first + i) << (4 * i);
  return static_cast<uint16_t>(value);
}

// One bit for each part that the destination's mask names; all without one.
uint8_t part_mask(const Operand& operand, unsigned parts) {
  if (operand.component == 0) return static_cast<uint8_t>((1u << parts) - 1);
  if (operand.component <= 4) return static_cast<uint8_t>(1u << (operand.component - 1));  // .b0 .. .b3
  if (operand.component <= 6) return static_cast<uint8_t>(1u << (operand.component - 5));  // .h0, .h1
  unsigned mask = 0;
  for (unsigned i = 0; i < operand.selector_digits(); ++i) mask |= 1u << operand.selector_digit(i);
  return static_cast<uint8_t>(mask);
}

}  // namespace

std::optional<VideoControl> video_control(const Instruction& instruction, std::span<const Operand> operands) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& candidate) { return candidate.opcode == instruction.opcode; });
  if (row == std::end(kRows)) return {};
  VideoControl control;
  control.operation = row->operation;
  control.parts = row->parts;
  // vset has no type of its result: it is unsigned.
  const bool sets = control.operation == VideoOperation::kSet;
  control.d_signed = !sets && is_signed(instruction.type(0));
  control.a_signed = is_signed(instruction.type(sets ? 0 : 1));
  control.b_signed = is_signed(instruction.type(sets ? 1 : 2));
  control.saturate = instruction.has(Modifier::kSat);
  control.wrap = instruction.has(Modifier::kWrap);
  control.plus_one = instruction.has(Modifier::kPo);
  control.right_shift = instruction.has(Modifier::kShr7) ? 7 : instruction.has(Modifier::kShr15) ? 15 : 0;
  for (const auto& [modifier, second] : kSeconds)
    if (instruction.has(modifier)) control.second = second;
  for (const auto& [modifier, compare] : kCompares)
    if (instruction.has(modifier)) control.compare = compare;
  const Operand &d = operands[0], &a = operands[1], &b = operands[2];
  if (control.operation == VideoOperation::kMad) {
    control.negate_product = (a.negated != 0) != (b.negated != 0);
    control.negate_c = operands[3].negated != 0;
  }
  if (control.parts == 1) {
    control.a_selector = a.component;
    control.b_selector = b.component;
    control.d_selector = d.component;
  } else {
    control.a_selector = digits(a, control.parts, 0);
    control.b_selector = digits(b, control.parts, control.parts);
    control.d_selector = part_mask(d, control.parts);
  }
  return control;
}

}  // namespace ww::ptx
