#include "coverage/operand_values.h"

#include <algorithm>
#include <iterator>

#include "base/float_formats.h"
#include "golden/fnv.h"
#include "golden/random.h"

namespace ww::coverage {
namespace {

using golden::Random;
using ptx::Type;

// How a type is laid out in a word: `parts` values of `width` bits, floating-point if `format`.
struct Layout {
  Type type;
  const FloatFormat* format;
  unsigned width, parts;
};
constexpr Layout kLayouts[] = {
    {Type::kF16, &kFormatF16, 16, 1},     {Type::kF16x2, &kFormatF16, 16, 2},  {Type::kBF16, &kFormatBf16, 16, 1},
    {Type::kBF16x2, &kFormatBf16, 16, 2}, {Type::kF32, &kFormatF32, 32, 1},    {Type::kTF32, &kFormatF32, 32, 1},
    {Type::kF64, &kFormatF64, 64, 1},     {Type::kE4M3x2, &kFormatE4M3, 8, 2}, {Type::kE5M2x2, &kFormatE5M2, 8, 2},
    {Type::kE4M3x4, &kFormatE4M3, 8, 4},  {Type::kE5M2x4, &kFormatE5M2, 8, 4}, {Type::kU16x2, nullptr, 16, 2},
    {Type::kS16x2, nullptr, 16, 2},
};

Layout layout_of(Type type) {
  for (const Layout& layout : kLayouts)
    if (layout.type == type) return layout;
  return {type, nullptr, std::min(bits(type), 64u), 1};
}

uint64_t mask_of(unsigned width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

std::vector<uint64_t> special_floats(const FloatFormat& f) {
  const uint64_t one = static_cast<uint64_t>(f.bias()) << f.mantissa_bits, step = uint64_t{1} << f.mantissa_bits;
  std::vector<uint64_t> values = {0,   1,       f.mantissa_mask(), step,        one - 1,
                                  one, one + 1, one + step / 2,    f.largest(), f.nan()};
  if (f.has_infinity) {
    values.push_back(f.infinity());
    values.push_back(f.infinity() + 1);
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(values[i] | f.sign_bit());
  return values;
}

std::vector<uint64_t> special_integers(unsigned width) {
  const uint64_t top = uint64_t{1} << (width - 1);
  return {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 256, top - 1, top, top + 1, mask_of(width), mask_of(width) - 1};
}

uint64_t random_float(const FloatFormat& f, Random& random) {
  const uint64_t bits = random.next(), mantissa = random.next() & f.mantissa_mask();
  const uint64_t sign = (bits & 1) != 0 ? f.sign_bit() : 0;
  const uint64_t bias = static_cast<uint64_t>(f.bias()), one = bias << f.mantissa_bits;
  const uint64_t half = (uint64_t{1} << f.mantissa_bits) / 2;
  switch (random.below(10)) {
    case 0: {
      const auto special = special_floats(f);
      return special[random.below(static_cast<uint32_t>(special.size()))];
    }
    case 1:
      return bits & (f.sign_bit() | (f.sign_bit() - 1));
    case 2:
      return sign | mantissa;  // subnormal
    case 3:
      return sign | (one + random.below(40) * half);  // small multiples of halves
    case 4: {                                         // integers and their halves: ties of conversions
      const uint64_t field = bias + random.below(16) + static_cast<uint64_t>(f.mantissa_bits) / 2;
      return sign | std::min(f.largest(), field << f.mantissa_bits | (mantissa & ~(f.mantissa_mask() >> 3)));
    }
    default: {  // near 1
      const int64_t field = std::max<int64_t>(0, f.bias() + static_cast<int64_t>(random.below(24)) - 12);
      return sign | std::min(f.largest(), static_cast<uint64_t>(field) << f.mantissa_bits | mantissa);
    }
  }
}

uint64_t random_integer(unsigned width, Random& random) {
  const uint64_t x = random.next();
  switch (random.below(8)) {
    case 0:
      return x % 8;
    case 1:
      return x % 70;  // shift counts, positions, lengths
    case 2:
      return uint64_t{0} - x % 8;
    case 3:
      return (uint64_t{1} << (width - 1)) + x % 3 - 1;
    case 4:
      return x >> (x % 64);
    default:
      return x;
  }
}

uint64_t random_value(const Layout& layout, Random& random) {
  uint64_t word = 0;
  for (unsigned part = 0; part < layout.parts; ++part) {
    const uint64_t value = layout.format ? random_float(*layout.format, random) : random_integer(layout.width, random);
    word |= (value & mask_of(layout.width)) << (part * layout.width);
  }
  // What lies above the value in its word is not the instruction's business; it must not matter.
  const unsigned used = layout.width * layout.parts;
  return used >= 64 ? word : word | random.next() << used;
}

// Values of one warp's matrices are of one kind, so that sums of each kind are seen: ordinary, exact, of few and of
// many binades, subnormal, about to overflow, all the same size, and ordinary with a special one here and there.
uint64_t matrix_float(const FloatFormat& f, uint32_t kind, Random& random) {
  const uint64_t bits = random.next(), sign = (bits & 1) != 0 ? f.sign_bit() : 0;
  const uint64_t mantissa = random.next() & f.mantissa_mask();
  const auto at = [&](int64_t field, uint64_t fraction) {
    const int64_t most = static_cast<int64_t>(f.exponent_mask() >> f.mantissa_bits) - (f.has_infinity ? 1 : 0);
    return sign | std::min(f.largest(),
                           static_cast<uint64_t>(std::clamp<int64_t>(field, 0, most)) << f.mantissa_bits | fraction);
  };
  const int64_t bias = f.bias();
  switch (kind) {
    case 0:
      return at(bias + random.below(3) - 2, mantissa);
    case 1:
      return at(bias + random.below(4), mantissa & ~(f.mantissa_mask() >> 2));
    case 2:
      return at(bias + random.below(12) - 6, mantissa);
    case 3:
      return at(static_cast<int64_t>(random.below(static_cast<uint32_t>(2 * bias))), mantissa);
    case 4:
      return at(random.below(4), mantissa);
    case 5:
      return at(2 * bias - random.below(bias + 1 < 12 ? 4 : 12), mantissa);
    case 6:
      return at(bias, mantissa);
    default:
      break;
  }
  if (random.below(48) != 0) return at(bias + random.below(3) - 2, mantissa);
  const auto special = special_floats(f);
  return special[random.below(static_cast<uint32_t>(special.size()))];
}

uint64_t matrix_value(const Layout& layout, uint32_t kind, Random& random) {
  uint64_t word = 0;
  for (unsigned part = 0; part < layout.parts; ++part) {
    const uint64_t value = layout.format ? matrix_float(*layout.format, kind, random) : random.next();
    word |= (value & mask_of(layout.width)) << (part * layout.width);
  }
  return word;
}

// Sparse metadata: of each four elements two, the lower index first.
uint64_t metadata(Random& random) {
  static constexpr uint64_t kPairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  uint64_t word = 0;
  for (unsigned nibble = 0; nibble < 8; ++nibble) word |= kPairs[random.below(6)] << (4 * nibble);
  return word;
}

}  // namespace

std::vector<uint64_t> operand_values(const std::vector<Column>& columns, const std::string& seed, uint32_t threads) {
  Random random(golden::fnv1a(seed));
  std::vector<uint64_t> words(columns.size() * threads);
  std::vector<Layout> layouts;
  std::vector<std::vector<uint64_t>> specials;
  for (const Column& column : columns) {
    layouts.push_back(layout_of(column.type));
    const Layout& layout = layouts.back();
    specials.push_back(layout.format ? special_floats(*layout.format) : special_integers(layout.width));
  }
  for (uint32_t t = 0; t < threads; ++t) {
    uint64_t previous = 0;
    uint32_t combination = t;  // of special values; all of them if they fit into half of the threads
    for (size_t k = 0; k < columns.size(); ++k) {
      const Layout& layout = layouts[k];
      uint64_t value = random_value(layout, random);
      if (columns[k].use != ColumnUse::kValue) {
        words[k * threads + t] =
            columns[k].use == ColumnUse::kMetadata ? metadata(random) : matrix_value(layout, t / 32 % 8, random);
        continue;
      }
      if (t < threads / 2) {
        const auto& special = specials[k];
        const auto count = static_cast<uint32_t>(special.size());
        value = special[combination % count] & mask_of(layout.width);
        combination /= count;
        for (unsigned part = 1; part < layout.parts; ++part)
          value |= (special[random.below(count)] & mask_of(layout.width)) << (part * layout.width);
        if (combination == 0 && k != 0 && random.below(2) != 0) value = random_value(layout, random);
      } else if (k != 0 && columns[k].type == columns[k - 1].type) {
        // Operands close to each other, and of opposite sign, find ties and cancellation.
        const uint32_t kind = random.below(8);
        if (kind < 2) value = previous + random.below(3);
        if (kind == 2) value = previous ^ (uint64_t{1} << (layout.width - 1));
      }
      words[k * threads + t] = value;
      previous = value;
    }
  }
  return words;
}

}  // namespace ww::coverage
