#include "views/tally/duration_histogram.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/look/palette.h"
#include "views/look/units.h"
#include "views/spans/span_label.h"

namespace halo {
namespace {

constexpr int kMargin = 8;

QString spansText(std::int64_t count) {
  return count == 1 ? QObject::tr("1 span") : QObject::tr("%1 spans").arg(formatCount(count));
}

}  // namespace

DurationHistogram::DurationHistogram(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Histogram of durations"));
}

void DurationHistogram::setGroup(std::optional<SpanGroup> group) {
  group_ = std::move(group);
  setAccessibleDescription(group_ ? tr("%1, %2, from %3 to %4, median %5")
                                        .arg(spanLabel(group_->key.name, group_->key.layer),
                                             spansText(group_->count), formatNs(group_->shortestNs),
                                             formatNs(group_->longestNs), formatNsOf(group_->medianNs))
                                  : QString());
  update();
}

QRect DurationHistogram::area() const {
  const int line = fontMetrics().height() + 2;
  return rect().adjusted(kMargin, line + 4, -kMargin, -line - 2);
}

int DurationHistogram::xOf(double ns) const {
  const double least = group_->binBeginNs(0), most = group_->binBeginNs(group_->bins.size());
  if (most <= least) return area().center().x();
  const double share = std::log(std::max(ns, least) / least) / std::log(most / least);
  return area().left() + static_cast<int>(std::lround(share * (area().width() - 1)));
}

QRect DurationHistogram::bar(std::size_t bin) const {
  const auto bins = static_cast<int>(group_->bins.size());
  const QRect room = area();
  if (bins == 1) return {room.center().x() - 10, room.top(), 20, room.height()};  // all are equally long
  const auto edge = [&](int at) { return room.left() + at * room.width() / bins; };
  const auto at = static_cast<int>(bin);
  const auto most = static_cast<double>(std::ranges::max(group_->bins));
  const std::int64_t count = group_->bins[bin];
  // what is there is seen
  const int high =
      count == 0 ? 0 : std::max(1, static_cast<int>(static_cast<double>(count) / most * room.height()));
  return {edge(at), room.bottom() + 1 - high, std::max(1, edge(at + 1) - edge(at) - 1), high};
}

QString DurationHistogram::barText(int x) const {
  if (!group_) return {};
  for (std::size_t bin = 0; bin < group_->bins.size(); ++bin) {
    const QRect rect = bar(bin);
    if (x < rect.left() || x > rect.right() + 1) continue;
    if (group_->bins.size() == 1)
      return tr("%1 of %2").arg(spansText(group_->count), formatNs(group_->shortestNs));
    return tr("%1 of %2 to %3")
        .arg(spansText(group_->bins[bin]), formatNsOf(group_->binBeginNs(bin), 3),
             formatNsOf(group_->binBeginNs(bin + 1), 3));
  }
  return {};
}

void DurationHistogram::paintEvent(QPaintEvent*) {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  QPainter painter(this);
  const QRect room = area();
  const int line = fontMetrics().height();
  painter.setPen(QColor::fromRgb(colors.textWeak));
  if (!group_) {
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Choose a row to see how long its spans are."));
    return;
  }
  const auto k = at(group_->kind);
  for (std::size_t bin = 0; bin < group_->bins.size(); ++bin) {
    const QRect rect = bar(bin);
    if (rect.isEmpty()) continue;
    painter.fillRect(rect, QColor::fromRgb(colors.kind[k]));
    painter.setPen(QColor::fromRgb(edgeOf(colors, group_->kind)));
    if (rect.width() > 3 && rect.height() > 2) painter.drawRect(rect.adjusted(0, 0, -1, -1));
  }
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(room.left(), room.bottom() + 1, room.right(), room.bottom() + 1);
  painter.setPen(QColor::fromRgb(colors.text));
  if (group_->bins.size() > 1) {
    painter.drawLine(xOf(group_->medianNs), room.top(), xOf(group_->medianNs), room.bottom());
    painter.setPen(QPen(QColor::fromRgb(colors.text), 1, Qt::DashLine));
    painter.drawLine(xOf(group_->p95Ns), room.top(), xOf(group_->p95Ns), room.bottom());
  }
  const QString title =
      tr("%1 · %2").arg(spanLabel(group_->key.name, group_->key.layer), spansText(group_->count));
  painter.setPen(QColor::fromRgb(colors.text));
  painter.drawText(QRect(room.left(), 2, room.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(title, Qt::ElideRight, room.width()));
  const QRect below(room.left(), room.bottom() + 3, room.width(), line);
  painter.setPen(QColor::fromRgb(colors.textWeak));
  if (group_->bins.size() == 1) {
    painter.drawText(below, Qt::AlignHCenter, formatNs(group_->shortestNs, 3));
    return;
  }
  painter.drawText(below, Qt::AlignLeft, formatNs(group_->shortestNs, 3));
  painter.drawText(below, Qt::AlignHCenter, tr("median │  95 % ┆"));
  painter.drawText(below, Qt::AlignRight, formatNs(group_->longestNs, 3));
}

bool DurationHistogram::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = barText(help->pos().x());
  text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace halo
