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
  warp.fault(op, unsigned(std::countr_zero(mask)), "trap executed");
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

void print_formatted(Warp& warp, const Op& op, uint32_t mask);

bool decode_call(Decoder& decoder, const ptx::Instruction& instruction, Op& op) {
  CallSite site;
  bool target_seen = false;
  std::string_view name;
  for (const ptx::Operand& operand : decoder.operands(instruction)) {
    if (operand.kind == OperandKind::kList) {
      for (const ptx::Operand& element : decoder.elements(operand))
        (target_seen ? site.arguments : site.results).push_back(argument_of(decoder, element));
    } else if (operand.kind == OperandKind::kFunction) {
      site.callee = decoder.callee(operand.index);
      name = decoder.module().functions[operand.index].name;
      target_seen = true;
    } else if (operand.kind == OperandKind::kRegister && !target_seen) {
      site.target = decoder.value(operand);
      target_seen = true;
    }
  }
  op.kind = OpKind::kCall;
  op.detail = uint32_t(decoder.out().calls.size());
  decoder.out().calls.push_back(std::move(site));
  if (name == "vprintf") {
    op.kind = OpKind::kPlain;
    op.handler = print_formatted;
  }
  return true;
}

// vprintf(format, arguments): C's conversions, arguments packed with their natural alignment. The text goes to the
// launch's output. Returns the number of conversions.
void print_formatted(Warp& warp, const Op& op, uint32_t mask) {
  const CallSite& site = warp.frame->function->calls[op.detail];
  each_lane(mask, [&](unsigned lane) {
    uint64_t pointers[2] = {};
    for (size_t i = 0; i < 2 && i < site.arguments.size(); ++i) {
      const CallSite::Argument& a = site.arguments[i];
      if (a.offset == kNone)
        pointers[i] = warp.read(a.value)[lane];
      else
        std::memcpy(&pointers[i], warp.frame->parameter(lane, a.offset), 8);
    }
    std::string& out = warp.block.launch.output;
    const auto byte = [&](uint64_t address) -> char {
      const uint8_t* place = locate_checked(warp, op, lane, Space::kGeneric, address, 1, 1, Access::kRead);
      return place ? char(*place) : 0;
    };
    uint64_t cursor = pointers[1];
    uint32_t conversions = 0;
    const auto argument = [&](unsigned bytes) {
      cursor = (cursor + bytes - 1) / bytes * bytes;
      uint64_t value = 0;
      if (const uint8_t* place = locate_checked(warp, op, lane, Space::kGeneric, cursor, bytes, bytes, Access::kRead))
        std::memcpy(&value, place, bytes);
      cursor += bytes;
      ++conversions;
      return value;
    };
    for (uint64_t at = pointers[0];; ++at) {
      char c = byte(at);
      if (c == 0 || warp.block.failed()) break;
      if (c != '%') {
        out += c;
        continue;
      }
      std::string spec = "%";
      unsigned longs = 0;
      for (c = byte(++at); c != 0 && std::strchr("-+ #0123456789.lhz", c); c = byte(++at)) {
        longs += c == 'l' || c == 'z';
        if (!std::strchr("lhz", c)) spec += c;
      }
      char text[128] = "";
      if (c == '%')
        out += '%';
      else if (std::strchr("di", c)) {
        spec += "lld";
        const uint64_t v = argument(longs ? 8 : 4);
        std::snprintf(text, sizeof text, spec.c_str(), longs ? (long long)v : (long long)int32_t(v));
      } else if (std::strchr("uxXoc", c) && c) {
        if (c != 'c') spec += "ll";
        spec += c;
        const uint64_t v = argument(longs ? 8 : 4);
        if (c == 'c')
          std::snprintf(text, sizeof text, spec.c_str(), int(v));
        else
          std::snprintf(text, sizeof text, spec.c_str(), (unsigned long long)v);
      } else if (std::strchr("eEfFgGaA", c) && c) {
        spec += c;
        std::snprintf(text, sizeof text, spec.c_str(), as<double>(argument(8)));
      } else if (c == 'p') {
        std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)argument(8));
      } else if (c == 's') {
        uint64_t s = argument(8);
        while (const char k = byte(s++)) out += k;
      }
      out += text;
    }
    for (const CallSite::Argument& result : site.results) {
      if (result.offset != kNone)
        std::memcpy(warp.frame->parameter(lane, result.offset), &conversions, 4);
      else
        warp.write(result.value)[lane] = conversions;
    }
  });
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
