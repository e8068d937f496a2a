#pragma once

#include <QPainter>

#include "views/figure/figure_paint.h"
#include "views/figure/figure_scale.h"

namespace halo {

/// The page that a figure is painted on: what paints, in which colours and letters, and which area is still
/// free. Title and provenance take their lines of it, the form's painter has the rest. Lengths in those of
/// FigureStyle.
struct FigureSheet {
  /// Sets the painter's letters. All arguments outlive the sheet; `hits` may be null.
  FigureSheet(QPainter& painter, const Figure& figure, const FigureStyle& style, FigureHits* hits);

  QPainter& painter;
  const Figure& figure;
  const FigureStyle& style;
  const Palette& colors;
  FigureHits* const hits;  // takes what a pointer can point at
  const QFont font;
  const double line;              // height of a line of words
  QRectF area;                    // what is free
  std::optional<Plot> plot = {};  // once it is painted, where x has numbers

  /// How wide `text` is on one line.
  double width(const QString& text) const;
  /// `flags` of QPainter::drawText.
  void words(const QRectF& where, const QString& text, const QColor& color, int flags);
  /// One line that reads upwards: from `top` on, or with Qt::AlignRight up to it.
  void uprightWords(double middle, double top, const QString& text, const QColor& color, Qt::Alignment end);

  /// Title and marks at the top of the area.
  void paintHeader();
  /// The provenance line at its bottom; nothing where the style has none.
  void paintFooter();
};

}  // namespace halo
