// Cases in which threads work together: reductions, scans, votes, shuffles, barriers, atomics, shared memory.
#include "golden/families.h"
#include "golden/random.h"

namespace ww::golden {
namespace {

std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.u32() >> 24);
  return bytes;
}

void add_reductions(std::vector<GoldenCase>& all) {
  const uint32_t count = 1111;
  {
    CaseBuilder builder("reduce_shuffle", "reduce");
    const size_t in = builder.input(random_floats(count, 101));
    const size_t out = builder.output(40, 4);
    all.push_back(builder.launch("reduce_shuffle", {10}, {128}, {at(in), at(out), value(count)}).build());
  }
  {
    CaseBuilder builder("reduce_shared", "reduce");
    const size_t in = builder.input(random_floats(count, 102));
    const size_t out = builder.output(3, 4);
    all.push_back(builder.launch("reduce_shared", {3}, {256}, {at(in), at(out), value(count)}).build());
  }
  {
    CaseBuilder builder("reduce_argmax", "reduce");
    const size_t in = builder.input(random_floats(count, 103));
    const size_t out = builder.output(2, 4);
    all.push_back(builder.launch("reduce_argmax", {1}, {32}, {at(in), at(out), value(count)}).build());
  }
  {
    CaseBuilder builder("reduce_grid", "reduce");
    const size_t in = builder.input(random_words(count, 104));
    const size_t partial = builder.output(5, 8);
    const size_t ticket = builder.scratch(4);
    const size_t out = builder.output(1, 8);
    all.push_back(
        builder.launch("reduce_grid", {5}, {128}, {at(in), at(partial), at(ticket), at(out), value(count)}).build());
  }
  {
    CaseBuilder builder("scan", "scan");
    const size_t in = builder.input(random_words(1000, 105));
    const size_t out = builder.output(1000, 4);
    const size_t sums = builder.output(4, 4);
    builder.launch("scan_blocks", {4}, {256}, {at(in), at(out), at(sums), value(1000u)});
    all.push_back(builder.launch("scan_add", {4}, {256}, {at(out), at(sums), value(1000u)}).build());
  }
  {
    CaseBuilder builder("transpose", "transpose");
    const size_t in = builder.input(random_floats(45 * 37, 106));
    const size_t out = builder.output(45 * 37, 4);
    all.push_back(builder.launch("transpose", {2, 2}, {32, 8}, {at(in), at(out), value(45u), value(37u)}).build());
  }
}

void add_atomics(std::vector<GoldenCase>& all) {
  const uint32_t count = 500;
  {
    CaseBuilder builder("atomic_words", "atomics");
    const size_t in = builder.input(random_words(count, 111));
    const size_t words =
        builder.in_out(std::vector<uint32_t>{0, 0, ~0u, 0, 0, ~0u, 0, 0x7fffffff, 0x80000000, 0, 7, 0});
    all.push_back(builder.launch("atomic_words", {4}, {128}, {at(in), at(words), value(count)}).build());
  }
  {
    CaseBuilder builder("atomic_sums", "atomics");
    const size_t in = builder.input(random_words(count, 112));
    const size_t f = builder.in_out(std::vector<float>{0.0f});
    const size_t d = builder.in_out(std::vector<double>{0.0});
    const size_t h = builder.in_out(std::vector<uint32_t>{0});
    const size_t w = builder.in_out(std::vector<uint64_t>{0, 0});
    all.push_back(
        builder.launch("atomic_sums", {4}, {128}, {at(in), at(f), at(d), at(h), at(w), value(count)}).build());
  }
  {
    CaseBuilder builder("atomic_swap", "atomics");
    const size_t in = builder.input(random_floats(count, 113, 0.0f, 10.0f));
    const size_t largest = builder.in_out(std::vector<float>{0.0f});
    const size_t seen = builder.in_out(std::vector<uint32_t>(512, 0));
    const size_t next = builder.in_out(std::vector<uint32_t>{0});
    all.push_back(
        builder.launch("atomic_swap", {4}, {128}, {at(in), at(largest), at(seen), at(next), value(count)}).build());
  }
  {
    CaseBuilder builder("atomic_shared", "atomics");
    const size_t in = builder.input(random_words(160, 114));
    const size_t out = builder.output(4, 4);
    all.push_back(builder.launch("atomic_shared", {1}, {160}, {at(in), at(out)}).build());
  }
  for (const char* entry : {"histogram", "histogram_match"}) {
    CaseBuilder builder(entry, "histogram");
    std::vector<uint8_t> bytes = random_bytes(3001, 115);
    for (size_t i = 0; i < bytes.size(); i += 3) bytes[i] &= 7;  // crowded bins
    const size_t in = builder.input(bytes);
    const size_t bins = builder.in_out(std::vector<uint32_t>(256, 0));
    const Dim3 grid{entry == std::string("histogram") ? 4u : 12u};
    all.push_back(builder.launch(entry, grid, {256}, {at(in), at(bins), value(3001u)}).build());
  }
}

void add_warps_and_barriers(std::vector<GoldenCase>& all) {
  for (const char* entry : {"warp_votes", "warp_shuffles", "warp_partial"}) {
    CaseBuilder builder(entry, "warp_ops");
    std::vector<uint32_t> words = random_words(256, 121);
    for (size_t i = 64; i < 96; ++i) words[i] = 0x10;  // one warp whose lanes all agree
    const size_t in = builder.input(words);
    const size_t out = builder.output(256, entry == std::string("warp_partial") ? 4 : 32);
    all.push_back(builder.launch(entry, {2}, {128}, {at(in), at(out)}).build());
  }
  {
    CaseBuilder builder("barrier_pipeline", "barriers");
    const uint32_t rows = 9;
    const size_t in = builder.input(random_words(rows * 32, 122));
    const size_t out = builder.output(rows * 32, 4);
    all.push_back(builder.launch("barrier_pipeline", {1}, {64}, {at(in), at(out), value(rows)}).build());
  }
  {
    CaseBuilder builder("barrier_reduce", "barriers");
    std::vector<uint32_t> words = random_words(288, 123);
    words[200] = 0;
    const size_t in = builder.input(words);
    const size_t out = builder.output(288, 4);
    all.push_back(builder.launch("barrier_reduce", {3}, {96}, {at(in), at(out)}).build());
  }
  {
    CaseBuilder builder("dynamic_shared", "local_memory");
    const size_t in = builder.input(random_words(3 * 301, 124));
    const size_t out = builder.output(3 * 301, 4);
    all.push_back(builder.launch("dynamic_shared", {3}, {64}, {at(in), at(out), value(301u)}, 301 * 4).build());
  }
  {
    CaseBuilder builder("bitonic_block", "bitonic");
    const size_t keys = builder.in_out(random_words(1024, 125));
    std::vector<uint32_t> places(1024);
    for (uint32_t i = 0; i < 1024; ++i) places[i] = i;
    const size_t values = builder.in_out(places);
    all.push_back(builder.launch("bitonic_block", {2}, {256}, {at(keys), at(values)}).build());
  }
  {
    CaseBuilder builder("bitonic_steps", "bitonic");
    const size_t values = builder.in_out(random_floats(256, 126));
    for (uint32_t size = 2; size <= 256; size *= 2)
      for (uint32_t stride = size / 2; stride > 0; stride /= 2)
        builder.launch("bitonic_step", {4}, {64}, {at(values), value(size), value(stride)});
    all.push_back(builder.build());
  }
  {
    CaseBuilder builder("radix_sort", "radix_sort");
    std::vector<uint32_t> keys = random_words(1024, 127);
    for (uint32_t& key : keys) key >>= 20;
    const size_t buffer = builder.in_out(keys);
    all.push_back(builder.launch("radix_sort", {1}, {1024}, {at(buffer), value(12u)}).build());
  }
}

}  // namespace

std::vector<GoldenCase> cooperation_cases() {
  std::vector<GoldenCase> all;
  add_reductions(all);
  add_atomics(all);
  add_warps_and_barriers(all);
  return all;
}

}  // namespace ww::golden
