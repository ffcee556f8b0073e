#include "litmus/litmus.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "device/device_buffer.h"
#include "support/kernel_parameters.h"

namespace ww::litmus {

namespace {

// An instance's memory: x, y and z on cache lines of their own. Its results: four words.
constexpr uint32_t kInstanceBytes = 256, kResultBytes = 16;
constexpr uint32_t kMostRounds = 8192;

constexpr Place kPlaces[] = {
    // name         grid   lanes shared
    {"blocks", true, 1, false}, {"wide-blocks", true, 32, false},  {"warps", false, 32, false},
    {"lanes", false, 1, false}, {"shared-warps", false, 32, true}, {"shared-lanes", false, 1, true},
};

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

// "ld.acquire.SCOPE r0, y" as PTX.
std::string instruction(const std::string& text, const std::string& scope, const std::string& space_of_locations) {
  const size_t space = text.find(' ');
  std::string opcode = text.substr(0, space), operands = space == std::string::npos ? "" : text.substr(space + 1);
  if (const size_t at = opcode.find("SCOPE"); at != std::string::npos) opcode.replace(at, 5, scope);
  if (opcode.starts_with("fence") || opcode.starts_with("membar")) return "  " + opcode + ";\n";
  // The space stands in front of an atomic's operation, the type at the end.
  const bool is_atomic = opcode.starts_with("atom") || opcode.starts_with("red");
  const size_t operation = is_atomic ? opcode.rfind('.') : opcode.size();
  const bool bits = opcode.ends_with(".exch") || opcode.ends_with(".cas") || opcode.ends_with(".or");
  opcode.insert(operation, space_of_locations);
  opcode += bits ? ".b32" : ".u32";
  std::string list;
  std::stringstream stream(operands);
  for (std::string operand; std::getline(stream, operand, ',');) {
    operand = trimmed(operand);
    if (operand == "x" || operand == "y" || operand == "z")
      operand = "[%d_" + operand + "]";
    else if (operand[0] == 'r')
      operand = "%result" + operand.substr(1);
    list += (list.empty() ? "" : ", ") + operand;
  }
  return "  " + opcode + " " + list + ";\n";
}

// A thread's instructions, and stores of the registers it has written.
std::string thread_text(const std::string& thread, const std::string& scope, const std::string& space) {
  std::string text;
  std::stringstream stream(thread);
  for (std::string one; std::getline(stream, one, ';');) text += instruction(trimmed(one), scope, space);
  for (char number = '0'; number < '4'; ++number)
    if (thread.find(std::string("r") + number + ",") != std::string::npos)
      text += std::string("  st.global.u32 [%d_results+") + std::to_string(4 * (number - '0')) + "], %result" + number +
              ";\n";
  return text;
}

}  // namespace

std::span<const Place> all_places() {
  return kPlaces;
}

std::string ptx_text(const Test& test, const Place& place, const std::string& scope) {
  const std::string lanes = std::to_string(place.lanes), threads = std::to_string(test.threads.size());
  const std::string instance_bytes = std::to_string(kInstanceBytes);
  std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 memory, .param .u64 results, .param .u64 arrivals, .param .u32 rounds, .param "
      ".u32 "
      "seed) {\n"
      ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b32 %result<4>; .reg .b32 %role, %column, %round, %rounds, %chance;\n"
      ".reg .b64 %d<8>; .reg .b64 %memory, %arrivals, %d_x, %d_y, %d_z, %d_results, %d_final;\n" +
      (place.is_shared ? ".shared .align 8 .b8 locations[" + std::to_string(kInstanceBytes * place.lanes) + "];\n"
                       : std::string()) +
      "  ld.param.u64 %memory, [memory]; ld.param.u64 %d0, [results]; ld.param.u64 %arrivals, [arrivals];\n"
      "  ld.param.u32 %rounds, [rounds]; ld.param.u32 %chance, [seed];\n"
      "  cvta.to.global.u64 %memory, %memory; cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %arrivals, %arrivals;\n";
  if (place.is_grid)
    text += "  mov.u32 %role, %ctaid.x; mov.u32 %column, %tid.x;\n";
  else
    text += "  mov.u32 %column, %tid.x; shr.u32 %role, %column, " + std::to_string(std::countr_zero(place.lanes)) +
            "; and.b32 %column, %column, " + std::to_string(place.lanes - 1) + ";\n";
  text +=
      "  mad.lo.u32 %chance, %role, 77777, %chance;\n  mov.u32 %round, 0; mov.u32 %r9, 0;\nagain:\n"
      "  mad.lo.u32 %r0, %round, " +
      lanes + ", %column;\n  mad.wide.u32 %d_final, %r0, " + instance_bytes + ", %memory;\n";
  if (place.is_shared)
    text += "  mov.u64 %d_x, locations; mad.wide.u32 %d_x, %column, " + instance_bytes + ", %d_x;\n";
  else
    text += "  mov.b64 %d_x, %d_final;\n";
  text += "  add.u64 %d_y, %d_x, 64; add.u64 %d_z, %d_x, 128;\n  mad.wide.u32 %d_results, %r0, " +
          std::to_string(kResultBytes) + ", %d0;\n";
  if (place.is_shared)
    text +=
        "  setp.eq.u32 %p5, %role, 0;\n  @%p5 st.shared.u32 [%d_x], 0;\n  @%p5 st.shared.u32 [%d_y], 0;\n"
        "  @%p5 st.shared.u32 [%d_z], 0;\n";
  // All threads come together.
  if (place.is_grid) {
    text += "  setp.eq.u32 %p0, %column, 0;\n  add.u32 %r9, %r9, " + threads + ";\n";
    text += place.lanes > 1 ? "  bar.sync 0;\n" : "";
    text +=
        "  @%p0 red.relaxed.gpu.global.add.u32 [%arrivals], 1;\n"
        "meet:\n  ld.relaxed.gpu.global.u32 %r1, [%arrivals];\n  setp.lt.u32 %p1, %r1, %r9;\n  @%p1 bra meet;\n";
  } else {
    text += "  bar.sync 0;\n";
  }
  // A moment, 0 to 255 steps of a generator: who comes last sees it first, and would always be ahead.
  text +=
      "  mad.lo.u32 %chance, %chance, 1664525, 1013904223;\n  shr.u32 %r2, %chance, 24;\n"
      "pause:\n  setp.eq.u32 %p2, %r2, 0;\n  @%p2 bra go;\n"
      "  mad.lo.u32 %chance, %chance, 1664525, 1013904223;\n  sub.u32 %r2, %r2, 1;\n  bra pause;\ngo:\n";
  for (size_t i = 0; i + 1 < test.threads.size(); ++i)
    text += "  setp.eq.u32 %p3, %role, " + std::to_string(i) + ";\n  @%p3 bra thread" + std::to_string(i) + ";\n";
  for (size_t i = test.threads.size(); i-- > 0;) {
    text += "thread" + std::to_string(i) + ":\n" +
            thread_text(test.threads[i], scope, place.is_shared ? ".shared" : ".global");
    if (i != 0) text += "  bra next;\n";
  }
  text += "next:\n";
  if (place.is_shared) {
    text += "  bar.sync 0;\n";
    for (const auto& [location, offset] : {std::pair{"x", "0"}, {"y", "64"}, {"z", "128"}})
      text += std::string("  @%p5 ld.shared.u32 %r3, [%d_") + location + "];\n  @%p5 st.global.u32 [%d_final+" +
              offset + "], %r3;\n";
  }
  // The generator's last value is stored, so that nobody takes it for useless.
  text +=
      "  add.u32 %round, %round, 1;\n  setp.lt.u32 %p4, %round, %rounds;\n  @%p4 bra again;\n"
      "  st.global.u32 [%arrivals+64], %chance;\n  ret;\n}\n";
  return text;
}

Result<Histogram> run(Device& device, const Test& test, const Place& place, const std::string& scope, uint64_t count,
                      uint64_t seed) {
  WW_ASSIGN(auto module, device.load_module(ptx_text(test, place, scope), test.name + ".ptx"));
  WW_ASSIGN(DeviceKernel * kernel, module->kernel("k"));
  const uint32_t lanes = place.lanes, threads = uint32_t(test.threads.size());
  const auto rounds = uint32_t(std::clamp<uint64_t>(count / lanes, 1, kMostRounds / lanes));
  const uint64_t launched = uint64_t{rounds} * lanes;
  WW_ASSIGN(const DeviceBuffer memory, DeviceBuffer::create(device, launched * kInstanceBytes));
  WW_ASSIGN(const DeviceBuffer results, DeviceBuffer::create(device, launched * kResultBytes));
  WW_ASSIGN(const DeviceBuffer arrivals, DeviceBuffer::create(device, 128));
  std::vector<uint32_t> words(launched * kInstanceBytes / 4), registers(launched * 4);
  Histogram histogram;
  for (uint64_t done = 0; done < count; done += launched, ++seed) {
    WW_TRY(device.fill(memory.address(), 0, launched * kInstanceBytes));
    WW_TRY(device.fill(results.address(), 0, launched * kResultBytes));
    WW_TRY(device.fill(arrivals.address(), 0, 128));
    const auto parameters = testing::kernel_parameters(memory.address(), results.address(), arrivals.address(), rounds,
                                                       uint32_t(seed * 2654435761u));
    Launch launch;
    launch.grid = {place.is_grid ? threads : 1};
    launch.block = {place.is_grid ? lanes : threads * lanes};
    launch.parameters = parameters;
    WW_TRY(device.launch(*kernel, launch));
    WW_TRY(device.synchronize());
    WW_TRY(device.download(std::as_writable_bytes(std::span(words)), memory.address()));
    WW_TRY(device.download(std::as_writable_bytes(std::span(registers)), results.address()));
    for (uint64_t i = 0; i < launched; ++i) {
      Outcome outcome;
      std::copy_n(&registers[i * 4], 4, outcome.r);
      outcome.x = words[i * kInstanceBytes / 4];
      outcome.y = words[i * kInstanceBytes / 4 + 16];
      outcome.z = words[i * kInstanceBytes / 4 + 32];
      ++histogram[outcome];
    }
  }
  return histogram;
}

std::string describe(const Outcome& outcome) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += "r" + std::to_string(i) + "=" + std::to_string(outcome.r[i]) + " ";
  return text + "x=" + std::to_string(outcome.x) + " y=" + std::to_string(outcome.y) +
         " z=" + std::to_string(outcome.z);
}

}  // namespace ww::litmus
