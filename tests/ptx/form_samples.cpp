#include "ptx/form_samples.h"

#include <algorithm>

#include "ptx/matcher.h"

namespace ww::ptx {
namespace {

std::string register_of(Type type, unsigned number) {
  const std::string n = std::to_string(number);
  if (type == Type::kPred) return "%p" + n;
  if (type == Type::kF32) return "%f" + n;
  if (type == Type::kF64) return "%fd" + n;
  switch (bits(type)) {
    case 1:
    case 2:
    case 4:
    case 32:
      return "%r" + n;
    case 8:
    case 6:
    case 16:
      return "%h" + n;
    case 128:
      return "%q" + n;
    default:
      return "%rd" + n;
  }
}

class LineBuilder {
 public:
  LineBuilder(const CompiledForm& form, const std::vector<SuffixCode>& suffixes) : form_(form) {
    add_suffixes(instruction_, suffixes);
    instruction_.opcode = form.form->opcode;
    line_ = std::string(spelling(form.form->opcode));
    for (const SuffixCode code : suffixes) line_ += '.' + std::string(suffix_spelling(code));
  }

  std::string build(const OperandSpec* optional) {
    bool first = true;
    for (const OperandSpec& spec : form_.operands) {
      const bool policy = spec.name == "policy";
      if (spec.optional && &spec != optional && !(policy && instruction_.has(Modifier::kL2CacheHint))) continue;
      line_ += first ? " " : ", ";
      first = false;
      line_ += operand(spec);
    }
    return line_ + ";";
  }

 private:
  std::string address(const OperandSpec& spec) const {
    if (instruction_.has(Modifier::kParam) || instruction_.has(Modifier::kParamEntry)) return "[q]";
    if (spec.name == "mbar") return "[%rd30]";
    return "[%rd1]";
  }

  std::string scalar(const OperandSpec& spec) {
    const Type type = operand_type(spec, instruction_);
    if (spec.constant_only) {
      if (spec.name == "size") return instruction_.opcode == Opcode::kCp ? "16" : "128";
      if (spec.name == "imm_a" || spec.name == "imm_b") return "1";
      if (instruction_.opcode == Opcode::kSetmaxnreg) return "64";
      if (spec.name == "align") return "16";
      if (spec.name == "lut") return "0x80";
      return "0";
    }
    if (spec.name == "fraction") return "0f3F800000";
    const std::string text = register_of(type == Type::kNone ? Type::kB64 : type, next_++);
    return spec.pair_required ? text + "|%p" + std::to_string(next_++) : text;
  }

  std::string vector(const OperandSpec& spec, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + scalar(spec);
    return text + "}";
  }

  // The layer of an array is an integer, whatever the coordinates are.
  std::string coordinates(const OperandSpec& spec) {
    const bool array = instruction_.has(Modifier::kA1d) || instruction_.has(Modifier::kA2d) ||
                       instruction_.has(Modifier::kAcube) || instruction_.has(Modifier::kA2dms);
    std::string text = array ? "{" + register_of(Type::kU32, next_++) : "{";
    for (unsigned i = array ? 1 : 0; i < geometry(); ++i) text += (i == 0 ? "" : ", ") + scalar(spec);
    return text + "}";
  }

  unsigned geometry() const {
    if (instruction_.has(Modifier::k1d)) return 1;
    if (instruction_.has(Modifier::k2d) || instruction_.has(Modifier::kA1d)) return 2;
    return 4;
  }

  std::string operand(const OperandSpec& spec) {
    switch (spec.shape) {
      case OperandShape::kAddress:
        return address(spec);
      case OperandShape::kLabel:
        return "L";
      case OperandShape::kTargets:
        return "T";
      case OperandShape::kCall:
        return "f";
      case OperandShape::kBracketList: {
        std::string text = "[";
        for (size_t i = 0; i < spec.elements.size(); ++i) text += (i == 0 ? "" : ", ") + operand(spec.elements[i]);
        return text + "]";
      }
      case OperandShape::kScalar:
        return scalar(spec);
      case OperandShape::kFixedVector:
        return vector(spec, spec.count);
      case OperandShape::kModifierVector: {
        const unsigned count = vector_count(spec, instruction_);
        return count == 0 ? scalar(spec) : vector(spec, count);
      }
      case OperandShape::kPackedVector: {
        // Two halves of the type that is packed.
        const unsigned half = bits(instruction_.type()) / 2;
        const Type part = half == 8 ? Type::kB8 : half == 16 ? Type::kB16 : half == 32 ? Type::kB32 : Type::kB64;
        const std::string a = half == 8 ? "%c" + std::to_string(next_++) : register_of(part, next_++);
        const std::string b = half == 8 ? "%c" + std::to_string(next_++) : register_of(part, next_++);
        return "{" + a + ", " + b + "}";
      }
      case OperandShape::kGeometryVector:
        return coordinates(spec);
      case OperandShape::kAnyVector:
        return any_vector(spec);
    }
    return "?";
  }

  std::string any_vector(const OperandSpec& spec) {
    if (instruction_.opcode == Opcode::kWgmma) {
      const std::string_view shape = suffix_spelling(code_of(shape_modifier()));
      if (!shape.starts_with("m64n")) return vector(spec, 4);  // a crossed sample without a shape
      const unsigned n = static_cast<unsigned>(std::stoul(std::string(shape.substr(4))));
      return vector(spec, operand_type(spec, instruction_) == Type::kB32 ? n / 4 : n / 2);
    }
    if (instruction_.opcode == Opcode::kCp) {
      unsigned dimensions = 1;
      for (const Modifier m : {Modifier::k1d, Modifier::k2d, Modifier::k3d, Modifier::k4d, Modifier::k5d}) {
        if (instruction_.has(m)) break;
        ++dimensions;
      }
      if (instruction_.has(Modifier::kTileGather4) || instruction_.has(Modifier::kTileScatter4)) dimensions = 5;
      return vector(spec, spec.name == "offsets" ? std::max(dimensions, 3u) - 2 : dimensions);
    }
    if (instruction_.has(Modifier::k1d) || instruction_.has(Modifier::kA1d)) return vector(spec, 1);
    if (instruction_.has(Modifier::k2d) || instruction_.has(Modifier::kA2d)) return vector(spec, 2);
    return vector(spec, 4);
  }

  Modifier shape_modifier() const {
    for (unsigned i = 0; i < instruction_.modifier_count; ++i)
      if (spelling(instruction_.modifiers[i]).starts_with("m64n")) return instruction_.modifiers[i];
    return instruction_.modifiers[0];
  }

  const CompiledForm& form_;
  Instruction instruction_;
  std::string line_;
  unsigned next_ = 2;
};

constexpr size_t kMostCrossed = 24;  // the shapes of wgmma are many, and all alike
constexpr unsigned kMostTypes = 6;

bool has_samples(const CompiledForm& form) {
  return !form.any_operands && form.form->opcode != Opcode::kCall;
}

}  // namespace

std::vector<FormSample> form_samples(uint16_t index) {
  const CompiledForm& form = compiled_form(index);
  std::vector<FormSample> samples;
  if (!has_samples(form)) return samples;
  const size_t elements = form.pattern.size();
  const auto add = [&](size_t varied, size_t alternative, const OperandSpec* optional) {
    std::vector<SuffixCode> suffixes;
    for (size_t i = 0; i < elements; ++i) {
      const PatternElement& element = form.pattern[i];
      if (i == varied)
        suffixes.push_back(element.alternatives[alternative]);
      else if (!element.optional)
        suffixes.push_back(element.alternatives[0]);
    }
    std::string line = LineBuilder(form, suffixes).build(optional);
    for (const FormSample& sample : samples)
      if (sample.line == line) return;
    samples.push_back({index, std::move(line)});
  };
  add(elements, 0, nullptr);
  for (size_t i = 0; i < elements; ++i)
    for (size_t k = 0; k < form.pattern[i].alternatives.size(); ++k) add(i, k, nullptr);
  for (const OperandSpec& spec : form.operands)
    if (spec.optional && spec.name != "policy") add(elements, 0, &spec);
  return samples;
}

std::string form_sample(uint16_t form, const std::vector<SuffixCode>& suffixes) {
  return LineBuilder(compiled_form(form), suffixes).build(nullptr);
}

std::vector<FormSample> crossed_samples(uint16_t index) {
  const CompiledForm& form = compiled_form(index);
  std::vector<FormSample> samples;
  if (!has_samples(form)) return samples;
  // Every choice of an element: its alternatives, and nothing if it may be left out.
  std::vector<std::vector<SuffixCode>> choices;
  for (const PatternElement& element : form.pattern) {
    choices.push_back(element.alternatives);
    if (element.optional) choices.back().insert(choices.back().begin(), kNoSuffix);
    if (choices.back().size() > kMostCrossed) choices.back().resize(kMostCrossed);
  }
  const auto build = [&](const std::vector<SuffixCode>& chosen) {
    std::vector<SuffixCode> suffixes;
    for (const SuffixCode code : chosen)
      if (code != kNoSuffix) suffixes.push_back(code);
    unsigned types = 0;
    for (const SuffixCode code : suffixes) types += is_type(code);
    if (types <= kMostTypes) samples.push_back({index, LineBuilder(form, suffixes).build(nullptr)});
  };
  std::vector<SuffixCode> chosen;
  for (const auto& choice : choices) chosen.push_back(choice.front());
  const std::vector<SuffixCode> base = chosen;
  for (size_t i = 0; i < choices.size(); ++i)
    for (size_t k = i + 1; k < choices.size(); ++k) {
      for (const SuffixCode a : choices[i])
        for (const SuffixCode b : choices[k]) {
          chosen = base;
          chosen[i] = a;
          chosen[k] = b;
          build(chosen);
        }
    }
  // What stands in the opcode's other forms, in place of each suffix of this one and behind the last.
  std::vector<SuffixCode> others;
  for (const uint16_t other : forms_of(form.form->opcode))
    for (const PatternElement& element : compiled_form(other).pattern) {
      if (element.alternatives.size() > kMostCrossed) continue;
      for (const SuffixCode code : element.alternatives)
        if (std::find(others.begin(), others.end(), code) == others.end()) others.push_back(code);
    }
  for (size_t i = 0; i <= base.size(); ++i)
    for (const SuffixCode other : others) {
      chosen = base;
      if (i == base.size())
        chosen.push_back(other);
      else if (base[i] != kNoSuffix)
        chosen[i] = other;
      build(chosen);
    }
  return samples;
}

std::vector<FormSample> all_form_samples() {
  std::vector<FormSample> all;
  for (size_t i = 0; i < instruction_table().size(); ++i)
    for (FormSample& sample : form_samples(static_cast<uint16_t>(i))) all.push_back(std::move(sample));
  return all;
}

std::string sample_prologue(const std::string& version, const std::string& target) {
  return ".version " + version + "\n.target " + target +
         "\n.address_size 64\n.global .align 16 .b8 g[256];\n.const .align 16 .b8 c[64];\n.visible .entry "
         "samples(.param .u64 q)\n{\n"
         ".reg .pred %p<300>;\n.reg .b8 %c<300>;\n.reg .b16 %h<300>;\n.reg .b32 %r<300>;\n.reg .f32 %f<300>;\n.reg "
         ".b64 %rd<300>;\n"
         ".reg .f64 %fd<300>;\n.reg .u16 %uh<9>;\n.reg .u32 %u<9>;\n.reg .s32 %s<9>;\n.reg .u64 %ul<9>;\n"
         ".shared .align 16 .b8 s[1024];\n" +
         (version >= "8.3" && target >= "sm_70" ? ".reg .b128 %q<300>;\n" : "") +
         (version >= "6.0" ? "T: .branchtargets L;\n" : "") + "L:\n";
}

std::string sample_epilogue() {
  return "ret;\n}\n";
}

}  // namespace ww::ptx
