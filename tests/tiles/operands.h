// Operands of matrix tiles under test, made from the tile's number by a few integer operations, so that a GPU makes
// them in its registers and the checking side makes the same ones.
//
// Every function here is a template over a 32-bit word: with `uint32_t` it computes, with `PtxWord` (ptx_word.h) it
// writes the PTX that computes. In one tile each bit of an element is either the same for all elements or random, as
// chosen anew for each tile and operand, with leanings: exponents near the bias, few exponents that differ, mantissas
// of zeros, ones or few bits, equal signs, rare special values, and products that cancel between neighbouring lanes.
// Such tiles hold cancellation, midpoints, subnormals, overflow, large spreads of exponents, infinities and NaNs.
#pragma once

#include <cstdint>

namespace ww::tiles {

// Which bits of a 32-bit register are what, for all elements that it holds.
struct ElementFormat {
  uint32_t sign, exponent, mantissa;
  uint32_t unit;    // 1 in each element
  uint32_t middle;  // the exponents of about 1
  uint32_t low;     // bits that vary around `middle`
  uint32_t top;     // the highest bit of the exponents
  uint32_t least;   // the lowest bit of the exponents
  unsigned width;   // bits of an element; 32 where there is nothing to repeat
};

// Operands have their own random numbers each.
enum class Role : uint32_t { kA = 0, kB = 1, kC = 2, kMetadata = 3 };

// --- what a word can do beyond operators: these for uint32_t, those of PtxWord beside it
inline uint32_t all_if(uint32_t value, uint32_t mask, uint32_t wanted) {
  return (value & mask) == wanted ? ~0u : 0u;
}
inline uint32_t all_if_less(uint32_t a, uint32_t b) {
  return a < b ? ~0u : 0u;
}

// A mixing function in which every bit of the input changes about half of the output's.
template <typename W>
W mix(W x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Random numbers of one operand of one tile, and what of them concerns all of its registers.
template <typename W>
struct OperandStyle {
  W style, seed;
  W random[6];
  W limit;  // of 32 words so many are special ones

  OperandStyle(W tile, Role role) {
    const auto number = [&](uint32_t i) { return mix(tile * 64u + (uint32_t(role) * 16u + i)); };
    style = number(0);
    seed = number(15);
    for (uint32_t i = 0; i < 6; ++i) random[i] = number(i + 1);
    limit = (all_if(style, 0xc000, 0x4000) & 4u) | (all_if(style, 0xc000, 0x8000) & 1u);
  }
  W is(uint32_t mask, uint32_t wanted) const { return all_if(style, mask, wanted); }
};

// A word of elements is fixed ^ (random & varying).
template <typename W>
struct Pattern {
  W fixed, varying, special;

  Pattern(const OperandStyle<W>& s, const ElementFormat& f) {
    const auto& r = s.random;
    W exponents = r[0] & ((s.is(3, 1) & r[1]) | s.is(3, 2) | (s.is(3, 3) & f.low));
    exponents = exponents & (s.is(0x1c00, 0) | ~f.top);
    const W mantissas = (s.is(0xc, 4) & r[1]) | s.is(8, 8);
    varying = (exponents & f.exponent) | (mantissas & f.mantissa) | (~s.is(0x30, 0) & f.sign);
    const W near = (r[2] & f.low) ^ f.middle ^ (s.is(0xc0, 0xc0) & f.exponent);
    const W anywhere = s.is(0xc0, 0);
    fixed = (((anywhere & r[2]) | (~anywhere & near)) & f.exponent) | (s.is(0x300, 0x100) & f.mantissa) |
            (s.is(0x200, 0x200) & r[3] & f.mantissa) | (r[3] & f.sign);
    if (f.width < 32) {
      const uint32_t element = (1u << f.width) - 1;
      const uint32_t copies = f.width == 16 ? 0x00010001u : f.width == 8 ? 0x01010101u : 0x11111111u;
      const W repeat = s.is(0x2000, 0x2000);
      varying = (repeat & ((varying & element) * copies)) | (~repeat & varying);
      fixed = (repeat & ((fixed & element) * copies)) | (~repeat & fixed);
    }
    const auto kind = [&](uint32_t i) { return s.is(0x70000, i << 16); };
    special = (kind(1) & f.sign) | ((kind(2) | kind(3) | kind(4)) & f.exponent) |
              ((kind(3) | kind(4) | kind(6)) & f.mantissa) | (kind(5) & f.unit);
    special = special ^ ((kind(4) | kind(7)) & f.least);
  }
};

// All there is to know of a tile before a lane asks for its registers.
template <typename W>
struct Tile {
  OperandStyle<W> a, b, c;
  W lanes;  // bits of a lane's number that count: neighbours of tiles that cancel get the same numbers

  explicit Tile(W tile)
      : a(tile, Role::kA),
        b(tile, Role::kB),
        c(tile, Role::kC),
        lanes(~(a.is(0x200000, 0x200000) & 1u)),
        differ_(a.is(0x300000, 0x300000)) {}

  // What the second of two neighbours has changed: A's signs, and a bit of each of B's elements.
  W change(Role role, W lane, const ElementFormat& f) const {
    const W second = all_if(lane, 1, 1) & ~lanes_mask();
    if (role == Role::kA) return second & f.sign;
    if (role == Role::kB) return second & differ_ & ((W(f.unit) << (b.random[4] & 7u)) & f.mantissa);
    return W(0);
  }
  // What a second step's accumulators differ by from the first's results: mostly in sign, so that the step leaves what
  // the first one's rounding lost.
  W turn(const ElementFormat& f) const {
    return (c.is(0xc00000, 0x800000) & f.unit) ^
           (c.is(0xc00000, 0xc00000) & ((c.random[5] & f.sign) ^ (W(f.unit) << (c.random[5] & 7u)))) ^ f.sign;
  }

 private:
  W lanes_mask() const { return W(0) - (lanes & 1u); }
  W differ_;
};

// Word `index` of a lane's registers of an operand. `first`: the index whose random number says if the word is special
// (f64 is two words).
template <typename W>
W operand_word(const Tile<W>& tile, const OperandStyle<W>& style, const Pattern<W>& pattern, Role role,
               const ElementFormat& format, W lane, uint32_t index, uint32_t first) {
  const W place = lane & tile.lanes;
  const auto random = [&](uint32_t i) { return mix(style.seed + (place + i * 32u) * 0x9e3779b9u); };
  const W own = random(index), leading = first == index ? own : random(first);
  const W is_special = all_if_less((leading * 0x2545f491u) >> 27, style.limit);
  const W value = (is_special & (pattern.special ^ (own & format.sign))) |
                  (~is_special & (pattern.fixed ^ (own & pattern.varying)));
  return value ^ tile.change(role, lane, format);
}

// Metadata of a sparse A: each nibble two of four places, in rising order; `any_order`: in half of the tiles also in
// falling order. `pairs`: one of two pairs of places (tf32).
template <typename W>
W metadata_word(const Tile<W>& tile, W number, W lane, bool any_order, bool pairs) {
  const W random = mix(mix(number * 64u + uint32_t(Role::kMetadata) * 16u) + lane * 0x9e3779b9u);
  if (pairs) return (((random & 0x11111111u) * 10u) ^ 0x44444444u);  // 4 or 14
  W word = W(0);
  for (unsigned shift = 0; shift < 32; shift += 4) {
    const W digit = random >> shift;
    W table = W(0xe4edc984u);
    if (any_order) {
      const W falling = all_if(digit, 8, 8) & tile.a.is(0x800000, 0x800000);
      table = (falling & 0x31b73621u) | (~falling & table);
    }
    word = word | (((table >> ((digit & 7u) << 2)) & 15u) << shift);
  }
  return word;
}

}  // namespace ww::tiles
