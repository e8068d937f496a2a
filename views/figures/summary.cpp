// A column a chip: what its epoch takes, how sure that is, how it changes from the baseline, and at what
// cost.
#include <cmath>
#include <functional>
#include <initializer_list>

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

QString nsText(double ns) { return std::isfinite(ns) ? formatNs(std::llround(ns), 3) : QString("–"); }

Cell seconds(double value) { return std::isfinite(value) ? Cell{formatSeconds(value, 3), value} : Cell{}; }

class Summary {
 public:
  explicit Summary(const SceneData& scene) : scene_(scene) {
    table_.columns << "figure";
    table_.headings << "figure";
    for (std::size_t c = 0; c < scene.compared.size(); ++c) {
      table_.columns << lettered(scene, c);
      table_.headings << lettered(scene, c);
    }
  }

  FigureTable table() {
    addEpochs();
    addChanges();
    addShares();
    addMetrics();
    addScores();
    table_.whole = true;
    return table_;
  }

 private:
  const Comparison& comparison() const { return scene_.comparison; }

  /// Left out where no chip has it. `shown`: its name in the picture, where that is another.
  void add(const QString& name, const QString& unit, const CellOf& cellOf, const QString& shown = {}) {
    QStringList row = {shown.isEmpty() ? name : shown};
    QVariantList values = {unit.isEmpty() ? name : QString("%1 [%2]").arg(name, unit)};
    bool any = false;
    for (std::size_t c = 0; c < scene_.compared.size(); ++c) {
      const Cell cell = cellOf(c);
      any = any || cell.text != "–";
      row << cell.text;
      values << cell.value;
    }
    if (!any) return;
    table_.rows.push_back(row);
    table_.values.push_back(values);
  }

  void addEpochs() {
    add("epoch, mean", "s", [&](std::size_t c) { return seconds(comparison().epochs[c].meanNs * 1e-9); });
    add("  95 % interval", "", [&](std::size_t c) {
      const auto& interval = comparison().epochs[c].interval;
      return interval ? Cell{nsText(interval->low) + " … " + nsText(interval->high), {}} : Cell{};
    });
    add("epoch, median", "s", [&](std::size_t c) { return seconds(comparison().epochs[c].medianNs * 1e-9); });
    add("epochs in scope", "", [&](std::size_t c) {
      QStringList all;
      for (const std::int64_t epochs : comparison().epochs[c].epochs) all << QString::number(epochs);
      return all.isEmpty() ? Cell{} : Cell{all.join(", "), all.join(", ")};
    });
  }

  /// Of the baseline nothing: it is what others are held against.
  void addChanges() {
    const auto change = [&](std::size_t c) { return c == 0 ? nullptr : &comparison().changes[c - 1]; };
    add("Δ to " + chipLetter(scene_.compared.front()), "s", [&](std::size_t c) {
      const Change* to = change(c);
      return to && std::isfinite(to->deltaNs)
                 ? Cell{formatSignedNs(to->deltaNs) + verdictOf(*to), to->deltaNs * 1e-9}
                 : Cell{};
    });
    add("  95 % interval of Δ", "", [&](std::size_t c) {
      const Change* to = change(c);
      return to && to->interval
                 ? Cell{formatSignedNs(to->interval->low) + " … " + formatSignedNs(to->interval->high), {}}
                 : Cell{};
    });
  }

  QString verdictOf(const Change& change) const {
    if (!change.interval) return "";
    if (change.interval->isWithinNoise()) return ", within noise";
    const QString share = formatShare(std::abs(change.deltaNs) / comparison().epochs[0].meanNs);
    return ", " + share + (change.deltaNs < 0 ? " faster" : " slower");
  }

  void addMetric(const char* key, const char* name, const char* unit,
                 const std::function<QString(double)>& words) {
    add(name, unit, [&](std::size_t c) {
      const auto& latest = scene_.chips[scene_.compared[c]].latest;
      const auto found = latest.find(key);
      return found == latest.end() || !std::isfinite(found->second)
                 ? Cell{}
                 : Cell{words(found->second), found->second};
    });
  }

  /// Of the mean epoch in scope, by the parts that `where` and `waterfall` draw: together they are all of it.
  void addShares() {
    addShare("computing", {TimePart::compute});
    addMetric("hidden_share", "  hidden under it, all epochs", "", formatShare);
    addShare("quantising", {TimePart::quantise});
    addShare("waiting", {TimePart::lateSender, TimePart::lateReceiver, TimePart::wire, TimePart::queue,
                         TimePart::peerComputes, TimePart::barrierOrSum, TimePart::quantiser,
                         TimePart::memory, TimePart::unknown, TimePart::unjudged});
    if (comparison().meansBySpans) addShare("  exposed: wire and queue", {TimePart::wire, TimePart::queue});
    addShare("idle and other", {TimePart::idle, TimePart::other, TimePart::rest});
  }

  /// Left out where no chip has any of it.
  void addShare(const QString& name, std::initializer_list<TimePart> parts) {
    const std::vector<MeanEpoch>& means = comparison().means;
    const auto share = [&](std::size_t c) {
      double ns = 0;
      for (const TimePart part : parts) ns += means[c].parts[static_cast<std::size_t>(part)];
      return means[c].ns > 0 ? ns / means[c].ns : 0;
    };
    bool any = false;
    for (std::size_t c = 0; c < means.size(); ++c) any = any || share(c) != 0;
    if (any) add(name, "", [&](std::size_t c) { return Cell{formatShare(share(c)), share(c)}; });
  }

  void addMetrics() {
    const auto bytes = [](double value) { return formatBytes(std::llround(value)); };
    const auto score = [](double value) { return formatNumber(value, 4); };
    addMetric("bytes_per_epoch", "sent an epoch", "bytes", bytes);
    addMetric("best_valid", "best valid score", "", score);
    addMetric("test_at_best_valid", "  test score there", "", score);
    addMetric("peak_rss_bytes", "peak memory of a worker", "bytes", bytes);
  }

  void addScores() {
    if (!comparison().score) return;
    const QString score =
        QString("%1 score %2")
            .arg(QString::fromStdString(text(*comparison().score)), formatNumber(comparison().accuracy, 4));
    const bool wall = scene_.state.base == TimeBase::wall;
    const QString time = wall ? "time on the clock" : "time of epochs";
    add(
        time + " to " + score, "s",
        [&](std::size_t c) {
          const auto mean =
              meanReached(comparison().reached[c], wall ? &Reached::wallSeconds : &Reached::epochSeconds);
          if (!mean) return Cell{};
          return Cell{formatSeconds(*mean, 3) + (wall ? " on the clock" : " of epochs"), *mean};
        },
        score + " after");
    add(
        "sent to " + score, "bytes",
        [&](std::size_t c) {
          const auto sent = meanReached(comparison().reached[c], &Reached::bytes);
          return sent ? Cell{formatBytes(std::llround(*sent)), *sent} : Cell{};
        },
        "  sent until then");
  }

  const SceneData& scene_;
  FigureTable table_;
};

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Summary";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  figure.title = titled("Summary", *input.scene);
  figure.table = Summary(*input.scene).table();
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
