// Pieces of metrics: a page each, and lists by what they are of.
#include <fmt/format.h>

#include <algorithm>

#include "app/reference/piece.h"
#include "app/report/metrics.h"
#include "engine/methods/contract/method_entry.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {
namespace {

/// The unit stands in the name: "simulated_joules_per_op" is in joules.
std::string unitOf(const Metric& metric) {
  // of two that fit, the first is meant
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"bytes_per_second", "bytes/s"},
                                                                      {"per_second", "1/s"},
                                                                      {"_ns_per_", "ns"},
                                                                      {"normalised_seconds", "s · TFLOPS"},
                                                                      {"joules", "J"},
                                                                      {"dollars", "dollars"},
                                                                      {"_bits", "bits"},
                                                                      {"flop_per_epoch", "FLOP"},
                                                                      {"mteps", "10^6/s"},
                                                                      {"_share", "share, 0 to 1"},
                                                                      {"efficiency", "share"},
                                                                      {"aggregators_idle", "share, 0 to 1"},
                                                                      {"updaters_idle", "share, 0 to 1"}};
  if (metric.unit == Metric::Unit::seconds) return "s";
  if (metric.unit == Metric::Unit::bytes) return "bytes";
  for (const auto& [word, unit] : kUnits)
    if (metric.key.find(word) != std::string::npos) return std::string(unit);
  return "number";
}

std::string titleOf(const Metric& metric) { return metric.title.substr(metric.title.find_first_not_of(' ')); }

std::string helpOf(const Metric& metric) { return metric.help.empty() ? titleOf(metric) : metric.help; }

/// Who records a metric, as a link from its page, and what it is there.
struct Origin {
  std::string recorder;
  std::string help;
  bool simulated = false;
};
/// By the key of the metric; several kinds of simulations may record the same.
using Origins = std::map<std::string, std::vector<Origin>>;

Origins originsOf() {
  Origins origins;
  for (const RunMetric& each : metricsOfRuns())
    origins[each.metric.key].push_back({"training runs that have it", helpOf(each.metric)});
  for (const auto& [name, method] : registry<MethodEntry>())
    for (const Metric& metric : method.figures)
      origins[metric.key].push_back({fmt::format("[`{}`](../methods/{}.md)", name, name), helpOf(metric)});
  for (const auto& [name, kind] : registry<sim::SimulationEntry>())
    for (const Metric& metric : kind.metrics)
      origins[metric.key].push_back(
          {fmt::format("[`{}`](../experiment/simulate-{}.md)", name, name), helpOf(metric), true});
  return origins;
}

bool isOneThing(const std::vector<Origin>& origins) {
  return std::ranges::all_of(origins, [&](const Origin& each) { return each.help == origins.front().help; });
}

std::string factsOf(const Metric& metric, const std::vector<Origin>& origins) {
  std::vector<std::string> recorders;
  for (const Origin& origin : origins) recorders.push_back(origin.recorder);
  // a kind of simulations declares no metric that training has declared already
  if (!origins.front().simulated) recorders.push_back("simulations that [give it too](simulations.md)");
  std::string text = item("Title in reports", titleOf(metric)) + item("Unit", unitOf(metric)) +
                     item("Recorded by", fmt::format("{}", fmt::join(recorders, ", ")));
  if (isOneThing(origins)) {
    text = item("What it is", origins.front().help) + text;
  } else {
    for (const Origin& origin : origins) text += item("Of " + origin.recorder, origin.help);
  }
  return text + (metric.timed ? "- Made of workers' times: it says little where they share cores.\n" : "");
}

MarkdownTable emptyTable() { return MarkdownTable({"metric", "what it is", "unit"}); }

/// `folder`: that of the metrics' pages, from the page that the table is for.
void addRow(MarkdownTable& table, const Metric& metric, const std::string& folder) {
  table.add({fmt::format("[`{}`]({}{}.md)", metric.key, folder, metric.key), helpOf(metric), unitOf(metric)});
}

}  // namespace

std::string metricTable(const std::vector<Metric>& metrics, const std::string& folder) {
  MarkdownTable table = emptyTable();
  for (const Metric& metric : metrics) addRow(table, metric, folder);
  return table.text();
}

void addMetrics(Pieces& pieces) {
  const std::filesystem::path folder = "reference/metrics";
  const Origins origins = originsOf();
  std::map<std::string, MarkdownTable> lists;
  for (const RunMetric& each : metricsOfRuns())
    addRow(lists.try_emplace(each.subject, emptyTable()).first->second, each.metric, "");
  for (const Metric& metric : metrics())
    if (const auto origin = origins.find(metric.key); origin != origins.end())  // else a recording had it
      pieces["metric " + metric.key] = {folder / (metric.key + ".md"), code(metric.key),
                                        factsOf(metric, origin->second)};
  for (const auto& [subject, table] : lists)
    pieces["metrics " + subject] = {folder / "index.md", "Metrics", table.text()};
  for (const auto& [name, kind] : registry<sim::SimulationEntry>())
    pieces["metrics simulation " + name] = {folder / "simulations.md", "Metrics of simulations",
                                            metricTable(kind.metrics, "")};
}

}  // namespace halo
