#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_painter.h"
#include "views/look/units.h"

namespace halo {

namespace {

constexpr double kLegend = 96;  // its width
constexpr double kLeast = 0.12, kSpread = 50;

/// The sequential scale of all matrices: from the smallest to the largest value that is not 0, so that values
/// that are nearly alike can be told apart; by their logarithm where they are not.
struct Spread {
  double low = INFINITY, high = 0, change = 0;  // `change`: the largest either way

  explicit Spread(const std::vector<FigureMatrix>& matrices) {
    for (const FigureMatrix& matrix : matrices)
      for (const double value : matrix.values) {
        if (!std::isfinite(value) || value == 0) continue;
        if (matrix.change) {
          change = std::max(change, std::abs(value));
          continue;
        }
        low = std::min(low, value);
        high = std::max(high, value);
      }
  }
  bool logarithmic() const { return high > kSpread * low; }
  double share(double value) const {
    if (value <= 0) return 0;
    if (high <= low) return 1;
    const double place =
        logarithmic() ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return kLeast + (1 - kLeast) * place;
  }
  double valueAt(double share) const {
    const double place = std::max(0.0, (share - kLeast) / (1 - kLeast));
    return logarithmic() ? low * std::pow(high / low, place) : low + place * (high - low);
  }
};

/// Rows and columns of panels that leave each the most room.
qsizetype panelsInARow(std::size_t count, QSizeF room) {
  const auto sideOf = [&](std::size_t columns) {
    const std::size_t rows = (count + columns - 1) / columns;
    return std::min(room.width() / static_cast<double>(columns), room.height() / static_cast<double>(rows));
  };
  std::size_t best = 1;
  for (std::size_t columns = 2; columns <= count; ++columns)
    if (sideOf(columns) > sideOf(best)) best = columns;
  return static_cast<qsizetype>(best);
}

}  // namespace

void FigurePainter::matrices() {
  const Spread spread(figure_.matrices);
  const auto colorOf = [&](const FigureMatrix& matrix, double value) {
    if (!matrix.change) return heatColor(spread.share(value), style_.theme);
    return changeColor(spread.change > 0 ? value / spread.change : 0, style_.theme);
  };
  const QRectF room = area_.adjusted(0, 0, -kLegend, 0);
  const qsizetype inARow = panelsInARow(figure_.matrices.size(), room.size());
  const qsizetype rows = (static_cast<qsizetype>(figure_.matrices.size()) + inARow - 1) / inARow;
  const QSizeF size(room.width() / static_cast<double>(inARow), room.height() / static_cast<double>(rows));
  for (std::size_t m = 0; m < figure_.matrices.size(); ++m) {
    const auto place = static_cast<qsizetype>(m);
    const QPointF corner(room.left() + static_cast<double>(place % inARow) * size.width(),
                         room.top() + static_cast<double>(place / inARow) * size.height());
    const FigureMatrix& matrix = figure_.matrices[m];
    matrixCells(matrix, matrixPlot(matrix, QRectF(corner, size)),
                [&](double value) { return colorOf(matrix, value); });
  }
  const auto legend = [&](double top, const QString& title, double low, double high, const auto& color) {
    const double length = std::min(0.3 * area_.height(), 120.0);
    const QRectF strip(area_.right() - kLegend + 14, top + 2.4 * line_, 14, length);
    constexpr int kSteps = 32;
    for (int i = 0; i < kSteps; ++i)
      p_.fillRect(QRectF(strip.left(), strip.bottom() - (i + 1) * length / kSteps, strip.width(),
                         length / kSteps + 0.5),
                  color((i + 0.5) / kSteps));
    const double right = strip.right() + 4, wide = area_.right() - right;
    words(QRectF(strip.left(), top, kLegend - 14, 2 * line_), title, QColor(colors_.text),
          Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap);
    words(QRectF(right, strip.top() - line_ / 2, wide, line_), formatNumber(high * figure_.grid.scale, 3),
          QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
    words(QRectF(right, strip.bottom() - line_ / 2, wide, line_), formatNumber(low * figure_.grid.scale, 3),
          QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
    return strip.bottom() + 1.5 * line_;
  };
  double top = area_.top();
  if (spread.high > 0)
    top = legend(top, figure_.grid.unit + (spread.logarithmic() ? ", logarithmic" : ""), spread.low,
                 spread.high, [&](double at) {
                   return heatColor(spread.share(spread.valueAt(kLeast + (1 - kLeast) * at)), style_.theme);
                 });
  if (spread.change > 0)
    legend(top, "change, " + figure_.grid.unit, -spread.change, spread.change,
           [&](double at) { return changeColor(2 * at - 1, style_.theme); });
}

/// Title and total above, names of rows and columns and of the axes around it; returns where the cells are.
QRectF FigurePainter::matrixPlot(const FigureMatrix& matrix, const QRectF& panel) {
  const QFontMetricsF metrics(font_);
  double widest = 0;
  for (const QString& name : matrix.rows) widest = std::max(widest, width(name));
  const QRectF plot = panel.adjusted(widest + line_ + 8, 2 * line_ + 2, -10, -2 * line_ - 4);
  const double room = panel.width() - 10;
  words(QRectF(panel.left(), panel.top(), room, line_),
        metrics.elidedText(matrix.title, Qt::ElideRight, room), QColor(colors_.text),
        Qt::AlignLeft | Qt::AlignVCenter);
  words(QRectF(panel.left(), panel.top() + line_, room, line_),
        metrics.elidedText(matrix.note, Qt::ElideRight, room), QColor(colors_.textWeak),
        Qt::AlignLeft | Qt::AlignVCenter);
  const double step = plot.height() / static_cast<double>(std::max<qsizetype>(1, matrix.rows.size()));
  const auto every = nameStep(line_ * 0.9 / step);
  for (qsizetype i = 0; i < matrix.rows.size(); i += every)
    words(QRectF(plot.left() - widest - 6, plot.top() + (double(i) + 0.5) * step - line_ / 2, widest, line_),
          matrix.rows[i], QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
  const double cell = plot.width() / static_cast<double>(std::max<qsizetype>(1, matrix.columns.size()));
  double wide = 0;
  for (const QString& name : matrix.columns) wide = std::max(wide, width(name));
  const auto everyColumn = nameStep((wide + 4) / cell);
  for (qsizetype i = 0; i < matrix.columns.size(); i += everyColumn)
    words(QRectF(plot.left() + (double(i) + 0.5) * cell - wide, plot.bottom() + 2, 2 * wide, line_),
          matrix.columns[i], QColor(colors_.textWeak), Qt::AlignHCenter | Qt::AlignTop);
  words(QRectF(plot.left(), plot.bottom() + line_, plot.width(), line_), figure_.x.title,
        QColor(colors_.text), Qt::AlignHCenter | Qt::AlignVCenter);
  p_.save();
  p_.translate(panel.left(), plot.center().y());
  p_.rotate(-90);
  words(QRectF(-plot.height() / 2, 0, plot.height(), line_), figure_.y.title, QColor(colors_.text),
        Qt::AlignCenter);
  p_.restore();
  return plot;
}

void FigurePainter::matrixCells(const FigureMatrix& matrix, const QRectF& plot,
                                const std::function<QColor(double)>& colorOf) {
  const auto columns = static_cast<std::size_t>(matrix.columns.size());
  const double wide = plot.width() / static_cast<double>(std::max<qsizetype>(1, matrix.columns.size()));
  const double high = plot.height() / static_cast<double>(std::max<qsizetype>(1, matrix.rows.size()));
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const double value = matrix.values[i];
    const QRectF box(plot.left() + static_cast<double>(i % columns) * wide,
                     plot.top() + static_cast<double>(i / columns) * high, wide, high);
    const QColor color = std::isfinite(value) ? colorOf(value) : QColor(colors_.background);
    p_.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), color);
    const QString label = std::isfinite(value) ? formatNumber(value * figure_.grid.scale, 3) : "–";
    if (width(label) + 4 > wide || high < line_) continue;
    words(box, label, QColor(textOn(color.rgb())), Qt::AlignCenter);
  }
  p_.setPen(QPen(QColor(colors_.grid), 1));
  p_.setBrush(Qt::NoBrush);
  p_.drawRect(plot);
}

}  // namespace halo
