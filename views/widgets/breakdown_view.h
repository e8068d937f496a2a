#pragma once

#include <QWidget>

#include "views/recording/breakdown_model.h"

class QLabel;
class QSplitter;
class QTableView;

namespace halo {

class FigureView;

/// Bars beside the table of the same numbers, of the whole run or of the chosen epoch.
class BreakdownView : public QWidget {
  Q_OBJECT
 public:
  explicit BreakdownView(BreakdownModel& model, QWidget* parent = nullptr);

  /// `run` with its breakdown filled; `subject`: "the whole run", "epoch 3". In the time of the clock where
  /// the run recorded it.
  void show(const RunData& run, const QString& subject, TimeClock clock = TimeClock::wall);
  void clear(std::int64_t run);  // whose breakdown is still to come; 0: none

 signals:
  void rankChosen(std::int64_t rank);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void divide();

  BreakdownModel& model_;
  FigureView* figure_;
  QLabel* caption_;
  QTableView* table_;
  QSplitter* splitter_;
  bool dividedByHand_ = false;
};

}  // namespace halo
