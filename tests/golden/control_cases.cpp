// Cases of control flow and of a thread's own state: divergence, calls, local memory, lanes that wait for lanes.
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

void add_divergence(std::vector<GoldenCase>& all) {
  {
    CaseBuilder builder("collatz", "divergence");
    std::vector<uint32_t> starts = random_words(200, 201);
    for (uint32_t& x : starts) x >>= 12;
    starts[0] = 0;
    starts[1] = 1;
    starts[2] = 27;
    const size_t in = builder.input(starts);
    const size_t out = builder.output(200, 4);
    all.push_back(builder.launch("collatz", {4}, {64}, {at(in), at(out), value(200u), value(120u)}).build());
  }
  {
    CaseBuilder builder("nested_loops", "divergence");
    const size_t in = builder.input(random_words(150, 202));
    const size_t out = builder.output(150, 4);
    all.push_back(builder.launch("nested_loops", {3}, {64}, {at(in), at(out), value(150u)}).build());
  }
  {
    CaseBuilder builder("state_machine", "divergence");
    const size_t programs = builder.input(random_bytes(150 * 24, 203));
    const size_t out = builder.output(150, 4);
    all.push_back(builder.launch("state_machine", {5}, {32}, {at(programs), at(out), value(150u), value(24u)}).build());
  }
  {
    CaseBuilder builder("divergent_barrier", "divergence");
    const size_t in = builder.input(random_words(192, 204));
    const size_t out = builder.output(192, 4);
    all.push_back(builder.launch("divergent_barrier", {2}, {96}, {at(in), at(out)}).build());
  }
  {
    CaseBuilder builder("mandelbrot", "mandelbrot");
    const size_t out = builder.output(61 * 43, 2);
    all.push_back(builder
                      .launch("mandelbrot", {8, 6}, {8, 8},
                              {at(out), value(61u), value(43u), value(-2.1f), value(-1.25f), value(0.05f), value(200u)})
                      .build());
  }
}

void add_calls(std::vector<GoldenCase>& all) {
  {
    CaseBuilder builder("recursion_ackermann", "recursion");
    const size_t out = builder.output(50, 4);
    all.push_back(builder.launch("recursion_ackermann", {2}, {32}, {at(out), value(50u)}).build());
  }
  {
    CaseBuilder builder("recursion_sort", "recursion");
    std::vector<uint32_t> values = random_words(40 * 20, 211);
    for (size_t i = 0; i < 100; ++i) values[i] %= 5;  // many equal ones
    const size_t arrays = builder.in_out(values);
    all.push_back(builder.launch("recursion_sort", {2}, {32}, {at(arrays), value(40u), value(20u)}).build());
  }
  {
    CaseBuilder builder("function_pointers", "recursion");
    const size_t programs = builder.input(random_bytes(100 * 9, 212));
    const size_t values = builder.input(random_floats(100, 213, -2.0f, 2.0f));
    const size_t out = builder.output(100, 4);
    all.push_back(
        builder.launch("function_pointers", {4}, {32}, {at(programs), at(values), at(out), value(100u), value(9u)})
            .build());
  }
}

// As the kernel's Settings in guest/basic/local_memory.cu: the device's layout is that of the host.
struct Settings {
  uint8_t shift;
  uint16_t factor;
  uint32_t offset;
  alignas(16) float weights[4];
  uint64_t mask;
};

void add_local_memory(std::vector<GoldenCase>& all) {
  {
    CaseBuilder builder("local_sort", "local_memory");
    const size_t in = builder.input(random_bytes(70 * 24, 221));
    const size_t out = builder.output(70 * 24, 1);
    all.push_back(builder.launch("local_sort", {3}, {32}, {at(in), at(out), value(70u)}).build());
  }
  {
    CaseBuilder builder("by_value", "local_memory");
    Settings settings;
    std::memset(static_cast<void*>(&settings), 0, sizeof settings);
    settings.shift = 3;
    settings.factor = 40503;
    settings.offset = 1000000007;
    const float weights[4] = {1.5f, 100.0f, 65536.0f, 3.0f};
    std::memcpy(settings.weights, weights, sizeof weights);
    settings.mask = 0x0000ffffffffff0f;
    const size_t in = builder.input(random_words(90, 222));
    const size_t out = builder.output(90, 8);
    all.push_back(builder.launch("by_value", {3}, {32}, {value(settings), at(in), at(out), value(90u)}).build());
  }
  {
    CaseBuilder builder("generic_pointers", "local_memory");
    std::vector<uint16_t> halves = random_halves(64, 223);
    const size_t in = builder.input(halves);
    const size_t out = builder.output(64, 4);
    all.push_back(builder.launch("generic_pointers", {1}, {64}, {at(in), at(out)}).build());
  }
}

void add_waiting_lanes(std::vector<GoldenCase>& all) {
  for (const char* entry : {"spin_lock_polite", "spin_lock_hard"}) {
    CaseBuilder builder(entry, "spin_lock");
    const size_t lock = builder.scratch(4);
    const size_t counter = builder.in_out(std::vector<uint32_t>{0});
    all.push_back(builder.launch(entry, {2}, {64}, {at(lock), at(counter)}).build());
  }
  CaseBuilder builder("spin_relay", "spin_lock");
  const size_t flags = builder.in_out(std::vector<uint32_t>(64, 0));
  const size_t out = builder.output(64, 4);
  all.push_back(builder.launch("spin_relay", {1}, {64}, {at(flags), at(out)}).build());
}

}  // namespace

std::vector<GoldenCase> control_cases() {
  std::vector<GoldenCase> all;
  add_divergence(all);
  add_calls(all);
  add_local_memory(all);
  add_waiting_lanes(all);
  return all;
}

}  // namespace ww::golden
