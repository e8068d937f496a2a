#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// The scores of one run along its epochs, with what they took.
struct ScoredRun {
  std::vector<EpochRow> epochs;                // all of them, in order
  std::map<std::int64_t, std::int64_t> bytes;  // sent by all ranks together, of each epoch
};

/// The vertices whose score is looked at.
enum class Score { valid, test, train };
std::string text(Score split);
/// None: it was not measured, or is no number.
std::optional<double> scoreOf(const EpochRow& row, Score split);
/// The first of valid, test, train that every run has a score of; none where there is no such.
std::optional<Score> commonScore(std::span<const ScoredRun> runs);
/// The highest score of the run; none where it has no finite one.
std::optional<double> bestScore(const ScoredRun& run, Score split);

/// What a run took up to the end of an epoch, that one included.
struct Reached {
  std::int64_t epoch = 0;
  double epochSeconds = 0;  // the sum of the epochs alone
  double wallSeconds = 0;   // from the first epoch's begin, with evaluation and whatever lies between epochs
  std::int64_t bytes = 0;
};
/// Of each epoch of the run.
std::vector<Reached> progressOf(const ScoredRun& run);
/// Of the first epoch whose score is at least as high; none where there is no such.
std::optional<Reached> reached(const ScoredRun& run, Score split, double score);

}  // namespace halo
