// Ranges of constants, modifiers that exclude or need each other, and what versions and chips have.
#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "ptx/verifier_state.h"

namespace ww::ptx {

namespace {

constexpr ModifierRequirement kRequirements[] = {
    {Modifier::kCluster, true, {}, 78, 90},
    {Modifier::kSharedCta, true, {}, 78, 30},
    {Modifier::kSharedCluster, true, {}, 78, 90},
    {Modifier::kParamEntry, true, {}, 83, 50},
    {Modifier::kParamFunc, true, {}, 83, 50},
    {Modifier::kL1EvictNormal, true, {}, 74, 70},
    {Modifier::kL1EvictUnchanged, true, {}, 74, 70},
    {Modifier::kL1EvictFirst, true, {}, 74, 70},
    {Modifier::kL1EvictLast, true, {}, 74, 70},
    {Modifier::kL1NoAllocate, true, {}, 74, 70},
    {Modifier::kL2CacheHint, true, {}, 74, 80},
    {Modifier::kL264B, true, {}, 74, 75},
    {Modifier::kL2128B, true, {}, 74, 75},
    {Modifier::kL2256B, true, {}, 74, 80},
    {Modifier::kAcquire, false, Opcode::kAtom, 60, 70},
    {Modifier::kRelease, false, Opcode::kAtom, 60, 70},
    {Modifier::kAcqRel, false, Opcode::kAtom, 60, 70},
    {Modifier::kRelaxed, false, Opcode::kAtom, 60, 70},
    {Modifier::kRelaxed, false, Opcode::kRed, 60, 70},
    {Modifier::kRelease, false, Opcode::kRed, 60, 70},
    {Modifier::kCta, false, Opcode::kAtom, 50, 60},
    {Modifier::kGpu, false, Opcode::kAtom, 50, 60},
    {Modifier::kSys, false, Opcode::kAtom, 50, 60},
    {Modifier::kCta, false, Opcode::kRed, 50, 60},
    {Modifier::kM8n32k16, false, Opcode::kWmma, 61, 70},
    {Modifier::kM32n8k16, false, Opcode::kWmma, 61, 70},
    {Modifier::kA2d, false, Opcode::kTld4, 43, 30},
    {Modifier::kCube, false, Opcode::kTld4, 43, 30},
    {Modifier::kAcube, false, Opcode::kTld4, 43, 30},
    {Modifier::kCta, false, Opcode::kBar, 78, 10},
    {Modifier::kCta, false, Opcode::kBarrier, 78, 30},
    {Modifier::kWeak, false, Opcode::kLd, 60, 70},
    {Modifier::kWeak, false, Opcode::kSt, 60, 70},
    {Modifier::kParam, false, Opcode::kCvta, 77, 70},
    {Modifier::kParam, false, Opcode::kIsspacep, 77, 70},
    {Modifier::kGpu, false, Opcode::kRed, 50, 60},
    {Modifier::kSys, false, Opcode::kRed, 50, 60},
};

// A constant operand that has to lie in a range; `name` is the operand's in the table.
struct ConstantRange {
  Opcode opcode;
  std::string_view name;
  int64_t least, most;
};

constexpr ConstantRange kRanges[] = {
    {Opcode::kBar, "a", 0, 15},
    {Opcode::kBarrier, "a", 0, 15},
    {Opcode::kLop3, "lut", 0, 255},
    {Opcode::kBfe, "b", 0, 255},
    {Opcode::kBfe, "c", 0, 255},
    {Opcode::kBfi, "c", 0, 255},
    {Opcode::kBfi, "e", 0, 255},
    {Opcode::kPmevent, "a", 0, 15},
    {Opcode::kSetmaxnreg, "n", 24, 256},
    {Opcode::kWgmma, "n", 0, 7},
    {Opcode::kWgmma, "trans_a", 0, 1},
    {Opcode::kWgmma, "trans_b", 0, 1},
    {Opcode::kWgmma, "select", 0, 3},
    {Opcode::kCp, "n", 0, std::numeric_limits<int32_t>::max()},
    {Opcode::kNanosleep, "t", 0, 1'000'000'000},
};

// Conversions whose modifiers came after their types. `older` reports what it is given.
bool conversion_is_available(const Instruction& instruction, unsigned version, unsigned sm, const auto& older) {
  const Type to = instruction.type(0), from = instruction.type(1);
  const auto fp8 = [](Type type) { return type == Type::kE4M3x2 || type == Type::kE5M2x2; };
  const bool half = to == Type::kF16 || to == Type::kBF16 || to == Type::kF16x2 || to == Type::kBF16x2;
  if (half && from == Type::kF32 && instruction.has(Modifier::kSatfinite) && version < 81)
    return older(81, 80, "cvt with .satfinite to a 16-bit type");
  if (from == Type::kBF16 && instruction.has(Modifier::kFtz) && (version < 78 || sm < 90))
    return older(78, 90, "cvt with .ftz from .bf16");
  if ((fp8(to) || fp8(from)) && sm == 89 && version < 81) return older(81, 89, "cvt of 8-bit floating point on sm_89");
  return true;
}

}  // namespace

void Verifier::find_unmet_requirements() {
  for (const ModifierRequirement& r : kRequirements)
    if (version() < r.version || module_.sm < r.sm) unmet_.push_back(r);
}

bool Verifier::check_availability(const Instruction& instruction) {
  const auto older = [&](unsigned version_wanted, unsigned sm, std::string what) {
    if (version() < version_wanted) {
      const std::string wanted =
          ".version " + std::to_string(version_wanted / 10) + '.' + std::to_string(version_wanted % 10);
      return fail(instruction.location, what + " needs a later PTX version",
                  ".version " + std::to_string(module_.version_major) + '.' + std::to_string(module_.version_minor),
                  wanted + " or later");
    }
    if (module_.sm < sm)
      return fail(instruction.location, what + " needs sm_" + std::to_string(sm),
                  ".target sm_" + std::to_string(module_.sm), "sm_" + std::to_string(sm) + " or later",
                  "Compile for a newer target");
    return true;
  };
  const auto name = [&] { return std::string(spelling(instruction.opcode)); };
  for (unsigned i = 0; i < instruction.modifier_count; ++i)
    for (const ModifierRequirement& r : unmet_)
      if (r.modifier == instruction.modifiers[i] && (r.any || r.opcode == instruction.opcode))
        return older(r.version, r.sm, name() + " with ." + std::string(spelling(r.modifier)));
  if (instruction.opcode == Opcode::kLd || instruction.opcode == Opcode::kSt)
    if (instruction.type() == Type::kB128 && (version() < 83 || module_.sm < 70))
      return older(83, 70, name() + " with .b128");
  if (instruction.opcode == Opcode::kLd || instruction.opcode == Opcode::kSt)
    if (instruction.type() == Type::kB128 && instruction.has(Modifier::kSys) && version() < 84)
      return older(84, 70, name() + " with .b128 and .sys");
  if (instruction.opcode == Opcode::kTex || instruction.opcode == Opcode::kTld4) {
    if (instruction.type() == Type::kF16 && (version() < 42 || module_.sm < 53))
      return older(42, 53, name() + " with .f16");
    if ((named("e") || named("f")) && version() < 43) return older(43, 20, name() + " with an offset or a depth");
    // With one mode for both, a sampler of its own came late.
    if (operands_[1].count == 3 && !module_.texmode_independent && version() < 43)
      return older(43, 20, name() + " with a sampler in the unified mode");
  }
  if (instruction.opcode == Opcode::kMbarrier && instruction.has(Modifier::kArrive) && named("count") &&
      !instruction.has(Modifier::kNoComplete) && (version() < 78 || module_.sm < 90))
    return older(78, 90, "mbarrier.arrive with a count and without .noComplete");
  if (instruction.opcode == Opcode::kCvt && !conversion_is_available(instruction, version(), module_.sm, older))
    return false;
  // Volta took the warp-wide instructions without a mask away.
  const bool unmasked =
      (instruction.opcode == Opcode::kShfl || instruction.opcode == Opcode::kVote) && !instruction.has(Modifier::kSync);
  if (unmasked && module_.sm >= 70 && version() >= 64)
    return fail(instruction.location, '\'' + name() + "' without .sync does not exist on sm_70 and later",
                '\'' + name() + '\'', '\'' + name() + ".sync' with a mask",
                "Add .sync and the mask of the lanes that take part");
  if (instruction.opcode == Opcode::kWmma && !instruction.has(Modifier::kAligned) && version() >= 63)
    return fail(instruction.location, "wmma without .aligned does not exist in PTX 6.3 and later", "'wmma'",
                "'.aligned' after '.sync'", "Add .aligned");
  if (instruction.opcode == Opcode::kWmma && instruction.has(Modifier::kSatfinite) &&
      instruction.type() != Type::kS32 && version() >= 65)
    return fail(instruction.location, "wmma.mma with .satfinite and floating-point types was removed in PTX 6.5",
                "'.satfinite'", "no '.satfinite'");
  return true;
}

bool Verifier::check_constants(const Instruction& instruction) {
  for (const ConstantRange& range : kRanges) {
    if (range.opcode != instruction.opcode) continue;
    size_t index = 0;
    const Operand* operand = named(range.name, &index);
    if (!operand || operand->kind != OperandKind::kInteger) continue;
    const auto value = static_cast<int64_t>(operand->value);
    if (value < range.least || value > range.most)
      return fail_operand(index, "constant is out of range", std::to_string(value),
                          std::to_string(range.least) + " to " + std::to_string(range.most));
  }
  size_t index = 0;
  const bool block_barrier = (instruction.opcode == Opcode::kBar || instruction.opcode == Opcode::kBarrier) &&
                             !instruction.has(Modifier::kWarp);
  if (const Operand* threads = block_barrier ? named("b", &index) : nullptr;
      threads && threads->kind == OperandKind::kInteger) {
    if (threads->value % 32 != 0 || threads->value > 1024 ||
        (threads->value == 0 && instruction.has(Modifier::kArrive)))
      return fail_operand(index, "bad number of threads at a barrier",
                          std::to_string(static_cast<int64_t>(threads->value)), "a multiple of 32 up to 1024");
  }
  if (instruction.opcode == Opcode::kCp && instruction.has(Modifier::kAsync) && !instruction.has(Modifier::kBulk)) {
    if (const Operand* size = named("size", &index)) {
      const bool legal =
          size->value == 16 || (instruction.has(Modifier::kCa) && (size->value == 4 || size->value == 8));
      if (!legal)
        return fail_operand(index, "bad size of cp.async", std::to_string(static_cast<int64_t>(size->value)),
                            instruction.has(Modifier::kCa) ? "4, 8 or 16" : "16");
    }
  }
  if (instruction.opcode == Opcode::kSetmaxnreg)
    if (operands_[0].value % 8 != 0)
      return fail_operand(0, "bad register count", std::to_string(operands_[0].value), "a multiple of 8");
  if (instruction.opcode == Opcode::kApplypriority || instruction.opcode == Opcode::kDiscard) {
    if (const Operand* size = named("size", &index); size->value != 128)
      return fail_operand(index, "bad size", std::to_string(static_cast<int64_t>(size->value)), "128");
  }
  if (instruction.opcode == Opcode::kWgmma)
    for (const std::string_view scale : {"imm_a", "imm_b"})
      if (const Operand* value = named(scale, &index); value && value->value != 1 && value->value != ~uint64_t{0})
        return fail_operand(index, "bad scale of a matrix", std::to_string(static_cast<int64_t>(value->value)),
                            "1 or -1");
  return true;
}

// Cache operators and eviction priorities of one level exclude each other, and only global memory has priorities,
// policies and prefetch sizes. (PTX ISA, "Cache Eviction Priority Hints".)
bool Verifier::check_cache_hints(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kLd && instruction.opcode != Opcode::kSt) return true;
  std::string_view cache, hint, level2;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const Modifier modifier = instruction.modifiers[i];
    switch (modifier) {
      case Modifier::kCa:
      case Modifier::kCg:
      case Modifier::kCs:
      case Modifier::kLu:
      case Modifier::kCv:
      case Modifier::kWb:
      case Modifier::kWt:
        cache = spelling(modifier);
        break;
      case Modifier::kL1EvictNormal:
      case Modifier::kL1EvictUnchanged:
      case Modifier::kL1EvictFirst:
      case Modifier::kL1EvictLast:
      case Modifier::kL1NoAllocate:
        hint = spelling(modifier);
        break;
      case Modifier::kL2CacheHint:
      case Modifier::kL264B:
      case Modifier::kL2128B:
      case Modifier::kL2256B:
        level2 = spelling(modifier);
        break;
      default:
        break;
    }
  }
  if (!hint.empty() && !cache.empty())
    return fail(instruction.location, "a cache operator and an eviction priority of L1",
                "'." + std::string(cache) + "' and '." + std::string(hint) + '\'', "one of them");
  const std::string_view global_only = !hint.empty() ? hint : level2;
  const Space space = space_of(instruction);
  if (!global_only.empty() && space != Space::kGlobal && space != Space::kGeneric)
    return fail(instruction.location, "a hint for global memory on another state space",
                "'." + std::string(global_only) + "' with " + std::string(spelling(space)), ".global, or no such hint");
  return true;
}

// As many coordinates as the tensor has dimensions, as many offsets of im2col as it has spatial ones.
bool Verifier::check_tensor_copy(const Instruction& instruction) {
  if (!instruction.has(Modifier::kTensor)) return true;
  static constexpr Modifier kDimensions[] = {Modifier::k1d, Modifier::k2d, Modifier::k3d, Modifier::k4d, Modifier::k5d};
  unsigned dimensions = 0;
  for (unsigned i = 0; i < 5; ++i)
    if (instruction.has(kDimensions[i])) dimensions = i + 1;
  if (dimensions == 0) return true;
  for (size_t i = 0; i < specs_.size(); ++i) {
    const bool coordinates = specs_[i]->shape == OperandShape::kBracketList;
    if (!coordinates && specs_[i]->name != "offsets") continue;
    if (!coordinates && !instruction.has(Modifier::kIm2col)) continue;
    const bool rows = instruction.has(Modifier::kTileGather4) || instruction.has(Modifier::kTileScatter4);
    const unsigned wanted = !coordinates ? dimensions - 2 : rows ? 5 : dimensions;
    const Operand& given = coordinates ? function_->elements(operands_[i])[1] : operands_[i];
    const unsigned count = given.kind == OperandKind::kVector ? given.count : 0;
    if (count != wanted)
      return fail_operand(i, coordinates ? "wrong number of coordinates" : "wrong number of offsets",
                          count == 0 ? "no vector" : std::to_string(count), "a vector of " + std::to_string(wanted));
  }
  return true;
}

bool Verifier::check_combinations(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kCvta && module_.address_size == 64 && bits(instruction.type()) == 32)
    return fail(instruction.location, "a conversion of 32-bit addresses in a module of 64-bit ones",
                "'." + std::string(spelling(instruction.type())) + '\'', ".u64", "Use .u64");
  if (!check_cache_hints(instruction) || !check_tensor_copy(instruction)) return false;
  if (size_t index = 0; instruction.opcode == Opcode::kAlloca)
    if (const Operand* align = named("align", &index); align && !std::has_single_bit(align->value))
      return fail_operand(index, "alignment is not a power of two", std::to_string(static_cast<int64_t>(align->value)),
                          "1, 2, 4, 8, 16, ...");
  if (instruction.opcode == Opcode::kVmad) {
    const bool product = operands_[1].negated != operands_[2].negated;
    const bool any = operands_[1].negated || operands_[2].negated || operands_[3].negated;
    if (any && instruction.has(Modifier::kPo))
      return fail(instruction.location, "vmad.po with a negated operand", "'.po'", "no '.po', or no negated operand");
    if (product && operands_[3].negated)
      return fail(instruction.location, "vmad with a negated product and a negated sum", "two negations",
                  "-(a * b) + c or (a * b) - c");
  }
  if (size_t index = 0; instruction.opcode == Opcode::kTex && instruction.type(1) == Type::kS32 && named("f", &index))
    return fail_operand(index, "a depth to compare with, of a fetch by integer coordinates", describe(operands_[index]),
                        "no such operand, or coordinates of type .f32");
  if (instruction.opcode == Opcode::kCvt && instruction.has(Modifier::kSat) && !instruction.has(Modifier::kPack) &&
      instruction.type_count == 2) {
    const Type to = instruction.type(0), from = instruction.type(1);
    const auto integer = [](Type type) { return is_signed(type) || is_unsigned(type); };
    // Saturation must have something to do: the source's range is not inside the destination's.
    if (integer(to) && integer(from)) {
      const bool inside = is_signed(from) ? is_signed(to) && bits(to) >= bits(from)
                                          : (is_unsigned(to) ? bits(to) >= bits(from) : bits(to) > bits(from));
      if (inside)
        return fail(instruction.location, ".sat of a conversion that cannot overflow",
                    '.' + std::string(spelling(to)) + " from ." + std::string(spelling(from)), "no .sat");
    }
  }
  return true;
}

// A selector names the lanes of four that hold the metadata, 32 bits each: a nibble for each two elements that a row of
// A keeps (s4, u4: four). ptxas takes 0 to 3 for f16 with f32 sums at any k.
bool Verifier::check_selector(const Instruction& instruction) {
  size_t index = 0;
  const Operand* selector = named("f", &index);
  if (selector == nullptr || instruction.type_count < 2) return true;
  unsigned k = 0;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const std::string_view shape = spelling(instruction.modifiers[i]);
    if (shape.starts_with("m16n8k")) std::from_chars(shape.data() + 6, shape.data() + shape.size(), k);
  }
  const Type a = instruction.type(1);
  const unsigned elements = a == Type::kTF32 ? 2 : a == Type::kS4 || a == Type::kU4 ? 8 : 4;  // of a nibble
  const unsigned lanes = k / elements * 16 * 4 / (8 * 32);
  if (lanes == 0) return true;
  const unsigned most = a == Type::kF16 && instruction.type(0) == Type::kF32 ? 3 : 4 / lanes - 1;
  if (selector->value > most)
    return fail_operand(index, "sparsity selector is out of range for the shape",
                        std::to_string(static_cast<int64_t>(selector->value)), "0 to " + std::to_string(most));
  return true;
}

bool Verifier::check_matrix(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kMma) return check_selector(instruction);
  if (instruction.opcode != Opcode::kWgmma || specs_.empty() || specs_[0]->name != "d") return true;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const std::string_view shape = spelling(instruction.modifiers[i]);
    if (!shape.starts_with("m64n")) continue;
    unsigned n = 0;
    for (const char c : shape.substr(4)) {
      if (c < '0' || c > '9') break;
      n = n * 10 + static_cast<unsigned>(c - '0');
    }
    // A warp group of 128 lanes holds 64 x n elements: n / 2 a lane, half of that where two f16 share a register.
    const unsigned count = instruction.type() == Type::kF16 ? n / 4 : n / 2;
    const unsigned given = operands_[0].kind == OperandKind::kVector ? operands_[0].count : 1;
    if (given != count)
      return fail_operand(0, "wrong size of an accumulator", "a vector of " + std::to_string(given),
                          "a vector of " + std::to_string(count));
  }
  return true;
}

}  // namespace ww::ptx
