#include "views/figure/figure_sheet.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/look/figure_text.h"

namespace halo {
namespace {

QFont lettersOf(const FigureStyle& style) {
  QFont font(style.font);
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(style.fontSize))));
  return font;
}

}  // namespace

FigureSheet::FigureSheet(QPainter& onto, const Figure& subject, const FigureStyle& look,
                         FigureHits* pointable)
    : painter(onto),
      figure(subject),
      style(look),
      colors(palette(look.theme)),
      hits(pointable),
      font(lettersOf(look)),
      line(look.fontSize * 1.5),
      area(QRectF(QPointF(0, 0), look.size).adjusted(10, 6, -12, -6)) {
  painter.setFont(font);
}

double FigureSheet::width(const QString& text) const { return QFontMetricsF(font).horizontalAdvance(text); }

void FigureSheet::words(const QRectF& where, const QString& text, const QColor& color, int flags) {
  painter.setPen(color);
  painter.drawText(where, flags, drawable(text, (flags & Qt::TextWordWrap) != 0));
}

void FigureSheet::uprightWords(double middle, double top, const QString& text, const QColor& color,
                               Qt::Alignment end) {
  constexpr double kLong = 1000;  // more than any text; `end` says where it stands
  painter.save();
  painter.translate(middle, top);
  painter.rotate(-90);
  const double from = end.testFlag(Qt::AlignRight) ? -kLong : 0;
  words(QRectF(from, -line / 2, kLong, line), text, color,
        static_cast<int>((end | Qt::AlignVCenter).toInt()));
  painter.restore();
}

void FigureSheet::paintHeader() {
  QFont bold = font;
  bold.setBold(true);
  const QString marks = figure.marks.join(" · ");
  const bool beside = QFontMetricsF(bold).horizontalAdvance(figure.title) + 24 + width(marks) <= area.width();
  QRectF row(area.left(), area.top(), area.width(), line);
  painter.setFont(bold);
  words(row, QFontMetricsF(bold).elidedText(figure.title, Qt::ElideRight, row.width()), QColor(colors.text),
        Qt::AlignLeft | Qt::AlignVCenter);
  painter.setFont(font);
  if (!marks.isEmpty()) {
    // a title is never shortened for them, nor they for each other
    if (!beside) {
      row.translate(0, line);
      const double high =
          QFontMetricsF(font).boundingRect(QRectF(0, 0, row.width(), 1e4), Qt::TextWordWrap, marks).height();
      row.setHeight(std::clamp(high, line, std::max(line, area.height() / 4)));
    }
    words(row, marks, QColor(colors.textWeak),
          (beside ? Qt::AlignRight : Qt::AlignLeft | Qt::TextWordWrap) | Qt::AlignVCenter);
  }
  area.setTop(row.bottom() + 2);
}

void FigureSheet::paintFooter() {
  if (!style.footer) return;
  QString provenance = provenanceLine(figure);
  if (provenance.isEmpty()) return;
  QFont small = font;
  small.setPixelSize(std::max(6, static_cast<int>(font.pixelSize() * 0.75)));
  painter.setFont(small);
  const QRectF row(area.left(), area.bottom() - line * 0.8, area.width(), line * 0.8);
  // the longest give way to the others: a name may be any length
  for (qsizetype longest = 64;
       longest >= 8 && QFontMetricsF(small).horizontalAdvance(provenance) > row.width(); longest -= 4)
    provenance = provenanceLine(figure, longest);
  words(row, QFontMetricsF(small).elidedText(provenance, Qt::ElideRight, row.width()),
        QColor(colors.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
  painter.setFont(font);
  area.setBottom(row.top() - 2);
}

}  // namespace halo
