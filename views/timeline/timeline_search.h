#pragma once

#include <QTimer>
#include <QWidget>

#include "views/tally/span_search.h"
#include "views/timeline/timeline_selection.h"

class QLabel;
class QLineEdit;

namespace halo {

/// A line to type a part of a name of spans in: counts all hits of all runs and steps from one to the next.
/// What it is made of outlives it.
class TimelineSearch : public QWidget {
  Q_OBJECT
 public:
  TimelineSearch(const TimelineBlocks& blocks, const TimeWindow& window, const TimelineSelection& selection,
                 QWidget* parent = nullptr);

  /// Shows it, with what was typed last selected.
  void open();
  /// All that there is by now was read.
  bool settled() const { return !next_.isActive(); }
  QLineEdit& line() { return *line_; }
  QString text() const;  // how many hits

 signals:
  void spanWanted(halo::SpanId span);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void begin();
  void readMore();
  void step(int by);
  void tell();

  const TimelineBlocks& blocks_;
  const TimeWindow& window_;
  const TimelineSelection& selection_;
  SpanSearch search_;
  QTimer next_;
  int wanted_ = 0;  // a step to take once all is read
  QLineEdit* line_;
  QLabel* words_;
};

}  // namespace halo
