#include "coverage/input_sweep.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "coverage/kernel_writer.h"
#include "device/device_buffer.h"

namespace ww::coverage {
namespace {

using namespace ptx;

constexpr uint32_t kLaunchThreads = 1u << 12;  // so that a launch makes few additions to the hash

// 1.3, a subnormal, a number near the largest, infinity, zero, a negative number with many bits
constexpr uint32_t kDividends[] = {0x3fa66666, 0x80012345, 0x7f4ccccd, 0x7f800000, 0x00000000, 0xc1b504f3};

std::string hexadecimal(uint32_t word) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", word);
  return text;
}

// The lines that turn a 64-bit register into `mixed` of it.
std::string mix_lines(const std::string& name) {
  const auto fold = [&](unsigned shift) {
    return "shr.u64 %m, " + name + ", " + std::to_string(shift) + ";\nxor.b64 " + name + ", " + name + ", %m;\n";
  };
  const auto multiply = [&](const char* factor) { return "mul.lo.u64 " + name + ", " + name + ", " + factor + ";\n"; };
  return fold(30) + multiply("0xbf58476d1ce4e5b9") + fold(27) + multiply("0x94d049bb133111eb") + fold(31);
}

Sweep sweep_of(const Form& form, std::optional<uint32_t> dividend) {
  const unsigned width = register_bits(instruction_of(form).type());
  Sweep sweep;
  sweep.form = form;
  sweep.name = form.name + (dividend ? " " + hexadecimal(*dividend) : "");
  sweep.inputs = width == 16 ? uint64_t{1} << 16 : uint64_t{1} << 32;
  sweep.result_bits = width;
  sweep.dividend = dividend.value_or(0);
  std::string operand, join;  // %i to the operand a; %r, the result, with the input to the word that is summed
  if (width == 16) operand = "cvt.u16.u32 a, %i;\n";
  if (width == 32) operand = "mov.b32 a, %i;\n";
  if (width == 64) {
    operand = "cvt.u64.u32 a, %i;\n" + mix_lines("a") + "cvt.u32.u64 %n, a;\nmov.b64 a, {%n, %i};\n";
    join = "mov.b64 %s, a;\n" + mix_lines("%s") + "add.u64 %s, %s, %r;\n";
  } else {
    join = "cvt.u64.u32 %s, %i;\nshl.b64 %s, %s, 32;\nor.b64 %s, %s, %r;\n";
  }
  const std::string bits = std::to_string(width);
  sweep.text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry sweep(.param .u64 hash, .param .u64 results, "
      ".param .u32 first, .param .u32 step, .param .u32 each)\n{\n"
      ".reg .b32 %t, %n, %i, %step, %left;\n.reg .b64 %results, %hash, %sum, %s, %r, %m;\n.reg .pred %keep, %more;\n"
      ".reg .b" +
      bits +
      " a, b, d;\n"
      "mov.u32 %t, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmul.lo.u32 %t, %t, %n;\nmov.u32 %n, %tid.x;\nadd.u32 %t, %t, %n;\n"
      "ld.param.u32 %left, [each];\nmul.lo.u32 %t, %t, %left;\nld.param.u32 %step, [step];\nld.param.u32 %i, [first];\n"
      "mad.lo.u32 %i, %t, %step, %i;\nld.param.u64 %results, [results];\nsetp.ne.u64 %keep, %results, 0;\n"
      "mad.wide.u32 %results, %t, 8, %results;\nmov.u64 %sum, 0;\n" +
      (dividend ? "mov.b32 b, 0x" + hexadecimal(*dividend) + ";\n" : std::string()) + "again:\n" + operand +
      spelling(form) + (dividend ? " d, b, a;\n" : " d, a;\n") +
      (width == 64 ? "mov.b64 %r, d;\n" : "cvt.u64.u" + bits + " %r, d;\n") + "@%keep st.global.u64 [%results], %r;\n" +
      join + mix_lines("%s") +
      "add.u64 %sum, %sum, %s;\nadd.u64 %results, %results, 8;\nadd.u32 %i, %i, %step;\nsub.u32 %left, %left, 1;\n"
      "setp.ne.u32 %more, %left, 0;\n@%more bra again;\n"
      "ld.param.u64 %hash, [hash];\nred.global.add.u64 [%hash], %sum;\nret;\n}\n";
  return sweep;
}

}  // namespace

bool Sweep::is_pair() const {
  const Type type = instruction_of(form).type();
  return type == Type::kF16x2 || type == Type::kBF16x2;
}

uint64_t mixed(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

std::vector<Sweep> approximate_sweeps() {
  std::vector<Sweep> sweeps;
  for (const Form& form : written_forms()) {
    if (!is_approximate(form)) continue;
    if (form.compiled().form->opcode != Opcode::kDiv)
      sweeps.push_back(sweep_of(form, {}));
    else
      for (const uint32_t dividend : kDividends) sweeps.push_back(sweep_of(form, dividend));
  }
  return sweeps;
}

Result<SweepRun> SweepRun::create(Device& device, const Sweep& sweep) {
  SweepRun run;
  run.device_ = &device;
  run.sweep_ = &sweep;
  WW_ASSIGN(run.module_, device.load_module(sweep.text, sweep.name));
  return run;
}

Status SweepRun::launch(uint64_t hash, uint64_t results, uint32_t first, uint32_t step, uint32_t count) {
  WW_ASSIGN(DeviceKernel * kernel, module_->kernel("sweep"));
  struct {
    uint64_t hash, results;
    uint32_t first, step, each, padding = 0;
  } const parameters{hash, results, first, step, count / kLaunchThreads};
  Launch launch;
  launch.grid = {kLaunchThreads / kBlock};
  launch.block = {kBlock};
  launch.parameters = std::as_bytes(std::span(&parameters, 1)).first(kernel->info().parameter_bytes);
  WW_TRY(device_->launch(*kernel, launch));
  return device_->synchronize();
}

Result<uint64_t> SweepRun::hash(uint32_t chunk) {
  WW_ASSIGN(const DeviceBuffer sum, DeviceBuffer::create(*device_, 8));
  WW_TRY(device_->fill(sum.address(), 0, 8));
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(kChunkInputs, sweep_->inputs));
  WW_TRY(launch(sum.address(), 0, chunk * kChunkInputs, 1, count));
  uint64_t hash = 0;
  WW_TRY(device_->download(std::as_writable_bytes(std::span(&hash, 1)), sum.address()));
  return hash;
}

Result<std::vector<uint64_t>> SweepRun::results(uint32_t first, uint32_t step, uint32_t count) {
  WW_ASSIGN(const DeviceBuffer sum, DeviceBuffer::create(*device_, 8));
  WW_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(*device_, uint64_t{count} * 8));
  WW_TRY(launch(sum.address(), out.address(), first, step, count));
  std::vector<uint64_t> results(count);
  WW_TRY(device_->download(std::as_writable_bytes(std::span(results)), out.address()));
  return results;
}

}  // namespace ww::coverage
