// Finds the parameters of devicelib's tensor-core model that explain what mma_probe.cu recorded: for each kind of mma
// it prints the best parameter sets, how many results differ, and examples of what the best one gets wrong.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "hardware/mma_kinds.h"

using namespace ww::devicelib;

namespace {

struct Candidate {
  MmaModel model;
  long wrong = 0;
};

std::string describe(const MmaModel& m, int block) {
  char text[200];
  std::snprintf(text, sizeof text, "block %d, fraction bits %d%s%s%s%s%s", block, m.fraction_bits,
                m.floor ? ", floor" : "", m.accumulator_last ? ", accumulator last" : "",
                m.normalise_products ? ", normalised products" : "", m.nearest_f32 ? ", nearest" : "",
                m.flush_subnormal_results ? ", flushes" : "");
  return text;
}

struct Data {
  std::vector<u32> a, b, c, d;
  int na, nb, nc;
};

// Warps w = style mod 7: style 6 holds infinities and NaNs and is counted apart.
long mismatches(const Data& data, const MmaShape& shape, const MmaModel& model, int first, int step, bool special,
                bool print) {
  long wrong = 0;
  std::vector<u32> out(size_t(32 * data.nc));
  for (int w = first; w < kMmaWarps; w += step) {
    if ((w % 7 == 6) != special) continue;
    mma_32(model, shape, &data.a[size_t(w) * 32 * data.na], &data.b[size_t(w) * 32 * data.nb],
           &data.c[size_t(w) * 32 * data.nc], out.data());
    for (int i = 0; i < 32 * data.nc; ++i) {
      const u32 want = data.d[size_t(w) * 32 * data.nc + i];
      if (out[size_t(i)] == want) continue;
      if (print && wrong < 6)
        std::printf("    warp %d (style %d) lane %d register %d: gpu %08x, model %08x, c %08x\n", w, w % 7, i / data.nc,
                    i % data.nc, want, out[size_t(i)], data.c[size_t(w) * 32 * data.nc + i]);
      ++wrong;
    }
  }
  return wrong;
}

// Writes the sample for the tests.
bool keep(const Data& data, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    std::perror(path.c_str());
    return false;
  }
  bool complete = true;
  for (const std::vector<u32>* registers : {&data.a, &data.b, &data.c, &data.d}) {
    const size_t count = registers->size() / kMmaWarps * kMmaKeptWarps;
    complete &= std::fwrite(registers->data(), 4, count, file) == count;
  }
  return std::fclose(file) == 0 && complete;
}

}  // namespace

// FOLDER with the recording; KEPT, if given, gets the sample.
int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  for (const MmaKind& probe : kMmaKinds) {
    Data data{{}, {}, {}, {}, mma_a_registers(probe.shape), mma_b_registers(probe.shape), mma_c_registers(probe.shape)};
    std::FILE* file = std::fopen((folder + "/" + probe.name + ".bin").c_str(), "rb");
    if (!file) {
      std::printf("%s: not recorded\n", probe.name);
      continue;
    }
    bool complete = true;
    const auto read = [&](std::vector<u32>& to, int registers) {
      to.resize(size_t(kMmaWarps) * 32 * registers);
      complete &= std::fread(to.data(), 4, to.size(), file) == to.size();
    };
    read(data.a, data.na);
    read(data.b, data.nb);
    read(data.c, data.nc);
    read(data.d, data.nc);
    std::fclose(file);
    if (!complete) {
      std::printf("%s: truncated\n", probe.name);
      continue;
    }
    if (argc > 2 && !keep(data, std::string(argv[2]) + "/" + probe.name + ".bin")) return 1;
    const long all = long(kMmaWarps) * 32 * data.nc / 7 * 6;
    if (probe.shape.accumulator == MmaAccumulator::kS32) {
      std::printf("%s: %ld of %ld registers differ\n", probe.name, mismatches(data, probe.shape, {}, 0, 1, false, true),
                  all);
      continue;
    }
    std::vector<Candidate> candidates;
    std::vector<int> blocks;
    for (int block : {2, 4, 8, 16, 32})
      if (block <= probe.shape.k) blocks.push_back(block);
    for (int block : blocks)
      for (int bits = 10; bits <= 32; ++bits)
        for (int flags = 0; flags < 32; ++flags) {
          MmaModel m;
          m.block_f16 = m.block_tf32 = m.block_f8 = block;
          m.fraction_bits = bits;
          m.floor = flags & 1;
          m.accumulator_last = flags & 2;
          m.normalise_products = flags & 4;
          m.nearest_f32 = flags & 8;
          m.flush_subnormal_results = flags & 16;
          candidates.push_back({m});
        }
    // A race: each round looks at more warps and keeps the best.
    for (const auto& [step, keep] : {std::pair{97, size_t(400)}, std::pair{29, size_t(60)}, std::pair{1, size_t(5)}}) {
      for (Candidate& c : candidates) c.wrong = mismatches(data, probe.shape, c.model, 0, step, false, false);
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const Candidate& x, const Candidate& y) { return x.wrong < y.wrong; });
      if (candidates.size() > keep) candidates.resize(keep);
    }
    std::printf("%s: of %ld registers differ\n", probe.name, all);
    for (const Candidate& c : candidates)
      std::printf("  %8ld  %s\n", c.wrong, describe(c.model, c.model.block_f16).c_str());
    mismatches(data, probe.shape, candidates[0].model, 0, 1, false, true);
    std::printf("  with infinities and NaNs: %ld differ\n",
                mismatches(data, probe.shape, candidates[0].model, 0, 1, true, true));
  }
  return 0;
}
