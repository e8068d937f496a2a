#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/comparison/bootstrap.h"
#include "engine/record/comparison/configuration.h"
#include "engine/record/comparison/differences.h"
#include "engine/record/comparison/layer_table.h"
#include "engine/record/comparison/learning.h"
#include "engine/record/comparison/part_table.h"
#include "engine/record/comparison/rank_map.h"
#include "engine/record/comparison/reached.h"
#include "engine/record/comparison/scope.h"
#include "engine/record/comparison/staleness.h"
#include "engine/record/comparison/traffic.h"
#include "engine/record/comparison/waits.h"
#include "engine/record/comparison/waterfall.h"

namespace halo {

/// The epochs in scope of one configuration, ns. A simulation records none: it stands for one, of the time
/// that it came to.
struct EpochFigures {
  std::vector<std::int64_t> epochs;       // how many, of each run
  double meanNs = 0, medianNs = 0;        // the mean of the runs' means; the median of all epochs together
  std::optional<Interval> interval = {};  // of the mean
  bool modelled = false;                  // by simulations
  LeftOut left = {};                      // of all runs together
};

/// What turns the first configuration into another.
struct Change {
  bool sameData = false;  // else there is nothing to subtract
  double deltaNs =
      std::numeric_limits<double>::quiet_NaN();  // of the mean epoch; NaN: of other data, or no epochs
  std::optional<Interval> interval = {};
  std::vector<WaterfallStep> waterfall;  // empty where one of the two has no time by parts
  bool bySpans = false;                  // what the waterfall goes by; else by sums of layers
  std::vector<Difference> differences;   // empty where one of the two has no spans
};

/// What the runs of one configuration took until they reached the score, whatever epochs are in scope.
struct ToAccuracy {
  struct Run {
    std::int64_t id = 0;
    std::optional<Reached> reached;  // none: it never did
  };
  std::vector<Run> runs;
};

/// The mean of a figure over the runs; none where some run never got there, or there is no run.
template <class Figure>
std::optional<double> meanReached(const ToAccuracy& configuration, Figure Reached::*figure) {
  double sum = 0;
  for (const ToAccuracy::Run& run : configuration.runs) {
    if (!run.reached) return std::nullopt;
    sum += static_cast<double>((*run.reached).*figure);
  }
  if (configuration.runs.empty()) return std::nullopt;
  return sum / static_cast<double>(configuration.runs.size());
}

struct Comparison {
  std::vector<EpochFigures> epochs;  // of each configuration
  std::vector<MeanEpoch> means;      // likewise, by one source for all that recorded epochs; of others 0 ns;
                                     // empty where one of them has none
  bool meansBySpans = false;         // that source; else sums of layers
  std::vector<Change> changes;       // from the first to each other one
  std::optional<Score> score;        // which is looked at; none: there is none that all have
  double accuracy = 0;
  std::vector<ToAccuracy> reached;                     // of each configuration; empty without a score
  std::vector<LearningCurve> learning;                 // likewise
  std::vector<std::vector<StalenessCurve>> staleness;  // of each configuration
  std::vector<Traffic> traffic;                        // likewise
  std::vector<PartTable> parts;                        // likewise; times by the source of `means`
  std::vector<RankFacts> rankFacts;                    // likewise, of its first run
  std::vector<RankParts> rankParts;                    // likewise; times by the source of `means`
  std::vector<LayerTable> layers;                      // likewise; of simulations where spans were read
  WaitTable waits;                                     // of all, where spans were read
  std::vector<std::string> notes;                      // what is missing, and why: a sentence each
  std::vector<std::string> damages;       // those of them on spans that cannot be read: a sentence a run
  std::vector<std::int64_t> damagedRuns;  // likewise, their ids
};

/// Runs without an epoch in scope are left out; figures of a configuration without any are NaN. `accuracy`:
/// the score to be reached; by default the lowest of the runs' best ones, which all of them reach. Cost:
/// reads every span once; without spans there are no differences, and the parts go by sums of layers. Memory:
/// 8 bytes a span, and the spans of one rank a thread.
Comparison compareConfigurations(const std::vector<Configuration>& configurations, const Scope& scope,
                                 std::optional<double> accuracy, bool withSpans = true);

}  // namespace halo
