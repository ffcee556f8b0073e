// Asynchronous copies, reductions and stores. Each thread has 32 bytes at either end and an mbarrier of its own; what
// goes to .shared::cluster goes to the same thread of the other block of a pair.
#include "coverage/form_kernel.h"
#include "coverage/mbarrier_text.h"

namespace ww::coverage {
namespace {

using namespace ptx;

constexpr unsigned kBytes = 32;
constexpr unsigned kColumns = kBytes / 8;

std::string number(uint64_t value) {
  return std::to_string(value);
}

class Copies {
 public:
  Copies(const Form& form, const std::string& name)
      : words_(words_of(form)), instruction_(instruction_of(form)), writer_(form, name) {}

  std::optional<Kernel> build() {
    if (has("tensor")) return {};  // their maps are made by the driver
    if (!run() || !writer_.has_lines()) return {};
    return writer_.finish();
  }

 private:
  bool has(std::string_view word) const { return contains(words_, word); }

  bool run() {
    if (words_[0] != "cp") return store_to_cluster();
    if (has("bulk")) return bulk();
    return of_one_thread();
  }

  // A 64-bit register with the address of the thread's 32 bytes of shared memory.
  void add_shared(const std::string& address) {
    const std::string array = address.substr(1) + "_bytes";
    writer_.declare_variable(".shared .align 128 .b8 " + array + "[" + number(kBlock * kBytes) + "];");
    writer_.declare(address, 64);
    writer_.add("mov.u64 " + address + ", " + array + ";\nmov.u32 %n, %tid.x;\nmad.wide.u32 " + address + ", %n, " +
                number(kBytes) + ", " + address + ";");
  }
  // One of global memory, among the operands or the results.
  void add_global_source(const std::string& address) {
    writer_.declare(address, 64);
    const uint64_t offset = writer_.operand_bytes();
    writer_.add_operands(Type::kB64, "source", kColumns);
    writer_.add("ld.param.u64 " + address + ", [in];\nadd.u64 " + address + ", " + address + ", " + number(offset) +
                ";\nmad.wide.u32 " + address + ", %t, " + number(kBytes) + ", " + address + ";");
  }
  void add_global_result(const std::string& address) {
    writer_.declare(address, 64);
    const uint64_t offset = writer_.add_results(Type::kB64, "memory", kColumns);
    writer_.add("ld.param.u64 " + address + ", [out];\nadd.u64 " + address + ", " + address + ", " + number(offset) +
                ";\nmad.wide.u32 " + address + ", %t, " + number(kBytes) + ", " + address + ";");
  }
  // Fills the 32 bytes: values of `type` from operands, or (kNone) 0xc9.
  void fill(const std::string& space, const std::string& address, Type type, const std::string& name) {
    const Type packed = type == Type::kF16 ? Type::kF16x2 : type == Type::kBF16 ? Type::kBF16x2 : type;
    const unsigned width = type == Type::kNone ? 64 : register_bits(packed);
    for (unsigned i = 0; i < kBytes * 8 / width; ++i) {
      const std::string value = name + number(i);
      if (type != Type::kNone) writer_.load(value, {packed, name});
      writer_.add("st" + space + ".b" + number(width) + " [" + address + "+" + number(uint64_t{i} * width / 8) + "], " +
                  (type == Type::kNone ? "0xc9c9c9c9c9c9c9c9" : value) + ";");
    }
  }
  void store_shared(const std::string& address) {
    if (!word_declared_) writer_.declare("%word", 64);
    word_declared_ = true;
    for (unsigned i = 0; i < kColumns; ++i) {
      writer_.add("ld.shared.b64 %word, [" + address + "+" + number(8 * i) + "];");
      writer_.store("%word", Type::kB64);
    }
  }

  bool of_one_thread() {
    add_shared("%to");
    fill(".shared", "%to", Type::kNone, "");
    add_global_source("%from");
    if (has("mbarrier")) {
      add_mbarriers(writer_);
      writer_.add("mbarrier.init.shared.b64 [%mbarrier], 1;\ncp.async.ca.shared.global [%to+16], [%from], 16;");
      writer_.declare("%generic", 64);
      const bool generic = space_of(instruction_) == Space::kGeneric;
      if (generic) writer_.add("cvta.shared.u64 %generic, %mbarrier;");
      if (!writer_.add_instruction(generic ? "[%generic]" : "[%mbarrier]")) return false;
      if (!has("noinc")) writer_.add("mbarrier.arrive.shared.b64 _, [%mbarrier];");
      add_mbarrier_wait(writer_, "copy");
      store_shared("%to");
      return true;
    }
    if (has("commit_group") || has("wait_group") || has("wait_all")) {
      const auto group = [&](const char* what, const std::string& operands) {
        if (has(what)) return writer_.add_instruction(operands);
        writer_.add("cp.async." + std::string(what) + (operands.empty() ? ";" : " " + operands + ";"));
        return true;
      };
      writer_.add("cp.async.ca.shared.global [%to], [%from+16], 16;");
      if (!group("commit_group", "")) return false;
      writer_.add("cp.async.ca.shared.global [%to+16], [%from], 8;");
      if (!group("commit_group", "")) return false;
      if (has("wait_group") && !writer_.add_instruction("1")) return false;
      if (has("wait_all")) {
        if (!writer_.add_instruction("")) return false;
      } else if (!group("wait_group", "0")) {
        return false;
      }
      store_shared("%to");
      return true;
    }
    writer_.load("v", {Type::kU32, "size"});
    writer_.declare("size", 32);
    writer_.declare("ignored", 1);
    bool any = false;
    for (const unsigned bytes : {4u, 8u, 16u}) {
      const auto copy = [&](const std::string& more) {
        if (!writer_.is_legal("[%to], [%from], " + number(bytes) + more)) return;
        fill(".shared", "%to", Type::kNone, "");
        writer_.add_instruction("[%to], [%from], " + number(bytes) + more);
        writer_.add_instruction("[%to+16], [%from+16], " + number(bytes) + more);
        writer_.add("cp.async.wait_all;");
        store_shared("%to");
        any = true;
      };
      copy("");
      writer_.add("rem.u32 size, v, " + number(bytes + 1) + ";\nsetp.gt.u32 ignored, size, 3;");
      copy(", size");
      copy(", ignored");
    }
    return any;
  }

  void add_pair() {
    writer_.add_directive(".reqnctapercluster 2");
    writer_.declare("%other", 32);
    writer_.add("mov.u32 %other, %cluster_ctarank;\nxor.b32 %other, %other, 1;");
  }
  void map(const std::string& far, const std::string& own) {
    writer_.declare(far, 64);
    writer_.add("mapa.shared::cluster.u64 " + far + ", " + own + ", %other;");
  }
  void cluster_together() {
    writer_.add(
        "fence.mbarrier_init.release.cluster;\nfence.proxy.async;\nbarrier.cluster.arrive;\n"
        "barrier.cluster.wait;");
  }

  bool bulk() {
    if (has("prefetch")) {
      add_global_source("%from");
      writer_.declare("%word", 64);
      if (!writer_.add_instruction("[%from], 32")) return false;
      writer_.add("ld.global.b64 %word, [%from+8];");
      writer_.store("%word", Type::kB64);
      return true;
    }
    if (has("commit_group") || has("wait_group") || has("bulk_group")) return bulk_to_global();
    return bulk_to_shared();
  }

  // To global memory, in groups.
  bool bulk_to_global() {
    const bool reduces = has("reduce");
    const Type type = reduces ? instruction_.type() : Type::kB64;
    add_shared("%from");
    fill(".shared", "%from", type, "b");
    add_global_result("%to");
    fill(".global", "%to", reduces ? type : Type::kNone, "memory");
    // The values were written by the thread itself; the copy is another proxy's.
    writer_.add("fence.proxy.async;");
    const auto group = [&](const char* what, const std::string& operands) {
      if (has(what)) return writer_.add_instruction(operands);
      writer_.add("cp.async.bulk." + std::string(what) + (operands.empty() ? ";" : " " + operands + ";"));
      return true;
    };
    if (has("bulk_group")) {
      writer_.load("v", {Type::kU32, "size"});
      writer_.declare("size", 32);
      writer_.add("and.b32 size, v, 16;\nadd.u32 size, size, 16;");  // 16 or 32
      if (!writer_.add_instruction("[%to], [%from], size")) return false;
    } else {
      writer_.add("cp.async.bulk.global.shared::cta.bulk_group [%to], [%from], 16;");
      if (!group("commit_group", "")) return false;
      writer_.add("cp.async.bulk.global.shared::cta.bulk_group [%to+16], [%from], 16;");
    }
    if (!group("commit_group", "")) return false;
    if (has("wait_group")) {
      if (!writer_.add_instruction("1") || !writer_.add_instruction("0")) return false;
      if (has("read")) {  // the source may be written again
        fill(".shared", "%from", Type::kNone, "");
        writer_.add("cp.async.bulk.wait_group 0;");
      }
    } else {
      writer_.add("cp.async.bulk.wait_group 0;");
    }
    return true;
  }

  bool bulk_to_shared() {
    const bool reduces = has("reduce"), from_global = has("global"), remote = has("shared::cluster");
    const bool multicast = has("multicast::cluster");
    const Type type = reduces ? instruction_.type() : Type::kNone;
    add_pair();
    add_mbarriers(writer_);
    add_shared("%to");
    fill(".shared", "%to", type, "memory");
    if (from_global) {
      add_global_source("%from");
    } else {
      add_shared("%from");
      fill(".shared", "%from", reduces ? type : Type::kB64, "b");
    }
    writer_.declare("size", 32);
    // The other block's thread has the same size.
    writer_.add(
        "mov.u32 %n, %tid.x;\nand.b32 %n, %n, 1;\nmad.lo.u32 size, %n, 16, 16;\n"
        "mbarrier.init.shared.b64 [%mbarrier], 1;");
    map("%far_to", "%to");
    map("%far_barrier", "%mbarrier");
    cluster_together();
    writer_.add("mbarrier.arrive.expect_tx.shared.b64 _, [%mbarrier], size;");
    const bool other = remote && !multicast;
    const std::string place = std::string("[") + (other ? "%far_to" : "%to") + "], [%from], size, [" +
                              (other ? "%far_barrier" : "%mbarrier") + "]";
    if (multicast) {
      // The first block of the pair copies for both.
      writer_.declare("%first", 1);
      writer_.add("setp.ne.u32 %first, %other, 1;\n@%first bra $copied;");
      if (!writer_.add_instruction(place + ", 3")) return false;
      writer_.add("$copied:");
    } else if (!writer_.add_instruction(place)) {
      return false;
    }
    add_mbarrier_wait(writer_, "copy");
    store_shared("%to");
    writer_.add("barrier.cluster.arrive;\nbarrier.cluster.wait;");
    return true;
  }

  // st.async and red.async
  bool store_to_cluster() {
    const Type type = instruction_.type();
    const unsigned elements = vector_elements(instruction_);
    add_pair();
    add_mbarriers(writer_);
    add_shared("%to");
    fill(".shared", "%to", words_[0] == "red" ? type : Type::kNone, "memory");
    std::vector<std::string> names;
    for (unsigned i = 0; i < elements; ++i) {
      names.push_back("b" + number(i));
      writer_.load(names.back(), {type, "b"});
    }
    writer_.add("mbarrier.init.shared.b64 [%mbarrier], 1;");
    map("%far_to", "%to");
    map("%far_barrier", "%mbarrier");
    if (space_of(instruction_) == Space::kGeneric)
      writer_.add("cvta.shared::cluster.u64 %far_to, %far_to;\ncvta.shared::cluster.u64 %far_barrier, %far_barrier;");
    cluster_together();
    writer_.add("mbarrier.arrive.expect_tx.shared.b64 _, [%mbarrier], " + number(uint64_t{elements} * bits(type) / 8) +
                ";");
    if (!writer_.add_instruction("[%far_to], " + operand_list(names) + ", [%far_barrier]")) return false;
    add_mbarrier_wait(writer_, "store");
    store_shared("%to");
    writer_.add("barrier.cluster.arrive;\nbarrier.cluster.wait;");
    return true;
  }

  const std::vector<std::string> words_;
  const Instruction instruction_;
  KernelWriter writer_;
  bool word_declared_ = false;
};

}  // namespace

std::optional<Kernel> async_copy_kernel(const Form& form, const std::string& name) {
  const Opcode opcode = form.compiled().form->opcode;
  const Instruction instruction = instruction_of(form);
  const bool store = (opcode == Opcode::kSt || opcode == Opcode::kRed) && instruction.has(Modifier::kAsync);
  if (opcode != Opcode::kCp && !store) return {};
  return Copies(form, name).build();
}

}  // namespace ww::coverage
