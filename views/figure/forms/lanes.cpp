// Spans as boxes on lanes along time.
#include <algorithm>
#include <cmath>
#include <set>

#include "views/figure/figure_form.h"
#include "views/figure/forms/legend.h"
#include "views/figure/forms/rows.h"
#include "views/figure/forms/signs.h"

namespace halo {
namespace {

constexpr double kLeastWide = 0.3;  // a span, however short
constexpr double kNamesShare = 1.0 / 3;

/// A legend of the kinds that occur, and of what idle time waits for.
void kindLegend(FigureSheet& sheet) {
  const std::vector<FigureBox>& boxes = sheet.figure.boxes;
  LegendLines legend(sheet);
  for (int k = 0; k < kKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto isOfKind = [kind](const FigureBox& box) {
      return box.kind == kind && !box.waits && !box.color;
    };
    if (std::ranges::none_of(boxes, isOfKind)) continue;
    FigureSeries series;
    series.kind = kind;
    const std::string_view name = text(kind);
    legend.add(series, QString::fromUtf8(name.data(), qsizetype(name.size())));
  }
  std::set<Name> causes;
  for (const FigureBox& box : boxes)
    if (box.waits) causes.insert(*box.waits);
  for (const Name cause : causes) {
    FigureSeries series;
    series.color = causeColor(cause);
    series.outlined = true;
    const std::string_view word = causeText(cause);
    legend.add(series, "waits: " + QString::fromUtf8(word.data(), qsizetype(word.size())));
  }
  legend.end();
}

/// As high as the window draws its kind, a total as high as can be.
QRectF boxOf(const FigureBox& box, const Plot& plot, double step) {
  const double share = box.color ? 1 : cueHeight(cueOf(box.kind));
  const double left = plot.x.at(box.begin), high = 0.76 * step * share;
  return {left, plot.box.top() + (box.lane + 0.88) * step - high,
          std::max(kLeastWide, plot.x.at(box.end) - left), high};
}

/// Hatched in the colour of their causes, however narrow; those that nothing wider than the shortest span
/// parts, as one.
void waits(FigureSheet& sheet, const Plot& plot, double step) {
  const FigureBox* first = nullptr;  // of those that are open
  QRectF open;
  const auto draw = [&] {
    if (first != nullptr)
      hatch(sheet, open, QColor(seriesColor(sheet.style.theme, causeColor(*first->waits))));
  };
  for (const FigureBox& box : sheet.figure.boxes) {
    if (!box.waits) continue;
    const QRectF rect = boxOf(box, plot, step);
    const bool goesOn = first != nullptr && first->lane == box.lane && first->waits == box.waits &&
                        rect.left() >= open.left() && rect.left() <= open.right() + kLeastWide;
    if (goesOn) {
      open.setRight(std::max(open.right(), rect.right()));
      continue;
    }
    draw();
    first = &box, open = rect;
  }
  draw();
}

/// Of stretches where less than all is at work (`part`), or of the others.
void work(FigureSheet& sheet, const Plot& plot, double step, bool part) {
  for (const FigureBox& box : sheet.figure.boxes) {
    if (box.waits || (box.share < 1) != part) continue;
    FigureSeries series;
    if (!box.color) series.kind = box.kind;
    series.color = box.color;
    series.overlay = box.hatched;
    const QColor color = figureColor(series, 0, sheet.style.theme);
    const QRectF where = boxOf(box, plot, step);
    if (!part) {
      bar(sheet, where, series, color);
      continue;
    }
    sheet.painter.fillRect(where, QColor(mix(sheet.colors.background, color.rgb(), box.share)));
    cue(sheet, where, box.kind);
  }
}

void range(const std::vector<FigureBox>& boxes, FigureScale& x) {
  x.low = std::min(0.0, boxes.front().begin), x.high = boxes.front().end;
  for (const FigureBox& box : boxes) {
    x.low = std::min(x.low, box.begin);
    x.high = std::max(x.high, box.end);
  }
  if (x.high <= x.low) x.high = x.low + 1;
}

void paint(FigureSheet& sheet) {
  kindLegend(sheet);
  Plot plot;
  range(sheet.figure.boxes, plot.x);
  const double step = frameRows(sheet, plot, 6, kNamesShare);
  xTicks(sheet, plot, ticksOfX(plot), false);
  // neither hides the other: a pale stretch is behind the lines of waits, a short span before them
  work(sheet, plot, step, true);
  waits(sheet, plot, step);
  work(sheet, plot, step, false);
  sheet.painter.setPen(QPen(QColor(sheet.colors.text), 1));
  sheet.painter.drawLine(plot.box.bottomLeft(), plot.box.bottomRight());
}

/// Where lanes are parts of totals, each has its name; those of a timeline are as many as fit.
double heightOfTotals(FigureSheet& sheet) {
  const bool totals =
      std::ranges::any_of(sheet.figure.boxes, [](const FigureBox& box) { return box.color.has_value(); });
  return totals ? rowsHeight(sheet, kNamesShare) : 0;
}

void laneLines(const Figure& figure, CsvLines& out) {
  const bool waited =
      std::ranges::any_of(figure.boxes, [](const FigureBox& box) { return box.waits.has_value(); });
  const bool shares = std::ranges::any_of(figure.boxes, [](const FigureBox& box) { return box.share != 1; });
  QStringList headings{"lane", "kind", withUnit("begin", figure.x.unit), withUnit("end", figure.x.unit)};
  if (waited) headings << "waits for";
  if (shares) headings << "share";
  out.headings(headings);
  for (const FigureBox& box : figure.boxes) {
    out.text(figure.y.categories[box.lane])
        .text(box.color ? std::string_view("total") : text(box.kind))
        .number(box.begin)
        .number(box.end);
    if (waited) out.text(box.waits ? causeText(*box.waits) : std::string_view());
    if (shares) out.number(box.waits ? std::nan("") : box.share);
    out.end();
  }
}

QStringList describeLanes(const Figure& figure) {
  return {QString("%1 lanes, %2 spans").arg(figure.y.categories.size()).arg(figure.boxes.size())};
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"lanes", "spans on lanes along time", ""},
                    .form = FigureForm::lanes,
                    .empty = [](const Figure& figure) { return figure.boxes.empty(); },
                    .paint = paint,
                    .csv = laneLines,
                    .describe = describeLanes,
                    .neededHeight = heightOfTotals}};

}  // namespace
}  // namespace halo
