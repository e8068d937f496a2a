#include "views/timeline_legend.h"

#include <QPainter>

#include "views/timeline_tooltip.h"
#include "views/units.h"

namespace halo {
namespace {

constexpr int kSwatch = 22;
constexpr int kSpacing = 14;

/// As the lanes draw a wide span of the kind.
void paintSwatch(QPainter& painter, QRect box, Kind kind, const Palette& colors) {
  const Cue cue = cueOf(kind);
  const int filled = static_cast<int>(box.height() * cueHeight(cue));
  const QRect fill(box.left(), box.bottom() + 1 - filled, box.width(), filled);
  painter.fillRect(box, QColor::fromRgb(colors.lane));
  painter.fillRect(fill, colors.color(kind));
  const QRgb gap =
      mix(colors.kind[static_cast<std::size_t>(kind)], colors.lane, cue == Cue::hollow ? 0.75 : 0.6);
  painter.setPen(QColor::fromRgb(gap));
  for (int y = fill.top(); y <= fill.bottom(); ++y)
    for (int x = fill.left(); x <= fill.right(); ++x)
      if (cueGap(cue, x, y)) painter.drawPoint(x, y);
  painter.setPen(QColor::fromRgb(mix(colors.kind[static_cast<std::size_t>(kind)], colors.outline, 0.5)));
  painter.drawRect(fill.adjusted(0, 0, -1, -1));
}

}  // namespace

TimelineLegend::TimelineLegend(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize TimelineLegend::sizeHint() const { return {600, fontMetrics().height() + 10}; }

void TimelineLegend::setStatistics(TimeRange range, std::size_t rows, const AreaStatistics& statistics) {
  range_ = range;
  rows_ = rows;
  statistics_ = statistics;
  setAccessibleName(text());
  update();
}

QString TimelineLegend::entryText(std::size_t kind) const {
  QString entry = kindText(static_cast<Kind>(kind));
  if (range_.empty() || rows_ == 0) return entry;
  const double whole = static_cast<double>(range_.lengthNs()) * static_cast<double>(rows_);
  return entry + " " + formatShare(static_cast<double>(statistics_.ns[kind]) / whole);
}

QString TimelineLegend::summary() const {
  if (range_.empty()) return {};
  return tr("selected %1 × %2 lanes, %3 spans")
      .arg(formatNs(range_.lengthNs()), formatCount(static_cast<std::int64_t>(rows_)),
           formatCount(statistics_.spans));
}

QString TimelineLegend::text() const {
  QStringList entries;
  for (std::size_t k = 0; k < kKinds; ++k) entries << entryText(k);
  entries << summary();
  return entries.join(", ");
}

void TimelineLegend::paintEvent(QPaintEvent*) {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  QPainter painter(this);
  painter.fillRect(rect(), QColor::fromRgb(colors.header));
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, 0, width(), 0);
  const int tall = fontMetrics().ascent();
  int x = 8;
  for (std::size_t k = 0; k < kKinds; ++k) {
    const QString entry = entryText(k);
    const int wide = fontMetrics().horizontalAdvance(entry);
    if (x + kSwatch + 6 + wide > width()) return;
    paintSwatch(painter, QRect(x, (height() - tall) / 2, kSwatch, tall), static_cast<Kind>(k), colors);
    painter.setPen(QColor::fromRgb(colors.text));
    painter.drawText(QRect(x + kSwatch + 6, 0, wide + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, entry);
    x += kSwatch + 6 + wide + kSpacing;
  }
  const QString all = summary();
  painter.setPen(QColor::fromRgb(colors.textWeak));
  if (x + fontMetrics().horizontalAdvance(all) + 8 <= width())
    painter.drawText(rect().adjusted(0, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight, all);
}

}  // namespace halo
