// Cases of whole programs: hashes, transforms, simulations, linear algebra in f32 and f64, a graph search.
#include <algorithm>

#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

GoldenCase nbody_case() {
  CaseBuilder builder("nbody", "nbody");
  const uint32_t count = 100;
  std::vector<float> bodies = random_floats(4 * count, 301);
  for (size_t i = 3; i < bodies.size(); i += 4) bodies[i] = bodies[i] * 0.5f + 0.6f;
  const size_t a = builder.in_out(bodies);
  const size_t va = builder.in_out(random_floats(4 * count, 302, -0.1f, 0.1f));
  const size_t b = builder.output(4 * count, 4);
  const size_t vb = builder.output(4 * count, 4);
  builder.launch("nbody_step", {2}, {64}, {at(a), at(va), at(b), at(vb), value(count), value(0.01f)});
  return builder.launch("nbody_step", {2}, {64}, {at(b), at(vb), at(a), at(va), value(count), value(0.01f)}).build();
}

GoldenCase sha256_case() {
  CaseBuilder builder("sha256", "sha256");
  const uint32_t count = 40;
  std::vector<uint8_t> messages(count * 128);
  std::vector<uint32_t> lengths(count);
  Random random(311);
  for (uint8_t& byte : messages) byte = static_cast<uint8_t>(random.u32() >> 24);
  for (uint32_t i = 0; i < count; ++i) lengths[i] = i * 3;  // 0 .. 117: one block and two, padding at every place
  std::memcpy(messages.data() + 128, "abc", 3);             // FIPS 180-4's first example
  const size_t in = builder.input(messages);
  const size_t sizes = builder.input(lengths);
  const size_t out = builder.output(count * 8, 4);
  return builder.launch("sha256", {2}, {32}, {at(in), at(sizes), at(out), value(count)}).build();
}

GoldenCase bfs_case() {
  CaseBuilder builder("bfs", "bfs");
  const uint32_t vertices = 300;
  std::vector<uint32_t> first_edge{0};
  std::vector<uint32_t> edges;
  Random random(321);
  for (uint32_t v = 0; v < vertices; ++v) {
    for (uint32_t k = random.below(4); k > 0; --k) edges.push_back(std::min(v + random.below(25), vertices - 1));
    first_edge.push_back(static_cast<uint32_t>(edges.size()));
  }
  const uint32_t levels = 20;
  const size_t first = builder.input(first_edge);
  const size_t targets = builder.input(edges);
  const size_t depth = builder.output(vertices, 4);
  const size_t queues = builder.scratch(2 * vertices * 4);
  const size_t sizes = builder.in_out(std::vector<uint32_t>(levels + 1, 0));
  builder.launch("bfs_start", {1}, {128}, {at(depth), at(queues), at(sizes), value(vertices), value(3u)});
  for (uint32_t level = 0; level < levels; ++level) {
    builder.launch("bfs_level", {2}, {32},
                   {at(first), at(targets), at(depth), at(queues), at(sizes), value(vertices), value(level)});
  }
  return builder.build();
}

GoldenCase fft_case() {
  CaseBuilder builder("fft256", "fft");
  const size_t in = builder.input(random_floats(2 * 512, 331));
  const size_t there = builder.output(2 * 512, 4);
  const size_t back = builder.output(2 * 512, 4);
  builder.launch("fft256", {2}, {128}, {at(in), at(there), value(-1.0f)});
  return builder.launch("fft256", {2}, {128}, {at(there), at(back), value(1.0f)}).build();
}

GoldenCase sgemm_case() {
  CaseBuilder builder("sgemm", "sgemm");
  const uint32_t m = 33;
  const uint32_t n = 47;
  const uint32_t k = 29;
  const size_t a = builder.input(random_floats(m * k, 341));
  const size_t b = builder.input(random_floats(k * n, 342));
  const size_t c = builder.output(m * n, 4);
  return builder.launch("sgemm", {3, 3}, {16, 16}, {at(a), at(b), at(c), value(m), value(n), value(k)}).build();
}

GoldenCase sgemm_async_case() {
  CaseBuilder builder("sgemm_async", "sgemm");
  const uint32_t n = 32;
  const uint32_t k = 48;
  const size_t a = builder.input(random_floats(32 * k, 343));
  const size_t b = builder.input(random_floats(k * n, 344));
  const size_t c = builder.output(32 * n, 4);
  return builder.launch("sgemm_async", {2, 2}, {16, 16}, {at(a), at(b), at(c), value(n), value(k)}).build();
}

GoldenCase convolution_case() {
  CaseBuilder builder("convolution3x3", "convolution");
  const uint32_t width = 21;
  const uint32_t height = 13;
  const size_t in = builder.input(random_floats(3 * width * height, 351));
  const size_t out = builder.output(4 * width * height, 4);
  builder.variable("conv_weights", random_floats(4 * 3 * 9, 352));
  return builder.launch("convolution3x3", {3, 2}, {8, 8}, {at(in), at(out), value(width), value(height)}).build();
}

GoldenCase crc_case() {
  CaseBuilder builder("crc32", "crc32");
  std::vector<uint8_t> rows(64 * 37);
  Random random(361);
  for (uint8_t& byte : rows) byte = static_cast<uint8_t>(random.u32() >> 24);
  const size_t in = builder.input(rows);
  const size_t out = builder.output(64, 4);
  return builder.launch("crc32", {1}, {64}, {at(in), at(out), value(64u), value(37u)}).build();
}

std::vector<double> random_doubles(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& x : values) x = static_cast<double>(random.next() >> 11) * 0x1p-52 - 1.0;
  return values;
}

GoldenCase jacobi_case() {
  CaseBuilder builder("jacobi", "jacobi");
  const uint32_t width = 19;
  const uint32_t height = 14;
  const size_t a = builder.in_out(random_doubles(width * height, 371));
  const size_t source = builder.input(random_doubles(width * height, 372));
  const size_t b = builder.output(width * height, 8);
  for (int i = 0; i < 2; ++i) {
    builder.launch("jacobi_step", {3, 2}, {8, 8}, {at(a), at(source), at(b), value(width), value(height)});
    builder.launch("jacobi_step", {3, 2}, {8, 8}, {at(b), at(source), at(a), value(width), value(height)});
  }
  return builder.build();
}

GoldenCase solve_case() {
  CaseBuilder builder("solve6", "jacobi");
  const size_t systems = builder.input(random_doubles(40 * 42, 373));
  const size_t solutions = builder.output(40 * 6, 8);
  return builder.launch("solve6", {2}, {32}, {at(systems), at(solutions), value(40u)}).build();
}

}  // namespace

std::vector<GoldenCase> algorithm_cases() {
  std::vector<GoldenCase> all;
  for (const auto make : {nbody_case, sha256_case, bfs_case, fft_case, sgemm_case, sgemm_async_case, convolution_case,
                          crc_case, jacobi_case, solve_case})
    all.push_back(make());
  return all;
}

}  // namespace ww::golden
