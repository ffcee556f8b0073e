#include "ptx/video.h"

namespace ww::ptx {
namespace {

struct Row {
  Opcode scalar, two, four;  // kAbs: there is none
  VideoOperation operation;
};
constexpr Opcode kNoOpcode = Opcode::kAbs;
constexpr Row kRows[] = {
    {Opcode::kVadd, Opcode::kVadd2, Opcode::kVadd4, VideoOperation::kAdd},
    {Opcode::kVsub, Opcode::kVsub2, Opcode::kVsub4, VideoOperation::kSub},
    {Opcode::kVabsdiff, Opcode::kVabsdiff2, Opcode::kVabsdiff4, VideoOperation::kAbsdiff},
    {Opcode::kVmin, Opcode::kVmin2, Opcode::kVmin4, VideoOperation::kMin},
    {Opcode::kVmax, Opcode::kVmax2, Opcode::kVmax4, VideoOperation::kMax},
    {Opcode::kVset, Opcode::kVset2, Opcode::kVset4, VideoOperation::kSet},
    {kNoOpcode, Opcode::kVavrg2, Opcode::kVavrg4, VideoOperation::kAvrg},
    {Opcode::kVshl, kNoOpcode, kNoOpcode, VideoOperation::kShl},
    {Opcode::kVshr, kNoOpcode, kNoOpcode, VideoOperation::kShr},
    {Opcode::kVmad, kNoOpcode, kNoOpcode, VideoOperation::kMad},
};

struct SecondRow {
  Modifier modifier;
  VideoSecond second;
};
constexpr SecondRow kSeconds[] = {{Modifier::kAddModifier, VideoSecond::kAdd},
                                  {Modifier::kMinModifier, VideoSecond::kMin},
                                  {Modifier::kMaxModifier, VideoSecond::kMax}};

struct CompareRow {
  Modifier modifier;
  VideoCompare compare;
};
constexpr CompareRow kCompares[] = {{Modifier::kEq, VideoCompare::kEq}, {Modifier::kNe, VideoCompare::kNe},
                                    {Modifier::kLt, VideoCompare::kLt}, {Modifier::kLe, VideoCompare::kLe},
                                    {Modifier::kGt, VideoCompare::kGt}, {Modifier::kGe, VideoCompare::kGe}};

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
  VideoControl control;
  const Row* found = nullptr;
  for (const Row& row : kRows) {
    if (instruction.opcode == kNoOpcode) break;
    if (instruction.opcode != row.scalar && instruction.opcode != row.two && instruction.opcode != row.four) continue;
    found = &row;
    control.parts = instruction.opcode == row.scalar ? 1 : instruction.opcode == row.two ? 2 : 4;
  }
  if (found == nullptr) return {};
  control.operation = found->operation;
  // vset has no type of its result: it is unsigned.
  const bool sets = control.operation == VideoOperation::kSet;
  control.d_signed = !sets && is_signed(instruction.type(0));
  control.a_signed = is_signed(instruction.type(sets ? 0 : 1));
  control.b_signed = is_signed(instruction.type(sets ? 1 : 2));
  control.saturate = instruction.has(Modifier::kSat);
  control.wrap = instruction.has(Modifier::kWrap);
  control.plus_one = instruction.has(Modifier::kPo);
  control.right_shift = instruction.has(Modifier::kShr7) ? 7 : instruction.has(Modifier::kShr15) ? 15 : 0;
  for (const SecondRow& row : kSeconds)
    if (instruction.has(row.modifier)) control.second = row.second;
  for (const CompareRow& row : kCompares)
    if (instruction.has(row.modifier)) control.compare = row.compare;
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
