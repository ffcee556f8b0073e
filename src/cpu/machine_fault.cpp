#include "cpu/machine_fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cstdlib>
#include <mutex>

namespace ww::cpu {

namespace {

constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

std::array<struct sigaction, 65> g_previous;

// Read in a signal handler: must not be allocated there.
__attribute__((tls_model("initial-exec"))) thread_local MachineFaultGuard* t_guard = nullptr;

// A handler can't run on a stack that has overflowed.
struct SignalStack {
  static constexpr size_t kBytes = 128 * 1024;
  void* memory = MAP_FAILED;

  SignalStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return;  // somebody else's will do
    memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t own{};
    own.ss_sp = memory;
    own.ss_size = kBytes;
    sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    if (memory == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, kBytes);
  }
};

}  // namespace

struct MachineFaultHandler {
  // Reached with the registers that `handle` sets.
  [[noreturn]] static void land(MachineFaultGuard* guard) {
    guard->landing_(guard->owner_, guard->fault_);
    std::abort();
  }

  static void handle(int signal, siginfo_t* info, void* context) {
    MachineFaultGuard* guard = t_guard;
    // Codes above 0 are the kernel's: this thread's own instruction did it.
    if (guard == nullptr || guard->stack_end_ == nullptr || info->si_code <= 0) return pass_on(signal, info, context);
    constexpr int kPageFault = 14;
    constexpr greg_t kWrite = 2, kDirection = 1 << 10;
    gregset_t& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    MachineFault& fault = guard->fault_;
    fault.kind = signal == SIGFPE   ? MachineFault::Kind::kDivision
                 : signal == SIGILL ? MachineFault::Kind::kInstruction
                                    : MachineFault::Kind::kAddress;
    // Addresses that no memory can have (the upper bits are no sign) fault without telling which.
    fault.address_known = signal == SIGBUS || (signal == SIGSEGV && registers[REG_TRAPNO] == kPageFault);
    fault.address = reinterpret_cast<uint64_t>(info->si_addr);
    fault.write = (registers[REG_ERR] & kWrite) != 0;
    fault.place = uint64_t(registers[REG_RIP]);
    registers[REG_RDI] = reinterpret_cast<greg_t>(guard);
    registers[REG_RSP] = (reinterpret_cast<greg_t>(guard->stack_end_) & ~greg_t(63)) - 64 - 8;  // as behind a call
    registers[REG_RIP] = reinterpret_cast<greg_t>(&land);
    registers[REG_EFL] &= ~kDirection;
    guard->leave();
  }

  static void pass_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction& previous = g_previous[size_t(signal)];
    if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
    ::signal(signal, SIG_DFL);
    if (info->si_code <= 0) raise(signal);  // else the instruction faults again
  }

  static void install() {
    static std::once_flag once;
    std::call_once(once, [] {
      for (const int signal : kSignals) {
        struct sigaction action {};
        action.sa_sigaction = &handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, &g_previous[size_t(signal)]);
      }
    });
  }
};

MachineFaultGuard::MachineFaultGuard(Landing landing) : landing_(landing) {
  MachineFaultHandler::install();
  static thread_local SignalStack stack;
  (void)stack.memory;
  t_guard = this;
}

MachineFaultGuard::~MachineFaultGuard() {
  t_guard = nullptr;
}

}  // namespace ww::cpu
