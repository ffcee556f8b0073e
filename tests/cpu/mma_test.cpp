// Matrix steps: the exact ones against the scalar tensor-core model, the fast ones against sums in f64.
#include "cpu/mma.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/float_formats.h"
#include "cpu/runtime.h"
#include "cpu/warp_program.h"
#include "devicelib/mma.h"

namespace ww::cpu {
namespace {

class Mma : public testing::TestWithParam<HostIsa> {};

struct Operands {
  alignas(64) uint32_t words[32 * 10];  // a, b, c as arrays of 32 a register
  alignas(64) uint32_t d[32 * 4];
};

// kind 0: ordinary numbers; 1: any exponents; 2: cancellation; 3: subnormals and zeros; 4: everything, infinities and
// NaN too.
void fill(Operands& o, std::mt19937& random, int kind, int inputs) {
  const auto half = [&]() -> uint16_t {
    switch (kind) {
      case 0:
        return f32_to_f16(float(int(random() % 4001) - 2000) / 700.0f);
      case 1:
        return uint16_t((random() & 0x83ff) | (1 + random() % 30) << 10);
      case 2:
        return uint16_t((random() & 0x8003) | (14 + random() % 3) << 10);
      case 3:
        return uint16_t(random() & (random() % 3 == 0 ? 0x8000 : 0x83ff));
      default:
        return uint16_t(random());
    }
  };
  for (int i = 0; i < 32 * inputs; ++i) o.words[i] = half() | uint32_t(half()) << 16;
  for (int i = 32 * inputs; i < 32 * (inputs + 4); ++i) {
    const uint32_t bits = uint32_t(random());
    o.words[i] = kind == 4   ? bits
                 : kind == 0 ? std::bit_cast<uint32_t>(float(int(bits % 2001) - 1000) / 64.0f)
                             : (bits & 0x807fffff) | (90 + bits % 60) << 23;
    if (kind == 3 && bits % 2 == 0) o.words[i] = bits & 0x807fffff;
  }
}

TEST_P(Mma, ExactIsTheModel) {
  std::mt19937 random(7);
  for (const int k : {16, 8}) {
    const MmaFunction function = find_mma_function(
        GetParam(), k == 16 ? "cpu.mma.m16n8k16.row.col.f32.f16.f16.f32" : "cpu.mma.m16n8k8.row.col.f32.f16.f16.f32");
    ASSERT_NE(function, nullptr);
    const int a = k / 4, b = k / 8;
    for (int round = 0; round < 2000; ++round) {
      Operands o;
      fill(o, random, round % 5, a + b);
      uint32_t expected[128];
      const devicelib::MmaShape shape{
          16,   8, uint8_t(k), devicelib::MmaType::kF16, devicelib::MmaType::kF16, devicelib::MmaAccumulator::kF32,
          false};
      devicelib::mma_32(devicelib::kMmaHopper, shape, o.words, o.words + 32 * a, o.words + 32 * (a + b), expected);
      std::memcpy(o.d, o.words + 32 * (a + b), sizeof o.d);
      function(o.words, o.words + 32 * a, o.d, o.d, devicelib::pack_shape(shape));  // in place
      for (int lane = 0; lane < 32; ++lane)
        for (int r = 0; r < 4; ++r)
          ASSERT_EQ(o.d[32 * r + lane], expected[32 * r + lane])
              << "k " << k << " round " << round << " lane " << lane << " d" << r;
    }
  }
}

TEST_P(Mma, FastIsNearTheSum) {
  std::mt19937 random(8);
  for (const int k : {16, 8})
    for (const bool half_accumulator : {false, true}) {
      const std::string type = half_accumulator ? "f16" : "f32";
      const MmaFunction function = find_mma_function(
          GetParam(), "cpu.fast.mma.m16n8k" + std::to_string(k) + ".row.col." + type + ".f16.f16." + type);
      ASSERT_NE(function, nullptr);
      const int a = k / 4, b = k / 8;
      for (int round = 0; round < 200; ++round) {
        Operands o;
        fill(o, random, 0, a + b);
        if (half_accumulator)
          for (int i = 0; i < 64; ++i)
            o.words[32 * (a + b) + i] = f32_to_f16(float(i)) | uint32_t(f32_to_f16(-float(i) / 3)) << 16;
        function(o.words, o.words + 32 * a, o.words + 32 * (a + b), o.d, 0);
        const auto number = [&](int reg, int lane, int h) {
          return double(f16_to_f32(uint16_t(o.words[32 * reg + lane] >> (16 * h))));
        };
        for (int lane = 0; lane < 32; ++lane)
          for (int i = 0; i < 4; ++i) {
            const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
            double sum = half_accumulator ? number(a + b + i / 2, lane, i % 2)
                                          : double(std::bit_cast<float>(o.words[32 * (a + b + i) + lane]));
            for (int j = 0; j < k; ++j) {
              const int t = j % 8 / 2, h = j % 2;
              sum += number(2 * (j / 8) + row / 8, 4 * (row % 8) + t, h) * number(a + j / 8, 4 * column + t, h);
            }
            const double got = half_accumulator
                                   ? double(f16_to_f32(uint16_t(o.d[32 * (i / 2) + lane] >> (16 * (i % 2)))))
                                   : double(std::bit_cast<float>(o.d[32 * i + lane]));
            ASSERT_NEAR(got, sum, half_accumulator ? std::abs(sum) / 1024 + 1e-3 : 1e-3)
                << type << " k " << k << " lane " << lane;
          }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, Mma, testing::ValuesIn(host_levels_here()),
                         [](const auto& info) { return std::string(host_level(info.param).name.substr(7)); });

}  // namespace
}  // namespace ww::cpu
