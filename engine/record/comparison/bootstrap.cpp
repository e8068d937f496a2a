#include "engine/record/comparison/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace halo {
namespace {

constexpr std::size_t kResamples = 2'000;
constexpr double kTail = 0.025;                // on each side
constexpr std::size_t kEpochsForInterval = 3;  // of fewer, a block is all of them, so nothing would vary

/// Of standard numbers alone: std::uniform_int_distribution differs between libraries.
std::size_t drawBelow(std::mt19937_64& random, std::size_t end) {
  return static_cast<std::size_t>(random() % end);
}

double meanOfRun(const std::vector<double>& run) {
  return std::accumulate(run.begin(), run.end(), 0.0) / static_cast<double>(run.size());
}

/// Resamples the epochs of one run in circular blocks.
class EpochBlocks {
 public:
  explicit EpochBlocks(const std::vector<double>& run)
      : size_(run.size()),
        block_(static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(size_))))) {
    sums_.reserve(size_ + block_ + 1);
    sums_.push_back(0);
    for (std::size_t i = 0; i < size_ + block_; ++i) sums_.push_back(sums_.back() + run[i % size_]);
  }
  double resampledMean(std::mt19937_64& random) const {
    double sum = 0;
    for (std::size_t left = size_; left > 0;) {
      const std::size_t length = std::min(block_, left), begin = drawBelow(random, size_);
      sum += sums_[begin + length] - sums_[begin];
      left -= length;
    }
    return sum / static_cast<double>(size_);
  }

 private:
  std::size_t size_, block_;
  std::vector<double> sums_;  // of the first i values, those of the run once more behind its end
};

/// One configuration, resampled run by run or epoch by epoch.
class Resampled {
 public:
  explicit Resampled(const Repeats& repeats) {
    for (const std::vector<double>& run : repeats) {
      if (run.empty()) continue;
      means_.push_back(meanOfRun(run));
      blocks_.emplace_back(run);
      epochs_ = std::min(epochs_, run.size());
    }
  }
  bool tellsSpread() const { return ofRuns() || (!means_.empty() && epochs_ >= kEpochsForInterval); }
  double mean(std::mt19937_64& random) const {
    double sum = 0;
    for (std::size_t i = 0; i < means_.size(); ++i)
      sum += ofRuns() ? means_[drawBelow(random, means_.size())] : blocks_[i].resampledMean(random);
    return sum / static_cast<double>(means_.size());
  }

 private:
  bool ofRuns() const { return means_.size() >= kSeedsForInterval; }

  std::vector<double> means_;
  std::vector<EpochBlocks> blocks_;
  std::size_t epochs_ = std::numeric_limits<std::size_t>::max();  // of the shortest run
};

/// The values that cut off a tail of `values` on each side.
Interval withoutTails(std::vector<double>& values) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::size_t>(kTail * static_cast<double>(values.size()));
  return {values[cut], values[values.size() - 1 - cut]};
}

template <class Draw>
Interval intervalOf(Draw draw) {
  std::mt19937_64 random(1);
  std::vector<double> values(kResamples);
  for (double& value : values) value = draw(random);
  return withoutTails(values);
}

}  // namespace

double meanOf(const Repeats& repeats) {
  double sum = 0, runs = 0;
  for (const std::vector<double>& run : repeats) {
    if (run.empty()) continue;
    sum += meanOfRun(run);
    ++runs;
  }
  return runs > 0 ? sum / runs : std::numeric_limits<double>::quiet_NaN();
}

std::optional<Interval> differenceInterval(const Repeats& a, const Repeats& b) {
  const Resampled from(a), to(b);
  if (!from.tellsSpread() || !to.tellsSpread()) return std::nullopt;
  return intervalOf([&](std::mt19937_64& random) {
    const double before = from.mean(random);
    return to.mean(random) - before;
  });
}

std::optional<Interval> meanInterval(const Repeats& a) {
  const Resampled side(a);
  if (!side.tellsSpread()) return std::nullopt;
  return intervalOf([&](std::mt19937_64& random) { return side.mean(random); });
}

}  // namespace halo
