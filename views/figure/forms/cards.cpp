// A card a column of the table: its name over the first figure in large letters, the other rows below it.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/figure/figure_form.h"

namespace halo {
namespace {

constexpr double kPad = 9, kBetween = 8, kGap = 14;  // inside a card, among cards, from words to a value
constexpr double kStrip = 7;                         // of the chip's colour
constexpr double kLarge = 1.7;                       // of the letters, for what a person wants to see first
constexpr double kWidest = 1.35;  // of the width that is needed: words stay near their values

QFont boldLetters(QFont font, double scale) {
  font.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * scale)));
  font.setBold(true);
  return font;
}

class CardsPainter {
 public:
  explicit CardsPainter(FigureSheet& sheet)
      : sheet_(sheet), bold_(boldLetters(sheet.font, 1)), large_(boldLetters(sheet.font, kLarge)) {
    const double room = sheet.area.width(), least = leastWidth();
    const double fitting = std::floor((room + kBetween) / (least + kBetween));
    across_ = static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(cards())));
    const auto count = static_cast<double>(across_);
    width_ = std::min((room - kBetween * (count - 1)) / count, least * kWidest);
  }

  /// With title, marks and the line below.
  double neededHeight() const {
    const double lines = static_cast<double>((cards() + across_ - 1) / across_);
    return sheet_.style.size.height() - sheet_.area.height() + lines * (cardHeight() + kBetween);
  }

  void paint() {
    for (std::size_t card = 0; card < cards(); ++card) {
      const double x = sheet_.area.left() + (width_ + kBetween) * static_cast<double>(card % across_);
      const double y = sheet_.area.top() + (cardHeight() + kBetween) * static_cast<double>(card / across_);
      drawCard(card, QRectF(x, y, width_, cardHeight()));
    }
  }

 private:
  std::size_t cards() const { return sheet_.figure.series.size(); }
  const std::vector<QStringList>& rows() const { return sheet_.figure.table.rows; }
  QString value(std::size_t row, std::size_t card) const {
    return rows()[row].value(static_cast<qsizetype>(card) + 1);
  }
  double largeLine() const { return QFontMetricsF(large_).lineSpacing(); }

  /// That no value is cut, and none of the words before it.
  double leastWidth() const {
    double least = 0;
    for (std::size_t card = 0; card < cards(); ++card) {
      least = std::max(least, QFontMetricsF(large_).horizontalAdvance(value(0, card)) + kGap +
                                  sheet_.width(rows().front().front()));
      for (std::size_t row = 1; row < rows().size(); ++row)
        least = std::max(least, sheet_.width(rows()[row].front()) + kGap + sheet_.width(value(row, card)));
    }
    return least + 2 * kPad + kStrip;
  }

  double cardHeight() const {
    return 2 * kPad + sheet_.line * static_cast<double>(rows().size()) + largeLine();
  }

  void drawCard(std::size_t card, const QRectF& box) {
    const FigureSeries& series = sheet_.figure.series[card];
    const QColor color = figureColor(series, card, sheet_.style.theme);
    QPainter& painter = sheet_.painter;
    painter.setPen(QColor(sheet_.colors.frame));
    painter.setBrush(QColor(sheet_.colors.lane));
    painter.drawRect(box);
    painter.setPen(color);
    painter.setBrush(series.outlined ? QBrush(color, Qt::BDiagPattern) : QBrush(color));  // not measured
    painter.drawRect(QRectF(box.left(), box.top(), kStrip, box.height()));
    QRectF inner = box.adjusted(kPad + kStrip, kPad, -kPad, -kPad);
    inner.setHeight(sheet_.line);
    painter.setFont(bold_);
    sheet_.words(inner, QFontMetricsF(bold_).elidedText(series.name, Qt::ElideMiddle, inner.width()),
                 QColor(sheet_.colors.text), Qt::AlignLeft | Qt::AlignVCenter);
    painter.setFont(sheet_.font);
    inner.translate(0, sheet_.line);
    inner.setHeight(largeLine());
    drawFirst(card, inner);
    inner.translate(0, largeLine());
    inner.setHeight(sheet_.line);
    for (std::size_t row = 1; row < rows().size(); ++row) {
      drawRow(row, card, inner);
      inner.translate(0, sheet_.line);
    }
  }

  /// What it is stands weak beside it.
  void drawFirst(std::size_t card, const QRectF& inner) {
    sheet_.words(inner, rows().front().front(), QColor(sheet_.colors.textWeak),
                 Qt::AlignLeft | Qt::AlignVCenter);
    sheet_.painter.setFont(large_);
    sheet_.words(inner, value(0, card), QColor(sheet_.colors.text), Qt::AlignRight | Qt::AlignVCenter);
    sheet_.painter.setFont(sheet_.font);
  }

  /// What it is at the left, what it comes to at the right, of which nothing is cut.
  void drawRow(std::size_t row, std::size_t card, const QRectF& inner) {
    const QString valueText = value(row, card);
    const double left = inner.width() - sheet_.width(valueText) - kGap / 2;
    sheet_.words(inner, QFontMetricsF(sheet_.font).elidedText(rows()[row].front(), Qt::ElideRight, left),
                 QColor(sheet_.colors.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
    sheet_.words(inner, valueText, QColor(sheet_.colors.text), Qt::AlignRight | Qt::AlignVCenter);
  }

  FigureSheet& sheet_;
  QFont bold_, large_;
  std::size_t across_ = 1;
  double width_ = 0;
};

/// A sentence a card: those who do not see it hear each as a person would read it.
QStringList describeCards(const Figure& figure) {
  QStringList parts;
  for (std::size_t card = 0; card < figure.series.size(); ++card) {
    QStringList facts;
    for (const QStringList& row : figure.table.rows)
      facts << row.front().trimmed() + " " + row.value(static_cast<qsizetype>(card) + 1);
    parts << figure.series[card].name + ": " + facts.join(", ");
  }
  return parts;
}

const Registered<FigureFormEntry> self{FigureFormEntry{
    .declaration = {"cards", "a card a column of the table, its first row in large letters", ""},
    .form = FigureForm::cards,
    .empty = [](const Figure& figure) { return figure.series.empty() || figure.table.rows.empty(); },
    .paint = [](FigureSheet& sheet) { CardsPainter(sheet).paint(); },
    .csv = [](const Figure& figure, CsvLines& out) { formEntry(FigureForm::table).csv(figure, out); },
    .describe = describeCards,
    .neededHeight =
        [](FigureSheet& sheet) {
          sheet.paintHeader();
          sheet.paintFooter();
          return CardsPainter(sheet).neededHeight();
        }}};

}  // namespace
}  // namespace halo
