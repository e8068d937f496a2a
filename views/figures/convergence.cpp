// Loss and scores of runs over epochs or time: one curve a run, or a run and split.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/base/index.h"
#include "engine/record/analysis/unlike.h"
#include "views/figures/figure_registry.h"
#include "views/recording/nothing_recorded.h"

namespace halo {
namespace {

constexpr std::string_view kAlong[] = {"epoch", "time"};
constexpr Parameter kParameters[] = {{"along", "what the horizontal axis counts", Choice{"epoch", kAlong}}};

/// Why a run has no curve: by its kind, else `why`.
QString noCurve(const RunRow& run, const QString& why) {
  return run.kind == "simulation"
             ? "A simulation says how long training takes and trains nothing: it has no losses and no scores."
             : why;
}

using Pick = std::optional<double> (*)(const EpochRow&);

double placeOf(const RunData& data, std::size_t i, bool time) {
  return time ? secondsAt(data, i) : static_cast<double>(data.epochs[i].epoch);
}

/// What a value is instead of a number; "": it is one.
QString lost(double value) {
  return std::isnan(value) ? "not a number" : std::isinf(value) ? "infinite" : "";
}

/// What is drawn of an epoch is instead of a number; "": it is one, or was not measured. Of an epoch whose
/// loss is no number no score means anything.
QString lost(const EpochRow& row, Pick pick) {
  if (const QString why = lost(row.loss); !why.isEmpty()) return why;
  return lost(pick(row).value_or(0));
}

/// The epochs without a number; of very many the ends of their stretches, and some between.
std::vector<std::size_t> lostPlaces(const RunData& data, Pick pick) {
  constexpr std::size_t kMost = 2000;  // as decimate() of numbers
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < data.epochs.size(); ++i)
    if (!lost(data.epochs[i], pick).isEmpty()) places.push_back(i);
  const std::size_t step = (places.size() + kMost - 1) / kMost;
  std::vector<std::size_t> samples;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const bool begins = k == 0 || places[k - 1] + 1 != places[k];
    const bool ends = k + 1 == places.size() || places[k] + 1 != places[k + 1];
    if (begins || ends || k % step == 0) samples.push_back(places[k]);
  }
  return samples;
}

/// Puts the epochs without a number among those with one, which are in order.
void insertLost(const RunData& data, bool time, Pick pick, FigureSeries& series) {
  const auto numbers = std::exchange(series.x, {});
  const auto values = std::exchange(series.y, {});
  std::size_t next = 0;
  const auto numbersBefore = [&](double x) {
    for (; next < numbers.size() && numbers[next] < x; ++next) {
      series.x.push_back(numbers[next]);
      series.y.push_back(values[next]);
      series.labels.emplace_back();
    }
  };
  for (const std::size_t i : lostPlaces(data, pick)) {
    const double x = placeOf(data, i, time);
    numbersBefore(x);
    series.x.push_back(x);
    series.y.push_back(std::nan(""));
    series.labels.push_back(lost(data.epochs[i], pick));
  }
  numbersBefore(INFINITY);
}

/// `dash`: what tells the curves of a run apart that is in a chip, for its colour is the chip's.
FigureSeries curve(const FigureInput& input, const RunData& data, const QString& name, int dash, bool time,
                   Pick pick) {
  FigureSeries series;
  series.name = name;
  if (const auto chip = input.chips.find(data.run.id); chip != input.chips.end()) {
    series.name.prepend(chipLetter(chip->second.place) + "  ");
    series.color = chip->second.color;
    series.dash = dash;
  }
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    const auto value = pick(data.epochs[i]);
    if (!value || !lost(data.epochs[i], pick).isEmpty()) continue;
    series.x.push_back(placeOf(data, i, time));
    series.y.push_back(*value);
  }
  decimate(series.x, series.y);
  insertLost(data, time, pick, series);
  if (const QString failure = endedBadly(data.run); !failure.isEmpty() && !series.labels.empty())
    series.labels.back() += (series.labels.back().isEmpty() ? "" : ", ") + failure;
  return series;
}

/// Where the loss or one of the scores drawn ceased to be a number, and where the run ended that did not
/// complete.
void noteFailures(const FigureInput& input, bool time, std::span<const Pick> picks, Figure& figure) {
  for (const RunData& data : input.runs) {
    const QString who = input.runs.size() > 1 ? QString("run %1 ").arg(data.run.id) : QString();
    const auto note = [&](std::size_t i, const QString& text) {
      const double x = placeOf(data, i, time);
      if (!figure.notes.empty() && figure.notes.back().x == x && who.isEmpty())
        figure.notes.back().text += ", " + text;
      else
        figure.notes.push_back({x, who + text});
    };
    const auto isLost = [&](const EpochRow& row) {
      return std::ranges::any_of(picks, [&](Pick pick) { return !lost(row, pick).isEmpty(); });
    };
    const auto first = std::ranges::find_if(data.epochs, isLost);
    if (first != data.epochs.end())
      note(at(first - data.epochs.begin()),
           lost(first->loss).isEmpty() ? QString("score not a number") : "loss " + lost(first->loss));
    if (const QString failure = endedBadly(data.run); !failure.isEmpty() && !data.epochs.empty())
      note(data.epochs.size() - 1, failure);
  }
  const auto remarked = [](const FigureSeries& series) {
    return std::ranges::any_of(series.labels, [](const QString& label) { return !label.isEmpty(); });
  };
  if (std::ranges::any_of(figure.series, remarked)) figure.labelTitle = "remark";
}

/// Epochs of a dilated run are of the wall, whatever else is modelled.
Figure frame(const char* title, const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = title;
  const bool dilated =
      std::ranges::any_of(input.runs, [](const RunData& run) { return run.clock().hasBoth(); });
  const bool time = values.text("along") == "time";
  if (time)
    figure.x = {dilated ? "wall time since the first epoch" : "time since the first epoch", "s", false, {}};
  else
    figure.x = {"epoch", "", false, {}};
  figure.x.counts = !time;
  return figure;
}

QString runName(const RunData& data) {
  return QString("%1 %2").arg(data.run.id).arg(QString::fromStdString(data.run.method));
}

/// Curves of runs that were not trained alike say so.
void markUnlike(const FigureInput& input, Figure& figure) {
  std::vector<ComparedRun> runs;
  for (const RunData& data : input.runs) runs.push_back({data.run, data.parameters});
  if (const std::string sentence = unlikeSentence(runs); !sentence.empty())
    figure.marks << QString::fromStdString(sentence);
}

Figure makeLoss(const FigureInput& input, const Values& values) {
  Figure figure = frame("Training loss", input, values);
  figure.y = {"loss", "nats", false, {}};
  const RunRow& run = input.runs.front().run;
  figure.emptyReason = noCurve(run, noEpochs(run));
  const bool time = values.text("along") == "time";
  const Pick pick = [](const EpochRow& row) { return std::optional<double>(row.loss); };
  for (const RunData& data : input.runs)
    figure.series.push_back(curve(input, data, runName(data), 0, time, pick));
  noteFailures(input, time, {&pick, 1}, figure);
  markUnlike(input, figure);
  return figure;
}

Figure makeScore(const FigureInput& input, const Values& values) {
  Figure figure = frame("Score", input, values);
  figure.y = {"score", "", false, {}};
  const RunRow& run = input.runs.front().run;
  figure.emptyReason = noCurve(
      run, nothingOf(run, "No score has been recorded yet.", "This run is %1, and recorded no score."));
  constexpr std::pair<const char*, Pick> kSplits[] = {
      {"train", [](const EpochRow& row) { return row.train; }},
      {"valid", [](const EpochRow& row) { return row.valid; }},
      {"test", [](const EpochRow& row) { return row.test; }}};
  const bool time = values.text("along") == "time", many = input.runs.size() > 1;
  const auto drawn = std::span(kSplits).last(many ? 1 : 3);  // of many runs the test scores alone
  std::vector<Pick> picks;
  for (const auto& [name, pick] : drawn) picks.push_back(pick);
  for (const RunData& data : input.runs)
    for (int dash = 0; const auto& [name, pick] : drawn) {
      if (std::ranges::any_of(data.epochs, [pick](const EpochRow& row) { return pick(row).has_value(); }))
        figure.series.push_back(
            curve(input, data, (many ? runName(data) + " " : "") + name, dash, time, pick));
      ++dash;
    }
  noteFailures(input, time, picks, figure);
  markUnlike(input, figure);
  return figure;
}

const Registered<FigureEntry> loss{
    {{"convergence-loss", "training loss over epochs or time", "", kParameters}, makeLoss}};
const Registered<FigureEntry> score{
    {{"convergence-score", "train, valid and test score over epochs or time", "", kParameters}, makeScore}};

}  // namespace
}  // namespace halo
