// Cases of single instructions: integers, IEEE floats of three widths, conversions, 8-bit floats, approximations.
#include <bit>

#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

constexpr Dim3 kBlock{64, 1, 1};

Dim3 blocks_for(uint32_t count) {
  return {(count + kBlock.x - 1) / kBlock.x, 1, 1};
}

// A kernel (in, out, count): `per_item` input elements and `results` bytes of output an item.
template <class T>
GoldenCase table_case(const char* name, const char* module, const char* entry, const std::vector<T>& values,
                      uint32_t per_item, size_t results) {
  const auto count = static_cast<uint32_t>(values.size() / per_item);
  CaseBuilder builder(name, module);
  const size_t in = builder.input(values);
  const size_t out = builder.output(count, results);
  return builder.launch(entry, blocks_for(count), kBlock, {at(in), at(out), value(count)}).build();
}

// Pairs of special values, every one with every other of the first `n`, then arbitrary ones.
template <class T>
std::vector<T> pairs(const std::vector<T>& special, size_t n, size_t more, std::vector<T> rest) {
  std::vector<T> all;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i % 3; j < n; j += 3) {
      all.push_back(special[i]);
      all.push_back(special[j]);
    }
  for (size_t i = 0; i < 2 * more; ++i) all.push_back(rest[i]);
  return all;
}

GoldenCase vector_case(const char* name, const char* entry, uint32_t count, const std::vector<uint32_t>& a,
                       const std::vector<uint32_t>& b) {
  CaseBuilder builder(name, "vector_add");
  const size_t in_a = builder.input(a);
  const size_t in_b = builder.input(b);
  const size_t out = builder.output(count, 4);
  return builder.launch(entry, blocks_for(count), kBlock, {at(in_a), at(in_b), at(out), value(count)}).build();
}

// Arguments over the ranges in which the PTX manual gives its bounds, special values first; if `bounded`, no finite
// ones beyond the range.
std::vector<uint32_t> approx_arguments(size_t count, float low, float high, bool bounded) {
  std::vector<uint32_t> values;
  for (const uint32_t bits : special_floats(20, 1)) {
    const float x = std::bit_cast<float>(bits);
    if (!bounded || x != x || x == 2 * x || (x >= low && x <= high)) values.push_back(bits);
  }
  for (const float x : random_floats(count - values.size(), 77, low, high))
    values.push_back(std::bit_cast<uint32_t>(x));
  return values;
}

void add_approximations(std::vector<GoldenCase>& all) {
  const struct {
    const char* entry;
    float low, high;
    bool bounded;
  } rows[] = {
      {"approx_rcp", -100.0f, 100.0f, false},     {"approx_sqrt", 0.0f, 1000.0f, false},
      {"approx_sqrt_ftz", 0.0f, 1000.0f, false},  {"approx_rsqrt", 0.0f, 1000.0f, false},
      {"approx_rsqrt_ftz", 0.0f, 1000.0f, false}, {"approx_exp2", -30.0f, 30.0f, false},
      {"approx_exp2_ftz", -140.0f, 30.0f, false}, {"approx_log2", 0.0f, 1000.0f, false},
      {"approx_sin", -6.28f, 6.28f, true},        {"approx_cos", -6.28f, 6.28f, true},
      {"approx_tanh", -6.0f, 6.0f, false},        {"approx_div", -100.0f, 100.0f, false},
      {"full_div", -100.0f, 100.0f, false},
  };
  for (const auto& row : rows)
    all.push_back(
        table_case(row.entry, "approx", row.entry, approx_arguments(500, row.low, row.high, row.bounded), 1, 4));
}

}  // namespace

std::vector<GoldenCase> arithmetic_cases() {
  std::vector<GoldenCase> all;
  const auto words = special_floats(1000, 11);
  const auto other_words = special_floats(1000, 12);
  all.push_back(vector_case("vector_add", "vector_add", 1000, words, {other_words.rbegin(), other_words.rend()}));
  {
    CaseBuilder builder("saxpy", "vector_add");
    const uint32_t count = 777;
    const size_t x = builder.input(random_floats(count, 21));
    const size_t y = builder.in_out(random_floats(count, 22));
    all.push_back(builder.launch("saxpy", {3}, {96}, {value(1.7f), at(x), at(y), value(count)}).build());
  }
  {
    CaseBuilder builder("vector_scale4", "vector_add");
    const uint32_t count = 130;
    const size_t in = builder.input(random_floats(4 * count, 23));
    const size_t out = builder.output(4 * count, 4);
    all.push_back(
        builder.launch("vector_scale4", blocks_for(count), kBlock, {at(in), at(out), value(count), value(-3.5f)})
            .build());
  }

  std::vector<uint32_t> integers = random_words(400, 31);
  const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 2, 31, 32, 33, 0x8000, 0xffff, 255};
  for (size_t i = 0; i < 12; ++i)
    for (size_t j = 0; j < 5; ++j) {
      integers[10 * i + 2 * j] = edges[i];
      integers[10 * i + 2 * j + 1] = edges[(i * 5 + j * 7) % 12];
    }
  all.push_back(table_case("integer_bits", "integer", "integer_bits", integers, 2, 64));
  all.push_back(table_case("integer_arithmetic", "integer", "integer_arithmetic", integers, 2, 64));
  {
    std::vector<uint64_t> wide(200);
    Random random(32);
    for (size_t i = 0; i < wide.size(); ++i) wide[i] = i < 24 ? uint64_t{edges[i / 2]} << (i % 2 * 32) : random.next();
    all.push_back(table_case("integer_wide", "integer", "integer_wide", wide, 2, 32));
  }

  const auto float_pairs = pairs(special_floats(45, 0), 45, 60, random_words(120, 41));
  all.push_back(table_case("float_add_mul", "float_ops", "float_add_mul", float_pairs, 2, 64));
  all.push_back(table_case("float_div_sqrt", "float_ops", "float_div_sqrt", float_pairs, 2, 64));
  all.push_back(table_case("float_compare", "float_ops", "float_compare", float_pairs, 2, 32));
  {
    Random random(42);
    std::vector<uint64_t> rest(60);
    for (uint64_t& x : rest) x = random.next();
    all.push_back(
        table_case("double_ops", "float_ops", "double_ops", pairs(special_doubles(28, 0), 28, 30, rest), 2, 48));
  }
  {
    const auto halves = special_halves(29, 0);
    std::vector<uint32_t> packed;
    for (size_t i = 0; i < 29; ++i)
      for (size_t j = 0; j < 29; j += 2) {
        packed.push_back(uint32_t{halves[i]} << 16 | halves[(i * 3 + 1) % 29]);
        packed.push_back(uint32_t{halves[j]} << 16 | halves[(j + i) % 29]);
      }
    all.push_back(table_case("half_ops", "float_ops", "half_ops", packed, 2, 32));
    // As bf16 the upper halves of special floats.
    std::vector<uint32_t> bfloats;
    const auto floats = special_floats(300, 43);
    for (size_t i = 0; i + 1 < floats.size(); ++i) bfloats.push_back((floats[i] & 0xffff0000) | floats[i + 1] >> 16);
    bfloats.resize(298);
    all.push_back(table_case("bfloat_ops", "float_ops", "bfloat_ops", bfloats, 2, 8));
  }

  std::vector<uint32_t> to_convert = special_floats(150, 51);
  for (const float x : random_floats(150, 52, -300.0f, 300.0f)) to_convert.push_back(std::bit_cast<uint32_t>(x));
  for (int i = -20; i <= 20; ++i) to_convert.push_back(std::bit_cast<uint32_t>(static_cast<float>(i) * 0.5f));
  all.push_back(table_case("convert_from_f32", "convert", "convert_from_f32", to_convert, 1, 48));
  all.push_back(table_case("convert_from_integer", "convert", "convert_from_integer", integers, 1, 24));
  all.push_back(table_case("convert_f64", "convert", "convert_f64", special_doubles(200, 53), 1, 16));
  {
    CaseBuilder builder("convert_halves", "convert");
    const size_t out = builder.output(1024, 4);
    all.push_back(builder.launch("convert_halves", {16}, {64}, {at(out)}).build());
  }
  {
    CaseBuilder builder("e4m3_widen", "e4m3");
    const size_t out = builder.output(512, 4);
    all.push_back(builder.launch("e4m3_widen", {4}, {64}, {at(out)}).build());
  }
  {
    std::vector<uint32_t> values = special_floats(60, 54);
    for (const float x : random_floats(300, 55, -500.0f, 500.0f)) values.push_back(std::bit_cast<uint32_t>(x));
    // Midpoints between codes, where ties go to even.
    for (int i = 0; i < 64; ++i)
      values.push_back(std::bit_cast<uint32_t>((1.0f + static_cast<float>(i) / 16.0f) * 0.25f));
    all.push_back(table_case("e4m3_narrow", "e4m3", "e4m3_narrow", values, 2, 8));
    CaseBuilder builder("e4m3_quantise", "e4m3");
    const uint32_t count = 600;
    const size_t in = builder.input(random_floats(count, 56, -4.0f, 4.0f));
    const size_t out = builder.output(count, 4);
    all.push_back(
        builder.launch("e4m3_quantise", blocks_for(count / 2), kBlock, {at(in), at(out), value(count), value(37.0f)})
            .build());
  }
  {
    std::vector<float> xs = random_floats(300, 57, -20.0f, 20.0f);
    for (const uint32_t x : special_floats(20, 0)) xs.push_back(std::bit_cast<float>(x));
    all.push_back(table_case("elementary", "elementary", "elementary", xs, 1, 32));
    CaseBuilder builder("black_scholes", "elementary");
    const uint32_t count = 333;
    const size_t price = builder.input(random_floats(count, 58, 5.0f, 30.0f));
    const size_t strike = builder.input(random_floats(count, 59, 1.0f, 100.0f));
    const size_t years = builder.input(random_floats(count, 60, 0.25f, 10.0f));
    const size_t out = builder.output(2 * count, 4);
    all.push_back(builder
                      .launch("black_scholes", blocks_for(count), kBlock,
                              {at(price), at(strike), at(years), at(out), value(count), value(0.02f), value(0.3f)})
                      .build());
  }
  add_approximations(all);
  return all;
}

}  // namespace ww::golden
