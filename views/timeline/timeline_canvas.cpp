#include "views/timeline/timeline_canvas.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_tooltip.h"

namespace halo {
namespace {

constexpr int kMotionMs = 120;

}  // namespace

TimelineCanvas::TimelineCanvas(TimelineModel& model, TimeWindow& window, QWidget* parent)
    : QWidget(parent), model_(model), window_(window), shown_(window.visible()) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 60);
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
  const QString where = rowText(*row, model_.rankName(row->rank));
  if (facts.spans > 1) return pixelTooltip(where, *spans, facts, at.zeroNs);
  if (const auto span = spanAtPlace(place))
    return spanTooltip({where, at.zeroNs, model_.clockMhz(row->rank)}, spans->at(span->index));
  return {};
}

}  // namespace halo
