// Stacks that a thread can switch between: a warp that waits at a barrier leaves the thread to another.
//
// Over Boost.Context's fcontext. Nothing is unwound when a fiber is abandoned: what runs on one must not own anything.
#pragma once

#include <cstddef>

#include "cpu/reservation.h"

namespace ww::cpu {

// Memory of a stack, with closed pages below and above it. Pages are taken from the system when they are touched.
class FiberStack {
 public:
  // `below`: further bytes for other uses, beneath the stack and the closed pages under it. Throws std::bad_alloc.
  explicit FiberStack(size_t bytes, size_t below = 0);
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  // Of the bytes below; without those, of the stack.
  std::byte* begin() const { return range_.begin() + kGuard; }
  // Of the stack.
  std::byte* limit() const { return below_ == 0 ? begin() : begin() + below_ + kGuard; }
  std::byte* end() const { return range_.begin() + range_.size() - kGuard; }
  size_t size() const { return size_t(end() - limit()); }
  // For AddressSanitizer: what was on the stack left without returning, so its frames' marks are still there.
  void forget_frames();

  static constexpr size_t kGuard = 16 * Reservation::kPage;

 private:
  Reservation range_;  // with the guards
  size_t below_ = 0;
};

// One flow of control on a stack of its own.
class Fiber {
 public:
  using Entry = void (*)(void* argument);

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares to run entry(argument) on `stack`; an earlier run is abandoned. `entry` must end with `finish`.
  void start(FiberStack& stack, Entry entry, void* argument);
  // Runs until the fiber suspends or finishes. Called outside of the fiber.
  void resume();
  // Back to `resume`. Called on the fiber.
  void suspend();
  // The same, for the last time.
  [[noreturn]] void finish();
  bool finished() const { return finished_; }

 private:
  friend struct FiberStart;

  void* context_ = nullptr;  // where to jump: into the fiber while it is suspended
  void* caller_ = nullptr;   // back
  FiberStack* stack_ = nullptr;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  // For sanitizers, which follow switches of stacks.
  void* own_shadow_ = nullptr;
  unsigned runs_ = 0;
  void* caller_shadow_ = nullptr;
  const void* caller_bottom_ = nullptr;
  size_t caller_size_ = 0;
};

}  // namespace ww::cpu
