#include "engine/record/comparison/learning.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace halo {
namespace {

std::optional<BestScore> meanBest(std::span<const ScoredRun> runs, Score split) {
  BestScore mean;
  const auto count = static_cast<double>(runs.size());
  for (const ScoredRun& run : runs) {
    const std::optional<double> best = bestScore(run, split);
    if (!best) return std::nullopt;
    const std::optional<Reached> cost = reached(run, split, *best);
    mean.score += *best / count;
    mean.epochSeconds += cost->epochSeconds / count;
    mean.wallSeconds += cost->wallSeconds / count;
    mean.bytes += static_cast<double>(cost->bytes) / count;
  }
  return runs.empty() ? std::nullopt : std::optional(mean);
}

/// The epochs in which a run lost its loss: where the first that did so came to in each.
std::vector<LearnedEpoch> lostEpochs(std::span<const ScoredRun> runs, const Scope& scope) {
  std::map<std::int64_t, LearnedEpoch> lost;
  for (const ScoredRun& run : runs) {
    const std::vector<Reached> progress = progressOf(run);
    for (std::size_t i = 0; i < progress.size(); ++i)
      if (!std::isfinite(run.epochs[i].loss) && isWithin(scope, progress[i].epoch))
        lost.try_emplace(progress[i].epoch,
                         LearnedEpoch{progress[i].epoch, progress[i].epochSeconds, progress[i].wallSeconds,
                                      static_cast<double>(progress[i].bytes), run.epochs[i].loss});
  }
  std::vector<LearnedEpoch> all;
  for (const auto& [epoch, place] : lost) all.push_back(place);
  return all;
}

bool isBeaten(const BestScore& best, const BestScore& other, double BestScore::*time) {
  const bool asGood = other.score >= best.score && other.*time <= best.*time && other.bytes <= best.bytes;
  return asGood && (other.score > best.score || other.*time < best.*time || other.bytes < best.bytes);
}

}  // namespace

LearningCurve learningOf(std::span<const ScoredRun> runs, Score split, const Scope& scope) {
  std::map<std::int64_t, std::pair<LearnedEpoch, std::size_t>> sums;  // by epoch, with how many runs have it
  for (const ScoredRun& run : runs) {
    const std::vector<Reached> progress = progressOf(run);
    for (std::size_t i = 0; i < progress.size(); ++i) {
      const std::optional<double> score = scoreOf(run.epochs[i], split);
      if (!score || !isWithin(scope, progress[i].epoch)) continue;
      auto& [sum, count] = sums[progress[i].epoch];
      sum.epoch = progress[i].epoch;
      sum.epochSeconds += progress[i].epochSeconds;
      sum.wallSeconds += progress[i].wallSeconds;
      sum.bytes += static_cast<double>(progress[i].bytes);
      sum.score += *score;
      sum.low = count == 0 ? *score : std::min(sum.low, *score);
      sum.high = count == 0 ? *score : std::max(sum.high, *score);
      ++count;
    }
  }
  LearningCurve curve{{}, meanBest(runs, split), lostEpochs(runs, scope)};
  const auto all = static_cast<double>(runs.size());
  for (auto& [epoch, entry] : sums) {
    auto& [mean, count] = entry;
    if (count < runs.size() || std::ranges::binary_search(curve.lost, epoch, {}, &LearnedEpoch::epoch))
      continue;
    for (double LearnedEpoch::*sum : {&LearnedEpoch::epochSeconds, &LearnedEpoch::wallSeconds,
                                      &LearnedEpoch::bytes, &LearnedEpoch::score})
      mean.*sum /= all;
    curve.epochs.push_back(mean);
  }
  return curve;
}

std::vector<bool> onFront(std::span<const LearningCurve> configurations, double BestScore::*time) {
  std::vector<bool> front;
  for (const LearningCurve& curve : configurations)
    front.push_back(curve.best && std::ranges::none_of(configurations, [&](const LearningCurve& other) {
                      return other.best && isBeaten(*curve.best, *other.best, time);
                    }));
  return front;
}

}  // namespace halo
