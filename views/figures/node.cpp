// A node of processors and cards (HyScale): how batches are shared out, what the resource manager changes,
// what stages take, and what waits before them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "engine/record/analysis/mapping_changes.h"
#include "engine/record/analysis/model_verdict.h"
#include "engine/record/analysis/stage_times.h"
#include "views/figures/figure_registry.h"
#include "views/recording/decision_text.h"
#include "views/recording/iterations_of.h"
#include "views/recording/nothing_recorded.h"

namespace halo {
namespace {

constexpr std::string_view kShares[] = {"seeds", "threads", "sampling"};
constexpr Parameter kSharesParameters[] = {{"show", "what is shared out", Choice{"seeds", kShares}}};
constexpr Parameter kClockParameters[] = {
    {"clock", "modelled time, or that of the wall, which a dilation makes longer",
     Choice{"modelled", kTimeClocks}}};
constexpr double kPerMillisecond = 1e-6, kPercent = 100;

QString noNode(const RunRow& run) {
  return nothingOf(run, "No iteration has been recorded yet.",
                   "This run is %1, and recorded no decisions or stages: it does not train on a node of "
                   "processors and cards (method hyscale, or [[simulate]] platform).");
}

/// Seeds of an iteration: what the first mapping shares out.
std::int64_t batchOf(const RunData& data) {
  const auto recorded = data.parameters.find("result.batch");
  std::int64_t batch = 0;
  if (recorded != data.parameters.end()) batch = std::strtoll(recorded->second.c_str(), nullptr, 10);
  for (const IterationRow& row : data.batches.iterations) batch = std::max(batch, row.seeds);
  return batch;
}

/// The time that a figure is of; where the run has not the one that was asked for, the figure says so.
ShownTime timeOf(const RunData& data, const Values& values, Figure& figure) {
  const TimeClock wanted = clockNamed(values.text("clock"));
  const ShownTime time = shownTime(data.clock(), wanted, /*node=*/true);
  const bool simulated = data.run.kind == "simulation";  // which nobody expects wall time of
  if (time.clock != wanted && !simulated && !data.batches.stages.empty()) figure.marks << time.note;
  return time;
}

/// One line of shares, in steps: each holds until the next decision.
struct Share {
  const char* name;
  double MappingShares::*value;
};

std::vector<Share> sharesOf(const std::string& show) {
  if (show == "seeds")
    return {{"processors", &MappingShares::cpuSeeds}, {"cards", &MappingShares::cardSeeds}};
  if (show == "sampling") return {{"cards", &MappingShares::cardSample}};
  return {{"sampling", &MappingShares::sampleThreads},
          {"loading", &MappingShares::loadThreads},
          {"training", &MappingShares::trainThreads}};
}

/// Decisions as marks on the axis' floor: kept or undone.
FigureSeries decided(const std::vector<MappingChange>& changes, DecisionOutcome outcome, double perEpoch) {
  const bool kept = outcome == DecisionOutcome::kept;
  FigureSeries series{.name = kept ? "kept" : "undone"};
  series.mark = kept ? FigureMark::triangle : FigureMark::cross;
  series.joined = false;
  for (const MappingChange& change : changes) {
    if (change.decision.outcome != outcome || change.decision.action == MappingAction::start) continue;
    series.x.push_back(static_cast<double>(change.decision.epoch) * perEpoch +
                       static_cast<double>(change.decision.iteration));
    series.y.push_back(0);
    series.labels.push_back(decisionText(change));
  }
  return series;
}

Figure makeShares(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  const std::string show = values.text("show");
  Figure figure;
  figure.title = show == "seeds"     ? "Seeds of processors and cards"
                 : show == "threads" ? "Threads of the processors"
                                     : "Neighbours that cards sample";
  figure.form = FigureForm::points;
  figure.x = {"iteration", "", false, {}};
  figure.x.counts = true;
  figure.y = {"share", "%", false, {}};
  figure.labelTitle = "decision";
  figure.emptyReason = noNode(data.run);
  const std::vector<DecisionRow>& decisions = data.batches.decisions;
  const std::vector<MappingShares> steps = sharesOver(decisions, batchOf(data));
  if (steps.empty()) return figure;
  const double perEpoch = iterationsPerEpoch(data);
  const auto place = [&](std::int64_t epoch, std::int64_t iteration) {
    return static_cast<double>(epoch) * perEpoch + static_cast<double>(iteration);
  };
  double last = place(steps.back().epoch, steps.back().iteration);
  for (const IterationRow& row : data.batches.iterations) last = std::max(last, placeOf(row, perEpoch));
  for (const Share& share : sharesOf(show)) {
    FigureSeries series{.name = share.name};
    for (const MappingShares& step : steps) {
      const double x = place(step.epoch, step.iteration);
      if (!series.y.empty()) series.x.push_back(x), series.y.push_back(series.y.back());
      series.x.push_back(x);
      series.y.push_back(kPercent * step.*share.value);
    }
    series.x.push_back(last);
    series.y.push_back(series.y.back());
    figure.series.push_back(std::move(series));
  }
  const std::vector<MappingChange> changes = mappingChanges(decisions);
  for (const DecisionOutcome outcome : {DecisionOutcome::kept, DecisionOutcome::undone})
    if (FigureSeries marks = decided(changes, outcome, perEpoch); !marks.x.empty())
      figure.series.push_back(std::move(marks));
  return figure;
}

Figure makeStages(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Stages of a mini-batch, medians";
  figure.form = FigureForm::groupedBars;
  figure.x = {"stage", "", false, {}};
  const ShownTime time = timeOf(data, values, figure);
  const double modelledNs = kPerMillisecond * (time.clock == TimeClock::wall ? data.clock().dilation : 1);
  figure.y = {time.title, "ms", false, {}};
  figure.emptyReason = noNode(data.run);
  const std::vector<StageSeries> stages = stagesOver(data.batches.stages);
  if (stages.empty()) return figure;
  if (const auto verdict = modelVerdict(data.run, data.parameters, data.latest); verdict && verdict->measured)
    figure.marks << "performance model " + QString::fromStdString(verdict->sentence());
  FigureSeries predicted{.name = "predicted by the model", .outlined = true};
  FigureSeries planned{.name = "planned by the race", .outlined = true};
  FigureSeries measured{.name = "measured"};
  const auto scaled = [perNs = modelledNs](const std::optional<double>& ns) {
    return ns ? *ns * perNs : NAN;
  };
  for (const StageSeries& stage : stages) {
    figure.x.categories << QString::fromUtf8(text(stage.stage).data());
    predicted.y.push_back(scaled(stage.predictedNs));
    planned.y.push_back(scaled(stage.plannedNs));
    measured.y.push_back(stage.measuredNs * modelledNs);
  }
  const auto known = [](const FigureSeries& series) {
    return std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); });
  };
  for (FigureSeries* series : {&predicted, &planned, &measured})
    if (known(*series)) figure.series.push_back(std::move(*series));
  return figure;
}

Figure makeQueues(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Mini-batches that wait before a stage";
  figure.form = FigureForm::lines;
  const ShownTime time = timeOf(data, values, figure);
  const double perNs = kPerMillisecond / time.divisor;
  figure.x = {time.title, "ms", false, {}};
  figure.y = {"mini-batches", "", false, {}};
  figure.y.counts = true;
  figure.emptyReason = noNode(data.run);
  std::map<std::int64_t, QString> names;
  for (const ActorRow& actor : data.actors) names[actor.actor] = QString::fromStdString(actor.name);
  std::int64_t end = 0;
  for (const StageRow& row : data.batches.stages) end = std::max(end, row.beginNs + row.busyNs);
  for (const QueueLine& line : queuesOver(data.batches.stages)) {
    // who never has anything to wait for tells nothing
    if (std::ranges::all_of(line.steps, [](const QueueStep& step) { return step.queued == 0; })) continue;
    FigureSeries series{.x = {0}, .y = {0}};
    const auto named = names.find(line.actor);
    series.name = named != names.end() ? named->second : QString("actor %1").arg(line.actor);
    for (const QueueStep& step : line.steps) {
      const double x = static_cast<double>(step.ns) * perNs;
      series.x.push_back(x), series.y.push_back(series.y.back());
      series.x.push_back(x), series.y.push_back(static_cast<double>(step.queued));
    }
    series.x.push_back(static_cast<double>(end) * perNs);
    series.y.push_back(series.y.back());
    decimate(series.x, series.y);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

const Registered<FigureEntry> shares{
    {{"shares", "how a node shares out seeds and threads, with the manager's decisions", "",
      kSharesParameters},
     makeShares}};
const Registered<FigureEntry> stages{
    {{"stages", "what the stages of a node take: predicted, planned and measured", "", kClockParameters},
     makeStages}};
const Registered<FigureEntry> queues{
    {{"queues", "mini-batches that wait before each actor of a node", "", kClockParameters}, makeQueues}};

}  // namespace
}  // namespace halo
