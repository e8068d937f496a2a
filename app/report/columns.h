#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/report/metrics.h"

namespace halo {

/// "#1,3 vanilla", of one method.
std::string titleOf(std::span<const RunRow> runs);

/// Runs that differ in nothing but the seed: one column.
struct Column {
  std::vector<RunRow> runs;
  std::map<std::string, std::string> parameters;
  std::optional<std::int64_t> workers;  // that train
  MetricValues mean;                    // NaN: lost in a run; none: a run has none
  std::vector<double> deviation;
  std::vector<MetricValues> values;                          // of each run
  std::vector<std::map<std::string, std::string>> settings;  // of each run, the seed too

  std::string title() const { return titleOf(runs); }
};

/// Which runs share a column: all that differ in the seed alone, those of them that are of one file, or none.
enum class Together { repeats, repeatsOfOneFile, nothing };
/// In the order of their first runs, without statistics.
std::vector<Column> columnsOf(Database& database, const std::vector<RunRow>& runs, Together together);
/// Reads what the runs have, once.
void setStatistics(Database& database, Column& column);

/// The text of the run's experiment.
std::string fileOf(Database& database, const RunRow& run);

}  // namespace halo
