// mbarrier: each thread has a barrier object of its own, and says after each step what it shows. Forms that name
// .shared::cluster work on the object of the same thread of another block.
#include "coverage/form_kernel.h"
#include "coverage/mbarrier_text.h"

namespace ww::coverage {
namespace {

using namespace ptx;

class Steps {
 public:
  Steps(const Form& form, const std::string& name) : words_(words_of(form)), writer_(form, name) {
    const Instruction instruction = instruction_of(form);
    generic_ = space_of(instruction) == Space::kGeneric;
    remote_ = contains(words_, "shared::cluster");
    has_state_ = !form.compiled().operands.empty() && form.compiled().operands[0].name == "d";
  }

  std::optional<Kernel> build() {
    add_mbarriers(writer_);
    writer_.load("v", {Type::kU32, "value"});
    writer_.declare("state", 64);
    writer_.declare("%total", 32);
    writer_.declare("%count", 32);
    writer_.declare("%rest", 32);
    writer_.declare("%far", 64);
    writer_.declare("d", 32);
    writer_.declare("p", 1);
    writer_.declare("%address", 64);
    if (remote_) {
      writer_.add_directive(".reqnctapercluster 2");
      // Both blocks of a pair take the operands of the first, so that their objects need the same arrivals.
      writer_.add("and.b32 %n, %t, " + std::to_string(~kBlock) +
                  ";\nld.param.u64 %far, [in];\nmad.wide.u32 %far, %n, 8, %far;\nld.global.b32 v, [%far];");
      writer_.add("mov.u32 %n, %cluster_ctarank;\nxor.b32 %n, %n, 1;\nmapa.shared::cluster.u64 %far, %mbarrier, %n;");
    }
    writer_.add(generic_  ? "cvta.shared.u64 %address, %mbarrier;"
                : remote_ ? "mov.u64 %address, %far;"
                          : "mov.u64 %address, %mbarrier;");
    const bool done = run();
    if (!done || !writer_.has_lines()) return {};
    return writer_.finish();
  }

 private:
  bool has(std::string_view word) const { return contains(words_, word); }

  // Blocks wait for each other where they work on each other's objects.
  void together() {
    if (remote_) writer_.add("barrier.cluster.arrive;\nbarrier.cluster.wait;");
  }
  void init(const std::string& count) {
    writer_.add("mbarrier.init.shared.b64 [%mbarrier], " + count + ";");
    together();
  }
  void arrive(const std::string& count = "1") {
    writer_.add("mbarrier.arrive.shared.b64 state, [%mbarrier], " + count + ";\nmbarrier.pending_count.b64 d, state;");
    writer_.store("d", Type::kU32);
  }
  void show() {
    together();
    for (const char* phase : {"0", "1"}) {
      writer_.add("mbarrier.test_wait.parity.shared.b64 p, [%mbarrier], " + std::string(phase) + ";");
      writer_.store("p", Type::kPred);
    }
    together();
  }
  // The instruction; what state it gives goes to the results.
  bool step(const std::string& operands) {
    if (!has_state_) return writer_.add_instruction(operands);
    if (remote_) return writer_.add_instruction("_, " + operands);
    if (!writer_.add_instruction("state, " + operands)) return false;
    writer_.add("mbarrier.pending_count.b64 d, state;");
    writer_.store("d", Type::kU32);
    return true;
  }

  bool run() {
    if (has("pending_count")) return pending_count();
    if (has("init") || has("inval")) return lifetime();
    if (has("test_wait") || has("try_wait")) return wait();
    if (has("noComplete")) return no_complete();
    if (has("expect_tx") && has_state_) return arrive_with_bytes();
    if (has("arrive")) return arrivals();
    if (has("arrive_drop")) return drops();
    return transaction();
  }

  bool pending_count() {
    writer_.add("and.b32 %total, v, 7;\nadd.u32 %total, %total, 4;");
    init("%total");
    for (int i = 0; i < 3; ++i) {
      writer_.add("mbarrier.arrive.noComplete.shared.b64 state, [%mbarrier], 1;");
      if (!writer_.add_instruction("d, state")) return false;
      writer_.store("d", Type::kU32);
    }
    return true;
  }

  bool lifetime() {
    writer_.add(
        "and.b32 %total, v, 3;\nadd.u32 %total, %total, 1;\nand.b32 %rest, v, 0xfffff;\n"
        "max.u32 %rest, %rest, 3;");
    if (has("inval")) {
      init("%rest");
      arrive();
      if (!writer_.add_instruction("[%address]")) return false;
      init("%total");
    } else if (!writer_.add_instruction("[%address], %total")) {
      return false;
    }
    for (int i = 0; i < 5; ++i) {
      arrive();
      show();
    }
    if (has("inval")) return true;
    writer_.add("mbarrier.inval.shared.b64 [%mbarrier];");
    if (!writer_.add_instruction("[%address], %rest")) return false;
    arrive();
    arrive();
    show();
    return true;
  }

  bool arrivals() {
    // One at a time, over several phases.
    writer_.add("and.b32 %total, v, 3;\nadd.u32 %total, %total, 1;");
    init("%total");
    for (int i = 0; i < 4; ++i) {
      if (!step("[%address]")) return false;
      show();
    }
    arrive();
    show();
    // A part, then the rest, of which the phase is complete.
    writer_.add(
        "mbarrier.inval.shared.b64 [%mbarrier];\nadd.u32 %total, %total, 1;\nshr.u32 %n, v, 2;\n"
        "sub.u32 %rest, %total, 1;\nrem.u32 %count, %n, %rest;\nadd.u32 %count, %count, 1;\n"
        "sub.u32 %rest, %total, %count;");
    if (!writer_.is_legal((has_state_ ? "_, " : "") + std::string("[%address], %count"))) return true;
    init("%total");
    step("[%address], %count");
    show();
    step("[%address], %rest");
    show();
    arrive();
    return true;
  }

  bool drops() {
    writer_.add("and.b32 %total, v, 3;\nadd.u32 %total, %total, 4;");
    init("%total");
    if (!step("[%address]")) return false;
    show();
    writer_.add("mov.u32 %rest, 1;");
    if (writer_.is_legal((has_state_ ? "_, " : "") + std::string("[%address], 2"))) {
      step("[%address], 2");
      show();
      writer_.add("mov.u32 %rest, 3;");
    }
    writer_.add("sub.u32 %rest, %total, %rest;");
    arrive("%rest");  // as many as are left for later phases
    show();
    arrive();
    show();
    return true;
  }

  bool no_complete() {
    writer_.add(
        "and.b32 %total, v, 7;\nadd.u32 %total, %total, 5;\nshr.u32 %n, v, 3;\nand.b32 %count, %n, 1;\n"
        "add.u32 %count, %count, 1;");
    init("%total");
    if (!step("[%address], %count") || !step("[%address], 1")) return false;
    show();
    writer_.add("sub.u32 %rest, %total, %count;\nsub.u32 %rest, %rest, 1;");
    arrive("%rest");
    arrive();
    show();
    return true;
  }

  void bytes() { writer_.add("shr.u32 %rest, v, 8;\nand.b32 %rest, %rest, 0xffff;\nadd.u32 %rest, %rest, 2;"); }
  void complete(const std::string& count) {
    writer_.add("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%mbarrier], " + count + ";");
  }

  bool arrive_with_bytes() {
    writer_.add("and.b32 %total, v, 1;\nadd.u32 %total, %total, 2;");
    bytes();
    init("%total");
    if (!step("[%address], %rest")) return false;
    show();
    arrive("1");
    show();
    complete("1");
    show();
    writer_.add("sub.u32 %rest, %rest, 1;");
    complete("%rest");
    show();  // complete if two arrivals are enough, also of those that drop
    arrive("1");
    show();
    return true;
  }

  bool transaction() {
    bytes();
    init("2");
    if (has("expect_tx")) {
      if (!step("[%address], %rest")) return false;
    } else {
      writer_.add("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%mbarrier], %rest;");
      together();
    }
    show();
    arrive("2");
    show();
    writer_.add("sub.u32 %rest, %rest, 1;");
    if (has("complete_tx")) {
      if (!step("[%address], 1")) return false;
      show();
      if (!step("[%address], %rest")) return false;
    } else {
      complete("1");
      show();
      complete("%rest");
    }
    show();
    arrive();
    return true;
  }

  bool wait() {
    writer_.add("and.b32 %total, v, 1;\nadd.u32 %total, %total, 1;");
    init("%total");
    const bool parity = has("parity"), timed = has("try_wait");
    const auto look = [&](const std::string& what) {
      writer_.clear("p", 1);
      if (!writer_.add_instruction("p, [%address], " + what + (timed ? ", 100" : ""))) return false;
      writer_.store("p", Type::kPred);
      return true;
    };
    for (int i = 0; i < 3; ++i) {
      arrive();
      if (parity ? !look("0") || !look("1") : !look("state")) return false;
    }
    if (!timed) return true;
    // Without a time of its own, of what is complete.
    writer_.add("mbarrier.inval.shared.b64 [%mbarrier];");
    init("1");
    arrive();
    writer_.clear("p", 1);
    if (!writer_.add_instruction(parity ? "p, [%address], 0" : "p, [%address], state")) return false;
    writer_.store("p", Type::kPred);
    return true;
  }

  const std::vector<std::string> words_;
  KernelWriter writer_;
  bool generic_ = false, remote_ = false, has_state_ = false;
};

}  // namespace

std::optional<Kernel> mbarrier_kernel(const Form& form, const std::string& name) {
  if (form.compiled().form->opcode != Opcode::kMbarrier) return {};
  return Steps(form, name).build();
}

}  // namespace ww::coverage
