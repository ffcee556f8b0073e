// Cases on tensor cores, and layers of networks. Where operands are small integers every product and sum is exact, so
// the bits do not depend on how a chip rounds inside a step; other cases state a bound.
#include <bit>

#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

// A sum of k products of values up to 1, in f32 of at least 23 bits cut a step: well inside k * 2^-22.
constexpr const char* kTensorCore = "rounding inside a tensor-core step is the chip's own (docs/numerics)";
// The model of the H100 gives these bits too; the bound holds for any chip.
Comparison tensor_core(uint32_t k) {
  return {Comparison::Kind::kF32, static_cast<double>(k) * 0x1p-22, 0, kTensorCore};
}

GoldenCase hgemm_case(const char* name, bool f16_result, const std::vector<uint16_t>& a, const std::vector<uint16_t>& b,
                      Comparison comparison) {
  constexpr uint32_t kM = 32;
  constexpr uint32_t kN = 48;
  constexpr uint32_t kK = 64;
  CaseBuilder builder(name, "hgemm");
  const size_t in_a = builder.input(std::vector<uint16_t>(a.begin(), a.begin() + kM * kK));
  const size_t in_b = builder.input(std::vector<uint16_t>(b.begin(), b.begin() + kK * kN));
  const size_t out = builder.output(kM * kN, f16_result ? 2 : 4, comparison);
  return builder
      .launch(f16_result ? "hgemm_f16" : "hgemm_f32", {kN / 16, kM / 16}, {32},
              {at(in_a), at(in_b), at(out), value(kN), value(kK)})
      .build();
}

std::vector<uint32_t> packed(const std::vector<uint16_t>& halves) {
  std::vector<uint32_t> words(halves.size() / 2);
  std::memcpy(words.data(), halves.data(), words.size() * 4);
  return words;
}

// Single steps on fragments. `spread`: halves whose exponents differ a lot, and accumulators that cancel.
GoldenCase mma_case(const char* name, bool f16_sum, bool spread, Comparison comparison) {
  constexpr uint32_t kMatrices = 4;
  const auto halves = [spread](size_t count, uint64_t seed) {
    std::vector<uint16_t> values = random_halves(count, seed);
    if (!spread) return values;
    Random random(seed + 1);
    for (uint16_t& x : values)
      x = static_cast<uint16_t>((x & 0x83ff) | ((8 + random.below(12)) << 10));  // exponents 2^-7 .. 2^4
    return values;
  };
  CaseBuilder builder(name, "hgemm");
  const size_t a = builder.input(packed(halves(kMatrices * 256, 421)));
  const size_t b = builder.input(packed(halves(kMatrices * 128, 422)));
  const size_t c = f16_sum ? builder.input(packed(halves(kMatrices * 128, 423)))
                           : builder.input(random_floats(kMatrices * 128, 423, -4.0f, 4.0f));
  const size_t d = builder.output(kMatrices * 128, f16_sum ? 2 : 4, comparison);
  return builder.launch(f16_sum ? "mma_step_f16" : "mma_step", {kMatrices}, {32}, {at(a), at(b), at(c), at(d)}).build();
}

GoldenCase wmma_case(const char* name, bool integers) {
  const uint32_t k = 48;
  CaseBuilder builder(name, "wmma");
  const size_t a = builder.input(integers ? integer_halves(16 * k, 431, 8) : random_halves(16 * k, 431));
  const size_t b = builder.input(integers ? integer_halves(16 * k, 432, 8) : random_halves(16 * k, 432));
  std::vector<float> sums = random_floats(256, 433);
  if (integers)
    for (float& x : sums) x = static_cast<float>(static_cast<int>(x * 100.0f));
  const size_t c = builder.input(sums);
  const size_t d = builder.output(256, 4, integers ? Comparison{} : tensor_core(k + 1));
  return builder.launch("wmma_f32", {1}, {32}, {at(a), at(b), at(c), at(d), value(k)}).build();
}

GoldenCase attention_case() {
  const uint32_t queries = 32;
  const uint32_t keys = 48;
  CaseBuilder builder("attention", "attention");
  const size_t q = builder.input(random_halves(queries * 16, 441));
  const size_t k = builder.input(random_halves(keys * 16, 442));
  const size_t v = builder.input(random_halves(keys * 16, 443));
  // Values are averages of inputs up to 1: a last bit of the scores moves them by far less than two steps of an f16.
  const size_t out = builder.output(queries * 16, 2, {Comparison::Kind::kF16, 0x1p-11, 0x1p-9, kTensorCore});
  return builder
      .launch("attention", {queries / 16}, {32},
              {at(q), at(k), at(v), at(out), value(keys), value(0.25f * 1.44269504f)})
      .build();
}

GoldenCase softmax_case(const char* entry) {
  const uint32_t rows = 7;
  const uint32_t columns = 101;
  CaseBuilder builder(entry, "softmax");
  const size_t in = builder.input(random_floats(rows * columns, 451, -10.0f, 10.0f));
  const size_t out = builder.output(rows * columns, 4);
  return builder.launch(entry, {2}, {32, 4}, {at(in), at(out), value(rows), value(columns)}).build();
}

GoldenCase layer_norm_case() {
  const uint32_t rows = 5;
  const uint32_t columns = 200;
  CaseBuilder builder("layer_norm", "layer_norm");
  const size_t in = builder.input(random_halves(rows * columns, 461));
  const size_t scale = builder.input(random_floats(columns, 462, 0.5f, 2.0f));
  const size_t shift = builder.input(random_floats(columns, 463));
  const size_t out = builder.output(rows * columns, 2);
  return builder.launch("layer_norm", {rows}, {128}, {at(in), at(scale), at(shift), at(out), value(columns)}).build();
}

}  // namespace

std::vector<GoldenCase> matrix_cases() {
  std::vector<GoldenCase> all;
  const auto integers_a = integer_halves(4096, 411, 8);
  const auto integers_b = integer_halves(4096, 412, 8);
  const auto reals_a = random_halves(4096, 413);
  const auto reals_b = random_halves(4096, 414);
  all.push_back(hgemm_case("hgemm_f32_integers", false, integers_a, integers_b, {}));
  all.push_back(hgemm_case("hgemm_f32", false, reals_a, reals_b, tensor_core(64)));
  // Sums below 2048 are exact in f16.
  all.push_back(hgemm_case("hgemm_f16_integers", true, integer_halves(4096, 415, 3), integer_halves(4096, 416, 3), {}));
  // Four steps, each rounded to f16: sums stay below 16, where a step of f16 is 2^-7.
  all.push_back(
      hgemm_case("hgemm_f16", true, reals_a, reals_b, {Comparison::Kind::kF16, 4 * 0x1p-8, 0x1p-10, kTensorCore}));
  all.push_back(mma_case("mma_step", false, false, tensor_core(17)));
  // Products up to 2^9; bits below 2^-23 of the largest term may be cut.
  all.push_back(mma_case("mma_step_spread", false, true, {Comparison::Kind::kF32, 17 * 0x1p-14, 0x1p-22, kTensorCore}));
  all.push_back(mma_case("mma_step_f16", true, false, {Comparison::Kind::kF16, 0x1p-8, 0x1p-10, kTensorCore}));
  all.push_back(wmma_case("wmma_integers", true));
  all.push_back(wmma_case("wmma", false));
  all.push_back(attention_case());
  all.push_back(softmax_case("softmax"));
  all.push_back(softmax_case("softmax_approx"));
  all.push_back(layer_norm_case());
  return all;
}

}  // namespace ww::golden
