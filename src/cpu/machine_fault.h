// Faults of the processor in compiled code (a wild address, a trap) become calls, instead of the end of the process.
//
// While a thread is inside of MachineFaultGuard::enter and leave, a SIGSEGV, SIGBUS, SIGFPE or SIGILL that its own
// instructions raise makes it call `landing` at the top of the stack given to `enter`: what ran there is lost, so
// `landing` has to leave that stack for good. All other faults go to whoever handled the signal before.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::cpu {

struct MachineFault {
  enum class Kind : uint8_t { kAddress, kDivision, kInstruction } kind = Kind::kAddress;
  bool address_known = false;
  bool write = false;  // if the address is known
  uint64_t address = 0;
  uint64_t place = 0;  // of the instruction
};

class MachineFaultGuard {
 public:
  using Landing = void (*)(void* owner, const MachineFault& fault);

  // On the thread that will run the code. Guards don't nest.
  explicit MachineFaultGuard(Landing landing);
  ~MachineFaultGuard();
  MachineFaultGuard(const MachineFaultGuard&) = delete;
  MachineFaultGuard& operator=(const MachineFaultGuard&) = delete;

  void enter(void* owner, std::byte* stack_end) {
    owner_ = owner;
    stack_end_ = stack_end;
  }
  void leave() { stack_end_ = nullptr; }

 private:
  friend struct MachineFaultHandler;

  Landing landing_;
  void* owner_ = nullptr;
  std::byte* volatile stack_end_ = nullptr;
  MachineFault fault_;
};

}  // namespace ww::cpu
