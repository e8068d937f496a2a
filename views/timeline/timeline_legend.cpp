#include "views/timeline/timeline_legend.h"

#include <QPainter>
#include <QResizeEvent>
#include <algorithm>

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/timeline/timeline_marks.h"
#include "views/timeline/timeline_tooltip.h"

namespace halo {
namespace {

constexpr int kSwatch = 22;
constexpr int kBeside = 6;    // between swatch and words
constexpr int kSpacing = 14;  // between entries
constexpr int kMargin = 8;

/// As the lanes draw a wide span of the kind.
void paintSwatch(QPainter& painter, QRect box, Kind kind, const Palette& colors) {
  const Cue cue = cueOf(kind);
  // of a thin line's height at least so much that its colour shows
  const int filled = std::max(5, static_cast<int>(box.height() * cueHeight(cue)));
  const QRect fill(box.left(), box.bottom() + 1 - filled, box.width(), filled);
  painter.fillRect(box, QColor::fromRgb(colors.lane));
  painter.fillRect(fill, colors.color(kind));
  const QRgb gap = mix(colors.kind[at(kind)], colors.lane, cue == Cue::hollow ? 0.75 : 0.6);
  painter.setPen(QColor::fromRgb(gap));
  for (int y = fill.top(); y <= fill.bottom(); ++y)
    for (int x = fill.left(); x <= fill.right(); ++x)
      if (cueGap(cue, x, y)) painter.drawPoint(x, y);
  if (cue == Cue::baseline) return;
  painter.setPen(QColor::fromRgb(edgeOf(colors, kind)));
  painter.drawRect(fill.adjusted(0, 0, -1, -1));
}

/// As the lanes draw what is waited for.
void paintCause(QPainter& painter, QRect box, Name cause, const Palette& colors) {
  painter.fillRect(box, QColor::fromRgb(colors.lane));
  const int filled = std::max(5, static_cast<int>(box.height() * cueHeight(Cue::hollow)));
  painter.setPen(QColor::fromRgb(seriesColor(colors.theme, causeColor(cause))));
  for (int y = box.bottom() + 1 - filled; y <= box.bottom(); ++y)
    for (int x = box.left(); x <= box.right(); ++x)
      if (!waitGap(x, y)) painter.drawPoint(x, y);
}

QString signText(NodeSign sign) {
  switch (sign) {
    case NodeSign::batch:
      return QStringLiteral("hue of the batch");
    case NodeSign::queue:
      return QStringLiteral("batches that wait");
    case NodeSign::kept:
      return QStringLiteral("change kept");
    case NodeSign::undone:
      return QStringLiteral("change undone or open");
  }
  return {};
}

}  // namespace

TimelineLegend::TimelineLegend(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Legend and statistics of the selection"));
  takeHeight();
}

QSize TimelineLegend::sizeHint() const { return {600, lineHeight() + 4}; }

void TimelineLegend::setStatistics(TimeRange range, const SelectionStatistics& statistics,
                                   const QString& run) {
  range_ = range;
  statisticsOf_ = run;
  statistics_ = statistics;
  const QString all = text();
  setAccessibleDescription(all);
  setToolTip(range_.empty() ? QString() : QString(all).replace(QStringLiteral("; "), QStringLiteral("\n")));
  takeHeight();
  update();
}

void TimelineLegend::setWaits(std::vector<Name> waits) {
  if (waits == waits_) return;
  waits_ = std::move(waits);
  tallest_ = 0;
  setAccessibleDescription(text());
  takeHeight();
  update();
}

void TimelineLegend::setSigns(std::vector<NodeSign> signs) {
  if (signs == signs_) return;
  signs_ = std::move(signs);
  tallest_ = 0;
  setAccessibleDescription(text());
  takeHeight();
  update();
}

QString TimelineLegend::entryText(std::size_t kind, Words words) const {
  const QString entry = kindText(static_cast<Kind>(kind));
  if (range_.empty() || statistics_.rows == 0) return entry;
  const double totalNs = static_cast<double>(range_.lengthNs()) * static_cast<double>(statistics_.rows);
  const std::int64_t ns = statistics_.ns[kind];
  return QStringLiteral("%1 %2 %3")
      .arg(entry, formatNs(ns, words == Words::full ? 4 : 3), formatShare(static_cast<double>(ns) / totalNs));
}

QString TimelineLegend::summary(Words words) const {
  if (range_.empty()) return {};
  const auto rows = static_cast<std::int64_t>(statistics_.rows);
  const QString lanes = rows == 1 ? tr("%1 lane").arg(laneText(statistics_.lane))
                                  : tr("%1 %2 lanes").arg(formatCount(rows), laneText(statistics_.lane));
  const QString spans =
      statistics_.spans == 1 ? tr("1 span") : tr("%1 spans").arg(formatCount(statistics_.spans));
  const QString run = statisticsOf_.isEmpty() ? QString() : tr(" of ") + statisticsOf_;
  return QStringLiteral("%1%2 × %3%4, %5")
      .arg(words == Words::full ? tr("selected ") : QString(),
           QStringLiteral("Δ ") + formatNs(range_.lengthNs()), lanes, run, spans);
}

QString TimelineLegend::text() const {
  QStringList entries;
  if (!range_.empty()) entries << summary(Words::full);
  for (std::size_t k = 0; k < kKinds; ++k) {
    entries << entryText(k, Words::full);
    if (!range_.empty() && statistics_.rows > 0)
      entries.last() += QStringLiteral(" (%1 ns)").arg(formatCount(statistics_.ns[k]));
  }
  for (const Name cause : waits_) entries << waitText(cause);
  for (const NodeSign sign : signs_) entries << signText(sign);
  return entries.join(QStringLiteral("; "));
}

std::vector<TimelineLegend::Entry> TimelineLegend::flow(int width, Words words) const {
  std::vector<Entry> entries;
  if (!range_.empty()) entries.push_back({{}, summary(words), std::nullopt});
  for (std::size_t k = 0; k < kKinds; ++k) entries.push_back({{}, entryText(k, words), static_cast<Kind>(k)});
  for (const Name cause : waits_) entries.push_back({{}, waitText(cause), std::nullopt, cause});
  for (const NodeSign sign : signs_)
    entries.push_back({{}, signText(sign), std::nullopt, std::nullopt, sign});
  int x = kMargin, y = 2;
  for (Entry& entry : entries) {
    const int wide =
        fontMetrics().horizontalAdvance(entry.text) + 2 + (entry.hasSwatch() ? kSwatch + kBeside : 0);
    if (x > kMargin && x + wide > width - kMargin) {
      x = kMargin;
      y += lineHeight();
    }
    entry.box = QRect(x, y, wide, lineHeight());
    x += wide + kSpacing;
  }
  return entries;
}

std::vector<TimelineLegend::Entry> TimelineLegend::entriesFor(int width) const {
  std::vector<Entry> full = flow(width, Words::full);
  if (full.back().box.top() == full.front().box.top()) return full;
  std::vector<Entry> brief = flow(width, Words::brief);
  return brief.back().box.top() < full.back().box.top() ? brief : full;
}

void TimelineLegend::takeHeight() {
  // nobody has laid it out yet: a width of nothing would ask for a window of a line an entry
  const int wide = testAttribute(Qt::WA_Resized) ? width() : sizeHint().width();
  const int needed = entriesFor(wide).back().box.bottom() + 3;
  // numbers that grow and shrink under a moving mouse must not move the lanes
  tallest_ = range_.empty() ? needed : std::max(needed, tallest_);
  setFixedHeight(tallest_);
}

void TimelineLegend::resizeEvent(QResizeEvent* event) {
  if (event->size().width() != event->oldSize().width()) tallest_ = 0;
  takeHeight();
}

void TimelineLegend::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) {
    tallest_ = 0;
    takeHeight();
  }
  QWidget::changeEvent(event);
}

void TimelineLegend::paintEvent(QPaintEvent*) {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  QPainter painter(this);
  painter.fillRect(rect(), QColor::fromRgb(colors.header));
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, 0, width(), 0);
  for (const Entry& entry : entriesFor(width())) paintEntry(painter, entry);
}

void TimelineLegend::paintEntry(QPainter& painter, const Entry& entry) const {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  const int tall = fontMetrics().ascent();
  QRect words = entry.box;
  if (entry.hasSwatch()) {
    const QRect swatch(words.left(), words.center().y() - tall / 2, kSwatch, tall);
    if (entry.kind) paintSwatch(painter, swatch, *entry.kind, colors);
    if (entry.cause) paintCause(painter, swatch, *entry.cause, colors);
    if (entry.sign) paintNodeSign(painter, swatch, *entry.sign, colors);
    words.setLeft(words.left() + kSwatch + kBeside);
  }
  painter.setPen(QColor::fromRgb(colors.text));
  painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft, entry.text);
}

}  // namespace halo
