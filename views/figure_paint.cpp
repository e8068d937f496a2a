#include "views/figure_paint.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/axis.h"
#include "views/figure_scale.h"
#include "views/units.h"

namespace halo {

namespace {

class FigurePainter {
 public:
  FigurePainter(QPainter& painter, const Figure& figure, const FigureStyle& style)
      : p_(painter),
        figure_(figure),
        style_(style),
        colors_(palette(style.theme)),
        font_(style.font),
        line_(style.fontSize * 1.5) {
    font_.setPixelSize(std::max(1, static_cast<int>(std::lround(style.fontSize))));
    p_.setFont(font_);
  }

  void paint() {
    const QRectF page(QPointF(0, 0), style_.size);
    p_.fillRect(page, QColor(colors_.background));
    p_.setRenderHint(QPainter::Antialiasing);
    area_ = page.adjusted(10, 6, -12, -6);
    header();
    if (style_.footer) footer();
    if (figure_.empty()) {
      words(area_, figure_.emptyReason.isEmpty() ? "Nothing recorded." : figure_.emptyReason,
            QColor(colors_.textWeak), Qt::AlignCenter | Qt::TextWordWrap);
      return;
    }
    switch (figure_.form) {
      case FigureForm::lines:
      case FigureForm::stackedBars:
        legend();
        chart();
        break;
      case FigureForm::heatMap:
        heatMap();
        break;
      case FigureForm::lanes:
        lanes();
        break;
      case FigureForm::table:
        table();
        break;
    }
  }

 private:
  double width(const QString& text) const { return QFontMetricsF(font_).horizontalAdvance(text); }

  void words(const QRectF& where, const QString& text, const QColor& color, int flags) {
    p_.setPen(color);
    p_.drawText(where, flags, text);
  }

  void header() {
    QFont bold = font_;
    bold.setBold(true);
    const QString marks = figure_.marks.join(" · ");
    const double markWidth = marks.isEmpty() ? 0 : width(marks) + 12;
    QRectF row(area_.left(), area_.top(), area_.width(), line_);
    p_.setFont(bold);
    words(row.adjusted(0, 0, -markWidth, 0),
          QFontMetricsF(bold).elidedText(figure_.title, Qt::ElideRight, row.width() - markWidth),
          QColor(colors_.text), Qt::AlignLeft | Qt::AlignVCenter);
    p_.setFont(font_);
    if (!marks.isEmpty()) words(row, marks, QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
    area_.setTop(row.bottom() + 2);
  }

  void footer() {
    const QString line = provenanceLine(figure_);
    if (line.isEmpty()) return;
    QFont small = font_;
    small.setPixelSize(std::max(6, static_cast<int>(font_.pixelSize() * 0.75)));
    p_.setFont(small);
    const QRectF row(area_.left(), area_.bottom() - line_ * 0.8, area_.width(), line_ * 0.8);
    words(row, QFontMetricsF(small).elidedText(line, Qt::ElideRight, row.width()), QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignVCenter);
    p_.setFont(font_);
    area_.setBottom(row.top() - 2);
  }

  /// Diagonal lines inside `box`: what is hidden under computing, in any colour and in print.
  void hatch(const QRectF& box, const QColor& color) {
    p_.save();
    p_.setClipRect(box, Qt::IntersectClip);
    p_.setPen(QPen(color, 1));
    for (double x = box.left() - box.height(); x < box.right(); x += 5)
      p_.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
    p_.restore();
  }

  void bar(const QRectF& box, const FigureSeries& series, const QColor& color) {
    if (box.width() <= 0 || box.height() <= 0) return;
    if (series.overlay) {
      p_.fillRect(box, QColor(colors_.background));
      hatch(box, color);
      p_.setPen(QPen(color, 1));
      p_.setBrush(Qt::NoBrush);
      p_.drawRect(box);
      return;
    }
    p_.fillRect(box, color);
    cue(box, series.kind.value_or(Kind::compute));
    if (box.height() > 2 && box.width() > 6) {
      p_.setPen(QPen(color.darker(130), 1));
      p_.setBrush(Qt::NoBrush);
      p_.drawRect(box);
    }
  }

  /// The second sign of a kind beside its colour: dots for quantising, vertical stripes for synchronising.
  void cue(const QRectF& box, Kind kind) {
    if (kind != Kind::quantise && kind != Kind::synchronise) return;
    p_.save();
    p_.setClipRect(box, Qt::IntersectClip);
    p_.setPen(QPen(QColor(colors_.background), 1, kind == Kind::quantise ? Qt::DotLine : Qt::SolidLine));
    for (double x = box.left() + 3; x < box.right(); x += 6)
      p_.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
    p_.restore();
  }

  void legend() {
    if (figure_.series.size() < 2) return;
    double x = area_.left(), y = area_.top();
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      const FigureSeries& series = figure_.series[i];
      const double wanted = 24 + width(series.name) + 14;
      if (x > area_.left() && x + wanted > area_.right()) {
        x = area_.left();
        y += line_;
      }
      const QColor color = figureColor(series, i, style_.theme);
      const QRectF swatch(x, y + line_ / 2 - 5, 18, 10);
      if (figure_.form == FigureForm::lines) {
        p_.setPen(QPen(color, 2, seriesDash(i)));
        p_.drawLine(QPointF(swatch.left(), swatch.center().y()),
                    QPointF(swatch.right(), swatch.center().y()));
      } else {
        bar(swatch, series, color);
      }
      words(QRectF(x + 24, y, wanted, line_), series.name, QColor(colors_.text),
            Qt::AlignLeft | Qt::AlignVCenter);
      x += wanted;
    }
    area_.setTop(y + line_ + 4);
  }

  void ranges() {
    double xLow = 1e300, xHigh = -1e300, yLow = 1e300, yHigh = -1e300;
    std::vector<double> heights(static_cast<std::size_t>(figure_.x.categories.size()));
    for (const FigureSeries& s : figure_.series)
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        if (figure_.form == FigureForm::stackedBars) {
          if (!s.overlay) heights[i] += s.y[i];
          yHigh = std::max({yHigh, heights[i], s.y[i]});
        } else {
          if (!std::isfinite(s.y[i]) || (figure_.y.logarithmic && s.y[i] <= 0)) continue;
          xLow = std::min(xLow, s.x[i]);
          xHigh = std::max(xHigh, s.x[i]);
          yLow = std::min(yLow, s.y[i]);
          yHigh = std::max(yHigh, s.y[i]);
        }
      }
    if (figure_.form == FigureForm::stackedBars) yLow = 0;
    if (yHigh < yLow) yLow = 0, yHigh = 1;
    if (xHigh <= xLow) xHigh = xLow + 1;
    niceRange(yLow, yHigh, figure_.y.logarithmic, 6);
    x_.low = xLow, x_.high = xHigh;
    y_.low = yLow, y_.high = yHigh, y_.logarithmic = figure_.y.logarithmic;
  }

  void chart() {
    ranges();
    const auto ticks = figure_.y.logarithmic
                           ? logTicks(y_.low, y_.high)
                           : linearTicks(y_.low, y_.high, std::max(2, int(area_.height() / 45)));
    double widest = 0;
    for (const Tick& tick : ticks) widest = std::max(widest, width(tick.label));
    plot_ = area_.adjusted(widest + line_ + 10, line_ * 0.5, -6, -2 * line_);
    y_.from = plot_.bottom(), y_.to = plot_.top();
    x_.from = plot_.left(), x_.to = plot_.right();
    for (const Tick& tick : ticks) {
      const double y = y_.at(tick.value);
      p_.setPen(QPen(QColor(colors_.grid), 1));
      p_.drawLine(QPointF(plot_.left(), y), QPointF(plot_.right(), y));
      words(QRectF(plot_.left() - widest - 6, y - line_ / 2, widest, line_), tick.label,
            QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
    }
    axisTitles();
    if (figure_.form == FigureForm::lines)
      curves();
    else
      bars();
    notes();
    p_.setPen(QPen(QColor(colors_.text), 1));
    p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
    p_.drawLine(plot_.bottomLeft(), plot_.topLeft());
  }

  void axisTitles() {
    words(QRectF(plot_.left(), plot_.bottom() + line_, plot_.width(), line_), figure_.x.label(),
          QColor(colors_.text), Qt::AlignCenter);
    p_.save();
    p_.translate(area_.left(), plot_.center().y());
    p_.rotate(-90);
    words(QRectF(-plot_.height() / 2, 0, plot_.height(), line_), figure_.y.label(), QColor(colors_.text),
          Qt::AlignCenter);
    p_.restore();
  }

  void xTicks() {
    const auto ticks = linearTicks(x_.low, x_.high, std::max(2, static_cast<int>(plot_.width() / 80)));
    for (const Tick& tick : ticks) {
      const double x = x_.at(tick.value);
      p_.setPen(QPen(QColor(colors_.text), 1));
      p_.drawLine(QPointF(x, plot_.bottom()), QPointF(x, plot_.bottom() + 3));
      words(QRectF(x - 60, plot_.bottom() + 2, 120, line_), tick.label, QColor(colors_.textWeak),
            Qt::AlignHCenter | Qt::AlignTop);
    }
  }

  void curves() {
    xTicks();
    p_.save();
    p_.setClipRect(plot_.adjusted(-2, -2, 2, 2), Qt::IntersectClip);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      std::vector<double> x = figure_.series[i].x, y = figure_.series[i].y;
      decimate(x, y);
      QPolygonF points;
      for (std::size_t k = 0; k < x.size(); ++k)
        if (!y_.logarithmic || y[k] > 0) points << QPointF(x_.at(x[k]), y_.at(y[k]));
      const QColor color = figureColor(figure_.series[i], i, style_.theme);
      p_.setPen(QPen(color, 1.6, seriesDash(i), Qt::RoundCap, Qt::RoundJoin));
      p_.setBrush(Qt::NoBrush);
      p_.drawPolyline(points);
      if (points.size() > 30) continue;
      p_.setBrush(color);
      p_.setPen(Qt::NoPen);
      for (const QPointF& point : points) p_.drawEllipse(point, 2.5, 2.5);
    }
    p_.restore();
  }

  /// Names of places along the x axis: every k-th, so that they do not touch.
  void categories(double step, double left) {
    double widest = 1;
    for (const QString& name : figure_.x.categories) widest = std::max(widest, width(name));
    const auto every = std::max<qsizetype>(1, static_cast<qsizetype>(std::ceil((widest + 6) / step)));
    for (qsizetype i = 0; i < figure_.x.categories.size(); i += every)
      words(QRectF(left + (double(i) + 0.5) * step - widest, plot_.bottom() + 2, 2 * widest, line_),
            figure_.x.categories[i], QColor(colors_.textWeak), Qt::AlignHCenter | Qt::AlignTop);
  }

  void bars() {
    const auto count = figure_.x.categories.size();
    const double step = plot_.width() / static_cast<double>(std::max<qsizetype>(1, count));
    categories(step, plot_.left());
    std::vector<double> base(static_cast<std::size_t>(count));
    for (std::size_t s = 0; s < figure_.series.size(); ++s) {
      const FigureSeries& series = figure_.series[s];
      const QColor color = figureColor(series, s, style_.theme);
      for (std::size_t i = 0; i < base.size(); ++i) {
        const double from = series.overlay ? 0 : base[i];
        const double share = series.overlay ? 0.24 : std::min(0.72, 90 / step);
        const double center = plot_.left() + (static_cast<double>(i) + 0.5) * step;
        const double half = share * std::min(step, 125.0) / 2;
        const double top = y_.at(from + series.y[i]);
        bar(QRectF(center - half, top, 2 * half, y_.at(from) - top), series, color);
        if (!series.overlay) base[i] += series.y[i];
      }
    }
  }

  void notes() {
    for (const FigureNote& note : figure_.notes) {
      const double x = x_.at(note.x);
      if (x < plot_.left() || x > plot_.right()) continue;
      p_.setPen(QPen(QColor(colors_.textWeak), 1, Qt::DashLine));
      p_.drawLine(QPointF(x, plot_.top()), QPointF(x, plot_.bottom()));
      words(QRectF(x + 3, plot_.top(), 200, line_), note.text, QColor(colors_.text),
            Qt::AlignLeft | Qt::AlignVCenter);
    }
  }

  /// Room for the names left of the plot, the x axis below; returns the height of a row.
  double rows(double right) {
    double widest = 0;
    for (const QString& name : figure_.y.categories) widest = std::max(widest, width(name));
    plot_ = area_.adjusted(std::min(widest, area_.width() / 3) + line_ + 8, 4, -right, -2 * line_);
    x_.from = plot_.left(), x_.to = plot_.right();
    const double step =
        plot_.height() / static_cast<double>(std::max<qsizetype>(1, figure_.y.categories.size()));
    const auto every = std::max<qsizetype>(1, static_cast<qsizetype>(std::ceil(line_ * 0.9 / step)));
    for (qsizetype i = 0; i < figure_.y.categories.size(); i += every)
      words(QRectF(plot_.left() - widest - 6, plot_.top() + (double(i) + 0.5) * step - line_ / 2, widest,
                   line_),
            figure_.y.categories[i], QColor(colors_.textWeak), Qt::AlignRight | Qt::AlignVCenter);
    axisTitles();
    return step;
  }

  void heatMap() {
    double high = 0;
    for (const double value : figure_.grid.values)
      if (std::isfinite(value)) high = std::max(high, value);
    const double step = rows(90);
    const auto columns = figure_.x.categories.size();
    const double cell = plot_.width() / static_cast<double>(std::max<qsizetype>(1, columns));
    categories(cell, plot_.left());
    for (std::size_t i = 0; i < figure_.grid.values.size(); ++i) {
      const double value = figure_.grid.values[i];
      const auto row = static_cast<qsizetype>(i) / columns, column = static_cast<qsizetype>(i) % columns;
      const QRectF box(plot_.left() + double(column) * cell, plot_.top() + double(row) * step, cell, step);
      const double share = high > 0 && std::isfinite(value) ? value / high : 0;
      p_.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5),
                  std::isfinite(value) ? heatColor(share, style_.theme) : QColor(colors_.background));
      const QString label = std::isfinite(value) ? formatNumber(value) : "–";
      if (width(label) + 4 > cell || step < line_) continue;
      words(box, label, share > 0.5 ? QColor(colors_.background) : QColor(colors_.text), Qt::AlignCenter);
    }
    p_.setPen(QPen(QColor(colors_.grid), 1));
    p_.setBrush(Qt::NoBrush);
    p_.drawRect(plot_);
    heatLegend(high);
  }

  void heatLegend(double high) {
    const QRectF strip(plot_.right() + 12, plot_.top() + line_, 14, std::min(plot_.height() - line_, 160.0));
    constexpr int kSteps = 32;
    for (int i = 0; i < kSteps; ++i)
      p_.fillRect(QRectF(strip.left(), strip.bottom() - (i + 1) * strip.height() / kSteps, strip.width(),
                         strip.height() / kSteps + 0.5),
                  heatColor((i + 0.5) / kSteps, style_.theme));
    words(QRectF(strip.left(), strip.top() - line_, 90, line_), figure_.grid.unit, QColor(colors_.text),
          Qt::AlignLeft | Qt::AlignVCenter);
    words(QRectF(strip.right() + 4, strip.top() - line_ / 2, 60, line_), formatNumber(high),
          QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
    words(QRectF(strip.right() + 4, strip.bottom() - line_ / 2, 60, line_), "0", QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignVCenter);
  }

  void lanes() {
    kindLegend();
    x_.low = figure_.boxes.front().begin, x_.high = figure_.boxes.front().end;
    for (const FigureBox& box : figure_.boxes) {
      x_.low = std::min(x_.low, box.begin);
      x_.high = std::max(x_.high, box.end);
    }
    if (x_.high <= x_.low) x_.high = x_.low + 1;
    const double step = rows(6);
    xTicks();
    for (const FigureBox& box : figure_.boxes) {
      FigureSeries series;
      series.kind = box.kind;
      series.overlay = box.hatched;
      const double left = x_.at(box.begin);
      bar(QRectF(left, plot_.top() + box.lane * step + step * 0.12, std::max(0.3, x_.at(box.end) - left),
                 step * 0.76),
          series, figureColor(series, 0, style_.theme));
    }
    p_.setPen(QPen(QColor(colors_.text), 1));
    p_.drawLine(plot_.bottomLeft(), plot_.bottomRight());
  }

  /// A legend of the kinds that occur.
  void kindLegend() {
    double x = area_.left();
    for (int k = 0; k < kKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      if (std::ranges::none_of(figure_.boxes, [kind](const FigureBox& box) { return box.kind == kind; }))
        continue;
      FigureSeries series;
      series.kind = kind;
      const std::string_view name = text(kind);
      const QString label = QString::fromUtf8(name.data(), qsizetype(name.size()));
      bar(QRectF(x, area_.top() + line_ / 2 - 5, 18, 10), series, figureColor(series, 0, style_.theme));
      words(QRectF(x + 24, area_.top(), 200, line_), label, QColor(colors_.text),
            Qt::AlignLeft | Qt::AlignVCenter);
      x += 24 + width(label) + 14;
    }
    area_.setTop(area_.top() + line_ + 4);
  }

  void table() {
    const FigureTable& table = figure_.table;
    std::vector<double> widths;
    double sum = 0;
    for (qsizetype c = 0; c < table.columns.size(); ++c) {
      double widest = width(table.columns[c]);
      for (const QStringList& row : table.rows) widest = std::max(widest, width(row.value(c)));
      widths.push_back(std::min(widest + 14, 260.0));
      sum += widths.back();
    }
    const double shrink = std::min(1.0, area_.width() / std::max(sum, 1.0));
    const auto draw = [&](const QStringList& row, double y, const QColor& color) {
      double x = area_.left();
      for (std::size_t c = 0; c < widths.size(); x += widths[c++] * shrink)
        words(
            QRectF(x, y, widths[c] * shrink - 6, line_),
            QFontMetricsF(font_).elidedText(row.value(qsizetype(c)), Qt::ElideRight, widths[c] * shrink - 6),
            color, Qt::AlignLeft | Qt::AlignVCenter);
    };
    draw(table.columns, area_.top(), QColor(colors_.text));
    p_.setPen(QPen(QColor(colors_.text), 1));
    p_.drawLine(QPointF(area_.left(), area_.top() + line_), QPointF(area_.right(), area_.top() + line_));
    const auto fit = static_cast<std::size_t>(std::max(1.0, (area_.height() - 2 * line_) / line_));
    const std::size_t shown = table.rows.size() <= fit + 1 ? table.rows.size() : fit;
    for (std::size_t r = 0; r < shown; ++r)
      draw(table.rows[r], area_.top() + (static_cast<double>(r) + 1) * line_ + 2, QColor(colors_.text));
    if (shown < table.rows.size())
      words(QRectF(area_.left(), area_.top() + (static_cast<double>(shown) + 1) * line_ + 2, area_.width(),
                   line_),
            QString("… and %1 more rows; the CSV form has all").arg(table.rows.size() - shown),
            QColor(colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
  }

  QPainter& p_;
  const Figure& figure_;
  const FigureStyle& style_;
  const Palette& colors_;
  QFont font_;
  double line_;
  QRectF area_, plot_;
  FigureScale x_, y_;
};

}  // namespace

void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style) {
  FigurePainter(painter, figure, style).paint();
}

}  // namespace halo
