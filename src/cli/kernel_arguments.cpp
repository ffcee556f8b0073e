// Reading --arg and checking it against a signature. kernel_binding.cpp puts it on a device.
#include "cli/kernel_arguments.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "base/float_formats.h"
#include "ptx/types.h"

namespace ww::cli {
namespace {

constexpr char kFix[] = "See `warpwave run --help` for the kinds of arguments";

Error bad_argument(const std::string& text, std::string message, std::string expected) {
  Error error = usage_error(std::move(message), kFix);
  error.found = "--arg " + text;
  error.expected = std::move(expected);
  return error;
}

template <class T>
std::vector<std::byte> bytes_of(T value, size_t size = sizeof(T)) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &value, size);
  return bytes;
}

// All of `text` as a number, or nothing.
template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const char* last = text.data() + text.size();
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), last, value, base);
  if (text.empty() || problem != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  if (text.empty() || problem != std::errc() || end != last) return std::nullopt;
  return value;
}

// The value of `type:number`, decimal or the bits after 0x.
Result<std::vector<std::byte>> scalar_value(const std::string& whole, ptx::Type type, std::string_view text) {
  const unsigned width = ptx::bits(type);
  const size_t size = width / 8;
  const std::string name(ptx::spelling(type));
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const auto value = number<uint64_t>(text.substr(2), 16);
    if (!value || (width < 64 && *value >> width != 0)) {
      return bad_argument(whole, "not the bits of a value",
                          "at most " + std::to_string(width / 4) + " hexadecimal digits");
    }
    return bytes_of(*value, size);
  }
  if (ptx::is_float(type)) {
    const auto value = real_number(text);
    if (!value) return bad_argument(whole, "not a number", "a decimal number, or 0x and the bits");
    if (type == ptx::Type::kF64) return bytes_of(*value);
    if (type == ptx::Type::kF32) return bytes_of(static_cast<float>(*value));
    return bytes_of(convert_format(kFormatF16, kFormatF64, std::bit_cast<uint64_t>(*value)), size);
  }
  if (ptx::is_signed(type)) {
    const auto value = number<int64_t>(text);
    const int64_t high = width == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (width - 1)) - 1;
    if (!value || *value > high || *value < -high - 1)
      return bad_argument(whole, "not a value of this type",
                          name + ": " + std::to_string(-high - 1) + " to " + std::to_string(high));
    return bytes_of(*value, size);
  }
  const auto value = number<uint64_t>(text);
  const uint64_t high = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (!value || *value > high)
    return bad_argument(whole, "not a value of this type", name + ": 0 to " + std::to_string(high));
  return bytes_of(*value, size);
}

std::optional<ptx::Type> scalar_type(std::string_view name) {
  for (const char* known :
       {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "f16", "f32", "f64"})
    if (name == known) return ptx::find_type(name);
  return std::nullopt;
}

// "filter=linear", "address=wrap", "normalized=1" into the sampler.
Status read_sampler_option(KernelArgument& argument, std::string_view option) {
  const struct {
    const char* text;
    void (*apply)(SamplerDescription&);
  } known[] = {
      {"filter=point", [](SamplerDescription& s) { s.filter = Filter::kPoint; }},
      {"filter=linear", [](SamplerDescription& s) { s.filter = Filter::kLinear; }},
      {"address=clamp",
       [](SamplerDescription& s) { s.address[0] = s.address[1] = s.address[2] = AddressMode::kClamp; }},
      {"address=wrap", [](SamplerDescription& s) { s.address[0] = s.address[1] = s.address[2] = AddressMode::kWrap; }},
      {"address=mirror",
       [](SamplerDescription& s) { s.address[0] = s.address[1] = s.address[2] = AddressMode::kMirror; }},
      {"address=border",
       [](SamplerDescription& s) { s.address[0] = s.address[1] = s.address[2] = AddressMode::kBorder; }},
      {"normalized=0", [](SamplerDescription& s) { s.normalized = false; }},
      {"normalized=1", [](SamplerDescription& s) { s.normalized = true; }},
  };
  for (const auto& row : known) {
    if (option != row.text) continue;
    row.apply(argument.sampler);
    return {};
  }
  return bad_argument(argument.text, "unknown option of a texture: `" + std::string(option) + "`",
                      "filter=point|linear, address=clamp|wrap|mirror|border, normalized=0|1");
}

// Splits at the last colon: file names may hold colons, sizes don't.
bool split(std::string_view text, std::string& first, std::string& second) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  first = text.substr(0, colon);
  second = text.substr(colon + 1);
  return !first.empty() && !second.empty();
}

Result<KernelArgument> parse_out(KernelArgument argument, std::string_view rest) {
  const size_t colon = rest.find(':');
  const auto bytes = number<uint64_t>(rest.substr(0, colon == std::string_view::npos ? 0 : colon));
  if (!bytes || *bytes == 0 || rest.size() == colon + 1) {
    return bad_argument(argument.text, "incomplete argument", "out:BYTES:FILE, BYTES at least 1");
  }
  argument.kind = KernelArgument::Kind::kBuffer;
  argument.bytes = *bytes;
  argument.output = rest.substr(colon + 1);
  return argument;
}

Result<KernelArgument> parse_texture(KernelArgument argument, std::string_view rest) {
  argument.kind = KernelArgument::Kind::kTexture;
  const size_t comma = rest.find(',');
  argument.input = rest.substr(0, comma);
  if (argument.input.empty()) return bad_argument(argument.text, "incomplete argument", "tex:FILE.exr");
  while (rest.find(',') != std::string_view::npos) {
    rest.remove_prefix(rest.find(',') + 1);
    WW_TRY(read_sampler_option(argument, rest.substr(0, rest.find(','))));
  }
  return argument;
}

std::string described(const ptx::Variable& parameter) {
  std::string text = "." + std::string(ptx::spelling(parameter.type));
  if (parameter.is_array) text += "[" + std::to_string(parameter.size * 8 / ptx::bits(parameter.type)) + "]";
  return text;
}

// Why the argument can't be that parameter; empty if it can.
std::string misfit(const KernelArgument& argument, const ptx::Variable& parameter) {
  switch (argument.kind) {
    case KernelArgument::Kind::kBytes:
      return {};  // sizes are compared when the file is read
    case KernelArgument::Kind::kScalar: {
      if (argument.value.size() != parameter.size) return "the sizes differ";
      if (parameter.is_array || ptx::is_untyped(parameter.type) || ptx::is_untyped(argument.type)) return {};
      return ptx::is_float(argument.type) == ptx::is_float(parameter.type) ? "" : "one is a float, the other is not";
    }
    default:
      if (parameter.size != 8 || parameter.is_array) return "a buffer or an image takes a parameter of 64 bits";
      return ptx::is_float(parameter.type) ? "an address is no float" : "";
  }
}

}  // namespace

Result<KernelArgument> parse_kernel_argument(const std::string& text) {
  KernelArgument argument;
  argument.text = text;
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return bad_argument(text, "incomplete argument", "KIND:VALUE, like u32:5 or in:FILE");
  const std::string kind = text.substr(0, colon);
  const std::string_view rest = std::string_view(text).substr(colon + 1);
  if (const auto type = scalar_type(kind)) {
    argument.type = *type;
    WW_ASSIGN(argument.value, scalar_value(text, *type, rest));
    return argument;
  }
  if (kind == "out") return parse_out(std::move(argument), rest);
  if (kind == "tex") return parse_texture(std::move(argument), rest);
  if (kind == "in" || kind == "bytes") {
    argument.kind = kind == "in" ? KernelArgument::Kind::kBuffer : KernelArgument::Kind::kBytes;
    argument.input = rest;
    if (rest.empty()) return bad_argument(text, "incomplete argument", kind + ":FILE");
    return argument;
  }
  if (kind == "inout" || kind == "surf") {
    argument.kind = kind == "inout" ? KernelArgument::Kind::kBuffer : KernelArgument::Kind::kSurface;
    if (!split(rest, argument.input, argument.output)) {
      return bad_argument(text, "incomplete argument", kind == "inout" ? "inout:FILE:FILE" : "surf:IN.exr:OUT.exr");
    }
    return argument;
  }
  return bad_argument(text, "unknown kind of argument `" + kind + "`",
                      "u8 to u64, s8 to s64, b8 to b64, f16, f32, f64, in, out, inout, bytes, tex or surf");
}

Status check_signature(const std::vector<KernelArgument>& arguments, const ptx::Module& module,
                       const ptx::Function& entry) {
  const auto& parameters = entry.parameters;
  std::string signature;
  for (const ptx::VariableId id : parameters)
    signature += (signature.empty() ? "" : ", ") + described(module.variables[id]);
  if (arguments.size() != parameters.size()) {
    Error error = usage_error("the number of arguments does not fit the entry", "Give one --arg a parameter, in order");
    error.kernel = entry.name;
    error.found = std::to_string(arguments.size()) + (arguments.size() == 1 ? " argument" : " arguments");
    error.expected = std::to_string(parameters.size()) + (parameters.empty() ? "" : ": " + signature);
    return error;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ptx::Variable& parameter = module.variables[parameters[i]];
    const std::string reason = misfit(arguments[i], parameter);
    if (reason.empty()) continue;
    Error error = usage_error("argument " + std::to_string(i + 1) + " does not fit: " + reason,
                              "The parameters are " + signature);
    error.kernel = entry.name;
    error.found = "--arg " + arguments[i].text;
    error.expected = "a value for " + described(parameter) + " " + std::string(parameter.name);
    return error;
  }
  return {};
}

}  // namespace ww::cli
