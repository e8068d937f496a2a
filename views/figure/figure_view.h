#pragma once

#include <QWidget>

#include "views/figure/figure_style.h"

class QScrollArea;
class QStackedLayout;

namespace halo {

class FigureChart;
class RangeBrush;

/// A figure on the screen: curves through Qt Charts, the rest drawn by paintFigure. A right click exports it.
class FigureView : public QWidget {
  Q_OBJECT
 public:
  explicit FigureView(QWidget* parent = nullptr);
  ~FigureView() override;

  void setFigure(Figure figure);
  const Figure& figure() const { return figure_; }
  /// Over the figure, from the first call on.
  RangeBrush& brush();
  QSize sizeHint() const override { return {420, 240}; }
  QSize minimumSizeHint() const override { return {110, 60}; }

 signals:
  /// A bar was clicked: its place on the category axis. Or a row of a table: its place from the top. Or a
  /// cell of matrices: its place among the values.
  void categoryChosen(int category);
  /// The same, or a point: of which series or matrix, and its place in it.
  void pointChosen(int series, int place);

 protected:
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Painted;
  void rebuild();
  void placeBrush();
  void exportAs();
  void copyData();

  Figure figure_;
  QStackedLayout* stack_;
  Painted* painted_;
  QScrollArea* scrolled_;  // of painted_
  FigureChart* chart_ = nullptr;
  RangeBrush* brush_ = nullptr;
};

}  // namespace halo
