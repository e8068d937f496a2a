#pragma once

#include <QWidget>
#include <optional>

#include "views/figure/figure_scale.h"

namespace halo {

/// A stretch of an x axis, in its own values.
struct FigureRange {
  double low = 0, high = 0;
  bool operator==(const FigureRange&) const = default;
};

/// Lies over a figure whose x axis has numbers: marks the stretch that other views show, and lets a pointer
/// drag another one. A double click takes the whole axis.
class RangeBrush : public QWidget {
  Q_OBJECT
 public:
  explicit RangeBrush(QWidget* figure);

  /// none: nothing is marked.
  void setRange(std::optional<FigureRange> range);
  std::optional<FigureRange> range() const { return range_; }
  /// In the figure's pixels; none: the figure has no axis of numbers now, and nothing can be dragged.
  void setPlot(const std::optional<Plot>& plot);
  const std::optional<Plot>& plot() const { return plot_; }
  /// A widget of the figure that takes the pointer.
  void watch(QWidget* pointed) { pointed->installEventFilter(this); }

 signals:
  void brushed(halo::FigureRange range);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool press(double x);
  bool drag(double x);
  bool release();
  QRectF marked() const;

  std::optional<FigureRange> range_, dragged_;
  std::optional<Plot> plot_;
  std::optional<double> pressed_;
};

}  // namespace halo
