#include "random/runner.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

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
  const unsigned threads = program.threads();
  const auto values = coverage::operand_values(columns, "program " + std::to_string(program.seed), threads);
  std::vector<uint64_t> words(columns.size() * threads);
  for (size_t k = 0; k < columns.size(); ++k) {
    const unsigned bytes = column_bytes(columns[k].type);
    char* place = reinterpret_cast<char*>(words.data() + k * threads);
    for (unsigned t = 0; t < threads; ++t) std::memcpy(place + t * bytes, &values[k * threads + t], bytes);
  }
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

Result<std::unique_ptr<ProgramModule>> ProgramModule::load(Device& device, std::span<const Program> programs,
                                                           const std::string& assembler) {
  std::string text = module_head();
  for (const Program& program : programs) text += text_of(program);
  return load_text(device, text, "programs from " + std::to_string(programs.front().seed), assembler);
}

Result<std::unique_ptr<ProgramModule>> ProgramModule::load_text(Device& device, const std::string& text,
                                                                const std::string& name, const std::string& assembler) {
  std::unique_ptr<ProgramModule> loaded(new ProgramModule());
  if (assembler.empty()) {
    WW_ASSIGN(loaded->module_, device.load_module(text, name));
    return loaded;
  }
  WW_TRY(device.synchronize());  // its context is current from here on
  char file[] = "/tmp/warpwave-programs-XXXXXX";
  const int descriptor = mkstemp(file);
  if (descriptor < 0) return runtime_error("can't make a file in /tmp");
  close(descriptor);
  const Status assembled = coverage::assemble(assembler, text, file);
  auto code = assembled.ok() ? coverage::MachineCode::load(file) : assembled.error();
  std::remove(file);
  if (!code.ok()) return code.error();
  loaded->machine_code_ = std::move(*code);
  return loaded;
}

Result<Output> ProgramModule::run(Device& device, const Program& program) {
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
  if (machine_code_) {
    WW_TRY(machine_code_->launch(program.kernel().name, launch));
  } else {
    WW_ASSIGN(DeviceKernel * kernel, module_->kernel(program.kernel().name));
    WW_TRY(device.launch(*kernel, launch));
  }
  WW_TRY(device.synchronize());
  WW_TRY(device.download(std::as_writable_bytes(std::span(output)), out.address()));
  return output;
}

uint32_t hash_of(const Output& output) {
  const uint64_t hash = coverage::hash_of(output);
  const auto folded = static_cast<uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

}  // namespace ww::programs
