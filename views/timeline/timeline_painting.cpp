#include "views/timeline/timeline_canvas.h"

#include <QBackingStore>
#include <QElapsedTimer>
#include <QFontMetrics>
#include <QPaintEngine>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/look/axis.h"
#include "views/look/units.h"
#include "views/timeline/timeline_ruler.h"

namespace halo {
namespace {

constexpr double kTickSpacing = 96;

QColor withAlpha(QRgb rgb, int alpha) {
  QColor color = QColor::fromRgb(rgb);
  color.setAlpha(alpha);
  return color;
}

/// The pixels of the window's backing store under `area`, to draw there without a copy; null where the
/// painter paints elsewhere (a picture being grabbed) or the store is of another kind.
QImage storeUnder(const QPainter& painter, const QWidget& widget, const QRect& area, QSize size) {
  const QBackingStore* backing = widget.backingStore();
  QPaintDevice* device = backing == nullptr ? nullptr : const_cast<QBackingStore*>(backing)->paintDevice();
  if (device == nullptr || device != painter.paintEngine()->paintDevice()) return {};
  if (device->devType() != QInternal::Image) return {};
  QImage& store = static_cast<QImage&>(*device);
  const bool suits =
      store.format() == QImage::Format_RGB32 || store.format() == QImage::Format_ARGB32_Premultiplied;
  const QPoint at = painter.deviceTransform().map(QPointF(area.topLeft())).toPoint();
  if (!suits || !store.rect().contains(QRect(at, size))) return {};
  uchar* first = store.scanLine(at.y()) + at.x() * static_cast<qsizetype>(sizeof(QRgb));
  return {first, size.width(), size.height(), store.bytesPerLine(), QImage::Format_RGB32};
}

}  // namespace

void TimelineCanvas::paintEvent(QPaintEvent* event) {
  QElapsedTimer timer;
  timer.start();
  QPainter painter(this);
  paintLanes(painter, event->region());
  painter.setClipRect(lanes());
  paintEpochs(painter);
  paintSelection(painter);
  painter.setClipping(false);
  paintRuler(painter);
  const auto wanted = std::tuple(model_.version(), scroll_, rowHeight_, colors().theme, size(), currentRow_);
  if (headed_ != wanted) {
    header_ = QPixmap((QSizeF(headerWidth(), height()) * ratio()).toSize());
    header_.setDevicePixelRatio(ratio());
    QPainter header(&header_);
    header.setFont(font());
    paintHeader(header);
    headed_ = wanted;
  }
  painter.drawPixmap(
      QPoint(0, rulerHeight()), header_,
      QRectF(0, rulerHeight() * ratio(), header_.width(), header_.height() - rulerHeight() * ratio())
          .toRect());
  painter.setPen(QColor::fromRgb(colors().frame));
  painter.drawLine(headerWidth() - 1, 0, headerWidth() - 1, rulerHeight());
  if (model_.rows().empty()) paintEmpty(painter);
  emit framePainted(timer.nsecsElapsed());
}

void TimelineCanvas::paintLanes(QPainter& painter, const QRegion& dirty) {
  const QRect area = lanes();
  const PixelGrid at = grid();
  const int tall = static_cast<int>(std::lround(area.height() * ratio()));
  const auto draw = [&](QImage& picture) {
    raster_.draw(picture, model_, visiblePlaces(places_, static_cast<int>(scroll_ * ratio()), tall), at,
                 {&colors(), ratio(), font()});
  };
  const auto wanted = std::tuple(model_.version(), at, scroll_, rowHeight_, colors().theme);
  const bool current = pictured_ == wanted && !model_.rows().empty();
  if (!current && dirty.contains(area) && dirty.rectCount() == 1) {
    QImage store = storeUnder(painter, *this, area, {at.width, tall});
    if (!store.isNull()) {
      pictured_.reset();
      return draw(store);
    }
  }
  if (!current) {
    if (picture_.width() != at.width || picture_.height() != tall)
      picture_ = QImage(at.width, tall, QImage::Format_RGB32);
    draw(picture_);
    pictured_ = wanted;
  }
  picture_.setDevicePixelRatio(ratio());
  painter.drawImage(area.topLeft(), picture_);
}

void TimelineCanvas::paintEpochs(QPainter& painter) {
  const auto& epochs = model_.epochs();
  if (epochs.empty()) return;
  const PixelGrid at = grid();
  const double perEpoch =
      static_cast<double>(epochs.back().beginNs + epochs.back().wallNs - epochs.front().beginNs) /
      static_cast<double>(epochs.size()) / at.nsPerColumn / ratio();
  if (perEpoch < 24) return;
  painter.setPen(QPen(withAlpha(colors().textWeak, 110), 1, Qt::DashLine));
  const TimeRange range = at.range();
  for (std::size_t i = model_.epochAt(range.beginNs).value_or(0); i < epochs.size(); ++i) {
    if (epochs[i].beginNs >= range.endNs) break;
    const int x = static_cast<int>(std::lround(xOf(epochs[i].beginNs)));
    painter.drawLine(x, rulerHeight(), x, height());
  }
}

void TimelineCanvas::paintRange(QPainter& painter, TimeRange range, const QString& label, QRgb color, int top,
                                int bottom) {
  const double left = std::max(xOf(range.beginNs), headerWidth() - 2.0);
  const double right = std::min(xOf(range.endNs), width() + 2.0);
  if (right < left) return;
  painter.fillRect(QRectF(left, top, right - left, bottom - top), withAlpha(color, 46));
  painter.setPen(QPen(QColor::fromRgb(color), 1));
  painter.drawRect(QRectF(left, top, right - left, bottom - top - 1));
  if (label.isEmpty()) return;
  const QFontMetrics metrics(font());
  const int wide = metrics.horizontalAdvance(label) + 10;
  const double middle =
      std::clamp((left + right) / 2, headerWidth() + wide / 2.0 + 2, width() - wide / 2.0 - 2);
  const QRectF box(middle - wide / 2.0, std::max(top, rulerHeight()) + 3, wide, metrics.height() + 2);
  painter.setBrush(QColor::fromRgb(colors().header));
  painter.drawRoundedRect(box, 3, 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QColor::fromRgb(colors().text));
  painter.drawText(box, Qt::AlignCenter, label);
}

void TimelineCanvas::paintSelection(QPainter& painter) {
  const auto box = [&](const RowId& row) -> std::optional<std::pair<int, int>> {
    for (const RowPlace& place : places_)
      if (model_.rows()[place.entry].id == row)
        return std::pair{rulerHeight() - scroll_ + static_cast<int>(place.top / ratio()),
                         static_cast<int>(place.height / ratio())};
    return std::nullopt;
  };
  const TimeRange area = window_.selection();
  if (!area.empty()) {
    int top = height();
    int bottom = rulerHeight();
    for (const RowId& row : areaRows_)
      if (const auto at = box(row)) {
        top = std::min(top, at->first);
        bottom = std::max(bottom, at->first + at->second);
      }
    if (bottom <= top) std::tie(top, bottom) = std::pair(rulerHeight(), height());
    paintRange(painter, area, QStringLiteral("Δ ") + formatNs(area.lengthNs()), colors().accent, top, bottom);
  }
  if (zoomRange_)
    paintRange(painter, *zoomRange_, formatNs(zoomRange_->lengthNs()), colors().accent, 0, height());
  if (measured_)
    paintRange(painter, *measured_, QStringLiteral("Δ ") + formatNs(measured_->lengthNs()), colors().warning,
               rulerHeight(), height());
  for (const Selected& selected : selected_) {
    const SpanRow* spans = spansOf(selected.row);
    const auto at = box(selected.row);
    if (spans == nullptr || !at || selected.index >= spans->size()) continue;
    const double left = std::max(xOf(spans->beginNs(selected.index)), headerWidth() - 4.0);
    const double right = std::min(xOf(spans->endNs(selected.index)), width() + 4.0);
    if (right < left) continue;
    const QRectF frame(left - 1, at->first - 1, std::max(3.0, right - left + 1), at->second + 1);
    painter.setPen(QPen(QColor::fromRgb(colors().lane), 4));
    painter.drawRect(frame);
    painter.setPen(QPen(QColor::fromRgb(colors().accent), 2));
    painter.drawRect(frame);
  }
}

void TimelineCanvas::paintRuler(QPainter& painter) {
  const QFontMetrics metrics(font());
  const QRect area(headerWidth(), 0, width() - headerWidth(), rulerHeight());
  painter.fillRect(QRect(0, 0, width(), rulerHeight()), QColor::fromRgb(colors().header));
  painter.setClipRect(area);
  const PixelGrid at = grid();
  const TimeRange range = at.range();
  const int middle = metrics.height() + 4;
  const auto ticks = timeTicks(range.beginNs, range.endNs, area.width(), kTickSpacing, at.zeroNs);
  for (const TimeTick& tick : ticks) {
    const int x = static_cast<int>(std::lround(xOf(tick.ns)));
    painter.setPen(QColor::fromRgb(tick.major ? colors().textWeak : colors().frame));
    painter.drawLine(x, middle - (tick.major ? 6 : 3), x, middle);
  }
  painter.setPen(QColor::fromRgb(colors().text));
  for (const RulerWord& word : tickWords(ticks, at, ratio(), metrics))
    painter.drawText(QPointF(area.left() + word.x, metrics.ascent() + 2), word.text);
  painter.setPen(QColor::fromRgb(colors().frame));
  painter.drawLine(area.left(), middle, area.right(), middle);
  painter.setPen(QColor::fromRgb(colors().textWeak));
  for (const RulerWord& word :
       epochWords(model_.epochs(), model_.epochAt(range.beginNs).value_or(0), at, ratio(), metrics)) {
    const double mark = area.left() + word.mark;
    if (word.begins) painter.drawLine(QPointF(mark, middle), QPointF(mark, rulerHeight()));
    painter.drawText(QPointF(area.left() + word.x, middle + metrics.ascent() + 2), word.text);
  }
  painter.setClipping(false);
  painter.setPen(QColor::fromRgb(colors().frame));
  painter.drawLine(0, rulerHeight() - 1, width(), rulerHeight() - 1);
}

void TimelineCanvas::paintHeader(QPainter& painter) {
  const QFontMetrics metrics(font());
  const int wide = headerWidth();
  painter.setClipRect(0, rulerHeight(), wide, height() - rulerHeight());
  painter.fillRect(0, rulerHeight(), wide, height() - rulerHeight(), QColor::fromRgb(colors().header));
  QFont bold(font());
  bold.setBold(true);
  int rankTo = 0;  // where the last rank's name ends
  int nameTo = 0;
  for (const RowPlace& place : visiblePlaces(places_, static_cast<int>(scroll_ * ratio()),
                                             static_cast<int>(viewHeight() * ratio()))) {
    const RowEntry& entry = model_.rows()[place.entry];
    const int top = rulerHeight() + static_cast<int>(place.top / ratio());
    const int tall = static_cast<int>(place.height / ratio());
    const bool named = entry.firstOfRank && model_.hasRole(entry.id.rank);  // in the place of the lane's name
    if (entry.firstOfRank) {
      painter.setPen(QColor::fromRgb(colors().frame));
      if (place.entry > 0) painter.drawLine(0, top - kRankGap / 2, wide, top - kRankGap / 2);
      if (top >= rankTo) {
        painter.setPen(QColor::fromRgb(colors().text));
        painter.setFont(bold);
        const QString fold = model_.collapsed(entry.id.rank) ? QStringLiteral("▸") : QStringLiteral("▾");
        const int lane = named ? 0 : metrics.horizontalAdvance(laneText(entry.id.lane)) + 7;
        painter.drawText(QRect(6, top, wide, std::max(tall, metrics.height())),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(bold).elidedText(fold + ' ' + model_.rankName(entry.id.rank),
                                                       Qt::ElideRight, wide - 12 - lane));
        painter.setFont(font());
        rankTo = top + metrics.height();
      }
    }
    if (currentRow_ == entry.id)
      painter.fillRect(QRect(wide - 3, top, 3, tall), QColor::fromRgb(colors().accent));
    if (named || top + (tall - metrics.height()) / 2 < nameTo || tall < metrics.height() * 2 / 3) continue;
    painter.setPen(QColor::fromRgb(colors().textWeak));
    QString name = laneText(entry.id.lane);
    if (entry.id.sub > 0) name += QStringLiteral(" %1").arg(entry.id.sub + 1);
    painter.drawText(QRect(0, top, wide - 7, tall), Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     name);
    nameTo = top + (tall + metrics.height()) / 2 - 2;
  }
  painter.setClipping(false);
  painter.setPen(QColor::fromRgb(colors().frame));
  painter.drawLine(wide - 1, 0, wide - 1, height());
}

void TimelineCanvas::paintEmpty(QPainter& painter) {
  painter.setPen(QColor::fromRgb(colors().textWeak));
  painter.drawText(lanes(), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("No spans are read yet.\nRuns with record.spans = \"none\" have none."));
}

}  // namespace halo
