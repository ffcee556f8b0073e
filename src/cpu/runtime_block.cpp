// Functions of the block and the machine: barriers, trap, sleep, clocks, printing, the heap.
#include <x86intrin.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <string>

#include "cpu/device_heap.h"
#include "cpu/runtime.h"
#include "cpu/scheduler.h"

namespace ww::cpu {

// Barrier numbers and counts are the same in all lanes: the lowest active one is asked.
static uint32_t scalar(const void* in, size_t index, uint32_t mask) {
  return in_array<uint32_t>(in, index * warp_array_bytes(4))[std::countr_zero(mask)];
}

static uint32_t bits_of_predicates(const uint8_t* predicate) {
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) bits |= uint32_t(predicate[lane] != 0) << lane;
  return bits;
}

static void barrier_sync(WarpContext* context, uint32_t mask, const void* in, void*) {
  context->block->wait(*context, scalar(in, 0, mask), scalar(in, 1, mask), 0, mask, context->line);
}

static void barrier_arrive(WarpContext* context, uint32_t mask, const void* in, void*) {
  context->block->arrive(*context, scalar(in, 0, mask), scalar(in, 1, mask), context->line);
}

static BlockRun::Arrived barrier_reduce(WarpContext* context, uint32_t mask, const void* in) {
  const uint32_t set = bits_of_predicates(in_array<uint8_t>(in, 2 * warp_array_bytes(4)));
  return context->block->wait(*context, scalar(in, 0, mask), scalar(in, 1, mask), set, mask, context->line);
}

static void barrier_and(WarpContext* context, uint32_t mask, const void* in, void* out) {
  const BlockRun::Arrived arrived = barrier_reduce(context, mask, in);
  std::fill_n(out_array<uint8_t>(out, 0), 32, uint8_t(arrived.count == arrived.threads));
}

static void barrier_or(WarpContext* context, uint32_t mask, const void* in, void* out) {
  std::fill_n(out_array<uint8_t>(out, 0), 32, uint8_t(barrier_reduce(context, mask, in).count != 0));
}

static void barrier_count(WarpContext* context, uint32_t mask, const void* in, void* out) {
  std::fill_n(out_array<uint32_t>(out, 0), 32, barrier_reduce(context, mask, in).count);
}

static void trap(WarpContext* context, uint32_t, const void*, void*) {
  context->block->fault({WarpFault::Kind::kTrap, context->line, context->warp, 0, 0});
}

// Bytes and alignment in, local addresses out.
static void allocate_stack(WarpContext* context, uint32_t mask, const void* in, void* out) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t bytes = in_array<uint64_t>(in, 0)[lane];
    const uint64_t alignment = std::max<uint64_t>(1, in_array<uint64_t>(in, warp_array_bytes(8))[lane]);
    const uint64_t first = context->lane_stacks + uint64_t(unsigned(lane)) * context->lane_stack_bytes;
    const auto begin = reinterpret_cast<uint64_t>(context->local_window);
    const uint64_t free = begin + first + context->lane_stack_used[lane];
    const uint64_t place = (free + alignment - 1) / alignment * alignment - begin;
    if (bytes > context->lane_stack_bytes || place + bytes > first + context->lane_stack_bytes)
      context->block->fault({WarpFault::Kind::kLaneStack, context->line, context->warp, 0, uint32_t(bytes)});
    context->lane_stack_used[lane] = uint32_t(place + bytes - first);
    out_array<uint32_t>(out, 0)[lane] = uint32_t(place);
  }
}

static void save_stack(WarpContext* context, uint32_t, const void*, void* out) {
  std::copy_n(context->lane_stack_used, 32, out_array<uint32_t>(out, 0));
}

static void restore_stack(WarpContext* context, uint32_t mask, const void* in, void*) {
  const uint32_t* used = in_array<uint32_t>(in, 0);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    context->lane_stack_used[lane] = std::min(used[lane], context->lane_stack_used[lane]);
  }
}

// __assertfail: message, file, line and function of the first lane.
static void assertion(WarpContext* context, uint32_t mask, const void* in, void*) {
  const auto lane = uint32_t(std::countr_zero(mask));
  const size_t pointers = warp_array_bytes(8), file = pointers, line = 2 * pointers,
               function = line + warp_array_bytes(4);
  const auto text = [&](size_t offset) {
    const auto* place = reinterpret_cast<const char*>(in_array<uint64_t>(in, offset)[lane]);
    return place != nullptr ? place : "?";
  };
  WarpFault fault{WarpFault::Kind::kAssertion, context->line, context->warp, 0, 0};
  const uint32_t thread = context->first_thread + lane, x = context->ntid[0], y = context->ntid[1];
  std::snprintf(fault.text, sizeof fault.text,
                "%.80s:%u: %.80s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.80s` failed", text(file),
                in_array<uint32_t>(in, line)[lane], text(function), context->ctaid[0], context->ctaid[1],
                context->ctaid[2], thread % x, thread / x % y, thread / x / y, text(0));
  context->block->fault(fault);
}

void meet(WarpContext* context, uint32_t mask, const void* in, void* out, WarpFunction function, const uint8_t* layout,
          uint32_t members_at) {
  const uint32_t members = members_at == kAllMembers ? ~0u : in_array<uint32_t>(in, members_at)[std::countr_zero(mask)];
  context->block->meet(*context, {members | mask, function, in, out, layout});
}

static void exit_lane(WarpContext* context, uint32_t, const void*, void*) {
  context->block->exit();
}

static void cluster_arrive(WarpContext* context, uint32_t, const void*, void*) {
  context->block->arrive_in_cluster();
}

static void cluster_wait(WarpContext* context, uint32_t, const void*, void*) {
  context->block->wait_for_cluster(context->line);
}

static void yield(WarpContext* context, uint32_t, const void*, void*) {
  context->block->yield();
}

static void clock64(WarpContext*, uint32_t, const void*, void* out) {
  std::fill_n(out_array<uint64_t>(out, 0), 32, uint64_t(__rdtsc()));
}

static void globaltimer(WarpContext*, uint32_t, const void*, void* out) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::fill_n(out_array<uint64_t>(out, 0), 32,
              uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

// The arguments of vprintf lie one behind the other, each at a multiple of its size; floats travel as doubles.
static int print(const char* format, const std::byte* arguments, std::string& text) {
  size_t offset = 0;
  int count = 0;
  const auto next = [&](auto& value) {
    offset = (offset + sizeof value - 1) / sizeof value * sizeof value;
    std::memcpy(&value, arguments + offset, sizeof value);
    offset += sizeof value;
    ++count;
  };
  for (const char* place = format; *place != 0; ++place) {
    if (*place != '%') {
      text += *place;
      continue;
    }
    std::string specification = "%";
    bool is_long = false;
    for (++place; *place != 0; ++place) {
      if (*place == 'l' || *place == 'z' || *place == 'j' || *place == 't') {
        is_long = true;
      } else if (*place == '*') {
        int32_t width = 0;
        next(width);
        specification += std::to_string(width);
      } else if (std::string_view("-+ #0123456789.h").find(*place) != std::string_view::npos) {
        if (*place != 'h') specification += *place;
      } else {
        break;
      }
    }
    char buffer[512];
    int32_t narrow = 0;
    int64_t wide = 0;
    double real = 0;
    switch (*place) {
      case '%':
        text += '%';
        break;
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        if (is_long) {
          next(wide);
          std::snprintf(buffer, sizeof buffer, (specification + "ll" + *place).c_str(), wide);
        } else {
          next(narrow);
          std::snprintf(buffer, sizeof buffer, (specification + *place).c_str(), narrow);
        }
        text += buffer;
        break;
      case 'c':
        next(narrow);
        text += char(narrow);
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        next(real);
        std::snprintf(buffer, sizeof buffer, (specification + *place).c_str(), real);
        text += buffer;
        break;
      case 's':
      case 'p':
        next(wide);
        std::snprintf(buffer, sizeof buffer, (specification + *place).c_str(), reinterpret_cast<const void*>(wide));
        text += buffer;
        break;
      default:
        return -1;
    }
  }
  return count;
}

static void vprintf(WarpContext*, uint32_t mask, const void* in, void* out) {
  const uint64_t* format = in_array<uint64_t>(in, 0);
  const uint64_t* arguments = in_array<uint64_t>(in, warp_array_bytes(8));
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::string text;
    out_array<int32_t>(out, 0)[lane] =
        print(reinterpret_cast<const char*>(format[lane]), reinterpret_cast<const std::byte*>(arguments[lane]), text);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

static void allocate(WarpContext* context, uint32_t mask, const void* in, void* out) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    out_array<uint64_t>(out, 0)[lane] = context->heap->allocate(in_array<uint64_t>(in, 0)[lane]);
  }
}

static void release(WarpContext* context, uint32_t mask, const void* in, void*) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t address = in_array<uint64_t>(in, 0)[std::countr_zero(left)];
    if (address != 0 && !context->heap->free(address))
      context->block->fault({WarpFault::Kind::kFree, context->line, context->warp, 0, 0});
  }
}

WarpFunction find_block_function(std::string_view name) {
  static constexpr WarpFunctionRow kRows[] = {
      {"cpu.barrier.sync", &barrier_sync},
      {"cpu.barrier.arrive", &barrier_arrive},
      {"cpu.barrier.red.and", &barrier_and},
      {"cpu.barrier.red.or", &barrier_or},
      {"cpu.barrier.red.popc", &barrier_count},
      {"cpu.barrier.cluster.arrive", &cluster_arrive},
      {"cpu.barrier.cluster.wait", &cluster_wait},
      {"cpu.trap", &trap},
      {"cpu.exit", &exit_lane},
      {"cpu.alloca", &allocate_stack},
      {"cpu.stacksave", &save_stack},
      {"cpu.stackrestore", &restore_stack},
      {"cpu.assertfail", &assertion},
      {"cpu.nanosleep", &yield},
      {"cpu.yield", &yield},
      {"cpu.clock64", &clock64},
      {"cpu.globaltimer", &globaltimer},
      {"cpu.vprintf", &vprintf},
      {"cpu.malloc", &allocate},
      {"cpu.free", &release},
  };
  for (const WarpFunctionRow& row : kRows)
    if (row.name == name) return row.function;
  return nullptr;
}

}  // namespace ww::cpu
