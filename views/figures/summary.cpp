// A card a chip: what its epoch takes, how sure that is, how it changes from the baseline, and at what
// cost.
#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>

#include "engine/base/index.h"
#include "engine/record/comparison/to_score.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

/// A figure of a chip, as a person reads it and as a number.
struct Cell {
  QString text = "–";
  QVariant value = {};
};
using CellOf = std::function<Cell(std::size_t)>;

/// Of a column of the CSV form: its name, and what a value is multiplied by.
struct Unit {
  const char* name;
  double scale = 1;
};
constexpr Unit kNs{"s", 1e-9}, kSeconds{"s"};

QString nsText(double ns) { return formatNsOf(ns, 3); }
QString secondsText(double seconds) { return formatSeconds(seconds, 3); }

Cell seconds(double value) { return std::isfinite(value) ? Cell{formatSeconds(value, 3), value} : Cell{}; }

class Summary {
 public:
  explicit Summary(const SceneData& scene) : scene_(scene), numbers_(scene.compared.size()) {
    table_.columns << "figure";
    for (std::size_t c = 0; c < scene.compared.size(); ++c) table_.columns << lettered(scene, c);
    column("chip", [&](std::size_t c) { return lettered(scene, c); });
  }

  FigureTable table() {
    addEpochs();  // the first row is a card's headline
    addEnds();
    addChanges();
    addShares();
    addReplays();
    addMetrics();
    addScores();
    table_.showsAllRows = true;
    table_.values = numbers_;
    return table_;
  }

 private:
  const Comparison& comparison() const { return scene_.comparison; }

  /// Of the CSV form. Left out where no chip has it.
  void column(const QString& heading, const std::function<QVariant(std::size_t)>& valueOf) {
    QVariantList values;
    for (std::size_t c = 0; c < numbers_.size(); ++c) values << valueOf(c);
    if (std::ranges::none_of(values, &QVariant::isValid)) return;
    table_.headings << heading;
    for (std::size_t c = 0; c < numbers_.size(); ++c) numbers_[c] << values[static_cast<qsizetype>(c)];
  }

  /// Of the picture. Left out where no chip has it.
  void row(const QString& name, const std::function<QString(std::size_t)>& textOf) {
    QStringList texts = {name};
    for (std::size_t c = 0; c < numbers_.size(); ++c) texts << textOf(c);
    if (texts.count(Cell().text) < texts.size() - 1) table_.rows.push_back(texts);
  }

  /// Of both; in the picture it is called `label`.
  void add(const QString& heading, const QString& label, const CellOf& cellOf) {
    row(label, [&](std::size_t c) { return cellOf(c).text; });
    column(heading, [&](std::size_t c) { return cellOf(c).value; });
  }

  using IntervalOf = std::function<std::optional<Interval>(std::size_t)>;
  /// `unit`: of the CSV form, and how many of the interval's own make one.
  void addInterval(const QString& heading, const QString& label, QString (*words)(double), const Unit& unit,
                   const IntervalOf& intervalOf) {
    row(label, [&](std::size_t c) {
      const auto interval = intervalOf(c);
      return interval ? words(interval->low) + " … " + words(interval->high) : Cell().text;
    });
    const auto end = [&](const char* suffix, double Interval::*bound) {
      column(QString("%1, 95 % %2 [%3]").arg(heading, suffix, unit.name), [&, bound](std::size_t c) {
        const auto interval = intervalOf(c);
        return interval ? QVariant((*interval).*bound * unit.scale) : QVariant();
      });
    };
    end("from", &Interval::low);
    end("to", &Interval::high);
  }

  /// Of chips with runs that did not complete.
  void addEnds() {
    add("ended", "ended", [&](std::size_t c) {
      QStringList ends;
      for (const RunRow& run : scene_.chips[scene_.compared[c]].runs)
        if (const QString end = endedBadly(run); !end.isEmpty())
          ends << QString("run %1 %2").arg(run.id).arg(end);
      return ends.isEmpty() ? Cell{} : Cell{ends.join(", "), ends.join(", ")};
    });
  }

  void addEpochs() {
    const std::vector<EpochFigures>& epochs = comparison().epochs;
    add("epoch, mean [s]", "epoch, mean", [&](std::size_t c) { return seconds(epochs[c].meanNs * 1e-9); });
    addInterval("epoch", "  95 % interval", nsText, kNs, [&](std::size_t c) { return epochs[c].interval; });
    add("epoch, median [s]", "epoch, median",
        [&](std::size_t c) { return seconds(epochs[c].medianNs * 1e-9); });
    row("epochs in scope", [&](std::size_t c) {
      QStringList all;
      for (const std::int64_t count : epochs[c].epochs) all << QString::number(count);
      if (epochs[c].modelled) return QString("one, simulated");
      return all.isEmpty() ? Cell().text : all.join(", ");
    });
    column("runs", [&](std::size_t c) {
      return static_cast<qlonglong>(scene_.chips[scene_.compared[c]].runs.size());
    });
    column("epochs in scope of all runs", [&](std::size_t c) {
      return static_cast<qlonglong>(
          std::accumulate(epochs[c].epochs.begin(), epochs[c].epochs.end(), std::int64_t{0}));
    });
  }

  /// Of the baseline nothing: it is what others are held against.
  void addChanges() {
    const auto change = [&](std::size_t c) { return c == 0 ? nullptr : &comparison().changes[c - 1]; };
    const QString delta = "Δ to " + chipLetter(scene_.compared.front());
    add(delta + " [s]", delta, [&](std::size_t c) {
      const Change* to = change(c);
      return to && std::isfinite(to->deltaNs)
                 ? Cell{formatSignedNs(to->deltaNs) +
                            verdictOf(to->deltaNs / comparison().epochs[0].meanNs, to->interval, "time"),
                        to->deltaNs * 1e-9}
                 : Cell{};
    });
    const IntervalOf interval = [&](std::size_t c) {
      const Change* to = change(c);
      return to ? to->interval : std::nullopt;
    };
    addInterval(
        delta, "  95 % of Δ", [](double ns) { return formatSignedNs(ns); }, kNs, interval);
    addWithinNoise(delta, interval);
  }

  void addWithinNoise(const QString& delta, const IntervalOf& intervalOf) {
    column(delta + ", within noise", [&](std::size_t c) {
      const auto bounds = intervalOf(c);
      return bounds ? QVariant(bounds->isWithinNoise() ? "yes" : "no") : QVariant();
    });
  }

  /// `share`: what changes, of the baseline's.
  static QString verdictOf(double share, const std::optional<Interval>& interval, const char* quantity) {
    if (!interval) return "";
    if (interval->isWithinNoise()) return ", within noise";
    return QString(", %1 %2 %3").arg(formatShare(std::abs(share)), share < 0 ? "less" : "more", quantity);
  }

  void addMetric(const char* key, const char* heading, const char* label,
                 const std::function<QString(double)>& words) {
    add(heading, label, [&](std::size_t c) {
      const auto& latest = scene_.chips[scene_.compared[c]].latest;
      const auto figure = latest.find(key);
      return figure == latest.end() || !std::isfinite(figure->second)
                 ? Cell{}
                 : Cell{words(figure->second), figure->second};
    });
  }

  /// Of the mean epoch in scope, by the parts that `where` and `waterfall` draw: together they are all of it.
  void addShares() {
    addShare("computing", {TimePart::compute});
    addMetric("hidden_share", "hidden under computing, share of the run's epochs",
              "  hidden under it, whole run", formatShare);
    addShare("quantising", {TimePart::quantise});
    addShare("waiting", {TimePart::lateSender, TimePart::lateReceiver, TimePart::wire, TimePart::queue,
                         TimePart::peerComputes, TimePart::barrierOrSum, TimePart::quantiser,
                         TimePart::memory, TimePart::unknown, TimePart::unjudged});
    if (comparison().meansBySpans) addShare("  exposed: wire and queue", {TimePart::wire, TimePart::queue});
    if (!comparison().meansBySpans)
      return addShare("idle and other", {TimePart::idle, TimePart::other, TimePart::rest});
    addShare("other", {TimePart::other});
    addShare("idle", {TimePart::idle});
  }

  /// Left out where no chip has any of it.
  void addShare(const QString& name, std::initializer_list<TimePart> parts) {
    const std::vector<MeanEpoch>& means = comparison().means;
    const auto share = [&](std::size_t c) {
      double ns = 0;
      for (const TimePart part : parts) ns += means[c].parts[at(part)];
      return means[c].ns > 0 ? ns / means[c].ns : 0;
    };
    bool any = false;
    for (std::size_t c = 0; c < means.size(); ++c) any = any || share(c) != 0;
    if (any)
      add(name.trimmed() + ", share of the epoch", name, [&](std::size_t c) {
        return means[c].ns > 0 ? Cell{formatShare(share(c)), share(c)} : Cell{};
      });
  }

  /// What a replay says, and how far replays of that run are off where nothing is changed.
  void addReplays() {
    const auto replay = [&](std::size_t c) -> const std::optional<ChipReplay>& {
      return scene_.chips[scene_.compared[c]].replay;
    };
    add("replay of run", "replay of", [&](std::size_t c) {
      const auto& chip = replay(c);
      if (!chip) return Cell{};
      return Cell{QString("run %1%2").arg(chip->run).arg(chip->changed ? "" : ", unchanged"),
                  qlonglong{chip->run}};
    });
    add("epoch of that run replayed unchanged [s]", "  unchanged it is", [&](std::size_t c) {
      const auto& chip = replay(c);
      if (!chip || !chip->unchangedSeconds) return Cell{};
      return Cell{
          QString("%1, this %2")
              .arg(secondsText(*chip->unchangedSeconds), changeText(chip->seconds, *chip->unchangedSeconds)),
          *chip->unchangedSeconds};
    });
    add("error of the unchanged replay, share", "  error of that", [&](std::size_t c) {
      const auto& chip = replay(c);
      const auto error = chip ? chip->error() : std::nullopt;
      if (!error) return Cell{};
      return Cell{
          QString("%1 of %2 measured").arg(changeText(1 + *error, 1), secondsText(chip->measuredSeconds)),
          *error};
    });
  }

  void addMetrics() {
    const auto bytes = [](double value) { return formatBytesOf(value); };
    const auto score = [](double value) { return formatNumber(value, 4); };
    addMetric("bytes_per_epoch", "sent an epoch [bytes]", "sent an epoch", bytes);
    addMetric("best_valid", "best valid score", "best valid score", score);
    addMetric("test_at_best_valid", "test score at the best valid", "  test score there", score);
    addMetric("peak_rss_bytes", "peak memory of a worker [bytes]", "peak memory of a worker", bytes);
  }

  void addScores() {
    if (!comparison().score) return;
    const QString score =
        QString("%1 score %2")
            .arg(QString::fromStdString(text(*comparison().score)), formatNumber(comparison().accuracy, 4));
    const bool wall = scene_.state.base == TimeBase::wall;
    const QString label = QString(score).remove(" score");  // a card is no wider than needed
    addTimeTo((wall ? "time on the clock to " : "time of epochs to ") + score,
              (wall ? "clock time to " : "epoch time to ") + label,
              wall ? &Reached::wallSeconds : &Reached::epochSeconds);
    add("sent to " + score + " [bytes]", "sent until then", [&](std::size_t c) {
      const auto sent = toScore(comparison(), c, &Reached::bytes);
      return sent ? Cell{formatBytesOf(sent->mean), sent->mean} : Cell{};
    });
  }

  /// Mean and median over the runs of a chip, how sure the mean is, and how it changes from the baseline.
  void addTimeTo(const QString& heading, const QString& label, double Reached::*figure) {
    const auto to = [&](std::size_t c) { return toScore(comparison(), c, figure); };
    add(heading + " [s]", label, [&](std::size_t c) {
      const auto time = to(c);
      return time ? seconds(time->mean) : Cell{};
    });
    addInterval(heading, "  95 % interval", secondsText, kSeconds, [&](std::size_t c) {
      const auto time = to(c);
      return time ? time->interval : std::nullopt;
    });
    add(heading + ", median [s]", "  median", [&](std::size_t c) {
      const auto time = to(c);
      return time ? seconds(time->median) : Cell{};
    });
    const QString toFirst = "Δ to " + chipLetter(scene_.compared.front());
    const QString delta = heading + ", " + toFirst;
    add(delta + " [s]", "  " + toFirst, [&](std::size_t c) {
      const auto time = to(c);
      if (!time || !time->delta) return Cell{};
      const double share = *time->delta / (time->mean - *time->delta);
      return Cell{formatSignedNs(*time->delta * 1e9) + verdictOf(share, time->change, "time"), *time->delta};
    });
    const IntervalOf change = [&](std::size_t c) {
      const auto time = to(c);
      return time ? time->change : std::nullopt;
    };
    addInterval(
        delta, "  95 % of Δ", [](double seconds) { return formatSignedNs(seconds * 1e9); }, kSeconds, change);
    addWithinNoise(delta, change);
  }

  const SceneData& scene_;
  FigureTable table_;
  std::vector<QVariantList> numbers_;  // of the CSV form, a row a chip
};

FigureSeries cardOf(const SceneData& scene, std::size_t compared) {
  const ChipData& data = scene.chips[scene.compared[compared]];
  FigureSeries card;
  card.name = lettered(scene, compared);
  card.color = data.chip.color;
  card.outlined = data.modelled;
  return card;
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Summary";
  figure.form = FigureForm::cards;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  figure.title = titled("Summary", *input.scene);
  figure.table = Summary(*input.scene).table();
  for (std::size_t c = 0; c < input.scene->compared.size(); ++c)
    figure.series.push_back(cardOf(*input.scene, c));
  addProvenance(figure, *input.scene);
  return figure;
}

const Registered<FigureEntry> self{
    {{"summary", "chips side by side: epochs, changes, shares, scores, memory", ""},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
