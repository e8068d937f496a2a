#pragma once

#include <QTreeWidget>
#include <optional>

#include "views/recording/run_data.h"

namespace halo {

/// A compared run beside the shown one, of which a span is selected.
struct OtherRun {
  QString letter;  // of its chip
  QString name;    // of the chip, with the letter
  RunRow row = {};
  std::string medianEpoch = {};  // where it is known
};

/// Facts of what is selected: a span, else the run, in ten lines or so. What else is known of the run is
/// folded below: metrics, each with its meaning as a tip, workers and every resolved key. Every heading has
/// the letter of the chip that it is of, and all are of one. Ctrl+C copies the chosen line.
class InspectorView : public QTreeWidget {
  Q_OBJECT
 public:
  explicit InspectorView(QWidget* parent = nullptr);

  void showRun(const RunData& runData);
  /// Of the shown run: its letter, and its name with that; both empty: it is in no chip.
  void setChip(const QString& letter, const QString& name);
  /// `rank` −1: nothing selected. `zeroNs`: what times are told from. `other`: its run where that is another
  /// than the shown one, of which nothing is told then. `lastThere`: of a meeting of all ranks, who came
  /// last.
  void showSpan(std::int64_t rank, const Span* span, std::int64_t zeroNs,
                const std::optional<OtherRun>& other = {}, const QString& lastThere = {});
  /// Whether what is told is of another run than the shown one.
  bool tellsOfOther() const { return other_.has_value(); }
  /// What made the selected wait late: who, and what of it; empty: nothing is known.
  void showChain(const std::vector<std::pair<QString, QString>>& chain);
  void clearRun(std::int64_t run);  // whose facts are still to come; 0: none

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  using Facts = std::vector<std::pair<QString, QString>>;
  void fill(QTreeWidgetItem* group, const Facts& facts);
  void fillKnown(QTreeWidgetItem* group, Facts facts);  // without those that are empty
  /// What its row does not say; what is empty is not known.
  struct RunFacts {
    QString extent, epochs, medianEpoch, spans;
  };
  void fillRun(const RunRow& run, const RunFacts& further);
  void fillOther();
  void nameGroups();
  QTreeWidgetItem* addGroup(int place);
  void fillMetrics(const RunData& runData);
  void fillWorkers(const RunData& runData);

  std::vector<std::string> names_;         // of the run's ranks, where they do something of their own
  std::map<std::int64_t, double> clocks_;  // of those that count cycles, MHz
  QString letter_, name_;                  // of the shown run's chip
  bool simulated_ = false;                 // the shown run
  std::optional<OtherRun> other_;
  QTreeWidgetItem* chain_ = nullptr;  // while something is known of the selected wait
  QTreeWidgetItem *span_, *run_, *more_, *metrics_, *workers_, *parameters_;
};

}  // namespace halo
