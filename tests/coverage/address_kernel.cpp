// Addresses and caches: cvta, isspacep, mapa, getctarank; prefetch, applypriority, discard, createpolicy.
#include "coverage/form_kernel.h"
#include "coverage/record_space.h"
#include "coverage/thread_slots.h"

namespace ww::coverage {
namespace {

using namespace ptx;

// A 64-bit register with the address, in its own space, of 8 bytes that hold the thread's value (in constant and
// parameter memory those that kParameterBlock has).
void add_place(KernelWriter& writer, Space space, const std::string& address, const std::string& value) {
  writer.declare(address, 64);
  switch (space) {
    case Space::kConst: {
      const std::string variable = writer.name() + "_constants";
      writer.declare_module_variable(".const .align 16 .b64 " + variable + "[2] = {" +
                                     std::to_string(kParameterBlock[0]) + ", " + std::to_string(kParameterBlock[1]) +
                                     "};");
      writer.add("mov.u64 " + address + ", " + variable + ";\nand.b32 %n, %t, 1;\nmad.wide.u32 " + address +
                 ", %n, 8, " + address + ";");
      return;
    }
    case Space::kParam:
      writer.add("mov.b64 " + address + ", block;");
      return;
    case Space::kGlobal: {
      const uint64_t offset = writer.add_results(Type::kB64, "memory", 1);
      writer.add("add.u64 " + address + ", %out, " + std::to_string(offset) + ";\nst.global.b64 [" + address + "], " +
                 value + ";");
      return;
    }
    case Space::kLocal: {
      const std::string variable = address.substr(1) + "_local";
      writer.declare_variable(".local .align 8 .b8 " + variable + "[8];");
      writer.add("mov.u64 " + address + ", " + variable + ";\nst.local.b64 [" + address + "], " + value + ";");
      return;
    }
    default:
      break;
  }
  const std::string variable = address.substr(1) + "_shared";
  writer.declare_variable(".shared .align 8 .b8 " + variable + "[" + std::to_string(kBlock * 8) + "];");
  writer.add("mov.u64 " + address + ", " + variable + ";\nmov.u32 %n, %tid.x;\nmad.wide.u32 " + address + ", %n, 8, " +
             address + ";\nst.shared.b64 [" + address + "], " + value + ";");
}

std::string space_word(Space space) {
  return std::string(ptx::spelling(space));
}

std::optional<Kernel> convert_address(const Form& form, const std::vector<std::string>& words,
                                      const std::string& name) {
  KernelWriter writer(form, name);
  const Space space = space_of(instruction_of(form));
  const bool to_space = contains(words, "to"), narrow = words.back() == "u32";
  writer.load("v", {Type::kB64, "value"});
  add_place(writer, space, "%place", "v");
  writer.declare("%from", narrow ? 32 : 64);
  writer.declare("d", narrow ? 32 : 64);
  writer.declare("got", 64);
  if (to_space) {
    writer.declare("%generic", 64);
    writer.add("cvta" + space_word(space) + ".u64 %generic, %place;");
    writer.add(std::string(narrow ? "cvt.u32.u64" : "mov.u64") + " %from, %generic;");
  } else {
    writer.add(std::string(narrow ? "cvt.u32.u64" : "mov.u64") + " %from, %place;");
  }
  if (!writer.add_instruction("d, %from")) return {};
  if (narrow) {
    writer.declare("%wide", 64);
    writer.add("cvt.u64.u32 %wide, d;");
  }
  writer.add("ld" + (to_space ? space_word(space) : "") + ".b64 got, [" + (narrow ? "%wide" : "d") + "];");
  writer.store("got", Type::kB64);
  return writer.finish();
}

std::optional<Kernel> is_space(const Form& form, const std::string& name) {
  KernelWriter writer(form, name);
  writer.load("v", {Type::kB64, "value"});
  writer.declare("p", 1);
  for (const Space space : {Space::kGlobal, Space::kShared, Space::kLocal, Space::kConst, Space::kParam}) {
    const std::string place = "%place" + std::to_string(unsigned(space));
    add_place(writer, space, place, "v");
    writer.add("cvta" + space_word(space) + ".u64 " + place + ", " + place + ";");
    writer.clear("p", 1);
    if (!writer.add_instruction("p, " + place)) return {};
    writer.store("p", Type::kPred);
  }
  return writer.finish();
}

// mapa and getctarank: in clusters of four, of the own and of other blocks.
std::optional<Kernel> cluster_address(const Form& form, const std::vector<std::string>& words,
                                      const std::string& name) {
  KernelWriter writer(form, name);
  const bool shared = contains(words, "shared::cluster"), narrow = words.back() == "u32", maps = words[0] == "mapa";
  writer.add_directive(".reqnctapercluster 4");
  writer.load("v", {Type::kB64, "value"});
  writer.load("b", {Type::kU32, "b"});
  writer.declare("%rank", 32);
  writer.declare("got", 64);
  writer.declare("%far", 64);
  add_thread_slots(writer);
  writer.declare("a", narrow ? 32 : 64);
  writer.declare("d", maps && !narrow ? 64 : 32);
  put_value(writer, "v");
  writer.add("barrier.cluster.arrive;\nbarrier.cluster.wait;\nand.b32 %rank, b, 3;");
  if (!shared) writer.add("cvta.shared.u64 %slot, %slot;");
  if (maps) {
    writer.add(std::string(narrow ? "cvt.u32.u64" : "mov.u64") + " a, %slot;");
    if (!writer.add_instruction("d, a, %rank")) return {};
    if (narrow && !shared)  // the upper half says which space a generic address is in
      writer.add("cvt.u64.u32 %far, d;\nand.b64 %slot, %slot, 0xffffffff00000000;\nor.b64 %far, %far, %slot;");
    else
      writer.add(std::string(narrow ? "cvt.u64.u32" : "mov.u64") + " %far, d;");
    writer.add("ld" + std::string(shared ? ".shared::cluster" : "") + ".b64 got, [%far];");
    writer.store("got", Type::kB64);
  } else {
    writer.add("mapa" + std::string(shared ? ".shared::cluster" : "") + ".u64 %far, %slot, %rank;");
    for (const char* address : {"%far", "%slot"}) {
      writer.add(std::string(narrow ? "cvt.u32.u64" : "mov.u64") + " a, " + address + ";");
      if (!writer.add_instruction("d, a")) return {};
      writer.store("d", Type::kU32);
    }
  }
  writer.add("barrier.cluster.arrive;\nbarrier.cluster.wait;");
  return writer.finish();
}

// What a cache does with a line changes no value.
std::optional<Kernel> cache_line(const Form& form, const std::vector<std::string>& words, const std::string& name) {
  if (contains(words, "tensormap")) return {};
  KernelWriter writer(form, name);
  const Opcode opcode = form.compiled().form->opcode;
  const Space named = space_of(instruction_of(form));
  const Space space = named == Space::kLocal ? Space::kLocal : Space::kGlobal;
  writer.load("v", {Type::kB64, "value"});
  writer.declare("got", 64);
  std::string address = "%place";
  if (opcode == Opcode::kDiscard || opcode == Opcode::kApplypriority) {
    // A line of 128 bytes for each thread.
    const uint64_t offset = writer.add_results(Type::kB64, "memory", 16);
    writer.declare(address, 64);
    writer.add("ld.param.u64 %place, [out];\nadd.u64 %place, %place, " + std::to_string(offset) +
               ";\nmad.wide.u32 %place, %t, 128, %place;\nst.global.b64 [%place+40], v;");
    if (!writer.add_instruction("[%place], 128")) return {};
    if (opcode == Opcode::kDiscard) {  // its content is undefined until it is written
      for (unsigned i = 0; i < 16; ++i) writer.add("st.global.b64 [%place+" + std::to_string(8 * i) + "], v;");
    }
    writer.add("ld.global.b64 got, [%place+40];");
    writer.store("got", Type::kB64);
    return writer.finish();
  }
  add_place(writer, space, address, "v");
  if (named == Space::kGeneric && (opcode == Opcode::kPrefetch || opcode == Opcode::kPrefetchu))
    writer.add("cvta.global.u64 %place, %place;");
  if (!writer.add_instruction("[%place]")) return {};
  writer.add("ld" + (named == Space::kGeneric ? "" : space_word(space)) + ".b64 got, [%place];");
  writer.store("got", Type::kB64);
  return writer.finish();
}

// A policy is opaque: it goes to an access.
std::optional<Kernel> cache_policy(const Form& form, const std::vector<std::string>& words, const std::string& name) {
  KernelWriter writer(form, name);
  writer.load("v", {Type::kB64, "value"});
  writer.declare("policy", 64);
  writer.declare("got", 64);
  add_place(writer, Space::kGlobal, "%place", "v");
  std::vector<std::string> ways;
  if (contains(words, "fractional"))
    ways = {"policy, 0.5", "policy"};
  else if (contains(words, "range"))
    ways = {"policy, [%place], 0x100000, 0x200000"};
  else
    ways = {"policy, 1"};
  bool any = false;
  for (const std::string& operands : ways) {
    if (!writer.add_instruction(operands)) continue;
    any = true;
    writer.add("ld.global.L2::cache_hint.b64 got, [%place], policy;");
    writer.store("got", Type::kB64);
  }
  return any ? std::optional(writer.finish()) : std::nullopt;
}

}  // namespace

std::optional<Kernel> address_kernel(const Form& form, const std::string& name) {
  const auto words = words_of(form);
  switch (form.compiled().form->opcode) {
    case Opcode::kCvta:
      return convert_address(form, words, name);
    case Opcode::kIsspacep:
      return is_space(form, name);
    case Opcode::kMapa:
    case Opcode::kGetctarank:
      return cluster_address(form, words, name);
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kApplypriority:
    case Opcode::kDiscard:
      return cache_line(form, words, name);
    case Opcode::kCreatepolicy:
      return cache_policy(form, words, name);
    default:
      return {};
  }
}

}  // namespace ww::coverage
