// Cases whose PTX NVIDIA's compiler wrote from our own sources (tests/data/nvcc/make.sh), optimised for two targets and
// for debugging. What one source computes does not depend on how it was compiled.
#include <string>

#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

// As in tests/data/nvcc/image_filter.cu.
struct Settings {
  uint32_t width, height;
  float gain;
  uint8_t clamp_low, clamp_high;
};

std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.u32() >> 24);
  return bytes;
}

GoldenCase image_filter_case(const std::string& variant) {
  CaseBuilder builder("nvcc_image_filter_" + variant, "nvcc/image_filter_" + variant);
  Settings settings;
  std::memset(&settings, 0, sizeof settings);
  settings.width = 45;
  settings.height = 11;
  settings.gain = 1.375f;
  settings.clamp_low = 60;
  settings.clamp_high = 200;
  const size_t in = builder.input(random_bytes(45 * 11, 601));
  const size_t rows = builder.output(45 * 11, 4);
  const size_t columns = builder.output(45 * 11, 4);
  builder.variable("blur_weights", std::vector<float>{0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f});
  builder.variable("blur_clamped", std::vector<uint32_t>{0}, true);
  builder.launch("blur_rows", {2, 3}, {32, 4}, {value(settings), at(in), at(rows)});
  return builder.launch("blur_columns", {2, 4}, {32}, {value(settings), at(rows), at(columns)}).build();
}

GoldenCase interpreter_case(const std::string& variant) {
  CaseBuilder builder("nvcc_interpreter_" + variant, "nvcc/interpreter_" + variant);
  constexpr int32_t kCount = 90;
  constexpr int32_t kLength = 21;
  const size_t programs = builder.input(random_bytes(kCount * kLength, 611));
  const size_t inputs = builder.input(random_words(kCount, 612));
  const size_t out = builder.output(kCount, 8);
  return builder.launch("interpret", {3}, {32}, {at(programs), at(inputs), at(out), value(kCount), value(kLength)})
      .build();
}

GoldenCase shapes_case(const std::string& variant) {
  CaseBuilder builder("nvcc_shapes_" + variant, "nvcc/shapes_" + variant);
  const size_t sizes = builder.input(random_floats(2 * 96, 621, 0.5f, 3.0f));
  const size_t areas = builder.output(96, 8);
  const size_t area_sums = builder.output(3, 8);
  const size_t weight_sums = builder.output(3, 4);
  return builder.launch("measure", {3}, {32}, {at(sizes), at(areas), at(area_sums), at(weight_sums), value(2.5f)})
      .build();
}

GoldenCase matrix_case(const std::string& variant) {
  CaseBuilder builder("nvcc_matrix_" + variant, "nvcc/matrix_" + variant);
  constexpr int32_t kK = 64;
  const size_t a = builder.input(integer_halves(16 * kK, 631, 9));
  const size_t b = builder.input(integer_halves(8 * kK, 632, 9));
  const size_t c = builder.output(16 * 8, 4);
  return builder.launch("multiply", {1}, {32}, {at(a), at(b), at(c), value(kK)}).build();
}

}  // namespace

std::vector<GoldenCase> nvcc_cases() {
  std::vector<GoldenCase> all;
  for (const char* variant : {"sm_75", "sm_90", "sm_80_debug"}) {
    all.push_back(image_filter_case(variant));
    all.push_back(interpreter_case(variant));
    all.push_back(shapes_case(variant));
  }
  all.push_back(matrix_case("sm_80"));
  all.push_back(matrix_case("sm_90_debug"));
  return all;
}

}  // namespace ww::golden
