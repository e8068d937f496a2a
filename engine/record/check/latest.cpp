#include <algorithm>
#include <array>
#include <cmath>

#include "engine/record/check/checks.h"
#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "engine/record/summary.h"

namespace halo {
namespace {

using Metrics = std::map<std::string, double>;

/// What a summary has only where something is known of it.
constexpr std::array kWhereKnown = {"train",
                                    "valid",
                                    "test",
                                    "best_valid",
                                    "best_epoch",
                                    "test_at_best_valid",
                                    "predicted_messages_per_epoch",
                                    "staleness_features",
                                    "staleness_gradients"};

/// What older recordings lack.
constexpr std::array kLater = {"replication_factor",           "layer_bytes_per_epoch",
                               "layer_messages_per_epoch",     "max_layer_bytes_per_epoch",
                               "max_layer_messages_per_epoch", "max_flop_per_epoch",
                               "staleness_features",           "staleness_gradients"};

/// Sums of the same numbers, perhaps in another order.
bool same(double a, double b) {
  constexpr double kRounding = 1e-9;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

Metrics recomputed(Database& database, const RunRow& run, const std::vector<WorkerRow>& workers) {
  Summary summary(run.workers);
  const Epochs table(database);
  for (const EpochRow& epoch : table.epochs(run.id))
    summary.add(std::span(&epoch, 1), table.layersOf(run.id, epoch.epoch));
  return summary.last() ? summary.metrics(workers) : Metrics();
}

/// Seconds of all workers; 0 where there is nothing of them.
double aggregationPerEpoch(Database& database, std::int64_t run) {
  Statement sum(database,
                "SELECT 1e-9 * sum(aggregate_ns) / count(DISTINCT epoch) FROM layer WHERE run_id = ?");
  return sum.bind(run).step() && !sum.isNull(0) ? sum.real(0) : 0;
}

/// Of a completed run, what the last word of its workers follows from.
void addClosing(double aggregation, const std::vector<WorkerRow>& workers, const Metrics& latest,
                Metrics& expected) {
  double own = 0, held = 0, parts = 0;
  for (const WorkerRow& worker : workers) {
    own += static_cast<double>(worker.vertices);
    held += static_cast<double>(worker.vertices + worker.remote);
  }
  if (own > 0) expected["replication_factor"] = held / own;
  for (const auto& [name, value] : latest)
    if (name.starts_with("memory_") && name.ends_with("_bytes")) parts += value;
  if (parts > 0) expected["feature_bytes"] = parts;
  if (latest.contains("aggregation_seconds_per_epoch"))  // not of all kinds of layers
    expected["aggregation_seconds_per_epoch"] = aggregation;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

void compare(std::int64_t run, const Metrics& latest, const Metrics& expected, const std::string& origin,
             Findings& findings) {
  for (const auto& [name, value] : expected) {
    const auto found = latest.find(name);
    if (found == latest.end() && std::ranges::find(kLater, name) == kLater.end())
      findings.add("missing in latest", run, "",
                   "table latest has no " + name + "; " + origin + " give " + number(value));
    else if (found != latest.end() && !same(found->second, value))
      findings.add("latest", run, "",
                   "table latest has " + name + " " + number(found->second) + ", " + origin + " give " +
                       number(value));
  }
}

}  // namespace

void checkLatest(Database& database, const CheckedRun& run, Findings& findings) {
  if (!run.trains()) return;
  const Runs runs(database);
  const Metrics latest = runs.latest(run.row.id);
  const std::vector<WorkerRow> workers = runs.workers(run.row.id);
  const Metrics expected = recomputed(database, run.row, workers);
  compare(run.row.id, latest, expected, "its rows in epoch, layer and worker", findings);
  for (const char* name : kWhereKnown)
    if (!expected.empty() && latest.contains(name) && !expected.contains(name))
      findings.add("latest", run.row.id, "",
                   std::string("table latest has ") + name + " " + number(latest.at(name)) +
                       ", its rows in epoch and layer say nothing of it");
  if (!run.completed()) return;
  Metrics closing;
  addClosing(aggregationPerEpoch(database, run.row.id), workers, latest, closing);
  compare(run.row.id, latest, closing, "its rows in worker and layer and memory_…_bytes", findings);
}

}  // namespace halo
