// Approximate forms: what an H200 answered for all their inputs is on record, cpu gives the same in chunks of inputs
// chosen here, sim what cpu gives, and the errors on record are those of the results. (`input-probe check cpu` runs all
// inputs.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>

#include "coverage/recorded_sweeps.h"
#include "device/registry.h"

namespace ww::coverage {
namespace {

// Bounds that the H200 itself does not keep.
const std::set<std::string> kOutside = {"cos.approx.f32", "cos.approx.ftz.f32", "tanh.approx.bf16",
                                        "tanh.approx.bf16x2"};
// Chunks are signs and exponents of f32: subnormals, every octave of tanh's table and with them every slice of the
// others, the largest numbers, NaN and infinity; some of the negative ones.
constexpr uint32_t kChunks[] = {0,   118, 119, 120, 121, 122, 123, 124, 125, 126,
                                127, 128, 129, 254, 255, 256, 383, 389, 510, 511};
constexpr uint32_t kChunksOfDivisors[] = {0, 127, 253, 254, 383};
constexpr uint32_t kScattered = 65537, kCount = 1u << 16;  // step and number of inputs all over the range

std::unique_ptr<Device> device(const char* name) {
  auto opened = open_device(name, {});
  EXPECT_TRUE(opened.ok()) << opened.error().to_string();
  return opened.ok() ? std::move(*opened) : nullptr;
}

TEST(Approximate, AllInputsAreOnRecord) {
  const auto recorded = recorded_sweeps();
  const auto sweeps = approximate_sweeps();
  EXPECT_EQ(recorded.size(), sweeps.size());
  std::set<std::string> forms;
  for (const Sweep& sweep : sweeps) {
    forms.insert(sweep.form.name);
    ASSERT_TRUE(recorded.contains(sweep.name)) << sweep.name;
    EXPECT_EQ(recorded.at(sweep.name).size(), sweep.chunks()) << sweep.name;
  }
  for (const Form& form : written_forms()) EXPECT_EQ(is_approximate(form), forms.contains(form.name)) << form.name;
}

TEST(Approximate, CpuGivesTheBitsOfTheH200) {
  const auto cpu = device("cpu");
  ASSERT_NE(cpu, nullptr);
  const auto recorded = recorded_sweeps();
  for (const Sweep& sweep : approximate_sweeps()) {
    auto run = SweepRun::create(*cpu, sweep);
    ASSERT_TRUE(run.ok()) << run.error().to_string();
    const bool divides = sweep.form.compiled().form->opcode == ptx::Opcode::kDiv;
    for (const uint32_t chunk : divides ? std::span<const uint32_t>(kChunksOfDivisors) : std::span(kChunks)) {
      if (chunk >= sweep.chunks()) continue;
      const auto hash = run->hash(chunk);
      ASSERT_TRUE(hash.ok()) << hash.error().to_string();
      EXPECT_EQ(*hash, recorded.at(sweep.name)[chunk]) << sweep.name << ", chunk " << chunk;
    }
  }
}

TEST(Approximate, SimGivesWhatCpuGives) {
  const auto cpu = device("cpu"), sim = device("sim");
  ASSERT_TRUE(cpu != nullptr && sim != nullptr);
  for (const Sweep& sweep : approximate_sweeps()) {
    std::vector<std::vector<uint64_t>> found;
    for (Device* each : {cpu.get(), sim.get()}) {
      auto run = SweepRun::create(*each, sweep);
      ASSERT_TRUE(run.ok()) << run.error().to_string();
      auto results = run->results(0, kScattered, kCount);
      ASSERT_TRUE(results.ok()) << results.error().to_string();
      found.push_back(std::move(*results));
    }
    EXPECT_EQ(found[0], found[1]) << sweep.name;
  }
}

TEST(Approximate, ErrorsOnRecordAreThoseOfTheResults) {
  const auto cpu = device("cpu");
  ASSERT_NE(cpu, nullptr);
  std::map<std::string, std::vector<RecordedError>> recorded;
  for (const RecordedError& error : recorded_errors()) recorded[error.form].push_back(error);
  std::map<std::string, double> reached;  // by the line: the largest error where the line says that it is
  for (const Sweep& sweep : approximate_sweeps()) {
    const auto bounds = manual_bounds(sweep.form);
    ASSERT_EQ(recorded[sweep.form.name].size(), bounds.size()) << sweep.name;
    if (bounds.empty()) continue;
    auto run = SweepRun::create(*cpu, sweep);
    ASSERT_TRUE(run.ok()) << run.error().to_string();
    const uint32_t step = sweep.inputs < kChunkInputs ? 1 : kScattered;
    const auto scattered = run->results(0, step, kCount);
    ASSERT_TRUE(scattered.ok()) << scattered.error().to_string();
    for (const ErrorBound& bound : bounds) {
      const auto& lines = recorded[sweep.form.name];
      const auto found = std::find_if(lines.begin(), lines.end(), [&](const RecordedError& each) {
        return each.bound.unit == bound.unit && (each.bound.high == bound.high ||  // the text has nine digits
                                                 std::abs(each.bound.high - bound.high) < 1e-6 * bound.high);
      });
      ASSERT_NE(found, lines.end()) << sweep.name;
      const RecordedError& line = *found;
      EXPECT_NEAR(line.bound.bound / bound.bound, 1, 1e-5) << sweep.name;
      if (!kOutside.contains(sweep.form.name)) {
        EXPECT_LE(line.largest, bound.bound * (1 + 1e-5)) << sweep.name;
      }
      const ErrorMeter meter(sweep, bound);
      double worst = 0;
      for (uint32_t i = 0; i < kCount; ++i) worst = std::max(worst, meter.error(i * step, (*scattered)[i]));
      EXPECT_LE(worst, line.largest * (1 + 1e-5)) << sweep.name << " has a larger error than is on record";
      const auto there = run->results(line.input, 1, kCount);
      ASSERT_TRUE(there.ok()) << there.error().to_string();
      double& most = reached[line_of(line)];
      most = std::max(most, meter.error(line.input, (*there)[0]));
    }
  }
  for (const auto& [form, errors] : recorded)
    for (const RecordedError& error : errors)
      EXPECT_NEAR(reached[line_of(error)] / error.largest, 1, 1e-5) << line_of(error);
}

}  // namespace
}  // namespace ww::coverage
