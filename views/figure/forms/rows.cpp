#include "views/figure/forms/rows.h"

#include <QFontMetricsF>
#include <algorithm>

namespace halo {
namespace {

constexpr double kWrapped = 1.75;  // lines that a row has whose name takes two
constexpr double kNameLine = 0.9;  // of a line, that a name needs
constexpr double kSmallest = 0.7;  // of the letters, before names are left out

void paintNames(FigureSheet& sheet, const Plot& plot, double widest, double step) {
  const double shrunk = std::clamp(step / (kNameLine * sheet.line), kSmallest, 1.0);
  QFont letters = sheet.font;
  letters.setPixelSize(std::max(1, static_cast<int>(sheet.font.pixelSize() * shrunk)));
  sheet.painter.setFont(letters);
  const double line = sheet.line * shrunk;
  const auto stride = nameStep(kNameLine * line / step);
  for (qsizetype i = 0; i < sheet.figure.y.categories.size(); i += stride) {
    const QString name = rowName(sheet.figure, i);
    const bool wraps = sheet.width(name) > widest && step >= kWrapped * line;
    const double high = wraps ? step : line;
    sheet.words(QRectF(plot.box.left() - widest - 6, plot.box.top() + (double(i) + 0.5) * step - high / 2,
                       widest, high),
                wraps ? name : QFontMetricsF(letters).elidedText(name, Qt::ElideMiddle, widest + 1),
                QColor(sheet.colors.textWeak),
                Qt::AlignRight | Qt::AlignVCenter | (wraps ? Qt::TextWordWrap : 0));
  }
  sheet.painter.setFont(sheet.font);
}

}  // namespace

QString rowName(const Figure& figure, qsizetype row) {
  const QString sign = figure.y.signs.value(row);
  return figure.y.categories[row] + (sign.isEmpty() ? "" : " " + sign);
}

double frameRows(FigureSheet& sheet, Plot& plot, double right, double namesShare) {
  const qsizetype count = sheet.figure.y.categories.size();
  const double line = sheet.line;
  double widest = 0;
  for (qsizetype i = 0; i < count; ++i) widest = std::max(widest, sheet.width(rowName(sheet.figure, i)));
  widest = std::min(widest, sheet.area.width() * namesShare);
  plot.box = sheet.area.adjusted(widest + line + 8, 4, -right, -2 * line);
  plot.x.from = plot.box.left(), plot.x.to = plot.box.right();
  const double step = plot.box.height() / static_cast<double>(std::max<qsizetype>(1, count));
  paintNames(sheet, plot, widest, step);
  axisTitles(sheet, plot, plainNamesHeight(sheet));
  return step;
}

double rowsHeight(const FigureSheet& sheet, double namesShare) {
  const double names = (sheet.style.size.width() - 22) * namesShare;
  const qsizetype count = sheet.figure.y.categories.size();
  bool wraps = false;
  for (qsizetype i = 0; i < count; ++i) wraps |= sheet.width(rowName(sheet.figure, i)) > names;
  constexpr double kOthers = 8;  // lines
  return sheet.line * (kOthers + (wraps ? kWrapped + 0.2 : 1.25) * static_cast<double>(count));
}

}  // namespace halo
