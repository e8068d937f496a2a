#pragma once

#include <QWidget>

#include "views/recording/run_data.h"
#include "views/recording/time_window.h"

class QComboBox;
class QLabel;

namespace halo {

class FigureView;

/// Iterations of a run that trains in mini-batches, and what its batches read. On a node of processors and
/// cards it shows who gets how much, and what stages take.
class IterationsView : public QWidget {
  Q_OBJECT
 public:
  explicit IterationsView(QWidget* parent = nullptr);
  void show(const RunData& run);
  void clear(std::int64_t run);  // whose data are still to come; 0: none
  /// What its figures, and other views, show where a run recorded both.
  void setClock(TimeClock clock);
  /// What the timeline shows: marked in the figure of iterations, where another stretch can be dragged.
  void setVisibleTime(TimeRange time);

 signals:
  void clockWanted(halo::TimeClock clock);
  void timeWanted(halo::TimeRange time);

 private:
  void draw();
  void mark();
  void want(double low, double high);
  bool overTime() const;             // the x axis is time, not iterations
  double millisecondsPerNs() const;  // of that axis

  std::vector<RunData> runs_;  // the chosen one, or none
  QComboBox *quantity_, *clock_;
  QLabel* oneClock_;  // why there is no choice of it
  TimeRange visible_;
  FigureView *iterations_, *blocks_;
};

}  // namespace halo
