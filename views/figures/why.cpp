// Why chips wait: for whom, for which layer's rows and for what reason, the longest first. Also how much an
// epoch gains at most where nobody waits for it.
#include <algorithm>
#include <cmath>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

QString nsText(double ns) { return formatNsOf(ns, 3); }

QString peerText(std::int32_t peer) { return peer < 0 ? QString("all") : QString::number(peer); }
QString layerText(std::int16_t layer) { return layer < 0 ? QString("–") : QString::number(layer); }
QString reasonText(Name reason) {
  const std::string_view word = causeText(reason);
  return QString::fromUtf8(word.data(), std::ssize(word));
}

/// The table, column by column in the order in which they are added.
class Why {
 public:
  explicit Why(const SceneData& scene) : scene_(scene), waits_(scene.comparison.waits) {
    FigureTable& table = table_;
    table.columns = {"reason", "peer", "layer"};
    table.headings = {"reason", "peer", "layer"};
    table.keys = 3;
    table.rows.push_back({"all together", "", ""});
    table.values.push_back({"all together", QVariant(), QVariant()});
    for (const Wait& wait : waits_.waits) {
      const QString reason = reasonText(wait.kind.reason);
      table.rows.push_back({reason, peerText(wait.kind.peer), layerText(wait.kind.layer)});
      table.values.push_back({reason, wait.kind.peer < 0 ? QVariant() : QVariant(qlonglong(wait.kind.peer)),
                              wait.kind.layer < 0 ? QVariant() : QVariant(qlonglong(wait.kind.layer))});
    }
  }

  FigureTable table() {
    // a picture cuts the last columns, and changes can be told from the times
    for (std::size_t c = 0; c < scene_.compared.size(); ++c) addTimes(c);
    for (std::size_t c = 0; c < scene_.compared.size(); ++c) addCeilings(c);
    for (std::size_t c = 1; c < scene_.compared.size(); ++c) addChanges(c);
    table_.note =
        "An epoch and worker. Gains: by how much an epoch shortens at most where nobody waits for this, "
        "and all else lasts as long as it did.";
    return table_;
  }

 private:
  QString letter(std::size_t chip) const { return chipLetter(scene_.compared[chip]); }

  /// Nothing where nothing was recorded.
  static QVariant number(double figure) { return std::isnan(figure) ? QVariant() : QVariant(figure); }

  void addTimes(std::size_t chip) {
    table_.columns << letter(chip);
    table_.headings << letter(chip) + ", an epoch and worker [ns]" << letter(chip) + ", share of the epoch"
                    << letter(chip) + ", in all epochs and workers [ns]";
    forEach(
        [&](std::size_t row, const WaitFigures& figures) {
          table_.rows[row] << (figures.totalNs == 0
                                   ? QString("–")
                                   : nsText(figures.meanNs) + "  " + formatShare(figures.share));
          table_.values[row] << number(figures.meanNs) << number(figures.share)
                             << (std::isnan(figures.meanNs)
                                     ? QVariant()
                                     : QVariant(static_cast<qlonglong>(figures.totalNs)));
        },
        chip);
  }

  void addChanges(std::size_t chip) {
    const QString title = "Δ " + letter(0) + " → " + letter(chip);
    table_.columns << title;
    table_.headings << title + " [ns]" << title + ", 95 % from [ns]" << title + ", 95 % to [ns]"
                    << title + ", verdict";
    addChangeOfAll(chip);
    for (std::size_t row = 1; row < table_.rows.size(); ++row) {
      const std::optional<WaitChange>& change = waits_.waits[row - 1].changes[chip];
      if (!change || !isWaited(waits_.waits[row - 1], chip)) {
        table_.rows[row] << "–";
        table_.values[row] << QVariant() << QVariant() << QVariant() << QVariant();
        continue;
      }
      const QString word = QString::fromStdString(verdict(waits_.waits[row - 1], chip));
      table_.rows[row] << formatSignedNs(change->deltaNs) + (word.isEmpty() ? "" : ", " + word);
      const auto end = [&](double Interval::*bound) {
        return change->interval ? QVariant((*change->interval).*bound) : QVariant();
      };
      table_.values[row] << change->deltaNs << end(&Interval::low) << end(&Interval::high) << word;
    }
  }

  /// Of none that the comparison holds against each other: other data.
  void addChangeOfAll(std::size_t chip) {
    const bool comparable = std::ranges::any_of(
        waits_.waits, [chip](const Wait& wait) { return wait.changes[chip].has_value(); });
    const double ns = waits_.together[chip].meanNs - waits_.together[0].meanNs;
    table_.rows[0] << (comparable ? formatSignedNs(ns) : QString("–"));
    table_.values[0] << (comparable ? QVariant(ns) : QVariant()) << QVariant() << QVariant() << QVariant();
  }

  /// By the baseline or by the chip.
  static bool isWaited(const Wait& wait, std::size_t chip) {
    return wait.figures[0].totalNs != 0 || wait.figures[chip].totalNs != 0;
  }

  void addCeilings(std::size_t chip) {
    table_.columns << letter(chip) + " gains at most";
    table_.headings << letter(chip) + " gains at most, share of the epoch";
    forEach(
        [&](std::size_t row, const WaitFigures& figures) {
          table_.rows[row] << (figures.totalNs == 0 ? QString("–") : formatShare(figures.ceiling));
          table_.values[row] << number(figures.ceiling);
        },
        chip);
  }

  template <class Use>
  void forEach(const Use& use, std::size_t chip) {
    use(0, waits_.together[chip]);
    for (std::size_t w = 0; w < waits_.waits.size(); ++w) use(w + 1, waits_.waits[w].figures[chip]);
  }

  const SceneData& scene_;
  const WaitTable& waits_;
  FigureTable table_;
};

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Why workers wait";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Why workers wait", scene);
  figure.emptyReason = noneInScope(
      scene, "None of these runs recorded why its workers waited: [record] spans says which epochs know.");
  if (const auto& damages = scene.comparison.damages; !damages.empty())
    figure.emptyReason = QString::fromStdString(damages.front());
  addProvenance(figure, scene);
  if (!scene.comparison.waits.waits.empty()) figure.table = Why(scene).table();
  return figure;
}

const Registered<FigureEntry> self{
    {{"why", "what chips wait for, by peer, layer and reason, and what is gained at most without it", ""},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
