// Grids beside each other, of one scale of colours: from whom to whom, and how that changes.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/index.h"
#include "views/figure/figure_form.h"
#include "views/figure/forms/plot.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr double kLegend = 96;  // its width
constexpr double kLeast = 0.12, kSpread = 50;
constexpr int kLeastDigits = 2, kMostDigits = 3;

/// The sequential scale of all matrices. It goes from the smallest to the largest value that is not 0, so
/// that values that are nearly alike can be told apart. Where they are not alike it goes by their logarithm.
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

using ColorOf = std::function<QColor(double)>;

void names(FigureSheet& sheet, const FigureMatrix& matrix, const QRectF& plot, double widest) {
  const double line = sheet.line;
  const QColor weak(sheet.colors.textWeak);
  const double step = plot.height() / static_cast<double>(std::max<qsizetype>(1, matrix.rows.size()));
  const auto stride = nameStep(line * 0.9 / step);
  for (qsizetype i = 0; i < matrix.rows.size(); i += stride)
    sheet.words(
        QRectF(plot.left() - widest - 6, plot.top() + (double(i) + 0.5) * step - line / 2, widest, line),
        matrix.rows[i], weak, Qt::AlignRight | Qt::AlignVCenter);
  const double cell = plot.width() / static_cast<double>(std::max<qsizetype>(1, matrix.columns.size()));
  double wide = 0;
  for (const QString& name : matrix.columns) wide = std::max(wide, sheet.width(name));
  const auto everyColumn = nameStep((wide + 4) / cell);
  for (qsizetype i = 0; i < matrix.columns.size(); i += everyColumn)
    sheet.words(QRectF(plot.left() + (double(i) + 0.5) * cell - wide, plot.bottom() + 2, 2 * wide, line),
                matrix.columns[i], weak, Qt::AlignHCenter | Qt::AlignTop);
}

/// Title and total above, names of rows and columns and of the axes around it; returns where the cells are.
QRectF frame(FigureSheet& sheet, const FigureMatrix& matrix, const QRectF& panel) {
  const QFontMetricsF metrics(sheet.font);
  const double line = sheet.line, room = panel.width() - 10;
  const QColor text(sheet.colors.text);
  double widest = 0;
  for (const QString& name : matrix.rows) widest = std::max(widest, sheet.width(name));
  const QRectF plot = panel.adjusted(widest + line + 8, 2 * line + 2, -10, -2 * line - 4);
  sheet.words(QRectF(panel.left(), panel.top(), room, line),
              metrics.elidedText(matrix.title, Qt::ElideRight, room), text, Qt::AlignLeft | Qt::AlignVCenter);
  sheet.words(QRectF(panel.left(), panel.top() + line, room, line),
              metrics.elidedText(matrix.note, Qt::ElideRight, room), QColor(sheet.colors.textWeak),
              Qt::AlignLeft | Qt::AlignVCenter);
  names(sheet, matrix, plot, widest);
  sheet.words(QRectF(plot.left(), plot.bottom() + line, plot.width(), line), sheet.figure.x.title, text,
              Qt::AlignHCenter | Qt::AlignVCenter);
  sheet.painter.save();
  sheet.painter.translate(panel.left(), plot.center().y());
  sheet.painter.rotate(-90);
  sheet.words(QRectF(-plot.height() / 2, 0, plot.height(), line), sheet.figure.y.title, text,
              Qt::AlignCenter);
  sheet.painter.restore();
  return plot;
}

/// A value as a cell has it: with its sign where it is a change.
QString cellText(double value, bool change, int digits) {
  if (!std::isfinite(value)) return "–";
  if (!change || value == 0) return formatNumber(value, digits);
  return (value < 0 ? QChar(0x2212) : QChar('+')) + formatNumber(std::abs(value), digits);
}

/// As many as let all cells of a grid have their numbers; 0: they have none.
int digitsOf(const FigureSheet& sheet, const FigureMatrix& matrix, QSizeF cell) {
  if (cell.height() < sheet.line * 0.9) return 0;
  for (int digits = kMostDigits; digits >= kLeastDigits; --digits)
    if (std::ranges::all_of(matrix.values, [&](double value) {
          return sheet.width(cellText(value * sheet.figure.grid.scale, matrix.change, digits)) + 2 <=
                 cell.width();
        }))
      return digits;
  return 0;
}

void cells(FigureSheet& sheet, std::size_t place, const QRectF& plot, const ColorOf& colorOf) {
  const FigureMatrix& matrix = sheet.figure.matrices[place];
  const auto columns = at(matrix.columns.size());
  const double wide = plot.width() / static_cast<double>(std::max<qsizetype>(1, matrix.columns.size()));
  const double high = plot.height() / static_cast<double>(std::max<qsizetype>(1, matrix.rows.size()));
  const int digits = digitsOf(sheet, matrix, {wide, high});
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const double value = matrix.values[i];
    const QRectF box(plot.left() + static_cast<double>(i % columns) * wide,
                     plot.top() + static_cast<double>(i / columns) * high, wide, high);
    const QColor color = std::isfinite(value) ? colorOf(value) : QColor(sheet.colors.background);
    sheet.painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), color);
    if (sheet.hits != nullptr && std::isfinite(value)) sheet.hits->push_back({box, place, i});
    if (digits > 0)
      sheet.words(box, cellText(value * sheet.figure.grid.scale, matrix.change, digits),
                  QColor(textOn(color.rgb())), Qt::AlignCenter);
  }
  sheet.painter.setPen(QPen(QColor(sheet.colors.grid), 1));
  sheet.painter.setBrush(Qt::NoBrush);
  sheet.painter.drawRect(plot);
}

/// What colours say.
struct Strip {
  QString title;
  double low, high;  // values at its ends
  bool change;
  ColorOf colorOf;  // of a place from 0 to 1
};

/// Right of the panels, from `top` on; returns where it ends.
double legend(FigureSheet& sheet, double top, const Strip& strip) {
  const double length = std::min(0.3 * sheet.area.height(), 120.0), line = sheet.line;
  const QRectF box(sheet.area.right() - kLegend + 14, top + 2.4 * line, 14, length);
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i)
    sheet.painter.fillRect(
        QRectF(box.left(), box.bottom() - (i + 1) * length / kSteps, box.width(), length / kSteps + 0.5),
        strip.colorOf((i + 0.5) / kSteps));
  const double right = box.right() + 4, wide = sheet.area.right() - right, scale = sheet.figure.grid.scale;
  constexpr int beside = Qt::AlignLeft | Qt::AlignVCenter;
  sheet.words(QRectF(box.left(), top, kLegend - 14, 2 * line), strip.title, QColor(sheet.colors.text),
              Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap);
  sheet.words(QRectF(right, box.top() - line / 2, wide, line),
              cellText(strip.high * scale, strip.change, kMostDigits), QColor(sheet.colors.textWeak), beside);
  sheet.words(QRectF(right, box.bottom() - line / 2, wide, line),
              cellText(strip.low * scale, strip.change, kMostDigits), QColor(sheet.colors.textWeak), beside);
  return box.bottom() + 1.5 * line;
}

void legends(FigureSheet& sheet, const Spread& spread) {
  const Theme theme = sheet.style.theme;
  const QString& unit = sheet.figure.grid.unit;
  double top = sheet.area.top();
  if (spread.high > 0)
    top = legend(sheet, top,
                 {unit + (spread.logarithmic() ? ", logarithmic" : ""), spread.low, spread.high, false,
                  [&](double at) {
                    return heatColor(spread.share(spread.valueAt(kLeast + (1 - kLeast) * at)), theme);
                  }});
  if (spread.change > 0)
    legend(sheet, top, {"change, " + unit, -spread.change, spread.change, true, [&](double at) {
                          return changeColor(2 * at - 1, theme);
                        }});
}

void paint(FigureSheet& sheet) {
  const std::vector<FigureMatrix>& matrices = sheet.figure.matrices;
  const Spread spread(matrices);
  const QRectF room = sheet.area.adjusted(0, 0, -kLegend, 0);
  const qsizetype inARow = panelsInARow(matrices.size(), room.size());
  const qsizetype rows = (std::ssize(matrices) + inARow - 1) / inARow;
  const QSizeF size(room.width() / static_cast<double>(inARow), room.height() / static_cast<double>(rows));
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const auto place = static_cast<qsizetype>(m);
    const QPointF corner(room.left() + static_cast<double>(place % inARow) * size.width(),
                         room.top() + static_cast<double>(place / inARow) * size.height());
    const bool change = matrices[m].change;
    cells(sheet, m, frame(sheet, matrices[m], QRectF(corner, size)), [&](double value) {
      if (!change) return heatColor(spread.share(value), sheet.style.theme);
      return changeColor(spread.change > 0 ? value / spread.change : 0, sheet.style.theme);
    });
  }
  legends(sheet, spread);
}

void matrixLines(const Figure& figure, CsvLines& out) {
  out.headings({"matrix", figure.y.title, figure.x.title, figure.labelTitle});
  for (const FigureMatrix& matrix : figure.matrices) {
    std::size_t cell = 0;
    const bool numbered = !matrix.columnNumbers.isEmpty();
    for (const QString& row : matrix.rows)
      for (const QString& column : numbered ? matrix.columnNumbers : matrix.columns) {
        out.words(matrix.title).text(row);
        if (numbered)
          out.cell(column.toLongLong());
        else
          out.text(column);
        out.number(matrix.values[cell++]).end();
      }
  }
}

QStringList describeMatrices(const Figure& figure) {
  QStringList parts;
  for (const FigureMatrix& matrix : figure.matrices)
    parts << QString("%1, %2 by %3: %4")
                 .arg(matrix.title)
                 .arg(matrix.rows.size())
                 .arg(matrix.columns.size())
                 .arg(matrix.note);
  return parts;
}

/// "to worker 3"; a word says itself what it is.
QString placeText(const QString& title, const QString& name) {
  bool isNumber = false;
  name.toLongLong(&isNumber);
  return isNumber ? title + ' ' + name : name;
}

/// "A  #1 pipegcn, layer 1 forward, epoch 5: 0.0213 relative error".
QString hint(const Figure& figure, const FigureHit& hit) {
  const FigureMatrix& matrix = figure.matrices[hit.series];
  const auto columns = at(matrix.columns.size());
  const QString& row = matrix.rows[static_cast<qsizetype>(hit.category / columns)];
  const QString& column = matrix.columns[static_cast<qsizetype>(hit.category % columns)];
  const QString number = cellText(matrix.values[hit.category] * figure.grid.scale, matrix.change, 4);
  return QString("%1, %2, %3: %4 %5")
      .arg(matrix.title, placeText(figure.y.title, row), placeText(figure.x.title, column), number,
           figure.grid.unit);
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"matrices", "grids of one scale beside each other", ""},
                    .form = FigureForm::matrices,
                    .empty = [](const Figure& figure) { return figure.matrices.empty(); },
                    .paint = paint,
                    .csv = matrixLines,
                    .describe = describeMatrices,
                    .hint = hint}};

}  // namespace
}  // namespace halo
