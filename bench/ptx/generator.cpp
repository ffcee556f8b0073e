#include "ptx/generator.h"

namespace ww::bench {

namespace {

std::string reg(const char* prefix, size_t number) {
  return prefix + std::to_string(number);
}

// One block of 16 lines; registers are taken in turn from the ranges of the kernel.
void append_block(std::string& out, size_t block) {
  const auto r = [&](size_t k) { return reg("%r", 1 + (block * 5 + k) % 990); };
  const auto f = [&](size_t k) { return reg("%f", 1 + (block * 7 + k) % 990); };
  const auto rd = [&](size_t k) { return reg("%rd", 1 + (block * 3 + k) % 490); };
  const auto p = [&](size_t k) { return reg("%p", 1 + (block + k) % 90); };
  const std::string label = "$L__BB0_" + std::to_string(block);
  out += label + ":\n\t.loc\t1 " + std::to_string(block % 900 + 1) + " 5\n";
  out += "\tmad.lo.s32 \t" + r(1) + ", " + r(2) + ", " + r(3) + ", " + r(4) + ";\n";
  out += "\tmul.wide.s32 \t" + rd(1) + ", " + r(1) + ", 4;\n";
  out += "\tadd.s64 \t" + rd(2) + ", " + rd(3) + ", " + rd(1) + ";\n";
  out += "\tld.global.nc.v4.f32 \t{" + f(1) + ", " + f(2) + ", " + f(3) + ", " + f(4) + "}, [" + rd(2) + "+16];\n";
  out += "\tfma.rn.ftz.f32 \t" + f(5) + ", " + f(1) + ", " + f(2) + ", " + f(3) + ";\n";
  out += "\tfma.rn.ftz.f32 \t" + f(6) + ", " + f(5) + ", 0f3F800000, " + f(4) + ";\n";
  out += "\tshfl.sync.bfly.b32\t" + r(6) + "|" + p(1) + ", " + r(1) + ", 16, 31, -1;\n";
  out += "\tsetp.lt.u32\t" + p(2) + ", " + r(6) + ", " + std::to_string(block % 1000) + ";\n";
  out += "\tselp.b32\t" + r(7) + ", " + r(6) + ", " + r(1) + ", " + p(2) + ";\n";
  out += "\tst.shared.f32 \t[tile+" + std::to_string(block % 256 * 4) + "], " + f(6) + ";\n";
  out += "\tcvt.rn.f32.s32 \t" + f(7) + ", " + r(7) + ";\n";
  out += "\tst.global.f32 \t[" + rd(2) + "], " + f(7) + ";\n";
  out += "\t@" + p(2) + " bra \t" + label + ";\n\n";
}

}  // namespace

std::string generate_module(size_t bytes) {
  std::string out = "//\n.version 8.0\n.target sm_80\n.address_size 64\n\n.file 1 \"generated.cu\"\n\n";
  out.reserve(bytes + (1 << 20));
  constexpr size_t kBlocksInKernel = 2000;
  size_t block = 0;
  for (size_t kernel = 0; out.size() < bytes; ++kernel) {
    out += ".visible .entry kernel_" + std::to_string(kernel) + "(\n\t.param .u64 kernel_" + std::to_string(kernel) +
           "_param_0,\n\t.param .u32 kernel_" + std::to_string(kernel) + "_param_1\n)\n";
    out +=
        ".maxntid 256, 1, 1\n{\n\t.reg .pred \t%p<100>;\n\t.reg .f32 \t%f<1000>;\n\t.reg .b32 \t%r<1000>;\n\t.reg .b64 "
        "\t%rd<500>;\n";
    out += "\t.shared .align 16 .b8 tile[1024];\n";
    for (size_t k = 0; k < kBlocksInKernel && out.size() < bytes; ++k) append_block(out, block++);
    out += "\tret;\n}\n\n";
  }
  return out;
}

}  // namespace ww::bench
