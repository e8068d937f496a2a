#pragma once

#include <QColor>
#include <QSizeF>

#include "views/figure/figure.h"
#include "views/look/palette.h"

namespace halo {

/// How a figure is drawn. Lengths in points of 1/96 inch, so that screen, vector and print agree.
struct FigureStyle {
  Theme theme = Theme::light;
  QSizeF size{760, 420};
  QString font = "DejaVu Sans";
  double fontSize = 12;
  bool footer = true;    // the provenance line
  bool scrolls = false;  // the sheet may be as high as it needs
};

/// Colour of the series at `index`: by its kind, else by its place.
QColor figureColor(const FigureSeries& series, std::size_t index, Theme theme);
/// Dashes tell curves apart where colour cannot.
Qt::PenStyle seriesDash(std::size_t index);
/// Of the curve at `index`: by its place, or its own where its colour is.
Qt::PenStyle curveDash(const FigureSeries& series, std::size_t index);
/// Of the band around a curve: the colour of the curve, seen through.
QColor bandColor(const QColor& curve);
/// Low to high, for heat maps: from the paper's colour to that of computing.
QColor heatColor(double share, Theme theme);

/// Of a change from −1 to 1: blue where it is less, amber where it is more, the paper's colour at 0.
QColor changeColor(double share, Theme theme);

constexpr double kPointsPerMm = 96.0 / 25.4;

}  // namespace halo
