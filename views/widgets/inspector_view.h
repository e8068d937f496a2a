#pragma once

#include <QTreeWidget>

#include "views/recording/run_data.h"

namespace halo {

/// Facts of what is selected: a span, else the run, in ten lines or so. What else is known of the run is
/// folded below: metrics, each with its meaning as a tip, workers and every resolved key. Ctrl+C copies the
/// chosen line.
class InspectorView : public QTreeWidget {
  Q_OBJECT
 public:
  explicit InspectorView(QWidget* parent = nullptr);

  void showRun(const RunData& runData);
  /// `rank` −1: nothing selected. `zeroNs`: what times are told from. `other`: the name of its run where that
  /// is another than the shown one.
  void showSpan(std::int64_t rank, const Span* span, std::int64_t zeroNs, const QString& other = {});
  void clearRun(std::int64_t run);  // whose facts are still to come; 0: none

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  using Facts = std::vector<std::pair<QString, QString>>;
  void fill(QTreeWidgetItem* group, const Facts& facts);
  void fillRun(const RunData& runData);
  void fillMetrics(const RunData& runData);
  void fillWorkers(const RunData& runData);

  std::vector<std::string> names_;         // of the run's ranks, where they do something of their own
  std::map<std::int64_t, double> clocks_;  // of those that count cycles, MHz
  QTreeWidgetItem *span_, *run_, *more_, *metrics_, *workers_, *parameters_;
};

}  // namespace halo
