#include "views/figure/figure_paint.h"

#include <QFontMetricsF>
#include <QImage>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/figure/figure_painter.h"
#include "views/look/figure_text.h"

namespace halo {

FigurePainter::FigurePainter(QPainter& painter, const Figure& figure, const FigureStyle& style,
                             FigureHits* hits)
    : p_(painter),
      figure_(figure),
      style_(style),
      colors_(palette(style.theme)),
      hits_(hits),
      font_(style.font),
      line_(style.fontSize * 1.5) {
  font_.setPixelSize(std::max(1, static_cast<int>(std::lround(style.fontSize))));
  p_.setFont(font_);
}

double FigurePainter::paintHeader() {
  area_ = QRectF(QPointF(0, 0), style_.size).adjusted(10, 6, -12, -6);
  header();
  return area_.top();
}

void FigurePainter::paint() {
  p_.fillRect(QRectF(QPointF(0, 0), style_.size), QColor(colors_.background));
  p_.setRenderHint(QPainter::Antialiasing);
  paintHeader();
  if (style_.footer) footer();
  if (figure_.empty()) {
    words(area_, figure_.emptyReason.isEmpty() ? "Nothing recorded." : figure_.emptyReason,
          QColor(colors_.textWeak), Qt::AlignCenter | Qt::TextWordWrap);
    return;
  }
  switch (figure_.form) {
    case FigureForm::lines:
    case FigureForm::points:
    case FigureForm::stackedBars:
    case FigureForm::groupedBars:
      legend();
      chart();
      break;
    case FigureForm::rowPoints:
      legend();
      rowPoints();
      break;
    case FigureForm::heatMap:
      heatMap();
      break;
    case FigureForm::matrices:
      matrices();
      break;
    case FigureForm::lanes:
      lanes();
      break;
    case FigureForm::table:
      table();
      break;
  }
}

double FigurePainter::width(const QString& text) const {
  return QFontMetricsF(font_).horizontalAdvance(text);
}

void FigurePainter::words(const QRectF& where, const QString& text, const QColor& color, int flags) {
  p_.setPen(color);
  p_.drawText(where, flags, drawable(text, (flags & Qt::TextWordWrap) != 0));
}

void FigurePainter::header() {
  QFont bold = font_;
  bold.setBold(true);
  const QString marks = figure_.marks.join(" · ");
  const bool beside =
      QFontMetricsF(bold).horizontalAdvance(figure_.title) + 24 + width(marks) <= area_.width();
  QRectF row(area_.left(), area_.top(), area_.width(), line_);
  p_.setFont(bold);
  words(row, QFontMetricsF(bold).elidedText(figure_.title, Qt::ElideRight, row.width()), QColor(colors_.text),
        Qt::AlignLeft | Qt::AlignVCenter);
  p_.setFont(font_);
  if (!marks.isEmpty()) {
    // a title is never shortened for them, nor they for each other
    if (!beside) {
      row.translate(0, line_);
      const double high =
          QFontMetricsF(font_).boundingRect(QRectF(0, 0, row.width(), 1e4), Qt::TextWordWrap, marks).height();
      row.setHeight(std::clamp(high, line_, std::max(line_, area_.height() / 4)));
    }
    words(row, marks, QColor(colors_.textWeak),
          (beside ? Qt::AlignRight : Qt::AlignLeft | Qt::TextWordWrap) | Qt::AlignVCenter);
  }
  area_.setTop(row.bottom() + 2);
}

void FigurePainter::footer() {
  QString line = provenanceLine(figure_);
  if (line.isEmpty()) return;
  QFont small = font_;
  small.setPixelSize(std::max(6, static_cast<int>(font_.pixelSize() * 0.75)));
  p_.setFont(small);
  const QRectF row(area_.left(), area_.bottom() - line_ * 0.8, area_.width(), line_ * 0.8);
  // the longest give way to the others: a name may be any length
  for (qsizetype longest = 64; longest >= 8 && QFontMetricsF(small).horizontalAdvance(line) > row.width();
       longest -= 4)
    line = provenanceLine(figure_, longest);
  words(row, QFontMetricsF(small).elidedText(line, Qt::ElideRight, row.width()), QColor(colors_.textWeak),
        Qt::AlignLeft | Qt::AlignVCenter);
  p_.setFont(font_);
  area_.setBottom(row.top() - 2);
}

/// Diagonal lines inside `box`: what is hidden under computing, in any colour and in print.
void FigurePainter::hatch(const QRectF& box, const QColor& color) {
  constexpr double kApart = 5;
  p_.setPen(QPen(color, 1, Qt::SolidLine, Qt::FlatCap));
  // the lines are those of the picture, so that they go on from box to box and the narrowest has its part;
  // ends are computed, not clipped: SVG writers know no clipping
  for (double sum = std::ceil((box.left() + box.top()) / kApart) * kApart; sum < box.right() + box.bottom();
       sum += kApart) {
    const double from = std::max(sum - box.bottom(), box.left()), to = std::min(sum - box.top(), box.right());
    if (from < to) p_.drawLine(QPointF(from, sum - from), QPointF(to, sum - to));
  }
}

void FigurePainter::bar(const QRectF& box, const FigureSeries& series, const QColor& color) {
  if (box.width() <= 0 || box.height() <= 0) return;
  const Kind kind = series.kind.value_or(Kind::compute);
  const QColor edge = series.kind ? QColor(edgeOf(colors_, kind)) : color.darker(130);
  if (series.overlay || series.outlined) {
    // too narrow for lines: half the colour
    if (box.width() < 5) {
      p_.fillRect(box, QColor(mix(colors_.background, color.rgb(), 0.6)));
      return;
    }
    hatch(box, color);
    p_.setPen(QPen(edge, 1));
    p_.setBrush(Qt::NoBrush);
    p_.drawRect(box);
    return;
  }
  p_.fillRect(box, color);
  cue(box, kind);
  const bool pale = series.kind && contrast(color.rgb(), colors_.background) < 3;
  if (box.height() <= 2 || box.width() <= (pale ? 3 : 6)) return;
  p_.setPen(QPen(edge, 1));
  p_.setBrush(Qt::NoBrush);
  p_.drawRect(box);
}

/// The second sign of a kind beside its colour: dots for quantising, vertical stripes for synchronising.
void FigurePainter::cue(const QRectF& box, Kind kind) {
  if (kind != Kind::quantise && kind != Kind::synchronise) return;
  p_.save();
  p_.setClipRect(box, Qt::IntersectClip);
  p_.setPen(QPen(QColor(colors_.background), 1, kind == Kind::quantise ? Qt::DotLine : Qt::SolidLine));
  for (double x = box.left() + 3; x < box.right(); x += 6)
    p_.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
  p_.restore();
}

/// One curve is named by its axis, one layer of bars too; marks alone say nothing.
void FigurePainter::legend() {
  if (figure_.series.size() < (figure_.form == FigureForm::points ? 1 : 2)) return;
  double x = area_.left(), y = area_.top();
  const double lowest = y + std::max(2 * line_, area_.height() * 0.4);
  for (std::size_t i = 0; i < figure_.series.size(); ++i) {
    const FigureSeries& series = figure_.series[i];
    const double wanted = 24 + width(series.name) + 14;
    if (x > area_.left() && x + wanted > area_.right()) {
      x = area_.left();
      y += line_;
    }
    if (const std::size_t left = figure_.series.size() - i; left > 1 && y + line_ > lowest) {
      words(QRectF(x, y, area_.width(), line_), QString("… and %1 more; the CSV form names all").arg(left),
            QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
      break;
    }
    const QColor color = figureColor(series, i, style_.theme);
    const QRectF swatch(x, y + line_ / 2 - 5, 18, 10);
    const bool points = figure_.form == FigureForm::points || figure_.form == FigureForm::rowPoints;
    if (series.band) {
      hatch(swatch, color);
      p_.setBrush(Qt::NoBrush);
      p_.setPen(QPen(color, 1));
      p_.drawRect(swatch);
    } else if (figure_.form == FigureForm::lines || points) {
      p_.setPen(
          QPen(color, 2, points ? seriesDash(static_cast<std::size_t>(series.dash)) : curveDash(series, i)));
      if (!points || series.joined)
        p_.drawLine(QPointF(swatch.left(), swatch.center().y()),
                    QPointF(swatch.right(), swatch.center().y()));
      if (points) mark(swatch.center(), series, color);
    } else {
      bar(swatch, series, color);
    }
    words(QRectF(x + 24, y, wanted, line_), series.name, QColor(colors_.text),
          Qt::AlignLeft | Qt::AlignVCenter);
    x += wanted;
  }
  area_.setTop(y + line_ + 4);
}

/// A legend of the kinds that occur, and of what idle time waits for.
void FigurePainter::kindLegend() {
  double x = area_.left();
  const auto entry = [&](const FigureSeries& series, const QString& label) {
    const double wanted = 24 + width(label) + 14;
    if (x > area_.left() && x + wanted > area_.right()) {
      x = area_.left();
      area_.setTop(area_.top() + line_);
    }
    bar(QRectF(x, area_.top() + line_ / 2 - 5, 18, 10), series, figureColor(series, 0, style_.theme));
    words(QRectF(x + 24, area_.top(), wanted, line_), label, QColor(colors_.text),
          Qt::AlignLeft | Qt::AlignVCenter);
    x += wanted;
  };
  for (int k = 0; k < kKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (std::ranges::none_of(figure_.boxes, [kind](const FigureBox& box) {
          return box.kind == kind && !box.waits && !box.color;
        }))
      continue;
    FigureSeries series;
    series.kind = kind;
    const std::string_view name = text(kind);
    entry(series, QString::fromUtf8(name.data(), qsizetype(name.size())));
  }
  std::set<Name> causes;
  for (const FigureBox& box : figure_.boxes)
    if (box.waits) causes.insert(*box.waits);
  for (const Name cause : causes) {
    FigureSeries series;
    series.color = causeColor(cause);
    series.outlined = true;
    const std::string_view word = causeText(cause);
    entry(series, "waits: " + QString::fromUtf8(word.data(), qsizetype(word.size())));
  }
  area_.setTop(area_.top() + line_ + 4);
}

void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style, FigureHits* hits) {
  FigurePainter(painter, figure, style, hits).paint();
}

double neededHeight(const Figure& figure, const FigureStyle& style) {
  const bool table = figure.form == FigureForm::table && figure.table.whole;
  if (!(table || figure.form == FigureForm::rowPoints) || figure.empty()) return 0;
  QImage nowhere(1, 1, QImage::Format_RGB32);
  QPainter painter(&nowhere);
  FigurePainter drawn(painter, figure, style, nullptr);
  return table ? drawn.tableHeight() : drawn.rowsHeight();
}

FigureStyle roomyStyle(const Figure& figure, FigureStyle style) {
  style.size.setHeight(std::max(style.size.height(), std::ceil(neededHeight(figure, style))));
  return style;
}

double paintFigureHeader(QPainter& painter, const Figure& figure, const FigureStyle& style) {
  return FigurePainter(painter, figure, style, nullptr).paintHeader();
}

}  // namespace halo
