// Finds the coefficient tables of an NVIDIA GPU's special-function unit from its answers.
//
// usage: function-unit-fit FOLDER > src/devicelib/function_unit_tables.h
// FOLDER holds results of the approximate instructions, as function_unit_fit.sh records them.
//
// Method. In each slice of its argument the unit computes
//     v(x) = (C0 << s0) + C1 * x + (C2 * square(x) << s2) + rounding,   result = v >> shift
// with integers: x is what is left of the argument's fraction, `square` the sum of partial products cut as in
// src/devicelib/function_unit.h. (The scheme is Oberman and Siu's, "A High-Performance Area-Efficient Multifunction
// Interpolator", ARITH 2005; the cuts, shifts and constants are those that the envytools project found in the Tesla
// family.) A result r says r << shift <= v(x) < (r + 1) << shift: linear bounds on (C0, C1, C2). `solve` finds all
// integers that meet the bounds of every recorded x: first the real point that is deepest inside them, by nested
// golden-section search (the depth is concave), then the integers around it. A slice without a solution, or with two,
// ends the program with an error: the structure is wrong, or too few results were recorded.
#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "devicelib/function_unit.h"

namespace {

struct Point {
  int64_t x, square;
  int64_t low, high;  // low <= v(x) < high
};
using Points = std::vector<Point>;

struct Bounds {
  double least_c1, most_c1, least_c2, most_c2;
};

struct Solution {
  int64_t constant, c1, c2;
};

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "function-unit-fit: %s\n", text.c_str());
  std::exit(1);
}

// How far the bounds are from being met by some constant: negative inside them.
template <class T>
T depth(const Points& points, T c1, T c2, T* low = nullptr, T* high = nullptr) {
  T greatest = -std::numeric_limits<T>::max() / 4, least = std::numeric_limits<T>::max() / 4;
  for (const Point& p : points) {
    const T v = c1 * T(p.x) + c2 * T(p.square);
    greatest = std::max(greatest, T(p.low) - v);
    least = std::min(least, T(p.high) - v);
  }
  if (low != nullptr) *low = greatest, *high = least;
  return greatest - least;
}

template <class Function>
double minimum(double low, double high, int steps, Function f) {
  const double ratio = 0.6180339887498949;
  double a = high - ratio * (high - low), b = low + ratio * (high - low), at_a = f(a), at_b = f(b);
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      at_a = f(a = high - ratio * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = f(b = low + ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

// constant modulo 2^constant_bits is `rounding`; c2 a multiple of 2^c2_bits.
Solution solve(const Points& points, const Bounds& bounds, unsigned constant_bits, int64_t rounding,
               const std::string& name) {
  Points sample;
  for (size_t i = 0; i < points.size(); i += std::max<size_t>(1, points.size() / 1021)) sample.push_back(points[i]);
  sample.push_back(points.back());
  const auto best_c1 = [&](double c2) {
    return minimum(bounds.least_c1, bounds.most_c1, 48, [&](double c1) { return depth(sample, c1, c2); });
  };
  const double c2 =
      minimum(bounds.least_c2, bounds.most_c2, 42, [&](double c) { return depth(sample, best_c1(c), c); });
  std::vector<Solution> solutions;
  for (auto near2 = std::llround(c2) - 8; near2 <= std::llround(c2) + 8; ++near2) {
    const double real1 = best_c1(double(near2));
    if (depth(sample, real1, double(near2)) >= 0) continue;
    for (auto near1 = std::llround(real1) - 4; near1 <= std::llround(real1) + 4; ++near1) {
      int64_t low, high;
      if (depth<int64_t>(sample, near1, near2) >= 0) continue;
      if (depth<int64_t>(points, near1, near2, &low, &high) >= 0) continue;
      const int64_t unit = int64_t{1} << constant_bits;
      for (int64_t c = (low - rounding + unit - 1) & -unit; c + rounding < high; c += unit)
        solutions.push_back({c >> constant_bits, near1, near2});
    }
  }
  if (solutions.size() != 1) fail(name + ": " + std::to_string(solutions.size()) + " solutions");
  return solutions[0];
}

std::vector<uint32_t> results(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) fail("cannot read " + file);
  std::vector<uint64_t> words(size_t(in.tellg()) / 8);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(words.data()), std::streamsize(words.size() * 8));
  return {words.begin(), words.end()};
}

float float_of(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

// The integers whose leading 24 bits a positive float shows, in units of 2^-point.
void add_cut(Points& points, uint32_t x, float result, int point) {
  const int cut = std::ilogb(result) - 23 + point;  // bits that the float does not show
  const auto low = static_cast<int64_t>(std::ldexp(double(result), point));
  points.push_back({x, ww::devicelib::cut_square(x), low, low + (int64_t{1} << std::max(0, cut))});
}

void print(const char* name, const char* about, const std::vector<Solution>& slices, unsigned c2_shift) {
  std::printf("// %s\nconstexpr u64 %s[%zu] = {\n", about, name, slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    const Solution& s = slices[i];
    const auto c1 = uint64_t(std::llabs(s.c1)), c2 = uint64_t(std::llabs(s.c2)) >> c2_shift;
    if (s.constant < 0 || s.constant >> 26 || c1 >> 18 || c2 >> 20 || (c2 << c2_shift) != uint64_t(std::llabs(s.c2)))
      fail(std::string(name) + ": a coefficient is wider than its field");
    std::printf("%s0x%016llx,%s", i % 5 ? "" : "    ", (unsigned long long)(uint64_t(s.constant) | c1 << 26 | c2 << 44),
                i % 5 == 4 || i + 1 == slices.size() ? "\n" : " ");
  }
  std::printf("};\n\n");
}

// Functions whose result has 24 bits: [1, 2) or [1, 4) in `slices` slices.
void fit_rounded(const std::string& folder, const char* file, const char* name, const char* about, unsigned x_bits,
                 bool doubled, int shift, unsigned constant_bits, int64_t rounding, unsigned c2_shift, int top,
                 const Bounds& bounds) {
  const std::vector<uint32_t> all = results(folder + "/" + file);
  std::vector<Solution> slices;
  for (uint32_t slice = 0; slice << x_bits < all.size(); ++slice) {
    Points points;
    for (uint32_t x = 0; x < 1u << x_bits; ++x) {
      if (slice + x == 0 && std::string(file) == "rsqrt") continue;  // 1 is a case of its own
      const auto r = static_cast<int64_t>(std::ldexp(double(float_of(all[slice << x_bits | x])), top));
      points.push_back({x, ww::devicelib::cut_square(doubled ? x << 1 : x), r << shift, (r + 1) << shift});
    }
    slices.push_back(solve(points, bounds, constant_bits, rounding, file + (" " + std::to_string(slice))));
  }
  print(name, about, slices, c2_shift);
}

void fit_logarithm(const std::string& folder) {
  const std::vector<uint32_t> all = results(folder + "/lg2");
  std::vector<Solution> slices;
  for (uint32_t slice = 0; slice < 64; ++slice) {
    Points points;
    for (uint32_t x = 0; x < 1u << 17; ++x) {
      if (slice + x == 0) continue;  // 1 gives 0
      add_cut(points, x, float_of(all[slice << 17 | x]), 36);
      points.back().low <<= 2, points.back().high <<= 2;
    }
    slices.push_back(solve(points, {0, 1 << 17, -4000, 0}, 12, 0x3345, "lg2 " + std::to_string(slice)));
  }
  print("kLogarithm", "log2 of [1, 2): 64 slices; s0 12, s2 1, rounding 0x3345, units of 2^-38", slices, 1);
}

void fit_sine(const std::string& folder) {
  std::vector<Points> points(64);
  for (const bool cosine : {false, true})
    for (const uint32_t first : {0x3f000000u, 0x3f800000u}) {
      char file[32];
      std::snprintf(file, sizeof file, "/%s%08x", cosine ? "cos" : "sin", first);
      const std::vector<uint32_t> all = results(folder + file);
      for (uint32_t i = 0; i < all.size(); ++i) {
        const auto phase = ww::devicelib::circular_phase(float_of(first + 4 * i), cosine);
        if (phase.inexact || (all[i] & 0x7fffffffu) == 0) continue;
        add_cut(points[phase.fraction >> 17], phase.fraction & 0x1ffff, std::fabs(float_of(all[i])), 37);
      }
    }
  std::vector<Solution> slices;
  for (uint32_t slice = 0; slice < 64; ++slice)
    slices.push_back(solve(points[slice], {-1000, 1 << 16, -3000, 100}, 11, 0, "sin " + std::to_string(slice)));
  print("kSine", "sin of the first quarter of a turn: 64 slices; s0 11, s2 0, no rounding, units of 2^-37", slices, 0);
}

void fit_tanh(const std::string& folder) {
  std::vector<Solution> slices;
  for (int exponent = ww::devicelib::kTanhFirstExponent; exponent <= ww::devicelib::kTanhLastExponent; ++exponent) {
    const auto octave = ww::devicelib::tanh_octave(exponent);
    char file[32];
    std::snprintf(file, sizeof file, "/tanh%d", exponent);
    const std::vector<uint32_t> all = results(folder + file);
    std::vector<Points> points(size_t{1} << octave.slice_bits);
    const uint32_t step = (1u << 23) / uint32_t(all.size()), x_shift = 6 - octave.slice_bits;
    int64_t last = -1;
    for (uint32_t i = 0; i < all.size(); ++i) {
      const uint32_t argument = i * step >> x_shift;
      if (argument == last) continue;
      last = argument;
      add_cut(points[argument >> 17], argument & 0x1ffff, float_of(all[i]), octave.point);
    }
    for (const Points& slice : points)
      slices.push_back(
          solve(slice, {-100, 70000, -20000, 100}, octave.constant_shift, 0, "tanh " + std::to_string(slices.size())));
  }
  print("kTanh", "tanh from 2^-8 to 8: slices as tanh_octave says; s0 12, s2 0, no rounding", slices, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: function-unit-fit FOLDER");
  const std::string folder = argv[1];
  std::puts(
      "// Coefficients of the special-function unit of an NVIDIA H200, made by tests/hardware/function_unit_fit.cpp "
      "from\n"
      "// its answers. A word has the magnitudes of C0 (26 bits), C1 (18) and C2 (20) from its low end; see "
      "function_unit.h.\n#pragma once\n\n#include \"devicelib/devicelib.h\"\n\nnamespace ww::devicelib {\n");
  fit_rounded(folder, "rcp", "kReciprocal", "1/x of [1, 2): 128 slices; s0 13, s2 0, rounding 0x47e7, shift 15", 16,
              true, 15, 13, 0x47e7, 0, 24, {-70000, 0, 0, 1200});
  fit_rounded(folder, "rsqrt", "kReciprocalRoot",
              "1/sqrt(x) of [1, 4): 128 slices; s0 14, s2 2, rounding 0x7fff, shift 16", 17, false, 16, 14, 0x7fff, 2,
              24, {-70000, 0, 0, 4000});
  fit_rounded(folder, "sqrt", "kRoot", "sqrt(x) of [1, 4): 128 slices; s0 15, s2 1, rounding 0x7fff, shift 17", 17,
              false, 17, 15, 0x7fff, 1, 23, {0, 100000, -2000, 0});
  fit_rounded(folder, "ex2", "kPower", "2^x / 2 of [0, 1): 64 slices; s0 13, s2 0, rounding 0x77e2, shift 15", 17,
              false, 15, 13, 0x77e2, 0, 22, {0, 70000, 0, 1200});
  fit_logarithm(folder);
  fit_sine(folder);
  fit_tanh(folder);
  std::puts("}  // namespace ww::devicelib");
}
