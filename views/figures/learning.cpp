// What the chips learn: scores along epochs, time or bytes, with the ends of their seeds. Also what each took
// to a score.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/record/comparison/to_score.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kAlong[] = {"epoch", "time", "bytes"};
constexpr Parameter kParameters[] = {{"along", "what the horizontal axis counts", Choice{"epoch", kAlong}}};
constexpr const char* kNoScore =
    "There is no score that all of these runs measured: [training] evaluate_every says in which epochs they "
    "do.";

double BestScore::*timeOf(const SceneData& scene) {
  return scene.state.base == TimeBase::wall ? &BestScore::wallSeconds : &BestScore::epochSeconds;
}

/// What the x axis counts: the place of an epoch and of the best score, in units of the axis.
struct Along {
  FigureAxis axis;
  double scale = 1;
  double LearnedEpoch::*place = nullptr;  // none: the number of the epoch
  double BestScore::*best = nullptr;

  double at(const LearnedEpoch& epoch) const {
    return place == nullptr ? static_cast<double>(epoch.epoch) : epoch.*place * scale;
  }
};

Along alongOf(const SceneData& scene, const std::string& axisName) {
  if (axisName == "epoch") {
    Along along{{"epoch", "", false, {}}};
    along.axis.counts = true;
    return along;
  }
  const bool bytes = axisName == "bytes", wall = scene.state.base == TimeBase::wall;
  Along along;
  along.place = bytes  ? &LearnedEpoch::bytes
                : wall ? &LearnedEpoch::wallSeconds
                       : &LearnedEpoch::epochSeconds;
  along.best = bytes ? &BestScore::bytes : timeOf(scene);
  double longest = 0;
  for (const LearningCurve& curve : scene.comparison.learning)
    for (const LearnedEpoch& epoch : curve.epochs) longest = std::max(longest, epoch.*along.place);
  const auto [unit, scale] = bytes ? bytesUnit(longest) : secondsUnit(longest);
  along.axis = {bytes  ? "sent by all workers"
                : wall ? "time on the clock"
                       : "time of epochs",
                unit,
                false,
                {}};
  along.scale = scale;
  return along;
}

/// Puts the epochs whose loss was no number among those with a score: points that are none, with a word each.
void insertLost(const std::vector<LearnedEpoch>& lost, const Along& along, bool seeds, FigureSeries& series) {
  if (lost.empty()) return;
  series.labels.resize(series.x.size());
  for (const LearnedEpoch& epoch : lost) {
    const double x = along.at(epoch);
    const auto at = std::ranges::upper_bound(series.x, x) - series.x.begin();
    series.x.insert(series.x.begin() + at, x);
    for (auto* values : {&series.y, &series.low, &series.high})
      if (values == &series.y || seeds) values->insert(values->begin() + at, std::nan(""));
    series.labels.insert(series.labels.begin() + at,
                         std::isnan(epoch.score) ? "loss not a number" : "loss infinite");
  }
}

FigureSeries curveOf(const SceneData& scene, std::size_t chip, const Along& along) {
  const ChipData& data = scene.chips[scene.compared[chip]];
  FigureSeries series;
  series.name = lettered(scene, chip);
  series.color = series.dash = data.chip.color;
  const bool seeds = scene.comparison.reached[chip].runs.size() > 1;
  for (const LearnedEpoch& epoch : scene.comparison.learning[chip].epochs) {
    series.x.push_back(along.at(epoch));
    series.y.push_back(epoch.score);
    if (!seeds) continue;
    series.low.push_back(epoch.low);
    series.high.push_back(epoch.high);
  }
  insertLost(scene.comparison.learning[chip].lost, along, seeds, series);
  return series;
}

/// The score that is asked for, and the best of each chip that no other beats.
void addNotes(const SceneData& scene, const Along& along, Figure& figure) {
  const Comparison& comparison = scene.comparison;
  const QString score = formatNumber(comparison.accuracy, 4);
  figure.notes.push_back({std::nan(""), (scene.state.accuracy ? "to " : "all reach ") + score,
                          comparison.accuracy, /*ring=*/false});
  for (std::size_t c = 0; c < comparison.learning.size(); ++c)
    if (const auto& lost = comparison.learning[c].lost; !lost.empty())
      figure.notes.push_back(
          {along.at(lost.front()), chipLetter(scene.compared[c]) + " loss " +
                                       (std::isnan(lost.front().score) ? "not a number" : "infinite")});
  if (along.best == nullptr || comparison.learning.size() < 2) return;
  const std::vector<bool> front = onFront(comparison.learning, timeOf(scene));
  bool any = false;
  for (std::size_t c = 0; c < front.size(); ++c) {
    const std::optional<BestScore>& best = comparison.learning[c].best;
    if (!front[c] || figure.series[c].x.empty()) continue;
    const double x = (*best).*along.best * along.scale;
    if (x < figure.series[c].x.front() || x > figure.series[c].x.back()) continue;  // out of scope
    figure.notes.push_back({x, chipLetter(scene.compared[c]), best->score, /*ring=*/true});
    any = true;
  }
  if (any) figure.marks << "ringed: the best of a chip, unbeaten";
}

Figure makeLearning(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Learning";
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Learning", scene, EpochsOfFigure::all);
  figure.emptyReason = kNoScore;
  addProvenance(figure, scene);
  if (!scene.comparison.score) return figure;
  const Along along = alongOf(scene, values.text("along"));
  figure.x = along.axis;
  figure.y = {QString::fromStdString(text(*scene.comparison.score)) + " score", "", false, {}};
  for (std::size_t c = 0; c < scene.compared.size(); ++c) figure.series.push_back(curveOf(scene, c, along));
  if (std::ranges::any_of(scene.comparison.learning,
                          [](const LearningCurve& curve) { return !curve.lost.empty(); }))
    figure.labelTitle = "remark";
  addNotes(scene, along, figure);
  return figure;
}

QString timeText(const std::optional<double>& seconds) {
  return seconds ? formatSeconds(*seconds, 3) : QString("–");
}
QString bytesText(const std::optional<double>& bytes) { return bytes ? formatBytesOf(*bytes) : QString("–"); }
/// A mean over runs may be none that a run has.
QString countText(const std::optional<double>& count) {
  if (!count) return "–";
  return *count == std::round(*count) ? formatCountOf(*count) : formatNumber(*count, 3);
}
QVariant number(const std::optional<double>& value) { return value ? QVariant(*value) : QVariant(); }

QString intervalText(const std::optional<Interval>& interval, QString (*words)(double)) {
  return interval ? words(interval->low) + " … " + words(interval->high) : QString("–");
}
QString secondsText(double seconds) { return formatSeconds(seconds, 3); }
QString signedText(double seconds) { return formatSignedNs(seconds * 1e9); }

/// "−1.2 s, within noise".
QString deltaText(const std::optional<ToScore>& to) {
  if (!to || !to->delta) return "–";
  const std::string word = verdict(*to->delta, to->change);
  return signedText(*to->delta) + (word.empty() ? QString() : ", " + QString::fromStdString(word));
}

/// One figure of what a chip took to the score, as the CSV form has it.
void addToScore(const std::optional<ToScore>& to, QVariantList& values) {
  const auto end = [&](const std::optional<Interval> ToScore::*interval, double Interval::*bound) {
    return to && (*to).*interval ? QVariant((*((*to).*interval)).*bound) : QVariant();
  };
  values << (to ? QVariant(to->mean) : QVariant()) << (to ? QVariant(to->median) : QVariant())
         << end(&ToScore::interval, &Interval::low) << end(&ToScore::interval, &Interval::high)
         << (to && to->delta ? QVariant(*to->delta) : QVariant()) << end(&ToScore::change, &Interval::low)
         << end(&ToScore::change, &Interval::high)
         << (to && to->change ? QVariant(to->change->isWithinNoise() ? "yes" : "no") : QVariant());
}
void addHeadings(const QString& figure, const QString& unit, const QString& first, QStringList& headings) {
  const QString delta = figure + ", Δ to " + first;
  headings << figure + unit << figure + ", median" + unit << figure + ", 95 % from" + unit
           << figure + ", 95 % to" + unit << delta + unit << delta + ", 95 % from" + unit
           << delta + ", 95 % to" + unit << delta + ", within noise";
}

double Reached::*shownTime(const SceneData& scene) {
  return scene.state.base == TimeBase::wall ? &Reached::wallSeconds : &Reached::epochSeconds;
}

void addChip(const SceneData& scene, std::size_t chip, bool onFront, FigureTable& table) {
  const ToAccuracy& to = scene.comparison.reached[chip];
  const auto reachedCount =
      std::ranges::count_if(to.runs, [](const auto& run) { return run.reached.has_value(); });
  const QString reached = QString("%1 of %2").arg(reachedCount).arg(to.runs.size());
  const std::optional<BestScore>& best = scene.comparison.learning[chip].best;
  const auto ofBest = [&](double BestScore::*figure) {
    return best ? std::optional((*best).*figure) : std::nullopt;
  };
  auto epochs = meanReached(to, &Reached::epoch);
  if (epochs) ++*epochs;  // counted, not numbered
  const auto time = toScore(scene.comparison, chip, &Reached::epochSeconds),
             wall = toScore(scene.comparison, chip, &Reached::wallSeconds),
             shown = toScore(scene.comparison, chip, shownTime(scene)),
             bytes = toScore(scene.comparison, chip, &Reached::bytes);
  const auto mean = [](const std::optional<ToScore>& each) {
    return each ? std::optional(each->mean) : std::nullopt;
  };
  const QString front = onFront ? "yes" : "no";
  table.rows.push_back({lettered(scene, chip), reached, countText(epochs), timeText(mean(time)),
                        timeText(mean(wall)), shown ? secondsText(shown->median) : QString("–"),
                        intervalText(shown ? shown->interval : std::nullopt, secondsText), deltaText(shown),
                        intervalText(shown ? shown->change : std::nullopt, signedText),
                        bytesText(mean(bytes)), best ? formatNumber(best->score, 4) : QString("–"),
                        timeText(ofBest(&BestScore::epochSeconds)), bytesText(ofBest(&BestScore::bytes)),
                        front});
  QVariantList values{lettered(scene, chip), qlonglong{reachedCount}, number(epochs)};
  for (const auto& each : {time, wall, bytes}) addToScore(each, values);
  values << number(ofBest(&BestScore::score)) << number(ofBest(&BestScore::epochSeconds))
         << number(ofBest(&BestScore::bytes)) << front;
  table.values.push_back(values);
}

Figure makeToScore(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "To a score";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  const Comparison& comparison = scene.comparison;
  figure.emptyReason = kNoScore;
  addProvenance(figure, scene);
  if (!comparison.score) return figure;
  figure.title =
      QString("To %1 score %2 · from the first epoch on")
          .arg(QString::fromStdString(text(*comparison.score)), formatNumber(comparison.accuracy, 4));
  const QString first = chipLetter(scene.compared.front());
  const QString which = scene.state.base == TimeBase::wall ? "clock time" : "epoch time";
  FigureTable& table = figure.table;
  table.columns = {"chip",
                   "runs there",
                   "epochs",
                   "time of epochs",
                   "time on the clock",
                   which + ", median",
                   which + ", 95 %",
                   which + ", Δ to " + first,
                   "95 % of Δ",
                   "sent",
                   "best score",
                   "time to best",
                   "sent to best",
                   "unbeaten"};
  table.headings = {"chip", "runs that reach it", "epochs"};
  addHeadings("time of epochs", " [s]", first, table.headings);
  addHeadings("time on the clock", " [s]", first, table.headings);
  addHeadings("sent", " [bytes]", first, table.headings);
  table.headings << "best score"
                 << "time of epochs to the best [s]"
                 << "sent to the best [bytes]"
                 << "unbeaten";
  table.note =
      "Means over the runs of a chip, and intervals over its seeds where there are three or more. Unbeaten: "
      "no other has as good a best score in as little time with as few bytes.";
  table.showsAllRows = true;
  const std::vector<bool> front = onFront(comparison.learning, timeOf(scene));
  for (std::size_t c = 0; c < scene.compared.size(); ++c) addChip(scene, c, front[c], table);
  return figure;
}

const Registered<FigureEntry> learning{
    {{"learning", "scores of the chips along epochs, time or bytes", "", kParameters},
     makeLearning,
     {},
     /*several=*/true,
     /*ofScene=*/true}};
const Registered<FigureEntry> toScore{{{"to-score", "what each chip took to a score, and to its best", ""},
                                       makeToScore,
                                       {},
                                       /*several=*/true,
                                       /*ofScene=*/true}};
}  // namespace
}  // namespace halo
