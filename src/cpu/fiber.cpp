#include "cpu/fiber.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace ww::cpu {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

FiberStack::FiberStack(size_t bytes, size_t below) : below_(Reservation::whole_pages(below)) {
  const size_t closed = (below_ == 0 ? 2 : 3) * kGuard;
  if (!range_.reserve(Reservation::whole_pages(bytes) + below_ + closed) ||
      !range_.open(size_t(limit() - range_.begin()), size()) || (below_ != 0 && !range_.open(kGuard, below_)))
    throw std::bad_alloc();
}

FiberStack::~FiberStack() {
  forget_frames();
}

void FiberStack::forget_frames() {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(limit(), size());
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  if (own_shadow_ != nullptr) __tsan_destroy_fiber(own_shadow_);
#endif
}

struct FiberStart {
  static void run(transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    fiber->caller_ = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &fiber->caller_bottom_, &fiber->caller_size_);
#endif
    fiber->entry_(fiber->argument_);
    std::abort();  // entries end with finish()
  }
};

void Fiber::start(FiberStack& stack, Entry entry, void* argument) {
  stack_ = &stack;
  entry_ = entry;
  argument_ = argument;
  finished_ = false;
  stack.forget_frames();
#if defined(__SANITIZE_THREAD__)
  // A run ends inside of `finish`, so its calls stay on the shadow's stack, which has room for 64 Ki. A new one costs a
  // millisecond.
  constexpr unsigned kRunsOfAShadow = 1000;
  if (own_shadow_ != nullptr && runs_ % kRunsOfAShadow == 0) {
    __tsan_destroy_fiber(own_shadow_);
    own_shadow_ = nullptr;
  }
  ++runs_;
  if (own_shadow_ == nullptr) own_shadow_ = __tsan_create_fiber(0);
#endif
  context_ = make_fcontext(stack.end(), stack.size(), &FiberStart::run);
}

void Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_->begin(), stack_->size());
#endif
#if defined(__SANITIZE_THREAD__)
  caller_shadow_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_shadow_, 0);
#endif
  const transfer_t back = jump_fcontext(static_cast<fcontext_t>(context_), this);
  context_ = back.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(finished_ ? nullptr : &fake_stack, caller_bottom_, caller_size_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(caller_shadow_, 0);
#endif
  const transfer_t back = jump_fcontext(static_cast<fcontext_t>(caller_), nullptr);
  caller_ = back.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, &caller_bottom_, &caller_size_);
#endif
}

void Fiber::finish() {
  finished_ = true;
  suspend();
  std::abort();
}

}  // namespace ww::cpu
