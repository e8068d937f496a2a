#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "app/commands/command.h"
#include "app/commands/compare_changes.h"
#include "app/commands/compare_columns.h"
#include "app/commands/compare_views.h"
#include "app/commands/published.h"
#include "app/report/columns.h"
#include "app/report/gate.h"
#include "app/report/metrics.h"
#include "app/report/table.h"
#include "engine/base/index.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/analysis/model_verdict.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/comparison/comparison.h"
#include "engine/record/comparison/fairness.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

bool isCompleted(const RunRow& run) { return run.status == "completed"; }

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
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < measured.runs.size(); ++r)
    if (isSimulationOf(simulation, {measured.runs[r], measured.settings[r], measured.workers}))
      places.push_back(r);
  return places;
}

/// The metric's place in metrics().
std::size_t placeOf(std::string_view key) {
  return at(std::ranges::find(metrics(), key, &Metric::key) - metrics().begin());
}

/// The time of an epoch, and what else both have of it.
void addRatios(const Column& simulated, std::size_t run, const Column& measured, std::vector<Ratio>& ratios) {
  const std::vector<std::size_t> runsOfKind = runsOf(simulated, run, measured);
  if (runsOfKind.empty()) return;
  Ratio ratio{&simulated, run, {}, "", "", 0};
  for (const std::size_t r : runsOfKind) ratio.measured.push_back(measured.runs[r]);
  for (const std::string_view key : {"epoch_seconds", "bytes_per_epoch", "messages_per_epoch"}) {
    const std::string_view as = key == "epoch_seconds" ? measuredEpoch(simulated.settings[run]) : key;
    double sum = 0;
    for (const std::size_t r : runsOfKind) sum += orNaN(measured.values[r][placeOf(as)]);
    ratio.metric = as;
    ratio.title = metrics()[placeOf(as)].title;
    ratio.value = orNaN(simulated.values[run][placeOf(key)]) / (sum / static_cast<double>(runsOfKind.size()));
    if (std::isfinite(ratio.value)) ratios.push_back(ratio);
  }
}

std::vector<Ratio> ratiosOf(const std::vector<Column>& columns) {
  std::vector<Ratio> ratios;
  for (const Column& simulated : columns)
    for (const Column& measured : columns)
      for (std::size_t run = 0; run < simulated.runs.size(); ++run)
        addRatios(simulated, run, measured, ratios);
  return ratios;
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

/// A run whose stages this machine timed, and how far its performance model is off them.
struct MeasuredModel {
  RunRow run;
  ModelVerdict verdict;
};

std::vector<MeasuredModel> measuredModels(Database& database, const std::vector<RunRow>& runs) {
  std::vector<MeasuredModel> models;
  const Runs table(database);
  for (const RunRow& run : runs) {
    auto verdict = modelVerdict(run, table.parameters(run.id), table.latest(run.id));
    if (verdict && verdict->measured) models.push_back({run, std::move(*verdict)});
  }
  return models;
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

/// "5", "5:", "5:20", ":20"; both ends belong to it. Nothing said: what is timed.
Scope scopeOf(const std::string& words) {
  const auto wrong = [&]() -> InputError {
    return InputError(
        {.key = "--epochs", .message = "\"" + words + "\" is no range of epochs; 5:20 is one, and so is 5:"});
  };
  const auto number = [&](const std::string& digits) -> std::optional<std::int64_t> {
    if (digits.empty()) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) throw wrong();
    return value;
  };
  if (words.empty()) return {};
  const std::size_t colon = words.find(':');
  if (colon == std::string::npos) {
    const auto alone = number(words);
    if (!alone) throw wrong();
    return {alone, alone};
  }
  const Scope scope{number(words.substr(0, colon)), number(words.substr(colon + 1))};
  if (scope.first && scope.last && *scope.first > *scope.last) throw wrong();
  return scope;
}

/// What one call compares.
struct Request {
  std::vector<std::string> runs;
  bool each = false;
  std::string gate, epochs;
  std::optional<double> accuracy;
};

struct ComparedRuns {
  std::vector<Column> columns, publishedColumns;
  Comparison comparison;
  std::vector<std::string> fairness;
  std::vector<MeasuredModel> models;
  Reproductions reproductions;
};

ComparedRuns look(Database& database, const Request& request, bool json) {
  const std::vector<RunRow> runs = findRuns(database, request.runs);
  ComparedRuns looked;
  looked.columns = columnsOf(database, runs, request.each ? Together::nothing : Together::repeats);
  for (Column& column : looked.columns) setStatistics(database, column);
  const std::vector<Configuration> configurations = configurationsOf(database, looked.columns);
  looked.comparison =
      compareConfigurations(configurations, scopeOf(request.epochs), request.accuracy,
                            /*withSpans=*/json || configurations.size() == 2);  // tables of two alone
  looked.fairness = fairness(configurations);
  looked.models = measuredModels(database, runs);
  looked.publishedColumns = heldColumns(database, runs);
  std::vector<Measured> against;
  for (const Column& column : looked.publishedColumns) against.push_back(measured(database, column));
  looked.reproductions = reproduced(against, timedByWorkers);
  return looked;
}

void printCompared(const ComparedRuns& looked) {
  print(columnsText(looked.columns));
  for (const std::string& note : leftOut(looked.columns)) print(note + "\n");
  for (const std::string& sentence : looked.fairness) print("warning: " + sentence + "\n");
  for (const Ratio& ratio : ratiosOf(looked.columns))
    print(fmt::format("{} ÷ {}, simulated ÷ measured: {} {}\n",
                      titleOf({&ratio.simulated->runs[ratio.run], 1}), titleOf(ratio.measured), ratio.title,
                      shortNumber(ratio.value)));
  for (const MeasuredModel& model : looked.models)
    print(fmt::format("{}, performance model: {}\n", titleOf({&model.run, 1}),
                      onOneLine(model.verdict.sentence())));
  print(changesText(looked.columns, looked.comparison));
  print(viewsText(looked.columns, looked.comparison));
  if (looked.columns.size() > 1)
    for (const std::string& note : looked.comparison.notes) print(note + "\n");
  printReproduced(looked.reproductions, repeatsOf(looked.publishedColumns));
}

void printComparedJson(const ComparedRuns& looked) {
  Json json = {{"columns", columnsJson(looked.columns)}};
  addChanges(json, looked.columns, looked.comparison);
  addViews(json, looked.comparison);
  json["fairness"] = looked.fairness;
  json["notes"] = leftOut(looked.columns);
  for (const std::string& note : looked.comparison.notes) json["notes"].push_back(note);
  json["simulated"] = Json::array();
  for (const Ratio& ratio : ratiosOf(looked.columns))
    json["simulated"].push_back({{"simulated", ratio.simulated->runs[ratio.run].id},
                                 {"measured", ratio.measured.front().id},
                                 {"metric", ratio.metric},
                                 {"simulated_over_measured", ratio.value}});
  json["performance_models"] = Json::array();
  for (const MeasuredModel& model : looked.models)
    json["performance_models"].push_back(
        {{"run", model.run.id}, {"holds", model.verdict.holds()}, {"sentence", model.verdict.sentence()}});
  json["published"] = reproducedJson(looked.reproductions, repeatsOf(looked.publishedColumns));
  printJson(json);
}

int compare(const Common& common, const Request& request) {
  const auto database = openRecording(common);
  learnMetrics(*database);
  const std::vector<Gate> gates = request.gate.empty() ? std::vector<Gate>{} : readGates(request.gate);
  const ComparedRuns looked = look(*database, request, common.json);
  common.json ? printComparedJson(looked) : printCompared(looked);
  if (const auto& damages = looked.comparison.damages; !damages.empty())
    throw DamagedInput({.message = fmt::format("{}", fmt::join(damages, "\n"))});
  if (!looked.reproductions.damaged.empty())
    throw DamagedInput(
        {.file = common.db.string(), .key = "experiment", .message = looked.reproductions.damaged.front()});
  return gatesMet(gates, looked.columns) ? 0 : 6;
}

}  // namespace

void addCompare(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand(
      "compare",
      "Runs side by side, changes against the first; repeats that differ in the seed only are one column");
  auto* runs = command->add_option("RUN", "Numbers of runs, the first is the baseline")->required();
  several(runs);
  auto* each = command->add_flag("--each")->description("A column a run, repeats too");
  auto* gate = command->add_option("--gate", "File of thresholds; exit status 6 where one is not met")
                   ->type_name("FILE");
  auto* epochs =
      command
          ->add_option("--epochs",
                       "Epochs whose time is compared, both ends included; all but the first. Those that "
                       "fill a pipeline never count")
          ->type_name("FIRST:LAST");
  auto* accuracy =
      command->add_option("--accuracy", "Score to which times are given; the highest that all reach")
          ->type_name("SCORE")
          ->check(realWithin(0, 1));
  command->callback([&common, &action, runs, each, gate, epochs, accuracy] {
    Request request{runs->results(), each->count() > 0, "", "", {}};
    if (gate->count() > 0) request.gate = gate->as<std::string>();
    if (epochs->count() > 0) request.epochs = epochs->as<std::string>();
    if (accuracy->count() > 0) request.accuracy = accuracy->as<double>();
    action = [&common, request] { return compare(common, request); };
  });
}

}  // namespace halo
