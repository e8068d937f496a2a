#include <algorithm>
#include <array>
#include <cmath>

#include "engine/record/analysis/card_load.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/check/figures.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

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

/// What an older Haloscope made of the same epochs: it summed up the scores that are numbers alone.
Figures ofNumbers(std::vector<EpochRow> epochs, std::int64_t workers) {
  for (EpochRow& epoch : epochs)
    for (auto* score : {&epoch.train, &epoch.valid, &epoch.test})
      if (*score && std::isnan(**score)) score->reset();
  return summarise(epochs, {}, {}, workers);
}

/// Where `latest` does not say NaN, it goes by the scores that are numbers.
void asKept(Figures& expected, const Figures& numbers, const Figures& latest) {
  for (const char* name : kWhereKnown) {
    const auto figure = expected.find(name);
    const auto latestFigure = latest.find(name), number = numbers.find(name);
    if (figure == expected.end() || !std::isnan(figure->second)) continue;
    if (latestFigure != latest.end() && std::isnan(latestFigure->second)) continue;
    if (number == numbers.end())
      expected.erase(figure);
    else
      figure->second = number->second;
  }
}

/// Older versions took epochs_per_second of the median.
void ofMedian(Figures& expected, const Figures& latest) {
  const auto rate = expected.find("epochs_per_second");
  const auto latestRate = latest.find("epochs_per_second");
  if (rate == expected.end() || latestRate == latest.end()) return;
  constexpr double kRounding = 1e-9;
  const double older = 1 / expected.at("epoch_seconds");
  if (std::abs(latestRate->second - older) <= kRounding * older) rate->second = older;
}

Figures recomputed(Database& database, const CheckedRun& checked, const std::vector<WorkerRow>& workers,
                   const Figures& latest) {
  const RunRow& run = checked.row;
  Summary summary(run.workers);
  if (const auto actors = Hybrid(database).actors(run.id); !actors.empty()) summary.actBy(std::ssize(actors));
  const std::vector<std::size_t> cards = cardsOfRanks(checked.parameters, workers);
  BusiestCard busiest(cards);
  const Epochs table(database);
  std::vector<EpochRow> epochs = table.epochs(run.id);
  for (const EpochRow& epoch : epochs) {
    summary.add(std::span(&epoch, 1), table.layersOf(run.id, epoch.epoch));
    if (!cards.empty()) busiest.add(std::span(&epoch, 1), table.messagesOf(run.id, epoch.epoch));
  }
  if (!summary.last()) return {};
  Figures expected = summary.metrics(workers);
  expected.merge(busiest.metrics());
  ofMedian(expected, latest);
  if (std::ranges::any_of(expected, [](const auto& figure) { return std::isnan(figure.second); }))
    asKept(expected, ofNumbers(std::move(epochs), run.workers), latest);
  return expected;
}

/// Whether some epoch fills no pipeline, so that there is something to take a share of.
bool hasTimes(Database& database, const CheckedRun& run) {
  Statement timed(database, "SELECT 1 FROM epoch WHERE run_id = ? AND filling = 0 AND wall_ns > 0 LIMIT 1");
  return timed.bind(run.row.id).step();
}

}  // namespace

void checkLatest(Database& database, const CheckedRun& run, Findings& findings) {
  if (!run.trains()) return;
  const Runs runs(database);
  const Figures latest = runs.latest(run.row.id);
  const std::vector<WorkerRow> workers = runs.workers(run.row.id);
  const Figures expected = recomputed(database, run, workers, latest);
  compareFigures(run.row.id, latest, expected, "its rows in epoch, layer, message and worker", findings);
  for (const char* name : kWhereKnown)
    if (!expected.empty() && latest.contains(name) && !expected.contains(name))
      findings.add("latest", run.row.id, "",
                   std::string("table latest has ") + name + " " + shownFigure(latest.at(name)) +
                       ", its rows in epoch and layer say nothing of it");
  if (!run.completed()) return;
  compareFigures(run.row.id, latest, closingFigures(database, run, workers, latest),
                 "its rows in worker, layer and message and memory_…_bytes", findings);
  // both came with the same version; of a recording before schema 4 it has another name
  if (latest.contains("predicted_messages_per_epoch") && !latest.contains("hidden_share") &&
      !latest.contains("unwaited_share") && hasTimes(database, run))
    findings.add("missing in latest", run.row.id, "", "is completed, and table latest has no hidden_share");
}

}  // namespace halo
