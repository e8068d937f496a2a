#include "app/commands/compare_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/metrics.h"
#include "app/report/table.h"
#include "engine/record/analysis/pairing.h"

namespace halo {
namespace {

/// What every figure of a column must say: the marks of its runs, each once.
std::string marksOf(const Column& column) {
  std::vector<std::string> marks;
  for (const RunRow& run : column.runs)
    if (!run.marks.empty() && std::ranges::find(marks, run.marks) == marks.end()) marks.push_back(run.marks);
  return fmt::format("{}", fmt::join(marks, "; "));
}

const std::string& kindOf(const Column& column) { return column.runs.front().kind; }

bool ofSeveralKinds(const std::vector<Column>& columns) {
  return std::ranges::any_of(columns, [&](const Column& c) { return kindOf(c) != kindOf(columns.front()); });
}

/// Whether runs of this kind have the key at all.
bool hasKey(const std::vector<Column>& columns, const std::string& kind, const std::string& key) {
  return std::ranges::any_of(
      columns, [&](const Column& c) { return kindOf(c) == kind && c.parameters.contains(key); });
}

/// Settings in which some columns differ, with their values. Of runs and simulations, those that both have.
std::map<std::string, std::vector<std::string>> differences(const std::vector<Column>& columns) {
  std::map<std::string, std::vector<std::string>> valuesOfKeys;
  for (const Column& column : columns)
    for (const auto& [key, value] : column.parameters)
      if (isSetting(key) && std::ranges::all_of(columns, [&](const Column& other) {
            return hasKey(columns, kindOf(other), key);
          }))
        valuesOfKeys[key];
  for (auto entry = valuesOfKeys.begin(); entry != valuesOfKeys.end();) {
    std::vector<std::string>& values = entry->second;
    for (const Column& column : columns) {
      const auto value = column.parameters.find(entry->first);
      values.push_back(value == column.parameters.end() ? "–" : value->second);
    }
    const bool equal = std::ranges::all_of(values, [&](const std::string& v) { return v == values.front(); });
    entry = equal ? valuesOfKeys.erase(entry) : std::next(entry);
  }
  return valuesOfKeys;
}

/// With the deviation of repeats.
std::string meanText(const Column& column, std::size_t metric) {
  const Metric& definition = metrics()[metric];
  std::string text = metricText(definition, column.mean[metric]);
  if (column.runs.size() > 1 && std::isfinite(orNaN(column.mean[metric])))
    text += " ± " + metricText(definition, column.deviation[metric]);
  return text;
}

/// In percent; from ten times as much on as a factor.
std::string changeText(const Column& from, const Column& to, std::size_t metric) {
  constexpr double kFactor = 10;
  const double value = orNaN(to.mean[metric]), baseline = orNaN(from.mean[metric]);
  if (!onOneDataset(from, to) || !std::isfinite(value) || !std::isfinite(baseline) || baseline == 0)
    return "–";
  const double ratio = value / baseline;
  return ratio >= kFactor ? "× " + shortNumber(ratio) : changePercentText(100.0 * (ratio - 1.0));
}

ComparedRepeats repeatsOf(const Column& column) {
  ComparedRepeats repeats{{}, column.parameters};
  for (const RunRow& run : column.runs) repeats.runs.push_back(&run);
  return repeats;
}

}  // namespace

std::vector<ComparedRepeats> repeatsOf(const std::vector<Column>& columns) {
  std::vector<ComparedRepeats> all;
  for (const Column& column : columns) all.push_back(repeatsOf(column));
  return all;
}

std::vector<Configuration> configurationsOf(Database& recording, const std::vector<Column>& columns) {
  std::vector<Configuration> all;
  for (const Column& column : columns) all.push_back({&recording, column.runs, column.parameters});
  return all;
}

bool onOneDataset(const Column& a, const Column& b) {
  return onOneDataset(Configuration{nullptr, a.runs, a.parameters},
                      Configuration{nullptr, b.runs, b.parameters});
}

std::vector<std::string> leftOut(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (!onOneDataset(columns.front(), column)) names.push_back(column.title());
  if (names.empty()) return {};
  return {fmt::format("no changes from {} to {}: other data, other work", columns.front().title(),
                      fmt::join(names, ", "))};
}

std::string columnsText(const std::vector<Column>& columns) {
  std::vector<std::string> head = {"metric"};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    head.push_back(columns[c].title());
    if (c > 0) head.emplace_back("Δ");
  }
  Table table(head);
  const auto add = [&](const std::string& title, const auto& cellOf, const auto& changeOf) {
    std::vector<std::string> row = {title};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      row.push_back(cellOf(c));
      if (c > 0) row.push_back(changeOf(c));
    }
    table.add(std::move(row));
  };
  const auto addWords = [&](const std::string& title, const auto& wordsOf) {
    add(title, wordsOf, [](std::size_t) { return std::string(); });
  };
  for (const auto& [key, values] : differences(columns))
    addWords(key, [&of = values](std::size_t c) { return of[c]; });
  if (ofSeveralKinds(columns)) addWords("kind", [&](std::size_t c) { return kindOf(columns[c]); });
  if (std::ranges::any_of(columns, [](const Column& c) { return !marksOf(c).empty(); }))
    addWords("marks", [&](std::size_t c) { return marksOf(columns[c]); });
  for (std::size_t m = 0; m < metrics().size(); ++m)
    if (std::ranges::any_of(columns, [m](const Column& c) { return c.mean[m].has_value(); }))
      add(
          metrics()[m].title, [&](std::size_t c) { return meanText(columns[c], m); },
          [&](std::size_t c) { return changeText(columns.front(), columns[c], m); });
  return table.text();
}

Json columnsJson(const std::vector<Column>& columns) {
  Json all = Json::array();
  for (const Column& column : columns) {
    Json json = {{"name", column.runs.front().name}, {"method", column.runs.front().method}};
    for (const RunRow& run : column.runs) json["runs"].push_back(run.id);
    json["marks"] = marksOf(column);
    for (std::size_t m = 0; m < metrics().size(); ++m) {
      const std::string& key = metrics()[m].key;
      const double mean = orNaN(column.mean[m]);
      if (isLost(column.mean[m]) || std::isinf(mean)) json[key] = nullptr;  // JSON has no word for it
      if (!std::isfinite(mean)) continue;
      json[key] = mean;
      if (column.runs.size() > 1) json[key + "_std"] = column.deviation[m];
      const double baseline = orNaN(columns.front().mean[m]);
      if (&column != &columns.front() && std::isfinite(baseline) && baseline != 0 &&
          onOneDataset(columns.front(), column))
        json[key + "_change_percent"] = 100.0 * (mean / baseline - 1.0);
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace halo
