#pragma once

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/views/recording/compared_runs_fixture.h"
#include "views/figures/figure_registry.h"

namespace halo {

inline Figure figureOf(const char* name, const ComparedRuns& runs, const char* show = nullptr,
                       std::vector<std::int64_t> chosen = {}) {
  Values values;
  if (show != nullptr) values["show"] = std::string(show);
  return makeFigure(name, {runs.data, {}, std::move(chosen)}, values);
}

inline const FigureSeries& seriesNamed(const Figure& figure, const QString& begin) {
  const auto match = std::ranges::find_if(
      figure.series, [&](const FigureSeries& series) { return series.name.startsWith(begin); });
  REQUIRE(match != figure.series.end());
  return *match;
}

/// Two methods over three numbers of workers, which cross between 2 and 4; one of them simulated too.
inline ComparedRuns crossing() {
  ComparedRuns runs;
  for (const auto& [workers, vanilla, pipegcn] : {std::tuple(1, 1.0, 2.0), {2, 0.8, 1.0}, {4, 0.8, 0.5}}) {
    runs.train("vanilla", workers, vanilla);
    runs.train("pipegcn", workers, pipegcn);
  }
  for (const int workers : {4, 64, 1024})
    runs.add("simulation", "vanilla", workers, {{"epoch_seconds", 3.0 / workers}}, "simulated");
  return runs;
}

inline ComparedRuns rooflines() {
  ComparedRuns runs;
  runs.device();
  runs.add("training", "vanilla", 4,
           {{"epoch_seconds", 1},
            {"aggregation_seconds_per_epoch", 0.5},
            {"aggregation_flop_per_epoch", 2e9},
            {"aggregation_least_bytes_per_epoch", 1e9},
            {"aggregation_most_bytes_per_epoch", 4e9}});
  return runs;
}

inline ComparedRuns besides(int pairs) {
  ComparedRuns runs;
  for (int i = 1; i <= pairs; ++i) {
    runs.add(
        "training", "vanilla", i,
        {{"epoch_seconds", 2}, {"compute_share", 0.5}, {"exchange_wait_share", 0.25}, {"quantise_share", 0}});
    runs.add("simulation", "vanilla", i,
             {{"epoch_seconds", 3}, {"compute_share", 0.5}, {"quantise_share", 0}}, "simulated");
  }
  return runs;
}

}  // namespace halo
