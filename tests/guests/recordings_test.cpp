// The recordings against plain C++ that shares nothing with the guest programs: a case that was set up wrongly would be
// recorded wrongly too, and every device would agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <queue>

#include "golden/golden_file.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

const GoldenCase& case_named(const std::string& name) {
  for (const GoldenCase& golden : all_cases())
    if (golden.name == name) return golden;
  throw std::runtime_error("no case " + name);
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// A case with its recorded outputs, by the index of their resource.
struct Recording {
  explicit Recording(const std::string& name) : golden(case_named(name)) {
    auto read = read_golden(WARPWAVE_SOURCE_DIR "/tests/golden/guests/" + name + ".bin");
    EXPECT_TRUE(read.ok()) << read.error().to_string();
    if (!read.ok()) return;
    size_t next = 0;
    outputs.resize(golden.resources.size());
    for (size_t i = 0; i < golden.resources.size() && next < read->size(); ++i)
      if (golden.resources[i].is_output) outputs[i] = std::move((*read)[next++]);
  }
  template <class T>
  std::vector<T> input(size_t resource) const {
    return values_of<T>(golden.resources[resource].contents);
  }
  template <class T>
  std::vector<T> output(size_t resource) const {
    return outputs.empty() ? std::vector<T>{} : values_of<T>(outputs[resource]);
  }

  const GoldenCase& golden;
  Outputs outputs;
};

class Recordings : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(WARPWAVE_SOURCE_DIR "/tests/golden/manifest.json"))
      GTEST_SKIP() << "nothing is recorded in this tree";
  }
};

TEST_F(Recordings, NothingIsPoison) {
  // Four poison bytes in a row, aligned, would be an element that no thread wrote.
  for (const GoldenCase& golden : all_cases()) {
    const auto read = read_golden(WARPWAVE_SOURCE_DIR "/tests/golden/" + golden.family + "/" + golden.name + ".bin");
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    for (const auto& output : *read)
      for (const uint32_t word : values_of<uint32_t>(output)) ASSERT_NE(word, 0xc9c9c9c9u) << golden.name;
  }
}

TEST_F(Recordings, VectorAddOfNumbers) {
  const Recording r("vector_add");
  const auto a = r.input<float>(0);
  const auto b = r.input<float>(1);
  const auto c = r.output<float>(2);
  ASSERT_EQ(c.size(), 1000u);
  for (size_t i = 0; i < c.size(); ++i)
    if (!std::isnan(a[i] + b[i])) {
      ASSERT_EQ(c[i], a[i] + b[i]) << i;
    }
}

TEST_F(Recordings, ScanAddsUp) {
  const Recording r("scan");
  auto expected = r.input<uint32_t>(0);
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  EXPECT_EQ(r.output<uint32_t>(1), expected);
}

TEST_F(Recordings, TransposeSwapsIndices) {
  const Recording r("transpose");
  const auto in = r.input<uint32_t>(0);
  const auto out = r.output<uint32_t>(1);
  ASSERT_EQ(out.size(), 45u * 37u);
  for (size_t y = 0; y < 37; ++y)
    for (size_t x = 0; x < 45; ++x) ASSERT_EQ(out[x * 37 + y], in[y * 45 + x]);
}

TEST_F(Recordings, GridReductionAddsUp) {
  const Recording r("reduce_grid");
  uint64_t sum = 0;
  for (const uint32_t x : r.input<uint32_t>(0)) sum += x >> 8;
  EXPECT_EQ(r.output<uint64_t>(3), std::vector<uint64_t>{sum});
}

TEST_F(Recordings, ArgmaxIsTheLargest) {
  const Recording r("reduce_argmax");
  const auto in = r.input<float>(0);
  const auto place = std::max_element(in.begin(), in.end());
  EXPECT_EQ(r.output<uint32_t>(1),
            (std::vector<uint32_t>{std::bit_cast<uint32_t>(*place), static_cast<uint32_t>(place - in.begin())}));
}

TEST_F(Recordings, SortsSort) {
  {
    const Recording r("bitonic_block");
    const auto keys = r.input<uint32_t>(0);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.begin() + 512);
    std::sort(sorted.begin() + 512, sorted.end());
    EXPECT_EQ(r.output<uint32_t>(0), sorted);
    const auto places = r.output<uint32_t>(1);
    for (size_t i = 0; i < places.size(); ++i) ASSERT_EQ(keys[places[i]], sorted[i]);
  }
  {
    const Recording r("bitonic_steps");
    auto sorted = r.input<float>(0);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(r.output<float>(0), sorted);
  }
  {
    const Recording r("radix_sort");
    auto sorted = r.input<uint32_t>(0);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(r.output<uint32_t>(0), sorted);
  }
  {
    const Recording r("recursion_sort");
    auto sorted = r.input<int32_t>(0);
    for (size_t i = 0; i < sorted.size(); i += 20) std::sort(sorted.begin() + i, sorted.begin() + i + 20);
    EXPECT_EQ(r.output<int32_t>(0), sorted);
  }
}

TEST_F(Recordings, HistogramsCount) {
  for (const char* name : {"histogram", "histogram_match"}) {
    const Recording r(name);
    std::vector<uint32_t> bins(256, 0);
    for (const uint8_t byte : r.input<uint8_t>(0)) ++bins[byte];
    EXPECT_EQ(r.output<uint32_t>(1), bins) << name;
  }
}

TEST_F(Recordings, Sha256KnowsAbc) {
  // FIPS 180-4, example of "abc"; and the digest of the empty message.
  const Recording r("sha256");
  const auto digests = r.output<uint32_t>(2);
  ASSERT_EQ(digests.size(), 320u);
  const std::vector<uint32_t> abc = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                     0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  const std::vector<uint32_t> empty = {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                                       0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
  EXPECT_EQ(std::vector<uint32_t>(digests.begin(), digests.begin() + 8), empty);
  EXPECT_EQ(std::vector<uint32_t>(digests.begin() + 8, digests.begin() + 16), abc);
}

TEST_F(Recordings, CrcByBits) {
  const Recording r("crc32");
  const auto rows = r.input<uint8_t>(0);
  const auto out = r.output<uint32_t>(1);
  ASSERT_EQ(out.size(), 64u);
  for (size_t row = 0; row < 64; ++row) {
    uint32_t crc = ~0u;
    for (size_t bit = 0; bit < 37 * 8; ++bit) {
      const uint32_t in = (rows[row * 37 + bit / 8] >> (bit % 8)) & 1;
      crc = ((crc ^ in) & 1) != 0 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    ASSERT_EQ(out[row], ~crc);
  }
}

TEST_F(Recordings, BreadthFirstDepths) {
  const Recording r("bfs");
  const auto first = r.input<uint32_t>(0);
  const auto edges = r.input<uint32_t>(1);
  std::vector<uint32_t> depth(first.size() - 1, ~0u);
  std::queue<uint32_t> queue;
  depth[3] = 0;
  queue.push(3);
  for (; !queue.empty(); queue.pop()) {
    const uint32_t v = queue.front();
    for (uint32_t e = first[v]; e < first[v + 1]; ++e) {
      if (depth[edges[e]] != ~0u) continue;
      depth[edges[e]] = depth[v] + 1;
      queue.push(edges[e]);
    }
  }
  EXPECT_LT(*std::max_element(depth.begin(), depth.end(), [](uint32_t a, uint32_t b) { return a + 1 < b + 1; }), 20u);
  EXPECT_EQ(r.output<uint32_t>(2), depth);
}

TEST_F(Recordings, FourierTransformBackIsTheInput) {
  const Recording r("fft256");
  const auto in = r.input<float>(0);
  const auto there = r.output<float>(1);
  const auto back = r.output<float>(2);
  ASSERT_EQ(back.size(), in.size());
  for (size_t i = 0; i < in.size(); ++i) ASSERT_NEAR(back[i] / 256.0f, in[i], 1e-5f);
  // Bin 5 of the first row by the definition.
  double re = 0;
  double im = 0;
  for (size_t n = 0; n < 256; ++n) {
    const double angle = -2.0 * 3.14159265358979323846 * 5.0 * static_cast<double>(n) / 256.0;
    re += in[2 * n] * std::cos(angle) - in[2 * n + 1] * std::sin(angle);
    im += in[2 * n] * std::sin(angle) + in[2 * n + 1] * std::cos(angle);
  }
  EXPECT_NEAR(there[10], re, 1e-4);
  EXPECT_NEAR(there[11], im, 1e-4);
}

TEST_F(Recordings, TensorCoreProductsOfIntegersAreExact) {
  const Recording r("hgemm_f32_integers");
  const auto a = r.input<uint16_t>(0);
  const auto b = r.input<uint16_t>(1);
  const auto c = r.output<float>(2);
  ASSERT_EQ(c.size(), 32u * 48u);
  for (size_t y = 0; y < 32; ++y) {
    for (size_t x = 0; x < 48; ++x) {
      float sum = 0;
      for (size_t k = 0; k < 64; ++k) sum += half_to_float(a[y * 64 + k]) * half_to_float(b[k * 48 + x]);
      ASSERT_EQ(c[y * 48 + x], sum);
    }
  }
}

TEST_F(Recordings, AttentionByItsDefinition) {
  const Recording r("attention");
  const auto q = r.input<uint16_t>(0);
  const auto k = r.input<uint16_t>(1);
  const auto v = r.input<uint16_t>(2);
  const auto out = r.output<uint16_t>(3);
  ASSERT_EQ(out.size(), 32u * 16u);
  for (size_t i = 0; i < 32; ++i) {
    std::vector<double> p(48);
    double total = 0;
    for (size_t j = 0; j < 48; ++j) {
      double s = 0;
      for (size_t d = 0; d < 16; ++d) s += double{half_to_float(q[i * 16 + d])} * half_to_float(k[j * 16 + d]);
      total += p[j] = std::exp(s / 4.0);
    }
    for (size_t d = 0; d < 16; ++d) {
      double sum = 0;
      for (size_t j = 0; j < 48; ++j) sum += p[j] / total * half_to_float(v[j * 16 + d]);
      ASSERT_NEAR(half_to_float(out[i * 16 + d]), sum, 2e-3);
    }
  }
}

TEST_F(Recordings, ConvolutionByItsDefinition) {
  const Recording r("convolution3x3");
  const auto in = r.input<float>(0);
  const auto weights = r.input<float>(2);
  const auto out = r.output<float>(1);
  const float bias[4] = {0.125f, -0.25f, 0.0f, 1.5f};
  ASSERT_EQ(out.size(), 4u * 21u * 13u);
  for (int o = 0; o < 4; ++o)
    for (int y = 0; y < 13; ++y)
      for (int x = 0; x < 21; ++x) {
        double sum = bias[o];
        for (int c = 0; c < 3; ++c)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (x + dx >= 0 && x + dx < 21 && y + dy >= 0 && y + dy < 13)
                sum += double{weights[((o * 3 + c) * 3 + dy + 1) * 3 + dx + 1]} * in[(c * 13 + y + dy) * 21 + x + dx];
        ASSERT_NEAR(out[(o * 13 + y) * 21 + x], sum > 0 ? sum : 0.1 * sum, 1e-5);
      }
}

TEST_F(Recordings, LocksCountEveryThread) {
  for (const char* name : {"spin_lock_polite", "spin_lock_hard"})
    EXPECT_EQ(Recording(name).output<uint32_t>(1), std::vector<uint32_t>{128}) << name;
  const auto relay = Recording("spin_relay").output<uint32_t>(1);
  ASSERT_EQ(relay.size(), 64u);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(relay[t], 32 - t % 32);
}

TEST_F(Recordings, WidenedE4m3ByTheFormat) {
  const auto out = Recording("e4m3_widen").output<uint32_t>(0);
  ASSERT_EQ(out.size(), 512u);
  for (uint32_t code = 0; code < 256; ++code) {
    const uint32_t magnitude = code & 0x7f;
    const auto half = static_cast<uint16_t>(out[2 * code]);
    if (magnitude == 0x7f) {
      EXPECT_TRUE(std::isnan(half_to_float(half)));
      continue;
    }
    const uint32_t exponent = magnitude >> 3;
    const uint32_t mantissa = magnitude & 7;
    const double value =
        exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, static_cast<int>(exponent) - 10);
    EXPECT_EQ(half_to_float(half), static_cast<float>(code < 128 ? value : -value)) << code;
  }
}

TEST_F(Recordings, NvccAndItsDebugBuildsAgree) {
  for (const char* program : {"image_filter", "interpreter", "shapes"}) {
    const std::string stem = std::string("nvcc_") + program;
    const Recording optimised(stem + "_sm_75");
    EXPECT_EQ(Recording(stem + "_sm_90").outputs, optimised.outputs) << program;
    EXPECT_EQ(Recording(stem + "_sm_80_debug").outputs, optimised.outputs) << program;
  }
  EXPECT_EQ(Recording("nvcc_matrix_sm_90_debug").outputs, Recording("nvcc_matrix_sm_80").outputs);
}

}  // namespace
}  // namespace ww::golden
