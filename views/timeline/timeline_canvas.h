#pragma once

#include <QImage>
#include <QPixmap>
#include <QPoint>
#include <QVariantAnimation>
#include <QWidget>
#include <optional>

#include "views/recording/time_window.h"
#include "views/spans/timeline_model.h"
#include "views/timeline/timeline_actions.h"
#include "views/timeline/timeline_navigation.h"
#include "views/timeline/timeline_raster.h"

namespace halo {

/// Ruler, lane names and lanes: one widget as large as what is visible, however many lanes there are. Reads
/// `model`, reads and moves `window`; both outlive it. Painting in timeline_canvas.cpp, mouse and wheel in
/// timeline_input.cpp, what they and the keys do in timeline_selection.cpp.
class TimelineCanvas : public QWidget {
  Q_OBJECT
 public:
  TimelineCanvas(TimelineModel& model, TimeWindow& window, QWidget* parent = nullptr);

  void perform(TimelineAction action);
  /// Keys belong to what is pointed at or has just come into view, unless somebody is typing.
  void takeKeys();

  int scroll() const { return scroll_; }  // in pixels of the widget
  void setScroll(int y);
  int contentHeight() const;  // of all rows
  int viewHeight() const { return height() - rulerHeight(); }
  int rowHeight() const { return rowHeight_; }
  void setRowHeight(int pixels);
  /// true: the plain wheel zooms and Ctrl+wheel scrolls, as users of some other tools expect.
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  /// Zooms move over 120 ms unless switched off.
  void setAnimated(bool animated) { animated_ = animated; }

  QRect lanes() const;  // the part of the widget that holds spans
  int headerWidth() const;
  int rulerHeight() const;
  PixelGrid grid() const;  // in device pixels
  double xOf(std::int64_t ns) const;
  std::int64_t nsAt(double x) const;
  std::optional<RowId> rowAt(int y) const;
  /// What the tooltip says at a place; empty where there is nothing.
  QString tooltipAt(QPoint place) const;

  struct Selected {
    RowId row;
    std::size_t index = 0;
    bool operator==(const Selected&) const = default;
  };
  const std::vector<Selected>& selectedSpans() const { return selected_; }  // the last is the current one
  const std::set<RowId>& areaRows() const { return areaRows_; }
  std::optional<TimeRange> measured() const { return measured_; }  // by the ruler
  void selectSpan(std::optional<Selected> span, bool add = false);
  /// Several at once, told of once; not empty, the last becomes the current one.
  void selectSpans(std::vector<Selected> spans);
  std::optional<Selected> spanAtPlace(QPoint at) const;
  void selectArea(TimeRange range, std::set<RowId> rows);

 signals:
  void spanSelected(qint64 rank, const halo::Span& span);
  void areaSelected(qint64 beginNs, qint64 endNs, const std::set<halo::RowId>& rows);
  void measuredChanged();
  void menuRequested(QPoint global);
  void layoutChanged();  // content height or scroll
  void framePainted(qint64 ns);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  static constexpr int kRankGap = 4;  // px between the rows of two ranks

  enum class Drag { none, area, areaBegin, areaEnd, zoom, pan, measure };
  enum class Fitting { none, centred };

  double ratio() const { return devicePixelRatioF(); }
  void updateRows();
  void moveShown(TimeRange target);
  const Palette& colors() const;

  void paintLanes(QPainter& painter, const QRegion& dirty);
  void paintRuler(QPainter& painter);
  void paintHeader(QPainter& painter);
  void paintEpochs(QPainter& painter);
  void paintSelection(QPainter& painter);
  void paintRange(QPainter& painter, TimeRange range, const QString& label, QRgb color, int top, int bottom);
  void paintEmpty(QPainter& painter);

  void dragTo(QPoint at);
  void click(QPoint at, Qt::KeyboardModifiers modifiers);
  Drag dragFor(const QMouseEvent& event) const;
  std::set<RowId> rowsBetween(int top, int bottom) const;
  std::int64_t zoomAnchor() const;
  void stepTo(std::optional<std::size_t> index);
  void stepLane(int step);
  void stepEpoch(int step);
  void stepLayerPhase(int step);
  void fitSelection();
  void clearStep();
  void show(TimeRange range);  // scrolls a range into the window
  void showRow(RowId row);
  const SpanRow* spansOf(RowId row) const;
  std::optional<TimeRange> selectedRange() const;

  TimelineModel& model_;
  TimeWindow& window_;
  TimelineRaster raster_;
  QImage picture_;
  std::optional<std::tuple<std::uint64_t, PixelGrid, int, int, Theme>> pictured_;  // what picture_ shows
  QPixmap header_;
  std::optional<std::tuple<std::uint64_t, int, int, Theme, QSize, std::optional<RowId>>>
      headed_;                    // what header_ shows
  std::vector<RowPlace> places_;  // of all rows, device pixels
  TimeRange shown_;               // what is drawn: on its way to the window's range
  QVariantAnimation motion_;

  int scroll_ = 0;
  int rowHeight_ = 20;
  bool wheelZooms_ = false;
  bool animated_ = true;
  bool spaceHeld_ = false;

  std::vector<Selected> selected_;
  std::set<RowId> areaRows_;
  std::optional<TimeRange> measured_;
  std::optional<TimeRange> zoomRange_;  // while dragging one
  std::optional<RowId> currentRow_;
  Fitting fitting_ = Fitting::none;

  Drag drag_ = Drag::none;
  Qt::MouseButton button_ = Qt::NoButton;
  QPoint pressedAt_;
  TimeRange pressedWindow_;
  std::int64_t pressedNs_ = 0;
  int pressedScroll_ = 0;
  bool moved_ = false;
  std::optional<QPoint> pointer_;
};

}  // namespace halo
