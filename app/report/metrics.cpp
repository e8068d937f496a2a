#include "app/report/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/report/table.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {

using Unit = Metric::Unit;

namespace {

std::vector<Metric> ofRuns() {
  return {
      {"epochs", "epochs", Unit::plain},
      {"total_seconds", "training time", Unit::seconds, /*timed=*/true},
      {"epoch_seconds", "epoch, median", Unit::seconds, /*timed=*/true},
      {"mean_epoch_seconds", "epoch, mean", Unit::seconds, /*timed=*/true},
      {"epochs_per_second", "epochs/s", Unit::plain, /*timed=*/true},
      {"loss", "loss, last", Unit::plain},
      {"train", "train score, last", Unit::plain},
      {"valid", "valid score, last", Unit::plain},
      {"test", "test score, last", Unit::plain},
      {"best_valid", "valid score, best", Unit::plain},
      {"test_at_best_valid", "test score there", Unit::plain},
      {"best_epoch", "epoch of that", Unit::plain},
      {"compute_share", "computing, share of the epochs", Unit::plain, /*timed=*/true},
      {"exchange_wait_share", "waiting in exchanges, share of the epochs", Unit::plain, /*timed=*/true},
      {"hidden_share", "hidden under computing, share of the epochs", Unit::plain, /*timed=*/true},
      {"hidden_transfer_share", "  share of the time of transfers", Unit::plain, /*timed=*/true},
      {"unwaited_share", "on its way and not waited for (before schema 4), share of the epochs", Unit::plain,
       /*timed=*/true},
      {"synchronise_share", "synchronisation, share of the epochs", Unit::plain, /*timed=*/true},
      {"wait_share", "waiting, share of the epochs", Unit::plain, /*timed=*/true},
      {"exposed_share", "  exposed: wire and queue", Unit::plain, /*timed=*/true},
      {"wait_wire_share", "  wire", Unit::plain, /*timed=*/true},
      {"wait_queue_share", "  queue: other bytes before it", Unit::plain, /*timed=*/true},
      {"wait_peer_computes_share", "  peer computes", Unit::plain, /*timed=*/true},
      {"wait_quantiser_share", "  peer codes", Unit::plain, /*timed=*/true},
      {"wait_late_sender_share", "  late sender", Unit::plain, /*timed=*/true},
      {"wait_late_receiver_share", "  late receiver", Unit::plain, /*timed=*/true},
      {"wait_barrier_or_sum_share", "  barrier or sum", Unit::plain, /*timed=*/true},
      {"wait_memory_share", "  copies to and from devices", Unit::plain, /*timed=*/true},
      {"wait_unknown_share", "  unknown", Unit::plain, /*timed=*/true},
      {"quantise_share", "quantisation, share of the epochs", Unit::plain, /*timed=*/true},
      {"idle_share", "rest of the run", Unit::plain, /*timed=*/true},
      {"bytes_per_epoch", "volume, mean of epochs", Unit::bytes},
      {"predicted_bytes_per_epoch", "volume, predicted", Unit::bytes},
      {"messages_per_epoch", "messages, mean of epochs", Unit::plain},
      {"predicted_messages_per_epoch", "messages, predicted", Unit::plain},
      {"layer_bytes_per_epoch", "volume in layers", Unit::bytes},
      {"max_layer_bytes_per_epoch", "volume in layers, largest worker", Unit::bytes},
      {"layer_messages_per_epoch", "messages in layers", Unit::plain},
      {"max_layer_messages_per_epoch", "messages in layers, largest worker", Unit::plain},
      {"wire_bytes_per_epoch", "volume of the busiest network card, one way", Unit::bytes},
      {"staleness_features", "staleness of features", Unit::plain},
      {"staleness_gradients", "staleness of gradients", Unit::plain},
      {"flop_per_epoch", "FLOP, mean of epochs", Unit::plain},
      {"max_flop_per_epoch", "FLOP, largest worker", Unit::plain},
      {"balance", "work, largest / mean", Unit::plain},
      {"aggregation_seconds_per_epoch", "aggregations of all workers, mean of epochs", Unit::seconds,
       /*timed=*/true},
      {"aggregation_flop_per_epoch", "  their FLOP", Unit::plain},
      {"aggregation_least_bytes_per_epoch", "  modelled bytes, each row read once", Unit::bytes},
      {"aggregation_most_bytes_per_epoch", "  modelled bytes, a row read an arc", Unit::bytes},
      {"replication_factor", "workers that hold a vertex or get its rows, mean", Unit::plain},
      {"adjacency_bytes", "propagation matrix, a worker", Unit::bytes},
      {"stages", "pipeline stages", Unit::plain},
      {"bandwidth", "bandwidth of the graph, as ordered", Unit::plain},
      {"feature_bytes", "feature memory", Unit::bytes},
      {"memory_features_bytes", "  input features", Unit::bytes},
      {"memory_activations_bytes", "  activations", Unit::bytes},
      {"memory_aggregated_bytes", "  aggregated rows kept for the backward pass", Unit::bytes},
      {"memory_gradients_bytes", "  gradients of rows", Unit::bytes},
      {"memory_exchange_bytes", "  rows on their way", Unit::bytes},
      {"memory_history_bytes", "  older copies of rows", Unit::bytes},
      {"peak_rss_bytes", "peak memory, a worker", Unit::bytes},
      {"partition_seconds", "partitioning", Unit::seconds, /*timed=*/true},
      {"dropped_spans", "spans that did not fit", Unit::plain},
      {"recorder_share", "recording, share of the epochs' time", Unit::plain, /*timed=*/true},
  };
}

std::vector<Metric>& known() {
  static std::vector<Metric> all = [] {
    std::vector<Metric> found = ofRuns();
    const auto add = [&](const std::vector<Metric>& more) {
      for (const Metric& metric : more)
        if (std::ranges::find(found, metric.key, &Metric::key) == found.end()) found.push_back(metric);
    };
    for (const auto& [name, entry] : registry<MethodEntry>()) add(entry.figures);
    for (const auto& [name, entry] : registry<sim::SimulationEntry>()) add(entry.metrics);
    return found;
  }();
  return all;
}

/// Of a figure that nobody declared: as its name says, in which the unit stands.
Metric undeclared(const std::string& key) {
  Metric metric{key, key, Unit::plain};
  if (key.ends_with("_seconds")) metric.unit = Unit::seconds;
  if (key.ends_with("_bytes")) metric.unit = Unit::bytes;
  std::ranges::replace(metric.title, '_', ' ');
  return metric;
}

}  // namespace

const std::vector<Metric>& metrics() { return known(); }

void learnMetrics(Database& database) {
  Statement names(database, "SELECT DISTINCT metric FROM latest ORDER BY metric");
  while (names.step())
    if (const std::string key = names.text(0); metricNamed(key) == nullptr)
      known().push_back(undeclared(key));
}

const Metric* metricNamed(const std::string& key) {
  const auto found = std::ranges::find(metrics(), key, &Metric::key);
  return found == metrics().end() ? nullptr : &*found;
}

std::string metricText(const Metric& metric, double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::isnan(value)) return "–";
  if (metric.key.ends_with("_bytes_per_second"))  // decimal, as devices and links state it
    return fmt::format("{} GB/s", shortNumber(value * 1e-9));
  switch (metric.unit) {
    case Unit::seconds:
      return secondsText(value);
    case Unit::bytes:
      return byteText(value);
    case Unit::plain:
      break;
  }
  return shortNumber(value);
}

std::string metricText(const Metric& metric, const MetricValue& value) {
  return isLost(value) ? "NaN" : metricText(metric, orNaN(value));
}

bool isLost(const MetricValue& value) { return value && std::isnan(*value); }

double orNaN(const MetricValue& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }

MetricValues metricsOf(Database& database, const RunRow& run) {
  std::map<std::string, double> figures = Runs(database).latest(run.id);
  if (figures.empty()) {  // a recording whose supervisor kept no table `latest`
    const Epochs table(database);
    figures =
        summarise(table.epochs(run.id), table.layers(run.id), Runs(database).workers(run.id), run.workers);
  }
  MetricValues values;
  for (const Metric& metric : metrics()) {
    const auto found = figures.find(metric.key);
    values.push_back(found == figures.end() ? MetricValue() : found->second);
  }
  return values;
}

}  // namespace halo
