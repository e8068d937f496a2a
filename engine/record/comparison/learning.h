#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/record/comparison/reached.h"
#include "engine/record/comparison/scope.h"

namespace halo {

/// One epoch of a configuration: means over its runs, up to the end of that epoch (Reached), and the ends of
/// its runs' scores.
struct LearnedEpoch {
  std::int64_t epoch = 0;
  double epochSeconds = 0, wallSeconds = 0, bytes = 0;
  double score = 0, low = 0, high = 0;
};

/// Means over the runs: of the best score of each, and of what it took until that was first reached.
struct BestScore {
  double score = 0, epochSeconds = 0, wallSeconds = 0, bytes = 0;
};

struct LearningCurve {
  std::vector<LearnedEpoch> epochs;  // in order
  std::optional<BestScore> best;     // of all epochs; none where a run has no score
  std::vector<LearnedEpoch> lost;    // in order: the loss of a run was no number; scores mean nothing there
};

/// `runs`: those of one configuration. The curve has the epochs of `scope` in which every run measured the
/// score. The first epoch and those that fill a pipeline are among them: they take time until a score, too.
LearningCurve learningOf(std::span<const ScoredRun> runs, Score split, const Scope& scope);

/// Whether no other configuration is at least as good in score, time and bytes, and better in one of them
/// (Pareto). `time`: BestScore::epochSeconds or wallSeconds. False of a configuration without a best score.
std::vector<bool> onFront(std::span<const LearningCurve> configurations, double BestScore::*time);

}  // namespace halo
