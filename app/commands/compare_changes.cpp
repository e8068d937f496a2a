#include "app/commands/compare_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/table.h"
#include "engine/record/comparison/to_score.h"

namespace halo {
namespace {

constexpr std::size_t kShownDifferences = 12;  // as many as a screen holds beside the rest

std::string nsText(double ns) { return secondsText(ns * 1e-9); }

std::string intervalText(const std::optional<Interval>& interval) {
  return interval ? fmt::format("{} … {}", signedText(interval->low), signedText(interval->high)) : "–";
}

std::string layerText(const SpanKind& kind) { return kind.layer < 0 ? "" : std::to_string(kind.layer); }

std::string epochsText(const std::vector<Column>& columns, const Comparison& comparison) {
  Table table({"epochs in scope", "number", "mean", "median", "Δ mean", "95 % interval of Δ", ""});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const EpochFigures& epochs = comparison.epochs[c];
    std::vector<std::string> row = {columns[c].title(), fmt::format("{}", fmt::join(epochs.epochs, ", ")),
                                    nsText(epochs.meanNs), nsText(epochs.medianNs)};
    if (c > 0) {
      const Change& change = comparison.changes[c - 1];
      row.push_back(signedText(change.deltaNs));
      row.push_back(intervalText(change.interval));
      row.push_back(verdict(change.deltaNs, change.interval));
    }
    table.add(std::move(row));
  }
  return "\n" + table.text();
}

std::string waterfallText(const Change& change) {
  if (change.waterfall.empty()) return "";
  Table table({"where the mean epoch changes", "Δ"});
  for (const WaterfallStep& step : change.waterfall)
    table.add({std::string(text(step.part)), signedText(static_cast<double>(step.ns))});
  table.add({"together", signedText(change.deltaNs)});
  return "\n" + table.text();
}

std::string differencesText(const Change& change) {
  if (change.differences.empty()) return "";
  Table table({"spans, an epoch and worker", "layer", "count", "count", "median", "median", "Δ",
               "95 % interval", ""});
  const std::size_t rows = std::min(change.differences.size(), kShownDifferences);
  for (std::size_t i = 0; i < rows; ++i) {
    const Difference& each = change.differences[i];
    const auto median = [](const SpanStatistics& side) {
      return side.medianNs ? nsText(*side.medianNs) : std::string("–");
    };
    table.add({std::string(text(each.kind.name)), layerText(each.kind), std::to_string(each.sides[0].count),
               std::to_string(each.sides[1].count), median(each.sides[0]), median(each.sides[1]),
               signedText(each.deltaNs), intervalText(each.interval), verdict(each)});
  }
  std::string out = "\n" + table.text();
  if (const std::size_t more = change.differences.size() - rows; more > 0)
    out += fmt::format("and {} kinds of spans that differ less: --json has them\n", more);
  return out;
}

/// Of a time to the score: median, interval, and what changes from the first column.
void addSpread(const std::optional<ToScore>& to, std::vector<std::string>& row) {
  const auto ends = [](const std::optional<Interval>& interval) {
    return interval ? secondsText(interval->low) + " … " + secondsText(interval->high) : std::string("–");
  };
  const auto inNs = [](const Interval& seconds) { return Interval{seconds.low * 1e9, seconds.high * 1e9}; };
  row.push_back(to ? secondsText(to->median) : "–");
  row.push_back(to ? ends(to->interval) : "–");
  row.push_back(to && to->delta ? signedText(*to->delta * 1e9) : "");
  row.push_back(to && to->change ? intervalText(inNs(*to->change)) : "");
  row.push_back(to && to->delta ? verdict(*to->delta, to->change) : "");
}

std::string accuracyText(const std::vector<Column>& columns, const Comparison& comparison) {
  if (!comparison.score) return "";
  Table table({fmt::format("to {} score {}", text(*comparison.score), shortNumber(comparison.accuracy)),
               "runs", "epochs", "time of epochs", "median", "95 % interval", "Δ mean", "95 % interval of Δ",
               "", "wall time", "sent"});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ToAccuracy& column = comparison.reached[c];
    const auto cell = [&](auto figure, const auto& words) {
      const auto mean = meanReached(column, figure);
      return mean ? words(*mean) : std::string("–");
    };
    const auto reachedCount =
        std::ranges::count_if(column.runs, [](const auto& run) { return run.reached.has_value(); });
    std::vector<std::string> row = {columns[c].title(),
                                    fmt::format("{} of {}", reachedCount, column.runs.size()),
                                    cell(&Reached::epoch, [](double last) { return shortNumber(last + 1); }),
                                    cell(&Reached::epochSeconds, secondsText)};
    addSpread(toScore(comparison, c, &Reached::epochSeconds), row);
    row.push_back(cell(&Reached::wallSeconds, secondsText));
    row.push_back(cell(&Reached::bytes, byteText));
    table.add(std::move(row));
  }
  return "\n" + table.text();
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json differenceJson(const Difference& difference) {
  Json json = {{"name", text(difference.kind.name)}, {"layer", difference.kind.layer}};
  for (const SpanStatistics& side : difference.sides) {
    json["count"].push_back(side.count);
    json["total_ns"].push_back(side.totalNs);
    json["median_ns"].push_back(side.medianNs ? Json(*side.medianNs) : Json(nullptr));
    json["p95_ns"].push_back(side.p95Ns ? Json(*side.p95Ns) : Json(nullptr));
    json["mean_ns"].push_back(side.meanNs);
  }
  json["delta"] = difference.deltaNs;
  json["interval"] = intervalJson(difference.interval);
  json["verdict"] = verdict(difference);
  return json;
}

void addChange(Json& json, const Change& change) {
  json["delta_ns"] = finite(change.deltaNs);
  json["interval_ns"] = intervalJson(change.interval);
  json["verdict"] = verdict(change.deltaNs, change.interval);
  json["differences"] = Json::array();
  for (const Difference& difference : change.differences)
    json["differences"].push_back(differenceJson(difference));
  json["waterfall"] = Json::array();
  for (const WaterfallStep& step : change.waterfall)
    json["waterfall"].push_back({{"part", text(step.part)}, {"ns", step.ns}});
  if (!change.waterfall.empty()) json["waterfall_by"] = change.bySpans ? "spans" : "layers";
}

/// Of what the runs of a column took, by one figure: `key` is the mean, the rest stands beside it.
void addToScore(Json& json, const std::string& key, const std::optional<ToScore>& to) {
  json[key] = to ? Json(to->mean) : Json(nullptr);
  json[key + "_median"] = to ? Json(to->median) : Json(nullptr);
  json[key + "_interval"] = intervalJson(to ? to->interval : std::nullopt);
  json[key + "_delta"] = to && to->delta ? Json(*to->delta) : Json(nullptr);
  json[key + "_delta_interval"] = intervalJson(to ? to->change : std::nullopt);
}

Json reachedJson(const Comparison& comparison, std::size_t place) {
  const ToAccuracy& column = comparison.reached[place];
  Json json = {{"runs", Json::array()}, {"reached", 0}};
  for (const auto& [id, reached] : column.runs) {
    Json run = {{"run", id}, {"epoch", nullptr}};
    if (reached) {
      run = {{"run", id},
             {"epoch", reached->epoch},
             {"epoch_seconds", reached->epochSeconds},
             {"wall_seconds", reached->wallSeconds},
             {"bytes", reached->bytes}};
      json["reached"] = json["reached"].get<int>() + 1;
    }
    json["runs"].push_back(std::move(run));
  }
  addToScore(json, "epoch_seconds", toScore(comparison, place, &Reached::epochSeconds));
  addToScore(json, "wall_seconds", toScore(comparison, place, &Reached::wallSeconds));
  addToScore(json, "bytes", toScore(comparison, place, &Reached::bytes));
  return json;
}

}  // namespace

std::string signedText(double ns) {
  if (!std::isfinite(ns)) return "–";
  return (ns < 0 ? "-" : "+") + nsText(std::abs(ns));
}

Json intervalJson(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

std::string changesText(const std::vector<Column>& columns, const Comparison& comparison) {
  if (columns.size() < 2) return "";
  std::string out = epochsText(columns, comparison);
  if (columns.size() == 2)
    out += waterfallText(comparison.changes.front()) + differencesText(comparison.changes.front());
  return out + accuracyText(columns, comparison);
}

void addChanges(Json& json, const std::vector<Column>& columns, const Comparison& comparison) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const EpochFigures& epochs = comparison.epochs[c];
    json["columns"][c]["epochs_in_scope"] = {{"number", epochs.epochs},
                                             {"mean_ns", finite(epochs.meanNs)},
                                             {"median_ns", finite(epochs.medianNs)},
                                             {"interval_ns", intervalJson(epochs.interval)}};
  }
  if (comparison.changes.empty()) {
    json["differences"] = json["waterfall"] = Json::array();
  } else {
    addChange(json, comparison.changes.front());
  }
  for (std::size_t c = 1; c < comparison.changes.size(); ++c) {
    Json further = {{"column", c + 2}};  // from 1; the first has no change
    addChange(further, comparison.changes[c]);
    json["further"].push_back(std::move(further));
  }
  json["time_to_accuracy"] = nullptr;
  if (!comparison.score) return;
  Json to = {
      {"split", text(*comparison.score)}, {"accuracy", comparison.accuracy}, {"columns", Json::array()}};
  for (std::size_t c = 0; c < comparison.reached.size(); ++c)
    to["columns"].push_back(reachedJson(comparison, c));
  json["time_to_accuracy"] = std::move(to);
}

}  // namespace halo
