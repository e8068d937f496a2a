#pragma once

#include <QWidget>
#include <optional>

#include "views/tally/span_groups.h"

namespace halo {

/// How many spans of a group are how long, on a logarithmic axis, with median and 95 %. A pointer tells a
/// bar's numbers.
class DurationHistogram : public QWidget {
 public:
  explicit DurationHistogram(QWidget* parent = nullptr);
  void setGroup(std::optional<SpanGroup> group);
  QSize sizeHint() const override { return {300, 8 * fontMetrics().height()}; }
  QSize minimumSizeHint() const override { return {180, 5 * fontMetrics().height()}; }
  /// Of the bar at x; empty beside them.
  QString barText(int x) const;
  QRect bar(std::size_t bin) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRect area() const;
  int xOf(double ns) const;

  std::optional<SpanGroup> group_;
};

}  // namespace halo
