#include "app/report/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// Of what the runs have of one metric.
MetricValue meanOf(const std::vector<MetricValues>& values, std::size_t metric) {
  const auto valueOf = [metric](const MetricValues& run) { return run[metric]; };
  if (std::ranges::any_of(values, isLost, valueOf)) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const MetricValues& run : values) {
    if (!run[metric]) return {};
    sum += *run[metric] / static_cast<double>(values.size());
  }
  return sum;
}

}  // namespace

std::string titleOf(std::span<const RunRow> runs) {
  std::string ids;
  for (const RunRow& run : runs) ids += (ids.empty() ? "#" : ",") + std::to_string(run.id);
  return ids + " " + runs.front().method;
}

void setStatistics(Database& database, Column& column) {
  for (const RunRow& run : column.runs) {
    column.values.push_back(metricsOf(database, run));
    column.settings.push_back(Runs(database).parameters(run.id));
  }
  const auto n = static_cast<double>(column.values.size());
  for (std::size_t m = 0; m < metrics().size(); ++m) {
    const double mean = orNaN(column.mean.emplace_back(meanOf(column.values, m)));
    double squares = 0;
    for (const MetricValues& run : column.values) squares += std::pow(orNaN(run[m]) - mean, 2);
    column.deviation.push_back(n > 1 ? std::sqrt(squares / (n - 1)) : 0);
  }
}

std::string fileOf(Database& database, const RunRow& run) {
  return Runs(database).experiment(run.experimentId).text;
}

std::vector<Column> columnsOf(Database& database, const std::vector<RunRow>& runs, Together together) {
  std::vector<Column> columns;
  for (const RunRow& run : runs) {
    auto parameters = withoutChance(Runs(database).parameters(run.id));
    const auto same = std::ranges::find_if(columns, [&](const Column& c) {
      if (together == Together::nothing || parameters.empty() || c.parameters != parameters) return false;
      return together == Together::repeats || fileOf(database, c.runs.front()) == fileOf(database, run);
    });
    if (same != columns.end())
      same->runs.push_back(run);
    else
      columns.push_back({{run},
                         std::move(parameters),
                         trainingWorkers(run, Runs(database).latest(run.id)),
                         {},
                         {},
                         {},
                         {}});
  }
  return columns;
}

}  // namespace halo
