#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "app/commands/command.h"
#include "app/commands/published.h"
#include "app/report/columns.h"
#include "app/report/gate.h"
#include "app/report/metrics.h"
#include "app/report/table.h"
#include "engine/base/problem.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/analysis/unlike.h"

namespace halo {
namespace {

/// What every figure of a column must say: the marks of its runs, each once.
std::string marksOf(const Column& column) {
  std::vector<std::string> marks;
  for (const RunRow& run : column.runs)
    if (!run.marks.empty() && std::ranges::find(marks, run.marks) == marks.end()) marks.push_back(run.marks);
  return fmt::format("{}", fmt::join(marks, "; "));
}

bool isCompleted(const RunRow& run) { return run.status == "completed"; }

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
  std::map<std::string, std::vector<std::string>> found;
  for (const Column& column : columns)
    for (const auto& [key, value] : column.parameters)
      if (isSetting(key) && std::ranges::all_of(columns, [&](const Column& other) {
            return hasKey(columns, kindOf(other), key);
          }))
        found[key];
  for (auto entry = found.begin(); entry != found.end();) {
    std::vector<std::string>& values = entry->second;
    for (const Column& column : columns) {
      const auto value = column.parameters.find(entry->first);
      values.push_back(value == column.parameters.end() ? "–" : value->second);
    }
    const bool equal = std::ranges::all_of(values, [&](const std::string& v) { return v == values.front(); });
    entry = equal ? found.erase(entry) : std::next(entry);
  }
  return found;
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, " | "));
}

std::string warningOf(const Unlike& unlike) {
  std::string warning = fmt::format("runs differ in {}: {}", unlike.what, joined(unlike.values));
  if (unlike.what == kUnlikeOrders) warning += " (fair = true in the experiment makes them alike)";
  return warning;
}

ComparedRepeats repeatsOf(const Column& column) {
  ComparedRepeats repeats{{}, column.parameters};
  for (const RunRow& run : column.runs) repeats.runs.push_back(&run);
  return repeats;
}

std::vector<ComparedRepeats> repeatsOf(const std::vector<Column>& columns) {
  std::vector<ComparedRepeats> all;
  for (const Column& column : columns) all.push_back(repeatsOf(column));
  return all;
}

/// Why the columns may not be compared as they stand.
std::vector<std::string> warnings(const std::vector<Column>& columns) {
  std::vector<std::string> found;
  for (const Column& column : columns)
    for (const RunRow& run : column.runs)
      if (run.status != "completed") found.push_back(fmt::format("run {} is {}", run.id, run.status));
  for (const Unlike& unlike : unlikeRepeats(repeatsOf(columns))) found.push_back(warningOf(unlike));
  std::vector<ComparedRun> firsts;
  for (const Column& column : columns) firsts.push_back({column.runs.front(), column.parameters});
  for (const Unlike& unlike : perhapsUnlike(firsts))
    found.push_back(
        fmt::format("whether runs differ in {} is not known: {}", unlike.what, joined(unlike.values)));
  return found;
}

/// Whether a change from one to the other says something of what is compared, not of other work to do.
bool onOneDataset(const Column& a, const Column& b) {
  if (!onOneDataset(a.runs.front(), a.parameters, b.runs.front(), b.parameters)) return false;
  for (const char* key : {"dataset.scale", "dataset.directed", "simulate.graph"}) {
    const auto ofA = a.parameters.find(key), ofB = b.parameters.find(key);
    if (ofA != a.parameters.end() && ofB != b.parameters.end() && ofA->second != ofB->second) return false;
  }
  return true;
}

/// With the deviation of repeats.
std::string meanText(const Column& column, std::size_t metric) {
  const Metric& of = metrics()[metric];
  std::string text = metricText(of, column.mean[metric]);
  if (column.runs.size() > 1 && std::isfinite(orNaN(column.mean[metric])))
    text += " ± " + metricText(of, column.deviation[metric]);
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

/// Which columns have no changes, and why.
std::vector<std::string> leftOut(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (!onOneDataset(columns.front(), column)) names.push_back(column.title());
  if (names.empty()) return {};
  return {fmt::format("no changes from {} to {}: other data, other work", columns.front().title(),
                      fmt::join(names, ", "))};
}

void printTable(const std::vector<Column>& columns) {
  std::vector<std::string> head = {"metric"};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    head.push_back(columns[c].title());
    if (c > 0) head.emplace_back("Δ");
  }
  Table table(head);
  const auto add = [&](const std::string& what, const auto& cellOf, const auto& changeOf) {
    std::vector<std::string> row = {what};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      row.push_back(cellOf(c));
      if (c > 0) row.push_back(changeOf(c));
    }
    table.add(std::move(row));
  };
  const auto addWords = [&](const std::string& what, const auto& wordsOf) {
    add(what, wordsOf, [](std::size_t) { return std::string(); });
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
  print(table.text());
  for (const std::string& note : leftOut(columns)) print(note + "\n");
  for (const std::string& warning : warnings(columns)) print("warning: " + warning + "\n");
}

/// A simulation over the runs of a column that it is of, their mean.
struct Ratio {
  const Column* simulated;
  std::size_t run;  // of that column
  std::vector<RunRow> measured;
  std::string metric, title;
  double value = 0;
};

/// The runs of the column that the simulation is of: repeats differ in their seeds.
std::vector<std::size_t> runsOf(const Column& simulated, std::size_t run, const Column& measured) {
  const PairedRun simulation{simulated.runs[run], simulated.settings[run], simulated.workers};
  std::vector<std::size_t> found;
  for (std::size_t r = 0; r < measured.runs.size(); ++r)
    if (isSimulationOf(simulation, {measured.runs[r], measured.settings[r], measured.workers}))
      found.push_back(r);
  return found;
}

/// The metric's place in metrics().
std::size_t placeOf(std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(metrics(), key, &Metric::key) - metrics().begin());
}

/// The time of an epoch, and what else both have of it.
void addRatios(const Column& simulated, std::size_t run, const Column& measured, std::vector<Ratio>& ratios) {
  const std::vector<std::size_t> of = runsOf(simulated, run, measured);
  if (of.empty()) return;
  Ratio ratio{&simulated, run, {}, "", "", 0};
  for (const std::size_t r : of) ratio.measured.push_back(measured.runs[r]);
  for (const std::string_view key : {"epoch_seconds", "bytes_per_epoch", "messages_per_epoch"}) {
    const std::string_view as = key == "epoch_seconds" ? measuredEpoch(simulated.settings[run]) : key;
    double sum = 0;
    for (const std::size_t r : of) sum += orNaN(measured.values[r][placeOf(as)]);
    ratio.metric = as;
    ratio.title = metrics()[placeOf(as)].title;
    ratio.value = orNaN(simulated.values[run][placeOf(key)]) / (sum / static_cast<double>(of.size()));
    if (std::isfinite(ratio.value)) ratios.push_back(ratio);
  }
}

void printSimulated(const std::vector<Column>& columns, bool json) {
  std::vector<Ratio> ratios;
  for (const Column& simulated : columns)
    for (const Column& measured : columns)
      for (std::size_t run = 0; run < simulated.runs.size(); ++run)
        addRatios(simulated, run, measured, ratios);
  for (const Ratio& ratio : ratios) {
    if (json)
      printJson({{"simulated", ratio.simulated->runs[ratio.run].id},
                 {"measured", ratio.measured.front().id},
                 {"metric", ratio.metric},
                 {"simulated_over_measured", ratio.value}});
    else
      print(fmt::format("{} ÷ {}, simulated ÷ measured: {} {}\n",
                        titleOf({&ratio.simulated->runs[ratio.run], 1}), titleOf(ratio.measured), ratio.title,
                        shortNumber(ratio.value)));
  }
}

void printJsonLines(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    Json json = {{"name", column.runs.front().name}, {"method", column.runs.front().method}};
    for (const RunRow& run : column.runs) json["runs"].push_back(run.id);
    json["marks"] = marksOf(column);
    for (std::size_t m = 0; m < metrics().size(); ++m) {
      const std::string& key = metrics()[m].key;
      const double mean = orNaN(column.mean[m]);
      if (isLost(column.mean[m])) json[key] = nullptr;
      if (!std::isfinite(mean)) continue;
      json[key] = mean;
      if (column.runs.size() > 1) json[key + "_std"] = column.deviation[m];
      const double baseline = orNaN(columns.front().mean[m]);
      if (&column != &columns.front() && std::isfinite(baseline) && baseline != 0 &&
          onOneDataset(columns.front(), column))
        json[key + "_change_percent"] = 100.0 * (mean / baseline - 1.0);
    }
    printJson(json);
  }
  for (const std::string& note : leftOut(columns)) printJson({{"note", note}});
  for (const std::string& warning : warnings(columns)) printJson({{"warning", warning}});
}

/// What published figures are held against: the completed ones of each file's repeats, or, if there is none,
/// all of them. In the order in which they ran, however they are named: the first set of assumptions counts.
std::vector<Column> heldColumns(Database& database, std::vector<RunRow> runs) {
  std::ranges::sort(runs, {}, &RunRow::id);
  std::vector<Column> columns = columnsOf(database, runs, Together::repeatsOfOneFile);
  for (Column& column : columns) {
    if (std::ranges::any_of(column.runs, isCompleted)) std::erase_if(column.runs, std::not_fn(isCompleted));
    setStatistics(database, column);
  }
  return columns;
}

Measured measured(Database& database, const Column& column) {
  const bool shared = std::ranges::any_of(
      column.runs, [](const RunRow& run) { return run.marks.find("oversubscribed") != std::string::npos; });
  std::map<std::string, double> values;
  for (std::size_t m = 0; m < metrics().size(); ++m) values[metrics()[m].key] = orNaN(column.mean[m]);
  return {column.parameters, fileOf(database, column.runs.front()), std::move(values),
          isCompleted(column.runs.front()), shared};
}

std::optional<bool> timedByWorkers(const std::string& key) {
  const Metric* metric = metricNamed(key);
  return metric == nullptr ? std::nullopt : std::optional(metric->timed);
}

/// Says which limits are not met, and by what.
bool gatesMet(const std::vector<Gate>& gates, const std::vector<Column>& columns) {
  bool met = true;
  for (const Column& column : columns) {
    const Column& first = columns.front();
    std::optional<Baseline> baseline;
    if (&column != &first)
      baseline = {first.title(), first.mean, onOneDataset(first, column) ? "" : "other data, other work"};
    for (const std::string& failure : unmet(gates, column.mean, baseline)) {
      met = false;
      say(fmt::format("gate not met by {}: {}\n", column.title(), failure));
    }
  }
  return met;
}

int compare(const Common& common, const std::vector<std::string>& words, bool each, const std::string& gate) {
  const auto database = openRecording(common);
  learnMetrics(*database);
  const std::vector<Gate> gates = gate.empty() ? std::vector<Gate>{} : readGates(gate);
  const std::vector<RunRow> runs = findRuns(*database, words);
  std::vector<Column> columns = columnsOf(*database, runs, each ? Together::nothing : Together::repeats);
  for (Column& column : columns) setStatistics(*database, column);
  common.json ? printJsonLines(columns) : printTable(columns);
  printSimulated(columns, common.json);
  const std::vector<Column> held = heldColumns(*database, runs);
  std::vector<Measured> against;
  for (const Column& column : held) against.push_back(measured(*database, column));
  const Reproductions reproductions = reproduced(against, timedByWorkers);
  printReproduced(reproductions, repeatsOf(held), common.json);
  if (!reproductions.damaged.empty())
    throw DamagedInput({common.db.string(), 0, 0, "experiment", reproductions.damaged.front()});
  return gatesMet(gates, columns) ? 0 : 6;
}

}  // namespace

void addCompare(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand(
      "compare",
      "Runs side by side, changes against the first; repeats that differ in the seed only are one column");
  auto* runs = command->add_option("RUN", "Numbers of runs, the first is the baseline")->required();
  several(runs);
  auto* each = command->add_flag("--each")->description("A column a run, repeats too");
  auto* gate = command->add_option("--gate", "File of thresholds; exit status 6 where one is not met");
  command->callback([&common, &action, runs, each, gate] {
    action = [&common, runs, each, gate] {
      return compare(common, runs->results(), each->count() > 0,
                     gate->count() > 0 ? gate->as<std::string>() : "");
    };
  });
}

}  // namespace halo
