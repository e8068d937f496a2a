#pragma once

#include <QWidget>

#include "views/timeline_model.h"

namespace halo {

/// The six kinds with their colours and cues, and beside each its share of what is selected.
class TimelineLegend : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineLegend(QWidget* parent = nullptr);
  /// `range` empty: only the kinds. The shares are of range × rows.
  void setStatistics(TimeRange range, std::size_t rows, const AreaStatistics& statistics);
  TimeRange range() const { return range_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
  QString text() const;  // what is shown, for a screen reader

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString entryText(std::size_t kind) const;
  QString summary() const;

  TimeRange range_;
  std::size_t rows_ = 0;
  AreaStatistics statistics_;
};

}  // namespace halo
