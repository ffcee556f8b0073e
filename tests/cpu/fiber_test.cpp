// Fibers change over, end and are left behind without the sanitizers losing track: these run under all of them.
#include "cpu/fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "cpu/cpu_device.h"
#include "support/kernel_parameters.h"

namespace ww::cpu {
namespace {

constexpr size_t kStackBytes = 256 * 1024;

// A frame of `kBytes` on the stack, written to its end, and `depth` more below; the innermost one suspends.
template <size_t kBytes>
[[gnu::noinline]] uint32_t descend(Fiber& fiber, uint32_t depth) {
  std::array<volatile uint8_t, kBytes> frame;
  for (size_t i = 0; i < kBytes; ++i) frame[i] = static_cast<uint8_t>(depth + i);
  uint32_t sum = 0;
  if (depth == 0)
    fiber.suspend();
  else
    sum = descend<kBytes>(fiber, depth - 1);
  for (size_t i = 0; i < kBytes; ++i) sum += frame[i];
  return sum;
}

template <size_t kBytes>
uint32_t expected_sum(uint32_t depth) {
  uint32_t sum = 0;
  for (uint32_t d = 0; d <= depth; ++d)
    for (size_t i = 0; i < kBytes; ++i) sum += static_cast<uint8_t>(d + i);
  return sum;
}

struct Task {
  Fiber fiber;
  uint32_t depth = 0;
  uint32_t sum = 0;
  uint32_t rounds = 1;
};

template <size_t kBytes>
void run_task(void* argument) {
  auto* task = static_cast<Task*>(argument);
  for (uint32_t round = 0; round < task->rounds; ++round) task->sum += descend<kBytes>(task->fiber, task->depth);
  task->fiber.finish();
}

TEST(Fiber, ManyTakeTurnsAndKeepTheirFrames) {
  constexpr uint32_t kFibers = 32, kRounds = 50;
  std::vector<std::unique_ptr<FiberStack>> stacks;
  std::vector<std::unique_ptr<Task>> tasks;
  for (uint32_t i = 0; i < kFibers; ++i) {
    stacks.push_back(std::make_unique<FiberStack>(kStackBytes));
    tasks.push_back(std::make_unique<Task>());
    tasks[i]->depth = i;
    tasks[i]->rounds = kRounds;
    tasks[i]->fiber.start(*stacks[i], &run_task<100>, tasks[i].get());
  }
  for (uint32_t round = 0; round <= kRounds; ++round)
    for (auto& task : tasks) task->fiber.resume();
  for (uint32_t i = 0; i < kFibers; ++i) {
    EXPECT_TRUE(tasks[i]->fiber.finished());
    EXPECT_EQ(tasks[i]->sum, kRounds * expected_sum<100>(i)) << i;
  }
}

// AddressSanitizer marks frames on the stack and takes the marks away when they return; these never do.
TEST(Fiber, AStackServesAgainAfterARunThatWasLeft) {
  FiberStack stack(kStackBytes);
  Task left, next;
  for (uint32_t depth = 0; depth < 20; ++depth) {
    left.depth = depth;
    left.fiber.start(stack, &run_task<40>, &left);
    left.fiber.resume();
    ASSERT_FALSE(left.fiber.finished());
    next.depth = depth + 3;
    next.sum = 0;
    next.fiber.start(stack, &run_task<1000>, &next);
    next.fiber.resume();
    next.fiber.resume();
    ASSERT_TRUE(next.fiber.finished());
    EXPECT_EQ(next.sum, expected_sum<1000>(depth + 3));
  }
}

// The memory of a stack that is gone is anybody's.
TEST(Fiber, AnotherMappingMayTakeTheStacksPlace) {
  for (int i = 0; i < 20; ++i) {
    auto stack = std::make_unique<FiberStack>(kStackBytes);
    Task task;
    task.depth = 10;
    task.fiber.start(*stack, &run_task<200>, &task);
    task.fiber.resume();
    ASSERT_FALSE(task.fiber.finished());
    stack.reset();
    FiberStack other(kStackBytes);
    std::memset(other.begin(), 0x55, other.size());
    EXPECT_EQ(other.end()[-1], std::byte(0x55));
  }
}

// ThreadSanitizer keeps a shadow stack a fiber, of 64 Ki calls at most.
TEST(Fiber, StartsAsOftenAsThereAreBlocks) {
  FiberStack stack(kStackBytes);
  Task task;
  task.depth = 1;
  for (int i = 0; i < 50'000; ++i) {
    task.fiber.start(stack, &run_task<16>, &task);
    task.fiber.resume();
    task.fiber.resume();
    ASSERT_TRUE(task.fiber.finished());
  }
  EXPECT_EQ(task.sum, 50'000u * expected_sum<16>(1));
}

TEST(Fiber, MovesOnToAnotherThread) {
  FiberStack stack(kStackBytes);
  Task task;
  task.depth = 5;
  task.rounds = 3;
  task.fiber.start(stack, &run_task<64>, &task);
  task.fiber.resume();
  for (int i = 0; i < 3; ++i) std::thread([&] { task.fiber.resume(); }).join();
  EXPECT_TRUE(task.fiber.finished());
  EXPECT_EQ(task.sum, 3 * expected_sum<64>(5));
}

// Every warp of a block hands its number on to the next one, in shared memory, `rounds` times round.
constexpr char kModule[] = R"(
.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 slots[4096];
.visible .entry turns(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p; .reg .b32 %r<14>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x;
  mov.u32 %r12, slots;
  mad.lo.u32 %r5, %r2, 4, %r12;
  add.u32 %r6, %r2, 32; rem.u32 %r6, %r6, %r3; mad.lo.u32 %r6, %r6, 4, %r12;
  mov.u32 %r7, %r2;
  mov.u32 %r8, 0;
again:
  st.shared.u32 [%r5], %r7;
  bar.sync 0;
  ld.shared.u32 %r7, [%r6];
  bar.sync 0;
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p, %r8, %r1;
  @%p bra again;
  mad.lo.u32 %r9, %r4, %r3, %r2;
  mul.wide.u32 %rd2, %r9, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
.visible .entry stuck() {
  .reg .pred %p; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 32;
  @%p bar.sync 1, 64;
  bar.sync 0;
  ret;
}
)";

TEST(Fiber, WarpsMeetAtBarriersAlsoAfterADeadlock) {
  DeviceOptions options;
  options.threads = 4;
  auto device = open_device("cpu", options);
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto module = (*device)->load_module(kModule, "turns.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  auto turns = (*module)->kernel("turns");
  auto stuck = (*module)->kernel("stuck");
  ASSERT_TRUE(turns.ok() && stuck.ok());
  constexpr uint32_t kBlocks = 60, kThreads = 256;
  const auto memory = (*device)->allocate(4 * kBlocks * kThreads);
  ASSERT_TRUE(memory.ok());
  for (uint32_t rounds = 1; rounds <= 9; rounds += 4) {
    ASSERT_TRUE(
        (*device)->launch(**turns, {{kBlocks}, {kThreads}, 0, testing::kernel_parameters(*memory, rounds)}).ok());
    std::vector<uint32_t> got(kBlocks * kThreads);
    ASSERT_TRUE((*device)->download(std::as_writable_bytes(std::span(got)), *memory).ok());
    for (uint32_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], (i % kThreads + 32 * rounds) % kThreads) << i;
    const Status status = (*device)->launch(**stuck, {{4}, {kThreads}, 0, {}});
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("deadlock"), std::string::npos) << status.error().to_string();
  }
}

}  // namespace
}  // namespace ww::cpu
