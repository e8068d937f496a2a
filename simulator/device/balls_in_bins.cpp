#include "simulator/device/balls_in_bins.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/base/check.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kExactUpTo = 64;

/// P(no bin has more than `most`) = n! [x^n] (Σ_{j ≤ most} (x/k)^j / j!)^k, a factor at a time.
double exactAtMost(std::size_t balls, std::size_t bins, std::size_t most) {
  std::vector<double> placed(balls + 1, 0);  // of b balls placed so far, ÷ b!
  placed[0] = 1;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    std::vector<double> next(balls + 1, 0);
    for (std::size_t b = 0; b <= balls; ++b) {
      double term = 1;
      for (std::size_t j = 0; j <= std::min(most, balls - b); ++j) {
        next[b + j] += placed[b] * term;
        term /= static_cast<double>(bins * (j + 1));
      }
    }
    placed = std::move(next);
  }
  return placed[balls] * std::tgamma(static_cast<double>(balls) + 1);
}

/// A Poisson number with this mean, given that it is at most `most`.
struct CutPoisson {
  CutPoisson(double lambda, std::int64_t most) {
    double first = 0, second = 0, third = 0;
    for (std::int64_t j = 0; j <= most; ++j) {
      const auto at = static_cast<double>(j);
      const double chance = std::exp(at * std::log(lambda) - lambda - std::lgamma(at + 1));
      share += chance;
      first += at * chance;
      second += at * at * chance;
      third += at * at * at * chance;
    }
    mean = first / share;
    variance = second / share - mean * mean;
    skewness = third / share - 3 * mean * variance - mean * mean * mean;
  }
  double share = 0, mean = 0, variance = 0, skewness = 0;  // skewness: third central moment
};

/// The same where bins are many: Poisson loads whose sum happens to be the number of balls, which is nearly
/// normal.
double nearlyAtMost(double balls, double bins, std::int64_t most) {
  const CutPoisson load(balls / bins, most);
  const double spread = bins * load.variance, off = balls - bins * load.mean;
  if (load.share <= 0 || spread <= 0) return 0;
  const double z = off / std::sqrt(spread);
  // Edgeworth's first correction
  const double skewed = 1 + bins * load.skewness / (6 * std::pow(spread, 1.5)) * (z * z * z - 3 * z);
  const double sum = std::max(0.0, skewed) * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi * spread);
  const double free = std::exp(balls * std::log(balls) - balls - std::lgamma(balls + 1));
  return std::min(1.0, std::exp(bins * std::log(load.share)) * sum / free);
}

}  // namespace

double expectedLargestLoad(std::int64_t balls, std::int64_t bins) {
  HALO_CHECK(balls >= 0 && bins >= 1);
  if (balls == 0) return 0;
  if (bins == 1) return static_cast<double>(balls);
  const std::int64_t least = (balls + bins - 1) / bins;
  auto mean = static_cast<double>(least);
  for (std::int64_t most = least; most < balls; ++most) {  // Σ P(fullest > most)
    const double within = balls <= kExactUpTo && bins <= kExactUpTo
                              ? exactAtMost(static_cast<std::size_t>(balls), static_cast<std::size_t>(bins),
                                            static_cast<std::size_t>(most))
                              : nearlyAtMost(static_cast<double>(balls), static_cast<double>(bins), most);
    mean += 1 - within;
    if (1 - within < 1e-9) break;
  }
  return mean;
}

double randomBankShare(std::int64_t banks, std::int64_t issue, std::int64_t depth) {
  HALO_CHECK(banks >= 1 && issue >= 1 && depth >= 1);
  const auto perBank = static_cast<double>(depth);
  // fewer banks than requests: the banks are the whole
  const std::int64_t requests = std::min(issue, banks) * depth;
  return perBank / std::max(perBank, expectedLargestLoad(requests, banks));
}

}  // namespace halo::sim
