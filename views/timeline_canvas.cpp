#include "views/timeline_canvas.h"

#include <QElapsedTimer>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/axis.h"
#include "views/timeline_tooltip.h"
#include "views/units.h"

namespace halo {
namespace {

constexpr int kMotionMs = 120;
constexpr int kRankGap = 4;
constexpr double kTickSpacing = 96;

QColor withAlpha(QRgb rgb, int alpha) {
  QColor color = QColor::fromRgb(rgb);
  color.setAlpha(alpha);
  return color;
}

}  // namespace

TimelineCanvas::TimelineCanvas(TimelineModel& model, TimeWindow& window, QWidget* parent)
    : QWidget(parent), model_(model), window_(window), shown_(window.visible()) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 120);
  setAccessibleName(tr("Timeline"));
  motion_.setDuration(kMotionMs);
  motion_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&model_, &TimelineModel::rowsChanged, this, &TimelineCanvas::updateRows);
  connect(&model_, &TimelineModel::spansChanged, this, qOverload<>(&QWidget::update));
  connect(&model_, &TimelineModel::epochsChanged, this, qOverload<>(&QWidget::update));
  connect(&window_, &TimeWindow::visibleChanged, this, &TimelineCanvas::moveShown);
  connect(&window_, &TimeWindow::selectionChanged, this, [this](TimeRange range) {
    if (range.empty()) areaRows_.clear();
    update();
  });
  connect(&window_, &TimeWindow::spanChanged, this, [this] {
    if (!window_.selectedSpan()) selected_.clear();
    update();
  });
  updateRows();
}

const Palette& TimelineCanvas::colors() const { return halo::palette(themeOf(QWidget::palette())); }

QRect TimelineCanvas::lanes() const {
  return {headerWidth(), rulerHeight(), std::max(1, width() - headerWidth()),
          std::max(1, height() - rulerHeight())};
}

int TimelineCanvas::headerWidth() const {
  const QFontMetrics metrics(font());
  return metrics.horizontalAdvance(QStringLiteral("▾ rank 000  phase 2")) + 12;
}

int TimelineCanvas::rulerHeight() const { return 2 * QFontMetrics(font()).height() + 8; }

PixelGrid TimelineCanvas::grid() const {
  return PixelGrid::of(shown_, model_.extent().beginNs,
                       static_cast<int>(std::lround(lanes().width() * ratio())));
}

double TimelineCanvas::xOf(std::int64_t ns) const { return headerWidth() + grid().pixelOf(ns) / ratio(); }

std::int64_t TimelineCanvas::nsAt(double x) const {
  const PixelGrid at = grid();
  const double column = (x - headerWidth()) * ratio() + static_cast<double>(at.first);
  return at.zeroNs + static_cast<std::int64_t>(std::floor(column * at.nsPerColumn));
}

std::optional<RowId> TimelineCanvas::rowAt(int y) const {
  if (y < rulerHeight()) return std::nullopt;
  const auto place = placeAt(places_, static_cast<int>((y - rulerHeight() + scroll_) * ratio()));
  if (!place) return std::nullopt;
  return model_.rows()[places_[*place].entry].id;
}

int TimelineCanvas::contentHeight() const { return static_cast<int>(std::ceil(heightOf(places_) / ratio())); }

void TimelineCanvas::setScroll(int y) {
  const int bounded = std::clamp(y, 0, std::max(0, contentHeight() - viewHeight()));
  if (bounded == scroll_) return;
  scroll_ = bounded;
  emit layoutChanged();
  update();
}

void TimelineCanvas::setRowHeight(int pixels) {
  const int bounded = std::clamp(pixels, 4, 80);
  if (bounded == rowHeight_) return;
  rowHeight_ = bounded;
  updateRows();
}

void TimelineCanvas::updateRows() {
  places_ = placeRows(model_.rows(), std::max(1, static_cast<int>(std::lround(rowHeight_ * ratio()))),
                      static_cast<int>(std::lround(kRankGap * ratio())));
  const auto gone = [&](const RowId& id) {
    const RowEntry* entry = model_.find(id);
    return entry == nullptr || entry->row == nullptr;
  };
  std::erase_if(selected_, [&](const Selected& s) { return gone(s.row); });
  scroll_ = std::clamp(scroll_, 0, std::max(0, contentHeight() - viewHeight()));
  emit layoutChanged();
  update();
}

void TimelineCanvas::moveShown(TimeRange target) {
  fitting_ = Fitting::none;
  motion_.stop();
  const bool far = shown_.empty() || target.beginNs > shown_.endNs || target.endNs < shown_.beginNs;
  if (!animated_ || !isVisible() || far || drag_ != Drag::none || window_.following()) {
    shown_ = target;
    update();
    return;
  }
  motion_.disconnect(this);
  const TimeRange from = shown_;
  connect(&motion_, &QVariantAnimation::valueChanged, this, [this, from, target](const QVariant& value) {
    const double done = value.toDouble();
    const auto between = [done](std::int64_t a, std::int64_t b) {
      return a + static_cast<std::int64_t>(std::llround(done * static_cast<double>(b - a)));
    };
    shown_ = done >= 1 ? target
                       : TimeRange{between(from.beginNs, target.beginNs), between(from.endNs, target.endNs)};
    update();
  });
  motion_.setStartValue(0.0);
  motion_.setEndValue(1.0);
  motion_.start();
}

void TimelineCanvas::resizeEvent(QResizeEvent*) { updateRows(); }

void TimelineCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    headed_.reset();
    pictured_.reset();
    updateRows();
  }
  QWidget::changeEvent(event);
}

bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltipAt(help->pos());
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return QWidget::event(event);
}

QString TimelineCanvas::tooltipAt(QPoint place) const {
  if (!lanes().contains(place)) return {};
  const auto row = rowAt(place.y());
  const SpanRow* spans = row ? spansOf(*row) : nullptr;
  if (spans == nullptr) return {};
  const PixelGrid at = grid();
  const auto column = at.first + static_cast<std::int64_t>((place.x() - headerWidth()) * ratio());
  const auto last = column + std::max<std::int64_t>(1, std::lround(ratio()));
  const PixelFacts facts =
      factsOf(*spans, {at.beginOf(column), std::max(at.beginOf(last), at.beginOf(column) + 1)});
  if (facts.spans > 1) return pixelTooltip(*row, *spans, facts, at.zeroNs);
  if (const auto span = spanAtPlace(place)) return spanTooltip(*row, spans->at(span->index), at.zeroNs);
  return {};
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  QElapsedTimer timer;
  timer.start();
  QPainter painter(this);
  paintLanes(painter);
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

void TimelineCanvas::paintLanes(QPainter& painter) {
  const QRect area = lanes();
  const PixelGrid at = grid();
  const int tall = static_cast<int>(std::lround(area.height() * ratio()));
  if (picture_.width() != at.width || picture_.height() != tall)
    picture_ = QImage(at.width, tall, QImage::Format_RGB32);
  const auto wanted = std::tuple(model_.version(), at, scroll_, rowHeight_, colors().theme);
  if (pictured_ != wanted || model_.rows().empty()) {
    const auto visible = visiblePlaces(places_, static_cast<int>(scroll_ * ratio()), tall);
    raster_.draw(picture_, model_, visible, at, {&colors(), ratio(), font()});
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
  for (const TimeTick& tick : timeTicks(range.beginNs, range.endNs, area.width(), kTickSpacing, at.zeroNs)) {
    const int x = static_cast<int>(std::lround(xOf(tick.ns)));
    painter.setPen(QColor::fromRgb(tick.major ? colors().textWeak : colors().frame));
    painter.drawLine(x, middle - (tick.major ? 6 : 3), x, middle);
    if (!tick.major) continue;
    painter.setPen(QColor::fromRgb(colors().text));
    painter.drawText(QPoint(x + 4, metrics.ascent() + 2), tick.label);
  }
  painter.setPen(QColor::fromRgb(colors().frame));
  painter.drawLine(area.left(), middle, area.right(), middle);
  double labelledTo = -1e9;
  const auto& epochs = model_.epochs();
  for (std::size_t i = model_.epochAt(range.beginNs).value_or(0); i < epochs.size(); ++i) {
    if (epochs[i].beginNs >= range.endNs) break;
    const QString label = tr("epoch %1").arg(epochs[i].epoch);
    const double begin = xOf(epochs[i].beginNs);
    const double x = std::max(begin, static_cast<double>(headerWidth()));
    const double end = xOf(epochs[i].beginNs + epochs[i].wallNs);
    painter.setPen(QColor::fromRgb(colors().textWeak));
    if (x < labelledTo) continue;
    if (begin >= headerWidth()) painter.drawLine(QPointF(begin, middle), QPointF(begin, rulerHeight()));
    // an epoch that has begun outside says so only while its label fits into the rest of it
    if (begin < headerWidth() && end - x < metrics.horizontalAdvance(label) + 8) continue;
    painter.drawText(QPointF(x + 4, middle + metrics.ascent() + 2), label);
    labelledTo = x + metrics.horizontalAdvance(label) + 16;
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
    if (entry.firstOfRank) {
      painter.setPen(QColor::fromRgb(colors().frame));
      if (place.entry > 0) painter.drawLine(0, top - kRankGap / 2, wide, top - kRankGap / 2);
      if (top >= rankTo) {
        painter.setPen(QColor::fromRgb(colors().text));
        painter.setFont(bold);
        const QString fold = model_.collapsed(entry.id.rank) ? QStringLiteral("▸") : QStringLiteral("▾");
        painter.drawText(QRect(6, top, wide, std::max(tall, metrics.height())),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("%1 rank %2").arg(fold).arg(entry.id.rank));
        painter.setFont(font());
        rankTo = top + metrics.height();
      }
    }
    if (currentRow_ == entry.id)
      painter.fillRect(QRect(wide - 3, top, 3, tall), QColor::fromRgb(colors().accent));
    if (top + (tall - metrics.height()) / 2 < nameTo || tall < metrics.height() * 2 / 3) continue;
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
                   tr("This run has no spans yet.\nRuns with record.spans = \"none\" have none."));
}

}  // namespace halo
