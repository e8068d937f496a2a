#include "views/figure/forms/signs.h"

#include <algorithm>
#include <cmath>

namespace halo {

void hatch(FigureSheet& sheet, const QRectF& box, const QColor& color) {
  constexpr double kApart = 5;
  sheet.painter.setPen(QPen(color, 1, Qt::SolidLine, Qt::FlatCap));
  // the lines are those of the picture, so that they go on from box to box and the narrowest has its part.
  // Ends are computed, not clipped: SVG writers know no clipping
  for (double sum = std::ceil((box.left() + box.top()) / kApart) * kApart; sum < box.right() + box.bottom();
       sum += kApart) {
    const double from = std::max(sum - box.bottom(), box.left()), to = std::min(sum - box.top(), box.right());
    if (from < to) sheet.painter.drawLine(QPointF(from, sum - from), QPointF(to, sum - to));
  }
}

void bar(FigureSheet& sheet, const QRectF& box, const FigureSeries& series, const QColor& color) {
  if (box.width() <= 0 || box.height() <= 0) return;
  QPainter& painter = sheet.painter;
  const Kind kind = series.kind.value_or(Kind::compute);
  const QColor edge = series.kind ? QColor(edgeOf(sheet.colors, kind)) : color.darker(130);
  if (series.overlay || series.outlined) {
    // too narrow for lines: half the colour
    if (box.width() < 5) {
      painter.fillRect(box, QColor(mix(sheet.colors.background, color.rgb(), 0.6)));
      return;
    }
    hatch(sheet, box, color);
    painter.setPen(QPen(edge, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    return;
  }
  painter.fillRect(box, color);
  cue(sheet, box, kind);
  const bool pale = series.kind && contrast(color.rgb(), sheet.colors.background) < 3;
  if (box.height() <= 2 || box.width() <= (pale ? 3 : 6)) return;
  painter.setPen(QPen(edge, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
}

void cue(FigureSheet& sheet, const QRectF& box, Kind kind) {
  if (kind != Kind::quantise && kind != Kind::synchronise) return;
  QPainter& painter = sheet.painter;
  painter.save();
  painter.setClipRect(box, Qt::IntersectClip);
  painter.setPen(
      QPen(QColor(sheet.colors.background), 1, kind == Kind::quantise ? Qt::DotLine : Qt::SolidLine));
  for (double x = box.left() + 3; x < box.right(); x += 6)
    painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
  painter.restore();
}

void mark(FigureSheet& sheet, QPointF at, const FigureSeries& series, const QColor& color) {
  QPainter& painter = sheet.painter;
  painter.setPen(QPen(color, 1.6));
  painter.setBrush(series.outlined ? QBrush(QColor(sheet.colors.background)) : QBrush(color));
  const auto polygon = [&](std::initializer_list<QPointF> corners) {
    QPolygonF shape;
    for (const QPointF& corner : corners) shape << at + corner * kMark;
    painter.drawPolygon(shape);
  };
  switch (series.mark) {
    case FigureMark::none:
      break;
    case FigureMark::dot:
      painter.drawEllipse(at, kMark * 0.9, kMark * 0.9);
      break;
    case FigureMark::square:
      polygon({{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}});
      break;
    case FigureMark::triangle:
      polygon({{0, -1.1}, {1.05, 0.8}, {-1.05, 0.8}});
      break;
    case FigureMark::diamond:
      polygon({{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}});
      break;
    case FigureMark::cross:
      painter.drawLine(at - QPointF(kMark, kMark) * 0.8, at + QPointF(kMark, kMark) * 0.8);
      painter.drawLine(at - QPointF(kMark, -kMark) * 0.8, at + QPointF(kMark, -kMark) * 0.8);
      break;
  }
}

}  // namespace halo
