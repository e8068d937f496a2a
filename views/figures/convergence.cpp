// Loss and scores of runs over epochs or time: one curve a run, or a run and split.
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

FigureSeries curve(const RunData& data, const QString& name, bool time, Pick pick) {
  FigureSeries series;
  series.name = name;
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    const auto value = pick(data.epochs[i]);
    if (!value) continue;
    series.x.push_back(time ? secondsAt(data, i) : static_cast<double>(data.epochs[i].epoch));
    series.y.push_back(*value);
  }
  decimate(series.x, series.y);
  return series;
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
      if (!series.y.empty()) figure.series.push_back(std::move(series));
    };
    if (!many) add("train", [](const EpochRow& row) { return row.train; });
    if (!many) add("valid", [](const EpochRow& row) { return row.valid; });
    add("test", [](const EpochRow& row) { return row.test; });
  }
  return figure;
}

const Registered<FigureEntry> loss{
    {{"convergence-loss", "training loss over epochs or time", "", kParameters}, makeLoss}};
const Registered<FigureEntry> score{
    {{"convergence-score", "train, valid and test score over epochs or time", "", kParameters}, makeScore}};

}  // namespace
}  // namespace halo
