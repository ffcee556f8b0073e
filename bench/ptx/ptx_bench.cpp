// Speed of the front end on generated modules: lines a second of parser and verifier, and the memory of a large module.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>

#include "ptx/generator.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verifier.h"

namespace {

constexpr size_t kBytes = 8 << 20;

void count_lines(benchmark::State& state, const std::string& text) {
  const auto lines = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  state.counters["lines/s"] = benchmark::Counter(lines, benchmark::Counter::kIsIterationInvariantRate);
}

std::shared_ptr<const ww::ptx::Module> parsed(const std::string& text) {
  auto module = ww::ptx::parse(text, "generated.ptx");
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.error().to_string().c_str());
    std::abort();
  }
  return *module;
}

void parse(benchmark::State& state) {
  const std::string text = ww::bench::generate_module(kBytes);
  for (auto _ : state) benchmark::DoNotOptimize(parsed(text));
  count_lines(state, text);
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void verify(benchmark::State& state) {
  const std::string text = ww::bench::generate_module(kBytes);
  const auto module = parsed(text);
  for (auto _ : state)
    if (!ww::ptx::verify(*module).ok()) state.SkipWithError("the module is not legal");
  count_lines(state, text);
}
BENCHMARK(verify)->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  const std::string text = ww::bench::generate_module(kBytes);
  const auto module = parsed(text);
  for (auto _ : state) benchmark::DoNotOptimize(ww::ptx::print(*module));
  count_lines(state, text);
}
BENCHMARK(print)->Unit(benchmark::kMillisecond);

// 100 MB of text: the peak of the whole process, text included, against the bar of 1.5 GB.
void parse_100_megabytes(benchmark::State& state) {
  std::string text = ww::bench::generate_module(100'000'000);
  for (auto _ : state) {
    auto module = ww::ptx::parse(std::move(text), "generated.ptx");
    if (!module.ok()) state.SkipWithError("the module is not legal");
    benchmark::DoNotOptimize(module);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
}
BENCHMARK(parse_100_megabytes)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
