#include "frame/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ww::frame {
namespace {

constexpr int kWindow = 11;
constexpr double kSigma = 1.5;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::array<double, kWindow> gaussian() {
  std::array<double, kWindow> weights{};
  double sum = 0.0;
  for (int i = 0; i < kWindow; ++i) {
    const double x = i - kWindow / 2;
    weights[static_cast<size_t>(i)] = std::exp(-x * x / (2.0 * kSigma * kSigma));
    sum += weights[static_cast<size_t>(i)];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The five windowed moments that SSIM needs.
struct Moments {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(double weight, const Moments& m) {
    a += weight * m.a;
    b += weight * m.b;
    aa += weight * m.aa;
    bb += weight * m.bb;
    ab += weight * m.ab;
  }
};

double ssim_of(const Moments& m) {
  constexpr double kC1 = 0.01 * 0.01, kC2 = 0.03 * 0.03;
  const double var_a = m.aa - m.a * m.a, var_b = m.bb - m.b * m.b, cov = m.ab - m.a * m.b;
  return ((2 * m.a * m.b + kC1) * (2 * cov + kC2)) / ((m.a * m.a + m.b * m.b + kC1) * (var_a + var_b + kC2));
}

}  // namespace

double psnr(const Image& a, const Image& b, double peak) {
  double sum = 0.0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    const double difference = double{a.data[i]} - double{b.data[i]};
    sum += difference * difference;
  }
  if (!std::isfinite(sum) || a.data.empty()) return kNan;
  if (sum == 0.0) return std::numeric_limits<double>::infinity();
  return 10.0 * std::log10(peak * peak * static_cast<double>(a.data.size()) / sum);
}

double ssim(const Image& a, const Image& b) {
  if (a.width < kWindow || a.height < kWindow) return kNan;
  static const std::array<double, kWindow> weights = gaussian();
  const int columns = a.width - kWindow + 1, rows = a.height - kWindow + 1;
  // Horizontal pass of each row into a ring of eleven rows, vertical pass over the ring.
  std::vector<std::vector<Moments>> ring(kWindow, std::vector<Moments>(static_cast<size_t>(columns)));
  double sum = 0.0;
  for (int y = 0; y < a.height; ++y) {
    auto& line = ring[static_cast<size_t>(y % kWindow)];
    for (int x = 0; x < columns; ++x) {
      Moments moments;
      for (int i = 0; i < kWindow; ++i) {
        const double va = a.at(x + i, y, 0), vb = b.at(x + i, y, 0);
        moments.add(weights[static_cast<size_t>(i)], {va, vb, va * va, vb * vb, va * vb});
      }
      line[static_cast<size_t>(x)] = moments;
    }
    if (y < kWindow - 1) continue;
    for (int x = 0; x < columns; ++x) {
      Moments moments;
      for (int i = 0; i < kWindow; ++i)
        moments.add(weights[static_cast<size_t>(i)],
                    ring[static_cast<size_t>((y - kWindow + 1 + i) % kWindow)][static_cast<size_t>(x)]);
      sum += ssim_of(moments);
    }
  }
  return sum / (static_cast<double>(columns) * rows);
}

double largest_difference(const Image& a, const Image& b) {
  double largest = 0.0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    const float va = a.data[i], vb = b.data[i];
    if (va == vb || (std::isnan(va) && std::isnan(vb))) continue;
    if (!std::isfinite(va) || !std::isfinite(vb)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(double{va} - double{vb}));
  }
  return largest;
}

void UlpReport::add(const UlpReport& other) {
  count += other.count;
  identical += other.identical;
  within_1 += other.within_1;
  within_4 += other.within_4;
  finite += other.finite;
  largest = std::max(largest, other.largest);
}

UlpReport compare_ulps(std::span<const float> a, std::span<const float> b, SampleType type) {
  constexpr int kSmallestExponent = -10;
  const int fraction_bits = type == SampleType::kHalf ? 10 : 23;
  UlpReport report;
  report.count = a.size();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool finite = std::isfinite(a[i]) && std::isfinite(b[i]);
    report.finite += finite ? 1 : 0;
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) {
      ++report.identical, ++report.within_1, ++report.within_4;
      continue;
    }
    if (!finite) {
      report.largest = std::numeric_limits<double>::infinity();
      continue;
    }
    const float larger = std::max(std::abs(a[i]), std::abs(b[i]));
    const int exponent = std::max(std::ilogb(larger), kSmallestExponent);
    const double units = std::ldexp(std::abs(double{a[i]} - double{b[i]}), fraction_bits - exponent);
    report.within_1 += units <= 1.0 ? 1 : 0;
    report.within_4 += units <= 4.0 ? 1 : 0;
    report.largest = std::max(report.largest, units);
  }
  return report;
}

}  // namespace ww::frame
