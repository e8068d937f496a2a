#pragma once

#include <QChartView>

#include "views/figure/figure.h"
#include "views/figure/figure_scale.h"
#include "views/figure/figure_style.h"

class QAbstractAxis;

namespace halo {

/// As paintFigure draws for a widget.
FigureStyle styleFor(const QWidget& widget);

/// The curves of a figure on the screen; title and marks above them as paintFigure draws them, so that none
/// is shortened.
class FigureChart : public QChartView {
 public:
  explicit FigureChart(QWidget* parent);

  void show(const Figure& figure, Theme theme);
  /// In the widget's pixels.
  Plot plot() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void drawForeground(QPainter* painter, const QRectF& rectangle) override;

 private:
  void paintNotes(QPainter& painter) const;
  void paintNote(QPainter& painter, const FigureNote& note, const QRectF& plot) const;
  void dress(QAbstractAxis* axis, const FigureAxis& description, Theme theme);
  void curves(const Figure& figure, Theme theme);
  void curve(const FigureSeries& series, const QColor& color, Qt::PenStyle dash, const Figure& figure);
  void band(const FigureSeries& series, const QColor& color);
  void attach(QAbstractAxis* x, QAbstractAxis* y, const Figure& figure, Theme theme);
  void tell(bool on, const QString& text);
  void placeHeader();

  Figure headed_;  // without its series
};

}  // namespace halo
