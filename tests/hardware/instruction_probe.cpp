// Compares two devices instruction by instruction: each line of instructions.def runs as a kernel of its own over
// special and random operands, and the bits of the results are compared.
//
// usage: instruction-probe FIRST SECOND [--only TEXT] [--dump FOLDER]; for example: instruction-probe sim nvidia
// Exit status 1 if an instruction that has to be exact differs. tests/hardware/instruction_probe.sh runs it on a GPU
// machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/float_formats.h"
#include "device/registry.h"

namespace {

using namespace ww;

constexpr uint32_t kCount = 1u << 15;  // operand tuples an instruction

struct Line {
  std::string text;
  std::vector<std::string> kinds;  // destination, sources
  bool approximate;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

constexpr struct {
  const char *text, *kinds;
  bool approximate;
} kLines[] = {
#define WW_INSTRUCTION(text, kinds) {text, kinds, false},
#define WW_APPROXIMATE(text, kinds) {text, kinds, true},
#include "hardware/instructions.def"
#undef WW_INSTRUCTION
#undef WW_APPROXIMATE
};

std::vector<Line> lines() {
  std::vector<Line> result;
  for (const auto& line : kLines) result.push_back({line.text, words(line.kinds), line.approximate});
  return result;
}

unsigned bytes_of(const std::string& kind) {
  if (kind == "f64" || kind == "u64" || kind == "s64" || kind == "b64") return 8;
  if (kind == "f16" || kind == "bf16" || kind == "u16" || kind == "s16") return 2;
  return 4;
}

// One kernel: loads sources, runs the instruction, stores the destination.
std::string kernel_of(const Line& line, size_t index) {
  const auto bits = [](const std::string& kind) { return std::to_string(8 * bytes_of(kind)); };
  std::string text = ".visible .entry k" + std::to_string(index) + "(";
  for (size_t i = 0; i < line.kinds.size(); ++i) text += (i ? ", " : "") + (".param .u64 p" + std::to_string(i));
  text += ") {\n.reg .b32 t, u, n, pick; .reg .b64 q; .reg .pred cc;\n";
  const char names[] = {'d', 'a', 'b', 'c'};
  for (size_t i = 0; i < line.kinds.size(); ++i)
    text +=
        ".reg ." + (line.kinds[i] == "p" ? std::string("pred") : "b" + bits(line.kinds[i])) + " " + names[i] + ";\n";
  text += "mov.u32 t, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 u, %tid.x; mad.lo.u32 t, t, n, u;\n";
  const auto place = [&](size_t i, unsigned bytes) {
    return "ld.param.u64 q, [p" + std::to_string(i) + "]; mad.wide.u32 q, t, " + std::to_string(bytes) + ", q;\n";
  };
  for (size_t i = 1; i < line.kinds.size(); ++i)
    text += place(i, bytes_of(line.kinds[i])) + "ld.global.b" + bits(line.kinds[i]) + " " + names[i] + ", [q];\n";
  text += line.text;
  if (line.text.find(' ') == std::string::npos)
    for (size_t i = 0; i < line.kinds.size(); ++i) text += (i ? ", " : " ") + std::string(1, names[i]);
  text += ";\n" + place(0, bytes_of(line.kinds[0]));
  if (line.kinds[0] == "p")
    text += "selp.b32 pick, 1, 0, d;\nst.global.b32 [q], pick;\n";
  else
    text += "st.global.b" + bits(line.kinds[0]) + " [q], d;\n";
  return text + "ret;\n}\n";
}

// --- operands

const FloatFormat* format_of(const std::string& kind) {
  if (kind == "f32") return &kFormatF32;
  if (kind == "f64") return &kFormatF64;
  if (kind.starts_with("f16")) return &kFormatF16;
  if (kind.starts_with("bf16")) return &kFormatBf16;
  return nullptr;
}

uint64_t random_float(const FloatFormat& f, std::mt19937_64& random) {
  const uint64_t sign = random() & 1 ? f.sign_bit() : 0, mantissa = random() & f.mantissa_mask();
  const uint64_t one = uint64_t(f.bias()) << f.mantissa_bits, step = uint64_t{1} << f.mantissa_bits;
  switch (random() % 10) {
    case 0: {  // special values and their neighbours
      const uint64_t values[] = {0,
                                 1,
                                 f.mantissa_mask(),
                                 step,
                                 step + 1,
                                 one - 1,
                                 one,
                                 one + 1,
                                 f.infinity() - 1,
                                 f.infinity(),
                                 f.infinity() + 1,
                                 f.nan(),
                                 one + step / 2,
                                 step / 2};
      return sign | values[random() % std::size(values)];
    }
    case 1:
      return random() & (f.sign_bit() | (f.sign_bit() - 1));  // any bits
    case 2:
      return sign | mantissa;  // subnormal
    case 3:
      return sign | (one + (random() % 40) * step / 2);  // small multiples of halves
    case 4:
      return sign |
             std::min(f.largest(), (uint64_t(f.bias()) + random() % 16 + f.mantissa_bits / 2) << f.mantissa_bits |
                                       (mantissa & ~(f.mantissa_mask() >> 3)));
    default:
      return sign | std::min<uint64_t>(f.largest(), std::max<int64_t>(0, f.bias() + int64_t(random() % 24) - 12)
                                                            << f.mantissa_bits |
                                                        mantissa);  // near 1
  }
}

uint64_t random_operand(const std::string& kind, std::mt19937_64& random) {
  if (const FloatFormat* f = format_of(kind)) {
    if (kind.ends_with("x2")) return random_float(*f, random) | random_float(*f, random) << 16;
    return random_float(*f, random);
  }
  if (kind == "n") return random() % 4 ? random() % 40 : random() % 300;
  const unsigned bits = 8 * bytes_of(kind);
  const uint64_t x = random();
  switch (random() % 6) {
    case 0:
      return x % 8;
    case 1:
      return uint64_t{0} - x % 8;
    case 2:
      return (uint64_t{1} << (bits - 1)) + x % 3 - 1;
    case 3:
      return x >> (x % bits);
    default:
      return x;
  }
}

// --- running

struct Runner {
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceModule> module;  // of one instruction
};

Result<std::vector<std::byte>> run(Runner& runner, const Line& line, size_t index,
                                   const std::vector<std::vector<std::byte>>& operands) {
  Device& device = *runner.device;
  WW_ASSIGN(runner.module,
            device.load_module(".version 8.7\n.target sm_90\n.address_size 64\n" + kernel_of(line, index), line.text));
  WW_ASSIGN(DeviceKernel * kernel, runner.module->kernel("k" + std::to_string(index)));
  std::vector<uint64_t> parameters;
  WW_ASSIGN(const DeviceAddress out, device.allocate(uint64_t{kCount} * 8));
  WW_TRY(device.fill(out, 0xc9, uint64_t{kCount} * 8));
  parameters.push_back(out);
  for (const auto& operand : operands) {
    WW_ASSIGN(const DeviceAddress in, device.allocate(operand.size()));
    WW_TRY(device.upload(in, operand));
    parameters.push_back(in);
  }
  Launch launch;
  launch.grid = {kCount / 256};
  launch.block = {256};
  launch.parameters = std::as_bytes(std::span(parameters));
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  std::vector<std::byte> result(size_t{kCount} * bytes_of(line.kinds[0]));
  WW_TRY(device.download(result, out));
  for (const uint64_t address : parameters) WW_TRY(device.free(address));
  return result;
}

uint64_t element(const std::vector<std::byte>& values, uint32_t i, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, values.data() + size_t{i} * bytes, bytes);
  return value;
}

double as_number(const FloatFormat& f, uint64_t bits) {
  const uint64_t wide = convert_format(kFormatF64, f, bits);
  return __builtin_bit_cast(double, wide);
}

// Distance in units of the last place of the larger magnitude; huge where only one is finite.
double ulps(const FloatFormat& f, uint64_t a, uint64_t b) {
  const double x = as_number(f, a), y = as_number(f, b);
  if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y))
    return std::isnan(x) == std::isnan(y) && x == y ? 0 : 1e30;
  const double larger = std::max(std::fabs(x), std::fabs(y));
  if (larger == 0) return 0;
  int exponent;
  std::frexp(larger, &exponent);
  return std::fabs(x - y) / std::ldexp(1.0, std::max(exponent - 1, 1 - f.bias()) - f.mantissa_bits);
}

}  // namespace

int main(int argc, char** argv) {
  std::string names[2], only, dump;
  int given = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    else if (std::strcmp(argv[i], "--dump") == 0 && i + 1 < argc)
      dump = argv[++i];
    else if (given < 2)
      names[given++] = argv[i];
    else
      given = 3;
  }
  if (given != 2) {
    std::fprintf(stderr, "usage: instruction-probe FIRST SECOND [--only TEXT] [--dump FOLDER]\n");
    return 2;
  }
  Runner runners[2];
  for (int i = 0; i < 2; ++i) {
    auto device = open_device(names[i], {});
    if (!device.ok()) {
      std::fprintf(stderr, "%s\n", device.error().to_string().c_str());
      return exit_status(device.error().kind);
    }
    runners[i].device = std::move(*device);
    std::printf("%s: %s\n", names[i].c_str(), runners[i].device->description().c_str());
  }
  unsigned equal = 0, different = 0, approximate = 0, failed = 0;
  size_t index = 0;
  for (const Line& line : lines()) {
    ++index;
    if (line.text.find(only) == std::string::npos) continue;
    std::mt19937_64 random(index);
    std::vector<std::vector<std::byte>> operands;
    for (size_t i = 1; i < line.kinds.size(); ++i) operands.emplace_back(size_t{kCount} * bytes_of(line.kinds[i]));
    for (uint32_t t = 0; t < kCount; ++t) {
      uint64_t previous = 0;
      for (size_t i = 1; i < line.kinds.size(); ++i) {
        const unsigned bytes = bytes_of(line.kinds[i]);
        uint64_t value = random_operand(line.kinds[i], random);
        // Operands close to each other find ties and cancellation.
        if (i > 1 && line.kinds[i] == line.kinds[i - 1] && random() % 4 == 0) value = previous + random() % 3;
        if (i > 1 && line.kinds[i] == line.kinds[i - 1] && random() % 8 == 0)
          value = previous ^ (uint64_t{1} << (8 * bytes - 1));
        std::memcpy(operands[i - 1].data() + size_t{t} * bytes, &value, bytes);
        previous = value;
      }
    }
    Result<std::vector<std::byte>> results[2] = {run(runners[0], line, index, operands),
                                                 run(runners[1], line, index, operands)};
    bool broken = false;
    for (int i = 0; i < 2; ++i)
      if (!results[i].ok()) {
        std::printf("FAILED  %-32s on %s: %s\n", line.text.c_str(), names[i].c_str(),
                    results[i].error().to_string().c_str());
        broken = true;
      }
    if (broken) {
      ++failed;
      continue;
    }
    const unsigned bytes = bytes_of(line.kinds[0]);
    const FloatFormat* format = format_of(line.kinds[0]);
    const bool pair = line.kinds[0].ends_with("x2");
    uint32_t differ = 0, shown = 0, nan_bits = 0;
    double worst = 0;
    std::string examples;
    for (uint32_t t = 0; t < kCount; ++t) {
      const uint64_t x = element(*results[0], t, bytes), y = element(*results[1], t, bytes);
      if (x == y) continue;
      ++differ;
      double distance = 0;
      if (format) {
        const uint64_t low = pair ? 0xffff : ~uint64_t{0};
        distance = std::max(ulps(*format, x & low, y & low), pair ? ulps(*format, x >> 16, y >> 16) : 0.0);
        if (!pair && std::isnan(as_number(*format, x)) && std::isnan(as_number(*format, y))) {
          ++nan_bits;
          distance = 0;
        }
      }
      worst = std::max(worst, distance);
      // Approximations: show what is far off; others: the first few.
      if (shown < 4 && (!line.approximate || distance > 4)) {
        ++shown;
        char text[200];
        std::string inputs;
        for (size_t i = 1; i < line.kinds.size(); ++i) {
          std::snprintf(text, sizeof text, " %0*llx", int(2 * bytes_of(line.kinds[i])),
                        static_cast<unsigned long long>(element(operands[i - 1], t, bytes_of(line.kinds[i]))));
          inputs += text;
        }
        std::snprintf(text, sizeof text, " -> %0*llx | %0*llx\n", int(2 * bytes), static_cast<unsigned long long>(x),
                      int(2 * bytes), static_cast<unsigned long long>(y));
        examples += "         " + inputs + text;
      }
    }
    if (differ == 0) {
      ++equal;
      std::printf("equal   %s\n", line.text.c_str());
    } else {
      ++(line.approximate ? approximate : different);
      std::printf("%s %-32s %u of %u differ, %u in NaN bits, largest %.4g ulp\n%s",
                  line.approximate ? "approx " : "DIFFER ", line.text.c_str(), differ, kCount, nan_bits, worst,
                  examples.c_str());
    }
  }
  std::printf("%u equal, %u approximate, %u differ, %u failed\n", equal, approximate, different, failed);
  return different + failed != 0;
}
