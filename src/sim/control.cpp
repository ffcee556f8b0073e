// Branches, calls, ends of threads, stack allocation. What they do stands in schedule.cpp. (PTX ISA, "Control Flow
// Instructions", "Stack Manipulation Instructions".)
#include <bit>

#include "sim/access.h"
#include "sim/decode.h"
#include "sim/lanes.h"

namespace ww::sim {
namespace {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

void trap(Warp& warp, const Op& op, uint32_t mask) {
  warp.fault(op, unsigned(std::countr_zero(mask)),
             op.instruction->opcode == Opcode::kBrkpt ? "brkpt (where no debugger is) executed" : "trap executed");
}

// alloca: `bytes` from the top of the lane's local memory; freed when the function returns. alignment in `immediate`.
void allocate_stack(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& sizes = warp.read(op.source[0]);
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) {
    LocalMemory& local = warp.block.locals[warp.thread_of(lane)];
    const uint64_t alignment = uint64_t(op.immediate), size = op.flag ? uint32_t(sizes[lane]) : sizes[lane];
    const uint64_t base = (local.top + alignment - 1) / alignment * alignment;
    if (size > (uint64_t{1} << 24)) return warp.fault(op, lane, "alloca of " + std::to_string(size) + " bytes");
    local.top = base + size;
    if (local.bytes.size() < local.top) local.bytes.resize(local.top, 0xcd);
    if (warp.block.launch.check_uninitialized) local.written.resize(local.bytes.size());
    d[lane] = base;
  });
}
void save_stack(Warp& warp, const Op& op, uint32_t mask) {
  LaneValues& d = warp.write(op.destination);
  each_lane(mask, [&](unsigned lane) { d[lane] = warp.block.locals[warp.thread_of(lane)].top; });
}
void restore_stack(Warp& warp, const Op& op, uint32_t mask) {
  const LaneValues& a = warp.read(op.source[0]);
  each_lane(mask, [&](unsigned lane) {
    LocalMemory& local = warp.block.locals[warp.thread_of(lane)];
    if (a[lane] > local.top) return warp.fault(op, lane, "stackrestore to an address above the stack");
    local.top = a[lane];
  });
}

CallSite::Argument argument_of(Decoder& decoder, const ptx::Operand& operand) {
  CallSite::Argument argument;
  const bool variable =
      operand.kind == OperandKind::kVariable && decoder.module().variables[operand.index].space == Space::kParam;
  if (!variable) {
    argument.value = decoder.value(operand);
    argument.bytes = 8;
    return argument;
  }
  bool of_entry = false;
  argument.offset = decoder.parameter_offset(operand.index, of_entry);
  argument.bytes = uint32_t(decoder.module().variables[operand.index].size);
  return argument;
}

bool decode_call(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  CallSite site;
  bool target_seen = false, declared = false;
  std::string_view name;
  for (const ptx::Operand& operand : decoder.operands(instruction)) {
    if (operand.kind == OperandKind::kList) {
      for (const ptx::Operand& element : decoder.elements(operand)) {
        if (element.kind == OperandKind::kVariable && decoder.in_local_memory(element.index))
          return decoder.unsupported(op, instruction, "a parameter whose address is taken, as an argument");
        (target_seen ? site.arguments : site.results).push_back(argument_of(decoder, element));
      }
    } else if (operand.kind == OperandKind::kFunction) {
      site.callee = decoder.callee(operand.index);
      name = decoder.module().functions[operand.index].name;
      declared = decoder.module().functions[operand.index].is_declaration;
      target_seen = true;
    } else if (operand.kind == OperandKind::kRegister && !target_seen) {
      site.target = decoder.value(operand);
      target_seen = true;
    }
  }
  op.kind = OpKind::kCall;
  op.detail = uint32_t(decoder.out().calls.size());
  decoder.out().calls.push_back(std::move(site));
  if (const Handler handler = system_function(name); handler != nullptr && declared) {
    op.kind = OpKind::kPlain;
    op.handler = handler;
  }
  return true;
}

}  // namespace

bool decode_control(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  const auto operands = decoder.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::kBra:
      op.kind = OpKind::kBranch;
      op.target = operands[0].index;
      return true;
    case Opcode::kBrx: {
      op.kind = OpKind::kBranchTable;
      op.source[0] = decoder.value(operands[0]);
      const ptx::Prototype& table = decoder.function().prototypes[operands[1].index];
      op.first_extra = uint32_t(decoder.out().extra.size());
      op.extra_count = uint32_t(table.targets.size());
      for (const uint32_t label : table.targets) decoder.out().extra.push_back({RefKind::kConstant, false, label});
      return true;
    }
    case Opcode::kCall:
      return decode_call(decoder, instruction, op);
    case Opcode::kRet:
      op.kind = OpKind::kReturn;
      return true;
    case Opcode::kExit:
      op.kind = OpKind::kExit;
      return true;
    case Opcode::kTrap:
    case Opcode::kBrkpt:
      op.handler = trap;
      return true;
    case Opcode::kNanosleep:
      op.kind = OpKind::kYield;
      return true;
    case Opcode::kAlloca:
      op.handler = allocate_stack;
      op.flag = instruction.type() == ptx::Type::kU32;
      op.destination = decoder.destination(operands[0]);
      op.source[0] = decoder.value(operands[1]);
      op.immediate = operands.size() > 2 ? int64_t(operands[2].value) : 8;
      if (op.immediate <= 0) op.immediate = 8;
      return true;
    case Opcode::kStacksave:
      op.handler = save_stack;
      op.destination = decoder.destination(operands[0]);
      return true;
    case Opcode::kStackrestore:
      op.handler = restore_stack;
      op.source[0] = decoder.value(operands[0]);
      return true;
    default:
      return false;
  }
}

}  // namespace ww::sim
