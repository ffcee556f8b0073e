#include "coverage/warp_region.h"

namespace ww::coverage {

using ptx::Type;

namespace {

constexpr unsigned kRoundBytes = 256;  // a word of each lane

std::string number(uint64_t value) {
  return std::to_string(value);
}

unsigned rounds_of(unsigned bytes) {
  return (bytes + kRoundBytes - 1) / kRoundBytes;
}

}  // namespace

void add_warp_region(KernelWriter& writer, bool shared, const std::string& address, unsigned bytes, Type fill,
                     const std::string& name) {
  const std::string space = shared ? ".shared" : ".global", base = address;
  const unsigned rounds = rounds_of(bytes);
  writer.declare(base, 64);
  writer.declare(base + "_lane", 64);
  if (shared) {
    const std::string array = address.substr(1) + "_region";
    writer.declare_variable(".shared .align 128 .b8 " + array + "[" +
                            number(uint64_t{kWarpsOfBlock} * rounds * kRoundBytes) + "];");
    writer.add("mov.u64 " + base + ", " + array + ";\nmov.u32 %n, %tid.x;");
  } else {
    const uint64_t offset = writer.add_results(Type::kB64, name, rounds);
    writer.add("ld.param.u64 " + base + ", [out];\nadd.u64 " + base + ", " + base + ", " + number(offset) +
               ";\nmov.u32 %n, %t;");
  }
  // The warp's part, then the lane's word in it.
  writer.add("shr.u32 %n, %n, 5;\nmad.wide.u32 " + base + ", %n, " + number(uint64_t{rounds} * kRoundBytes) + ", " +
             base + ";\nand.b32 %n, %t, 31;\nmad.wide.u32 " + base + "_lane, %n, " +
             number(fill != Type::kNone && register_bits(fill) == 32 ? 4 : 8) + ", " + base + ";");
  if (fill == Type::kNone) {
    for (unsigned i = 0; i < rounds; ++i)
      writer.add("st" + space + ".b64 [" + base + "_lane+" + number(uint64_t{i} * kRoundBytes) +
                 "], 0xc9c9c9c9c9c9c9c9;");
  } else {
    const unsigned width = register_bits(fill), step = 32 * width / 8;
    for (unsigned i = 0; i * step < rounds * kRoundBytes; ++i) {
      const std::string value = address.substr(1) + "_" + number(i);
      writer.load(value, {fill, name, ColumnUse::kMatrix});
      writer.add("st" + space + ".b" + number(width) + " [" + base + "_lane+" + number(uint64_t{i} * step) + "], " +
                 value + ";");
    }
  }
  writer.add("bar.warp.sync 0xffffffff;");
}

void add_region_results(KernelWriter& writer, bool shared, const std::string& address, unsigned bytes) {
  writer.add("bar.warp.sync 0xffffffff;");
  if (!shared) return;
  writer.declare(address + "_word", 64);
  writer.add("and.b32 %n, %t, 31;\nmad.wide.u32 " + address + "_lane, %n, 8, " + address + ";");
  for (unsigned i = 0; i < rounds_of(bytes); ++i) {
    writer.add("ld.shared.b64 " + address + "_word, [" + address + "_lane+" + number(uint64_t{i} * kRoundBytes) + "];");
    writer.store(address + "_word", Type::kB64);
  }
}

}  // namespace ww::coverage
