#include "views/figure/forms/legend.h"

#include <algorithm>

#include "views/figure/forms/signs.h"

namespace halo {
namespace {

constexpr double kSwatchWidth = 18, kSwatchHeight = 10;
constexpr double kToWords = 24;  // from the swatch's left edge
constexpr double kBetween = 14;  // from words to the next swatch

}  // namespace

void seriesLegend(FigureSheet& sheet, std::size_t least, const Swatch& swatch) {
  const auto& all = sheet.figure.series;
  if (all.size() < least) return;
  const double line = sheet.line;
  double x = sheet.area.left(), y = sheet.area.top();
  const double lowest = y + std::max(line, sheet.area.height() * 0.4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double entryWidth = kToWords + sheet.width(all[i].name) + kBetween;
    if (x > sheet.area.left() && x + entryWidth > sheet.area.right()) {
      x = sheet.area.left();
      y += line;
    }
    if (const std::size_t left = all.size() - i; left > 1 && y + line > lowest) {
      sheet.words(QRectF(x, y, sheet.area.width(), line),
                  QString("… and %1 more; the CSV form names all").arg(left), QColor(sheet.colors.textWeak),
                  Qt::AlignLeft | Qt::AlignVCenter);
      break;
    }
    const QColor color = figureColor(all[i], i, sheet.style.theme);
    const QRectF box(x, y + line / 2 - kSwatchHeight / 2, kSwatchWidth, kSwatchHeight);
    if (all[i].band) {
      hatch(sheet, box, color);
      sheet.painter.setBrush(Qt::NoBrush);
      sheet.painter.setPen(QPen(color, 1));
      sheet.painter.drawRect(box);
    } else {
      swatch(box, i, color);
    }
    sheet.words(QRectF(x + kToWords, y, entryWidth, line), all[i].name, QColor(sheet.colors.text),
                Qt::AlignLeft | Qt::AlignVCenter);
    x += entryWidth;
  }
  sheet.area.setTop(y + line + 4);
}

void LegendLines::add(const FigureSeries& series, const QString& label) {
  const double entryWidth = kToWords + sheet_.width(label) + kBetween, line = sheet_.line;
  if (x_ > sheet_.area.left() && x_ + entryWidth > sheet_.area.right()) {
    x_ = sheet_.area.left();
    sheet_.area.setTop(sheet_.area.top() + line);
  }
  const double top = sheet_.area.top();
  bar(sheet_, QRectF(x_, top + line / 2 - kSwatchHeight / 2, kSwatchWidth, kSwatchHeight), series,
      figureColor(series, 0, sheet_.style.theme));
  sheet_.words(QRectF(x_ + kToWords, top, entryWidth, line), label, QColor(sheet_.colors.text),
               Qt::AlignLeft | Qt::AlignVCenter);
  x_ += entryWidth;
}

}  // namespace halo
