#include "engine/record/comparison/reached.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace halo {
std::optional<double> scoreOf(const EpochRow& row, Score split) {
  const std::optional<double>& score = split == Score::valid  ? row.valid
                                       : split == Score::test ? row.test
                                                              : row.train;
  return score && std::isfinite(*score) ? score : std::nullopt;
}

std::string text(Score split) {
  return split == Score::valid ? "valid" : split == Score::test ? "test" : "train";
}

std::optional<Score> commonScore(std::span<const ScoredRun> runs) {
  for (const Score split : {Score::valid, Score::test, Score::train})
    if (std::ranges::all_of(runs, [&](const ScoredRun& run) { return bestScore(run, split).has_value(); }))
      return split;
  return std::nullopt;
}

std::optional<double> bestScore(const ScoredRun& run, Score split) {
  std::optional<double> best;
  for (const EpochRow& row : run.epochs)
    if (const auto score = scoreOf(row, split); score && score > best) best = score;  // none is below any
  return best;
}

std::vector<Reached> progressOf(const ScoredRun& run) {
  std::vector<Reached> all;
  Reached total;
  std::int64_t epochNs = 0;
  for (const EpochRow& row : run.epochs) {
    epochNs += row.wallNs;
    if (const auto bytes = run.bytes.find(row.epoch); bytes != run.bytes.end()) total.bytes += bytes->second;
    total.epoch = row.epoch;
    total.epochSeconds = static_cast<double>(epochNs) * 1e-9;
    total.wallSeconds = static_cast<double>(row.beginNs + row.wallNs - run.epochs.front().beginNs) * 1e-9;
    all.push_back(total);
  }
  return all;
}

std::optional<Reached> reached(const ScoredRun& run, Score split, double score) {
  const std::vector<Reached> progress = progressOf(run);
  for (std::size_t i = 0; i < progress.size(); ++i)
    if (scoreOf(run.epochs[i], split).value_or(-1) >= score) return progress[i];
  return std::nullopt;
}

}  // namespace halo
