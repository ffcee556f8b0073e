#include "random/runner.h"

#include "coverage/form_runner.h"
#include "coverage/operand_values.h"
#include "device/device_buffer.h"
#include "golden/random.h"
#include "random/generator.h"

namespace ww::programs {
namespace {

std::vector<uint64_t> input_of(const Program& program) {
  std::vector<coverage::Column> columns;
  for (unsigned i = 0; column_type(i) != ptx::Type::kNone; ++i) columns.push_back({column_type(i), "r"});
  auto words = coverage::operand_values(columns, "program " + std::to_string(program.seed), program.threads());
  golden::Random random(program.seed);
  while (words.size() < size_t{kColumns} * program.threads()) words.push_back(random.next());
  return words;
}

Output first_output(const Program& program) {
  golden::Random random(program.seed + 1);
  Output words(size_t{kColumns} * program.threads(), ~uint64_t{0});
  for (unsigned i = 0; i < program.threads() * kSlotBytes / 8 + kCells; ++i) words.push_back(random.next());
  return words;
}

}  // namespace

Result<Output> run_program(Device& device, DeviceModule& module, const Program& program) {
  WW_ASSIGN(DeviceKernel * kernel, module.kernel(program.kernel().name));
  const auto input = input_of(program);
  Output output = first_output(program);
  WW_ASSIGN(const DeviceBuffer in, DeviceBuffer::create_from(device, std::span<const uint64_t>(input)));
  WW_ASSIGN(const DeviceBuffer out, DeviceBuffer::create_from(device, std::span<const uint64_t>(output)));
  std::vector<uint64_t> parameters = {in.address(), out.address()};
  golden::Random random(program.seed + 2);
  for (int i = 0; i < 8; ++i) parameters.push_back(random.next());
  Launch launch;
  launch.grid = {kBlocks};
  launch.block = {program.block};
  launch.parameters = std::as_bytes(std::span(parameters));
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  WW_TRY(device.download(std::as_writable_bytes(std::span(output)), out.address()));
  return output;
}

uint32_t hash_of(const Output& output) {
  const uint64_t hash = coverage::hash_of(output);
  const auto folded = static_cast<uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

Status run_programs(Device& device, std::span<const Program> programs, unsigned batch,
                    const std::function<void(const Outcome&)>& take) {
  const auto run = [&](DeviceModule& module, const Program& program) {
    const auto output = run_program(device, module, program);
    take({program.seed, output.ok() ? hash_of(*output) : 0, output.ok() ? "" : output.error().to_string()});
  };
  for (size_t first = 0; first < programs.size(); first += batch) {
    const auto part = programs.subspan(first, std::min<size_t>(batch, programs.size() - first));
    std::string text = module_head();
    for (const Program& program : part) text += text_of(program);
    auto together = device.load_module(text, "programs");
    for (const Program& program : part) {
      if (together.ok()) {
        run(**together, program);
        continue;
      }
      auto alone = device.load_module(module_head() + text_of(program), std::to_string(program.seed));
      if (alone.ok())
        run(**alone, program);
      else
        take({program.seed, 0, alone.error().to_string()});
    }
  }
  return {};
}

}  // namespace ww::programs
