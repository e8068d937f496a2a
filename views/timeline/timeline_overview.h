#pragma once

#include <QImage>
#include <QWidget>
#include <optional>
#include <vector>

#include "views/recording/time_window.h"
#include "views/timeline/timeline_lines.h"

namespace halo {

/// Shares of the kinds over all main lanes, a column of the grid each; of each lane as the pyramid knows it,
/// to a bucket. `ranks`: of these alone.
std::vector<std::array<float, kKinds>> overviewShares(const TimelineModel& model, const PixelGrid& grid);
std::vector<std::array<float, kKinds>> overviewShares(const TimelineModel& model, const PixelGrid& grid,
                                                      const std::vector<std::int64_t>& ranks);

/// The whole run in one strip: how busy the ranks are with what, epochs, and the window. Drag the window to
/// move it, its edges to change it, beside it to choose another; a click centres it.
class TimelineOverview : public QWidget {
  Q_OBJECT
 public:
  TimelineOverview(TimelineModel& model, TimeWindow& window, QWidget* parent = nullptr);
  /// Where time begins and ends, so that it stands above the lanes.
  void setMargins(int left, int right);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
  double xOf(std::int64_t ns) const;
  std::int64_t nsAt(double x) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  enum class Drag { none, move, begin, end, fresh };
  QRect strip() const;
  void render();
  Drag dragAt(int x) const;
  TimeRange whole() const;

  TimelineModel& model_;
  TimeWindow& window_;
  int left_ = 0, right_ = 0;
  QImage picture_;
  std::optional<std::tuple<std::uint64_t, TimeRange, QSize, Theme>> pictured_;
  Drag drag_ = Drag::none;
  int pressedX_ = 0;
  bool moved_ = false;
  TimeRange pressedWindow_;
};

}  // namespace halo
