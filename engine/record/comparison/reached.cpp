#include "engine/record/comparison/reached.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace halo {
std::optional<double> scoreOf(const EpochRow& row, Score which) {
  const std::optional<double>& score = which == Score::valid  ? row.valid
                                       : which == Score::test ? row.test
                                                              : row.train;
  return score && std::isfinite(*score) ? score : std::nullopt;
}

std::string text(Score which) {
  return which == Score::valid ? "valid" : which == Score::test ? "test" : "train";
}

std::optional<Score> commonScore(std::span<const ScoredRun> runs) {
  for (const Score which : {Score::valid, Score::test, Score::train})
    if (std::ranges::all_of(runs, [&](const ScoredRun& run) { return bestScore(run, which).has_value(); }))
      return which;
  return std::nullopt;
}

std::optional<double> bestScore(const ScoredRun& run, Score which) {
  std::optional<double> best;
  for (const EpochRow& row : run.epochs)
    if (const auto score = scoreOf(row, which); score && score > best) best = score;  // none is below any
  return best;
}

std::vector<Reached> progressOf(const ScoredRun& run) {
  std::vector<Reached> all;
  Reached taken;
  std::int64_t epochNs = 0;
  for (const EpochRow& row : run.epochs) {
    epochNs += row.wallNs;
    if (const auto bytes = run.bytes.find(row.epoch); bytes != run.bytes.end()) taken.bytes += bytes->second;
    taken.epoch = row.epoch;
    taken.epochSeconds = static_cast<double>(epochNs) * 1e-9;
    taken.wallSeconds = static_cast<double>(row.beginNs + row.wallNs - run.epochs.front().beginNs) * 1e-9;
    all.push_back(taken);
  }
  return all;
}

std::optional<Reached> reached(const ScoredRun& run, Score which, double score) {
  const std::vector<Reached> progress = progressOf(run);
  for (std::size_t i = 0; i < progress.size(); ++i)
    if (scoreOf(run.epochs[i], which).value_or(-1) >= score) return progress[i];
  return std::nullopt;
}

}  // namespace halo
