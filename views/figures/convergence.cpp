// Loss and scores of runs over epochs or time: one curve a run, or a run and split.
#include <algorithm>
#include <cmath>

#include "views/figure_registry.h"

namespace halo {
namespace {

constexpr std::string_view kAlong[] = {"epoch", "time"};
constexpr Parameter kParameters[] = {{"along", "what the horizontal axis counts", Choice{"epoch", kAlong}}};

/// Why a run has no curve: `yet` while it may still come, `ended` with how it did.
QString nothingOf(const RunRow& run, const char* yet, const char* ended) {
  if (run.kind == "simulation")
    return "A simulation says how long training takes and trains nothing: it has no losses and no scores.";
  return run.status == "queued" || run.status == "running"
             ? QString(yet)
             : QString(ended).arg(QString::fromStdString(run.status));
}

using Pick = std::optional<double> (*)(const EpochRow&);

double placeOf(const RunData& data, std::size_t i, bool time) {
  return time ? secondsAt(data, i) : static_cast<double>(data.epochs[i].epoch);
}

/// What an epoch's loss is instead of a number; "": it is one.
QString lost(const EpochRow& row) {
  return std::isnan(row.loss) ? "not a number" : std::isinf(row.loss) ? "infinite" : "";
}

/// How the run ended, where it did not complete.
QString failureOf(const RunRow& run) {
  const QString status = QString::fromStdString(run.status);
  return QStringList{"failed", "cancelled", "interrupted"}.contains(status) ? status : QString();
}

/// Of an epoch whose loss is no number nothing is drawn, and every split says so: none of its scores means
/// anything. Such epochs are the last of their run, so there are few.
FigureSeries curve(const RunData& data, const QString& name, bool time, Pick pick) {
  FigureSeries series;
  series.name = name;
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    const auto value = pick(data.epochs[i]);
    if (!value || !lost(data.epochs[i]).isEmpty()) continue;
    series.x.push_back(placeOf(data, i, time));
    series.y.push_back(*value);
  }
  decimate(series.x, series.y);
  series.labels.resize(series.y.size());
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    const QString why = lost(data.epochs[i]);
    if (why.isEmpty()) continue;
    const double x = placeOf(data, i, time);
    const auto at = std::ranges::lower_bound(series.x, x) - series.x.begin();
    series.x.insert(series.x.begin() + at, x);
    series.y.insert(series.y.begin() + at, std::nan(""));
    series.labels.insert(series.labels.begin() + at, why);
  }
  if (const QString failure = failureOf(data.run); !failure.isEmpty() && !series.labels.empty())
    series.labels.back() += (series.labels.back().isEmpty() ? "" : ", ") + failure;
  return series;
}

/// Where the loss ceased to be a number, and where the run ended that did not complete.
void noteFailures(const FigureInput& input, bool time, Figure& figure) {
  for (const RunData& data : input.runs) {
    const QString who = input.runs.size() > 1 ? QString("run %1 ").arg(data.run.id) : QString();
    const auto note = [&](std::size_t i, const QString& text) {
      const double x = placeOf(data, i, time);
      if (!figure.notes.empty() && figure.notes.back().x == x && who.isEmpty())
        figure.notes.back().text += ", " + text;
      else
        figure.notes.push_back({x, who + text});
    };
    const auto first =
        std::ranges::find_if(data.epochs, [](const EpochRow& row) { return !lost(row).isEmpty(); });
    if (first != data.epochs.end())
      note(static_cast<std::size_t>(first - data.epochs.begin()), "loss " + lost(*first));
    if (const QString failure = failureOf(data.run); !failure.isEmpty() && !data.epochs.empty())
      note(data.epochs.size() - 1, failure);
  }
  const auto remarked = [](const FigureSeries& series) {
    return std::ranges::any_of(series.labels, [](const QString& label) { return !label.isEmpty(); });
  };
  if (std::ranges::any_of(figure.series, remarked)) figure.labelTitle = "remark";
}

Figure frame(const char* title, const Values& values) {
  Figure figure;
  figure.title = title;
  if (values.text("along") == "time")
    figure.x = {"time since the first epoch", "s", false, {}};
  else
    figure.x = {"epoch", "", false, {}};
  return figure;
}

QString runName(const RunData& data) {
  return QString("%1 %2").arg(data.run.id).arg(QString::fromStdString(data.run.method));
}

Figure makeLoss(const FigureInput& input, const Values& values) {
  Figure figure = frame("Training loss", values);
  figure.y = {"loss", "nats", false, {}};
  figure.emptyReason = nothingOf(input.runs.front().run, "No epoch has finished yet.",
                                 "This run is %1, and no epoch of it had finished.");
  for (const RunData& data : input.runs)
    figure.series.push_back(curve(data, runName(data), values.text("along") == "time",
                                  [](const EpochRow& row) { return std::optional<double>(row.loss); }));
  noteFailures(input, values.text("along") == "time", figure);
  return figure;
}

Figure makeScore(const FigureInput& input, const Values& values) {
  Figure figure = frame("Score", values);
  figure.y = {"score", "", false, {}};
  figure.emptyReason = nothingOf(input.runs.front().run, "No score has been recorded yet.",
                                 "This run is %1, and recorded no score.");
  const bool time = values.text("along") == "time";
  const bool many = input.runs.size() > 1;
  for (const RunData& data : input.runs) {
    const QString prefix = many ? runName(data) + " " : "";
    const auto add = [&](const char* name, Pick pick) {
      FigureSeries series = curve(data, prefix + name, time, pick);
      const bool any = std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); });
      if (any) figure.series.push_back(std::move(series));
    };
    if (!many) add("train", [](const EpochRow& row) { return row.train; });
    if (!many) add("valid", [](const EpochRow& row) { return row.valid; });
    add("test", [](const EpochRow& row) { return row.test; });
  }
  noteFailures(input, time, figure);
  return figure;
}

const Registered<FigureEntry> loss{
    {{"convergence-loss", "training loss over epochs or time", "", kParameters}, makeLoss}};
const Registered<FigureEntry> score{
    {{"convergence-score", "train, valid and test score over epochs or time", "", kParameters}, makeScore}};

}  // namespace
}  // namespace halo
