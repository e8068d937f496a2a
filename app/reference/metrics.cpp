// Pieces of metrics: a page each, and lists by what they are of.
#include <fmt/format.h>

#include "app/reference/piece.h"
#include "app/report/metrics.h"
#include "engine/methods/contract/method_entry.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {
namespace {

std::string unitOf(const Metric& metric) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"_share", "share, 0 to 1"},
                                                                      {"_joules", "J"},
                                                                      {"_dollars", "dollars"},
                                                                      {"_per_second", "1/s"},
                                                                      {"flop_per_epoch", "FLOP"}};
  if (metric.unit == Metric::Unit::seconds) return "s";
  if (metric.unit == Metric::Unit::bytes) return "bytes";
  for (const auto& [ending, unit] : kUnits)
    if (metric.key.ends_with(ending)) return std::string(unit);
  return "number";
}

std::string titleOf(const Metric& metric) { return metric.title.substr(metric.title.find_first_not_of(' ')); }

/// Who records a metric, by its key; several kinds of simulations may record the same.
using Origins = std::map<std::string, std::vector<std::string>>;

Origins originsOf() {
  Origins origins;
  for (const RunMetric& each : metricsOfRuns()) origins[each.metric.key].push_back("training runs");
  for (const auto& [name, method] : registry<MethodEntry>())
    for (const Metric& metric : method.figures)
      origins[metric.key].push_back(fmt::format("[`{}`](../methods/{}.md)", name, name));
  for (const auto& [name, kind] : registry<sim::SimulationEntry>())
    for (const Metric& metric : kind.metrics)
      origins[metric.key].push_back(fmt::format("[`{}`](../experiment/simulate-{}.md)", name, name));
  return origins;
}

std::string factsOf(const Metric& metric, const std::string& help, const std::vector<std::string>& origins) {
  return item("Title in reports", titleOf(metric)) + item("What it is", help) + item("Unit", unitOf(metric)) +
         item("Recorded by", fmt::format("{}", fmt::join(origins, ", "))) +
         item("Made of workers' times", metric.timed ? "yes; it says little where they share cores" : "no");
}

MarkdownTable emptyTable() { return MarkdownTable({"metric", "what it is", "unit"}); }

void addRow(MarkdownTable& table, const Metric& metric, const std::string& help) {
  table.add({fmt::format("[`{}`]({}.md)", metric.key, metric.key), help, unitOf(metric)});
}

}  // namespace

void addMetrics(Pieces& pieces) {
  const std::filesystem::path folder = "reference/metrics";
  const Origins origins = originsOf();
  std::map<std::string, std::string> help;
  std::map<std::string, MarkdownTable> lists;
  for (const RunMetric& each : metricsOfRuns()) {
    help[each.metric.key] = each.help;
    addRow(lists.try_emplace(each.subject, emptyTable()).first->second, each.metric, each.help);
  }
  for (const Metric& metric : metrics())
    if (const auto origin = origins.find(metric.key); origin != origins.end())  // else a recording had it
      pieces["metric " + metric.key] = {folder / (metric.key + ".md"), code(metric.key),
                                        factsOf(metric, help[metric.key], origin->second)};
  for (const auto& [subject, table] : lists)
    pieces["metrics " + subject] = {folder / "index.md", "Metrics", table.text()};
  for (const auto& [name, kind] : registry<sim::SimulationEntry>()) {
    MarkdownTable table = emptyTable();
    for (const Metric& metric : kind.metrics) addRow(table, metric, titleOf(metric));
    pieces["metrics simulation " + name] = {folder / "simulations.md", "Metrics of simulations",
                                            table.text()};
  }
}

}  // namespace halo
