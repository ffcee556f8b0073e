// Barriers of the block, of the warp and of the cluster, and fences: each thread leaves a value in memory, and takes
// another's after the instruction.
#include "coverage/form_kernel.h"
#include "coverage/thread_slots.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// bar and barrier. Barriers 2 and 3 join the halves of the block, the others all of it.
std::optional<Kernel> block_barrier(const Form& form, const std::vector<std::string>& words, const std::string& name) {
  KernelWriter writer(form, name);
  const bool reduces = contains(words, "red"), arrives = contains(words, "arrive");
  const bool aligned = words[0] == "bar" || contains(words, "aligned");
  const bool counts = contains(words, "popc");
  add_thread_slots(writer);
  writer.load("v", {Type::kB64, "value"});
  writer.declare("got", 64);
  writer.declare("half", 32);
  writer.declare("number", 32);
  writer.declare("%second", 1);
  writer.declare("%odd", 1);
  writer.add(
      "mov.u32 half, %tid.x;\nshr.u32 half, half, 7;\nadd.u32 number, half, 2;\nsetp.ne.u32 %second, half, 0;\n"
      "and.b32 %n, %t, 1;\nsetp.ne.u32 %odd, %n, 0;");
  bool any = false;
  if (arrives) {
    // The first half arrives, the second one waits for it.
    for (const char* operands : {"1, 256", "number, 256"}) {
      if (!writer.is_legal(operands)) continue;
      const bool constant = operands[0] == '1';
      if (!constant) writer.add("mov.u32 number, 5;");
      put_value(writer, "v");
      writer.add("mov.b64 got, 0;\n@%second bra $wait" + std::string(constant ? "1" : "2") + ";");
      writer.add_instruction(operands);
      const std::string n = constant ? "1" : "2";
      writer.add("bra $done" + n + ";\n$wait" + n + ":\nbarrier.sync.aligned " + (constant ? "1" : "5") + ", 256;");
      take_value(writer, "got", "xor.b32 %n, %n, 128;");  // of the half that arrived
      writer.add("$done" + n + ":\nbar.sync 0;");
      writer.store("got", Type::kB64);
      any = true;
    }
    return any ? std::optional(writer.finish()) : std::nullopt;
  }
  if (!reduces) {
    const auto run = [&](const std::string& operands, const std::string& guard, const std::string& neighbour) {
      if (!writer.is_legal(operands)) return;
      put_value(writer, "v");
      if (guard.empty()) {
        writer.add_instruction(operands);
      } else {  // lanes of a warp arrive one half after the other
        writer.add("@%odd bra $odd;");
        writer.add_instruction(operands);
        writer.add("bra $both;\n$odd:");
        writer.add_instruction(operands);
        writer.add("$both:");
      }
      take_value(writer, "got", neighbour);
      writer.add("bar.sync 0;\nnot.b64 v, v;");
      writer.store("got", Type::kB64);
      any = true;
    };
    const std::string everywhere = "mad.lo.u32 %n, %n, 77, 13;\nand.b32 %n, %n, 255;";
    const std::string own_half =
        "and.b32 %n, %n, 127;\nmad.lo.u32 %n, %n, 77, 13;\nand.b32 %n, %n, 127;\n"
        "mad.lo.u32 %n, half, 128, %n;";
    run("0", "", everywhere);
    run("15, 256", "", everywhere);
    run("number, 128", "", own_half);
    if (!aligned) run("4", "odd", everywhere);
    return any ? std::optional(writer.finish()) : std::nullopt;
  }
  // Reductions: random predicates, all true in every second block, all false in every second block.
  writer.load("p", {Type::kPred, "c"});
  writer.declare("q", 1);
  writer.declare("all", 1);
  const std::string result = counts ? "count" : "r";
  writer.declare(result, counts ? 32 : 1);
  writer.add("mov.u32 %n, %ctaid.x;\nand.b32 %n, %n, 1;\nsetp.ne.u32 all, %n, 0;");
  const auto run = [&](const std::string& barrier, const std::string& predicate) {
    if (!writer.is_legal(result + ", " + barrier + ", " + predicate)) return;
    writer.clear(result, counts ? 32 : 1);
    writer.add_instruction(result + ", " + barrier + ", " + predicate);
    writer.store(result, counts ? Type::kU32 : Type::kPred);
    any = true;
  };
  for (const char* barrier : {"0", "1, 256", "number, 128"}) {
    run(barrier, "p");
    run(barrier, "!p");
    writer.add("or.pred q, p, all;");
    run(barrier, "q");
    run(barrier, "!q");
    writer.add("and.pred q, p, %odd;");
    run(barrier, "q");
  }
  return any ? std::optional(writer.finish()) : std::nullopt;
}

std::optional<Kernel> warp_barrier(const Form& form, const std::string& name) {
  KernelWriter writer(form, name);
  add_thread_slots(writer);
  writer.load("v", {Type::kB64, "value"});
  writer.declare("got", 64);
  writer.declare("%odd", 1);
  writer.declare("%mask", 32);
  writer.add("and.b32 %n, %t, 1;\nsetp.ne.u32 %odd, %n, 0;\nselp.b32 %mask, 0xaaaaaaaa, 0x55555555, %odd;");
  // All lanes, then every second one among themselves.
  for (const bool all : {true, false}) {
    put_value(writer, "v");
    if (all) {
      if (!writer.add_instruction("0xffffffff")) return {};
    } else {
      writer.add("@%odd bra $odd;");
      writer.add_instruction("%mask");
      writer.add("bra $both;\n$odd:");
      writer.add_instruction("0xaaaaaaaa");
      writer.add("$both:");
    }
    take_value(writer, "got", all ? "xor.b32 %n, %n, 9;" : "xor.b32 %n, %n, 18;");
    writer.add("bar.sync 0;\nnot.b64 v, v;");
    writer.store("got", Type::kB64);
  }
  return writer.finish();
}

// Four blocks: each reads what the next one wrote.
std::optional<Kernel> cluster_barrier(const Form& form, const std::vector<std::string>& words,
                                      const std::string& name) {
  KernelWriter writer(form, name);
  add_thread_slots(writer);
  writer.add_directive(".reqnctapercluster 4");
  writer.load("v", {Type::kB64, "value"});
  writer.declare("got", 64);
  writer.declare("%rank", 32);
  writer.declare("%place", 64);
  const std::string aligned = contains(words, "aligned") ? ".aligned" : "";
  for (unsigned round = 0; round < 2; ++round) {
    put_value(writer, "v");
    if (contains(words, "arrive")) {
      writer.add("fence.acq_rel.cluster;");  // a relaxed arrival orders nothing
      if (!writer.add_instruction("")) return {};
      writer.add("barrier.cluster.wait" + aligned + ";");
    } else {
      writer.add("barrier.cluster.arrive" + aligned + ";");
      if (!writer.add_instruction("")) return {};
    }
    writer.add("mov.u32 %rank, %cluster_ctarank;\nadd.u32 %rank, %rank, " + std::to_string(round + 1) +
               ";\nand.b32 %rank, %rank, 3;\nmov.u32 %n, %tid.x;\nxor.b32 %n, %n, 85;\nmov.u64 %place, " +
               kThreadSlots +
               ";\nmad.wide.u32 %place, %n, 8, %place;\nmapa.shared::cluster.u64 %place, %place, %rank;\n"
               "ld.shared::cluster.b64 got, [%place];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nnot.b64 v, v;");
    writer.store("got", Type::kB64);
  }
  return writer.finish();
}

std::optional<Kernel> fence(const Form& form, const std::vector<std::string>& words, const std::string& name) {
  KernelWriter writer(form, name);
  add_thread_slots(writer);
  if (contains(words, "cluster") || contains(words, "sync_restrict::shared::cta"))
    writer.add_directive(".reqnctapercluster 2");
  writer.load("v", {Type::kB64, "value"});
  writer.declare("got", 64);
  writer.declare("global", 64);
  const uint64_t offset = writer.add_results(Type::kB64, "memory", 1);
  std::string operands;
  if (form.compiled().operands.size() == 2) {
    writer.declare_module_variable(".global .align 128 .b8 " + name + "_map[128];");
    writer.declare("%map", 64);
    writer.add("mov.u64 %map, " + name + "_map;\ncvta.global.u64 %map, %map;");
    operands = "[%map], 128";
  }
  put_value(writer, "v");
  writer.add("mul.lo.u64 got, v, 3;\nst.volatile.global.b64 [%out+" + std::to_string(offset) + "], got;");
  if (!writer.add_instruction(operands)) return {};
  writer.add("bar.sync 0;");
  take_value(writer, "got", "xor.b32 %n, %n, 77;");
  writer.store("got", Type::kB64);
  writer.add(
      "ld.param.u64 global, [out];\nxor.b32 %n, %t, 201;\nmad.wide.u32 global, %n, 8, global;\n"
      "ld.volatile.global.b64 got, [global+" +
      std::to_string(offset) + "];");
  writer.store("got", Type::kB64);
  return writer.finish();
}

}  // namespace

std::optional<Kernel> barrier_kernel(const Form& form, const std::string& name) {
  const auto words = words_of(form);
  switch (form.compiled().form->opcode) {
    case Opcode::kBar:
    case Opcode::kBarrier:
      return contains(words, "warp")      ? warp_barrier(form, name)
             : contains(words, "cluster") ? cluster_barrier(form, words, name)
                                          : block_barrier(form, words, name);
    case Opcode::kFence:
    case Opcode::kMembar:
      return fence(form, words, name);
    default:
      return {};
  }
}

}  // namespace ww::coverage
