#include "views/figure/forms/series_points.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/figure/forms/signs.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr double kLineWidth = 1.6;

void stroke(FigureSheet& sheet, const FigureSeries& series, const QColor& color, const QPolygonF& line,
            Obstacles& obstacles) {
  if (!series.joined || line.size() < 2) return;
  const Qt::PenStyle dash = seriesDash(at(series.dash));
  sheet.painter.setPen(QPen(color, kLineWidth, dash, Qt::FlatCap, Qt::RoundJoin));
  sheet.painter.setBrush(Qt::NoBrush);
  sheet.painter.drawPolyline(line);
  for (qsizetype i = 1; i < line.size(); ++i) addSegment(line[i - 1], line[i], obstacles);
}

void paintSeries(FigureSheet& sheet, const Plot& plot, std::size_t number, Obstacles& obstacles) {
  const FigureSeries& series = sheet.figure.series[number];
  const QColor color = figureColor(series, number, sheet.style.theme);
  QPolygonF line, marks;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (!hasPlace(sheet.figure.x, series.x[i]) || !hasPlace(sheet.figure.y, series.y[i])) {
      stroke(sheet, series, color, line, obstacles);
      line.clear();
      continue;
    }
    const QPointF at(plot.x.at(series.x[i]), plot.y.at(series.y[i]));
    line << at;
    if (series.mark == FigureMark::none) continue;
    marks << at;
    const QRectF box = QRectF(at, at).adjusted(-kMark, -kMark, kMark, kMark);
    obstacles.taken.push_back(box);
    if (sheet.hits != nullptr) sheet.hits->push_back({box, number, i});
  }
  stroke(sheet, series, color, line, obstacles);
  for (const QPointF& at : marks) mark(sheet, at, series, color);
}

bool hasBands(const Figure& figure) {
  return std::ranges::any_of(figure.series, [](const FigureSeries& s) { return !s.low.empty(); });
}

void bandEnds(const FigureSeries& series, std::size_t place, CsvLines& out) {
  for (const auto* ends : {&series.low, &series.high})
    out.number(place < ends->size() ? (*ends)[place] : std::nan(""));
}

}  // namespace

void addSegment(QPointF from, QPointF to, Obstacles& obstacles) {
  constexpr double kPiece = 6;
  const QPointF way = to - from;
  const int count = 1 + static_cast<int>(std::hypot(way.x(), way.y()) / kPiece);
  for (int i = 0; i <= count; ++i) {
    const QPointF at = from + way * (static_cast<double>(i) / count);
    obstacles.lines.push_back(QRectF(at, at).adjusted(-1, -1, 1, 1));
  }
}

void seriesPoints(FigureSheet& sheet, const Plot& plot, Obstacles& obstacles) {
  for (std::size_t s = 0; s < sheet.figure.series.size(); ++s)
    if (!sheet.figure.series[s].band) paintSeries(sheet, plot, s, obstacles);
}

void pointsSwatch(FigureSheet& sheet, const QRectF& box, std::size_t number, const QColor& color) {
  const FigureSeries& series = sheet.figure.series[number];
  sheet.painter.setPen(QPen(color, 2, seriesDash(at(series.dash))));
  if (series.joined)
    sheet.painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()));
  mark(sheet, box.center(), series, color);
}

bool hasNoSeries(const Figure& figure) {
  return std::ranges::all_of(figure.series, [](const FigureSeries& s) { return s.y.empty(); });
}

void csvLabel(const FigureSeries& series, std::size_t place, CsvLines& out) {
  if (place < series.labelValues.size())
    out.number(series.labelValues[place]);
  else
    out.words(place < series.labels.size() ? series.labels[place] : QString());
}

void pointLines(const Figure& figure, CsvLines& out, bool everyPoint) {
  const bool labelled = !figure.labelTitle.isEmpty(), banded = hasBands(figure);
  QStringList headings{"series", orElse(figure.x.label(), "x"), orElse(figure.y.label(), "value")};
  if (banded) headings += {"lowest", "highest"};
  if (labelled) headings << figure.labelTitle;
  out.headings(headings);
  for (const FigureSeries& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!everyPoint && !std::isfinite(s.x[i])) continue;
      out.words(s.name).number(s.x[i]).number(s.y[i]);
      if (banded) bandEnds(s, i, out);
      if (labelled) csvLabel(s, i, out);
      out.end();
    }
  ringLines(figure, out);
}

void ringLines(const Figure& figure, CsvLines& out) {
  for (const FigureNote& note : figure.notes) {
    if (!note.ring) continue;
    out.words(note.text).number(note.x).number(*note.y);
    if (hasBands(figure)) bandEnds({}, 0, out);
    if (!figure.labelTitle.isEmpty()) out.text(QString());
    out.end();
  }
}

QStringList describePoints(const Figure& figure) {
  QStringList parts{figure.y.label() + " over " + figure.x.label()};
  for (const FigureSeries& series : figure.series)
    if (!series.y.empty())
      parts << QString("%1 from %2 to %3")
                   .arg(series.name, formatNumber(series.y.front()), formatNumber(series.y.back()));
  for (const FigureNote& note : figure.notes)
    if (note.ring) parts << note.text;
  return parts;
}

}  // namespace halo
