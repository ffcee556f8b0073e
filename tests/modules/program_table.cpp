#include "modules/program_table.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "golden/fnv.h"
#include "golden/golden_file.h"
#include "golden/random.h"
#include "golden/run_case.h"

namespace ww::modules {
namespace {

using namespace golden;

// A program under construction.
struct Program {
  std::string name;
  CaseBuilder builder{"", ""};
  std::map<std::string, size_t> resources;
};

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

// "u32:5" at the end of `bytes`; false if it is no number with a type.
bool append_number(std::vector<std::byte>& bytes, const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string type = text.substr(0, colon);
  const char* begin = text.c_str() + colon + 1;
  char* end = nullptr;
  if (type == "f32" || type == "f64") {
    const double value = std::strtod(begin, &end);
    if (type == "f32")
      append(bytes, static_cast<float>(value));
    else
      append(bytes, value);
  } else {
    const long long value = std::strtoll(begin, &end, 0);
    if (type == "u8")
      append(bytes, static_cast<uint8_t>(value));
    else if (type == "s16")
      append(bytes, static_cast<int16_t>(value));
    else if (type == "u32" || type == "s32")
      append(bytes, static_cast<uint32_t>(value));
    else if (type == "u64")
      append(bytes, static_cast<uint64_t>(value));
    else
      return false;
  }
  return end != begin && *end == 0;
}

bool read_argument(const Program& program, const std::string& text, Argument& argument) {
  if (text.starts_with("(") && text.ends_with(")")) {
    std::istringstream parts(text.substr(1, text.size() - 2));
    for (std::string part; std::getline(parts, part, ',');)
      if (!append_number(argument.value, part)) return false;
    return !argument.value.empty();
  }
  if (append_number(argument.value, text)) return true;
  argument.value.clear();
  const size_t colon = text.find(':'), plus = text.find('+');
  std::string name = text.substr(0, plus);
  if (colon != std::string::npos) {
    const std::string kind = text.substr(0, colon);
    if (kind != "texture" && kind != "surface") return false;
    argument.kind = kind == "texture" ? Argument::Kind::kTexture : Argument::Kind::kSurface;
    argument.sampler.filter = Filter::kLinear;
    name = text.substr(colon + 1);
  } else {
    argument.kind = Argument::Kind::kAddress;
    if (plus != std::string::npos) argument.offset = std::strtoull(text.c_str() + plus + 1, nullptr, 0);
  }
  const auto found = program.resources.find(name);
  if (found == program.resources.end()) return false;
  argument.resource = found->second;
  return true;
}

bool read_extent(std::istringstream& line, Dim3& extent) {
  std::string text;
  if (!(line >> text)) return false;
  return std::sscanf(text.c_str(), "%u,%u,%u", &extent.x, &extent.y, &extent.z) >= 1;
}

bool read_launch(Program& program, std::istringstream& line) {
  std::string entry, word;
  Dim3 grid, block;
  uint32_t shared = 0;
  if (!(line >> entry)) return false;
  while (line >> word && word != ":") {
    const bool good = word == "grid"     ? read_extent(line, grid)
                      : word == "block"  ? read_extent(line, block)
                      : word == "shared" ? static_cast<bool>(line >> shared)
                                         : false;
    if (!good) return false;
  }
  std::vector<Argument> arguments;
  while (line >> word) {
    arguments.emplace_back();
    if (!read_argument(program, word, arguments.back())) return false;
  }
  program.builder.launch(entry, grid, block, arguments, shared);
  return true;
}

bool read_image(Program& program, std::istringstream& line) {
  std::string name, format;
  ImageDescription description;
  Dim3 size;
  uint64_t seed = 0;
  if (!(line >> name >> format >> description.channels) || !read_extent(line, size) || !(line >> seed)) return false;
  if (format != "f32" && format != "u32") return false;
  description.format = format == "f32" ? ChannelFormat::kF32 : ChannelFormat::kU32;
  description.width = size.x;
  description.height = size.y;
  const size_t values = size_t{size.x} * size.y * description.channels;
  program.resources[name] = format == "f32" ? program.builder.image(description, random_floats(values, seed), true)
                                            : program.builder.image(description, random_words(values, seed), true);
  return true;
}

bool read_line(Program& program, const std::string& text) {
  std::istringstream line(text);
  std::string word, name;
  line >> word;
  if (word == "launch") return read_launch(program, line);
  if (word == "image") return read_image(program, line);
  size_t words = 0;
  uint64_t seed = 0;
  if (!(line >> name >> words)) return false;
  size_t& index = program.resources[name];
  if (word == "random" && line >> seed)
    index = program.builder.input(random_words(words, seed));
  else if (word == "zeros")
    index = program.builder.scratch(words * 4);
  else if (word == "result")
    index = program.builder.in_out(std::vector<uint32_t>(words));
  else if (word == "output")
    index = program.builder.output(words, 4);
  else
    return false;
  return true;
}

}  // namespace

Result<std::map<std::string, GoldenCase>> read_programs(const std::string& path) {
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(path));
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::map<std::string, GoldenCase> programs;
  Program program;
  const auto finish = [&] {
    if (!program.name.empty()) programs[program.name] = program.builder.build();
  };
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("program ")) {
      finish();
      program = Program();
      program.name = line.substr(8);
      program.builder = CaseBuilder(program.name, program.name);
    } else if (!read_line(program, line)) {
      return runtime_error(path + ":" + std::to_string(number) + ": not as program_table.h says: " + line);
    }
  }
  finish();
  return programs;
}

std::vector<std::string> module_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string program_of(const std::string& module) {
  return module.substr(0, module.find('-'));
}

Result<std::string> run_module(Device& device, const std::string& folder, const std::string& module,
                               const std::map<std::string, GoldenCase>& programs) {
  const auto program = programs.find(program_of(module));
  if (program == programs.end()) return runtime_error("programs.txt has no program of " + module);
  WW_ASSIGN(const std::vector<uint8_t> bytes, read_file(folder + "/" + module + ".ptx"));
  GoldenCase golden = program->second;
  golden.module = module;
  WW_ASSIGN(const Outputs outputs, run_case(device, golden, std::string(bytes.begin(), bytes.end())));
  std::string hashes;
  for (const std::vector<std::byte>& output : outputs) {
    if (!hashes.empty()) hashes += ' ';
    hashes += hash_of(std::string_view(reinterpret_cast<const char*>(output.data()), output.size()));
  }
  return hashes;
}

}  // namespace ww::modules
