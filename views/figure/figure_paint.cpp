#include "views/figure/figure_paint.h"

#include <QImage>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"

namespace halo {

std::optional<Plot> paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style,
                                FigureHits* hits) {
  FigureSheet sheet(painter, figure, style, hits);
  painter.fillRect(QRectF(QPointF(0, 0), style.size), QColor(sheet.colors.background));
  painter.setRenderHint(QPainter::Antialiasing);
  sheet.paintHeader();
  sheet.paintFooter();
  if (figure.empty())
    sheet.words(sheet.area, figure.emptyReason.isEmpty() ? "Nothing recorded." : figure.emptyReason,
                QColor(sheet.colors.textWeak), Qt::AlignCenter | Qt::TextWordWrap);
  else
    formEntry(figure.form).paint(sheet);
  return sheet.plot;
}

double neededHeight(const Figure& figure, const FigureStyle& style) {
  const auto needed = formEntry(figure.form).neededHeight;
  if (needed == nullptr || figure.empty()) return 0;
  QImage nowhere(1, 1, QImage::Format_RGB32);
  QPainter painter(&nowhere);
  FigureSheet sheet(painter, figure, style, nullptr);
  return needed(sheet);
}

FigureStyle roomyStyle(const Figure& figure, FigureStyle style) {
  style.size.setHeight(std::max(style.size.height(), std::ceil(neededHeight(figure, style))));
  return style;
}

double paintFigureHeader(QPainter& painter, const Figure& figure, const FigureStyle& style) {
  FigureSheet sheet(painter, figure, style, nullptr);
  sheet.paintHeader();
  return sheet.area.top();
}

}  // namespace halo
