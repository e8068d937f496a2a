#pragma once

#include <QTreeWidget>

#include "views/recording/run_data.h"

namespace halo {

/// Facts of what is selected: the span, and below it the run with its workers, metrics and every resolved
/// key. Ctrl+C copies the chosen line.
class InspectorView : public QTreeWidget {
  Q_OBJECT
 public:
  explicit InspectorView(QWidget* parent = nullptr);

  void showRun(const RunData& data);
  /// `rank` −1: nothing selected. `zeroNs`: what times are told from. `other`: the name of its run where that
  /// is another than the shown one.
  void showSpan(std::int64_t rank, const Span* span, std::int64_t zeroNs, const QString& other = {});
  void clearRun(std::int64_t run);  // whose facts are still to come; 0: none

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  using Facts = std::vector<std::pair<QString, QString>>;
  void fill(QTreeWidgetItem* group, const Facts& facts);

  std::vector<std::string> names_;         // of the run's ranks, where they do something of their own
  std::map<std::int64_t, double> clocks_;  // of those that count cycles, MHz
  QTreeWidgetItem *span_, *run_, *workers_, *metrics_, *parameters_;
};

}  // namespace halo
