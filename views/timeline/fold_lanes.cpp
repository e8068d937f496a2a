#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/look/axis.h"
#include "views/look/units.h"
#include "views/timeline/timeline_fold.h"
#include "views/timeline/timeline_header.h"

namespace halo {
namespace {

constexpr int kLowestLane = 30, kTallestLane = 300;
constexpr int kGap = 4;    // between lanes
constexpr int kDot = 3;    // radius
constexpr int kNear = 6;   // pixels to a dot that is meant
constexpr int kTick = 90;  // pixels a major tick at least
constexpr int kRightMargin = 14;

}  // namespace

FoldLanes::FoldLanes(const std::vector<FoldedBlock>& blocks, Chosen chosen)
    : blocks_(blocks), chosen_(std::move(chosen)), left_(headerWidthFor(font())) {}

std::int64_t FoldLanes::lengthNs() const {
  std::int64_t longest = 1;
  for (const FoldedBlock& block : blocks_) longest = std::max(longest, block.epochs.lengthNs);
  return longest;
}

QSize FoldLanes::sizeHint() const {
  int height = stripHeight();
  for (const FoldedBlock& block : blocks_)
    height += stripHeight() + static_cast<int>(block.lanes.size()) * (kLowestLane + kGap);
  return {600, height};
}

int FoldLanes::laneHeight() const {
  int lanes = 0;
  for (const FoldedBlock& block : blocks_) lanes += static_cast<int>(block.lanes.size());
  const int room = height() - stripHeight() * (1 + static_cast<int>(blocks_.size()));
  return std::clamp(room / std::max(1, lanes) - kGap, kLowestLane, kTallestLane);
}

int FoldLanes::stripTop(std::size_t block) const {
  int top = stripHeight();  // the axis
  for (std::size_t b = 0; b < block; ++b)
    top += stripHeight() + static_cast<int>(blocks_[b].lanes.size()) * (laneHeight() + kGap);
  return top;
}

double FoldLanes::xOf(std::int64_t ns) const {
  return left_ + static_cast<double>(ns) / static_cast<double>(lengthNs()) * (width() - left_ - kRightMargin);
}

QPoint FoldLanes::dotOf(std::size_t block, const EpochRow& epoch) const {
  const double x = std::min<double>(xOf(epoch.wallNs), width() - kRightMargin / 2.0);
  return {static_cast<int>(std::lround(x)), stripTop(block) + stripHeight() / 2};
}

FoldLanes::Hit FoldLanes::at(QPoint place) const {
  Hit nearest;
  int least = kNear + 1;
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    for (const EpochRow& epoch : blocks_[block].epochs.epochs) {
      const QPoint away = dotOf(block, epoch) - place;
      if (std::abs(away.y()) > stripHeight() / 2 || std::abs(away.x()) >= least) continue;
      least = std::abs(away.x());
      nearest = {block, &epoch};
    }
  return nearest;
}

void FoldLanes::mousePressEvent(QMouseEvent* event) {
  const Hit hit = at(event->pos());
  if (event->button() != Qt::LeftButton || hit.epoch == nullptr) return QWidget::mousePressEvent(event);
  chosen_(hit.block, hit.epoch->epoch);
}

bool FoldLanes::event(QEvent* event) {
  if (event->type() == QEvent::FontChange) left_ = headerWidthFor(font());
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Hit hit = at(help->pos());
  if (hit.epoch == nullptr)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(),
                       QObject::tr("epoch %1: %2; click to see it alone")
                           .arg(hit.epoch->epoch)
                           .arg(formatNs(hit.epoch->wallNs)),
                       this);
  return true;
}

void FoldLanes::paintEvent(QPaintEvent*) {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), QColor::fromRgb(colors.lane));
  painter.fillRect(QRect(0, 0, left_, height()), QColor::fromRgb(colors.header));
  paintAxis(painter, colors);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    paintEpochs(painter, colors, block);
    int top = stripTop(block) + stripHeight();
    for (const FoldedBlock::Lane& lane : blocks_[block].lanes) {
      paintLane(painter, colors, lane, top);
      top += laneHeight() + kGap;
    }
  }
}

void FoldLanes::paintAxis(QPainter& painter, const Palette& colors) const {
  const int tall = stripHeight();
  painter.fillRect(QRect(0, 0, width(), tall), QColor::fromRgb(colors.header));
  for (const TimeTick& tick : timeTicks(0, lengthNs() + 1, width() - left_ - kRightMargin, kTick)) {
    const double x = xOf(tick.ns);
    painter.setPen(QColor::fromRgb(tick.major ? colors.textWeak : colors.frame));
    painter.drawLine(QPointF(x, tall - (tick.major ? 6 : 3)), QPointF(x, tall));
    if (tick.label.isEmpty()) continue;
    const int wide = fontMetrics().horizontalAdvance(tick.label);
    const double from = std::min<double>(x + 3, width() - wide - 2);
    painter.setPen(QColor::fromRgb(colors.text));
    painter.drawText(QPointF(from, fontMetrics().ascent() + 2), tick.label);
  }
  paintName(painter, colors, QObject::tr("since begin"), 0, tall);
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, tall, width(), tall);
}

void FoldLanes::paintName(QPainter& painter, const Palette& colors, const QString& name, int top,
                          int height) const {
  painter.setPen(QColor::fromRgb(colors.text));
  painter.drawText(QRect(8, top, left_ - 14, height), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(name, Qt::ElideRight, left_ - 14));
}

/// A dot an epoch, at its end; outliers stand out.
void FoldLanes::paintEpochs(QPainter& painter, const Palette& colors, std::size_t block) const {
  const FoldedBlock& run = blocks_[block];
  const int top = stripTop(block), tall = stripHeight();
  painter.fillRect(QRect(0, top, width(), tall), QColor::fromRgb(colors.header));
  paintName(painter, colors, run.name.isEmpty() ? QObject::tr("epochs' ends") : run.name, top, tall);
  for (const EpochRow& epoch : run.epochs.epochs) {
    const bool unlike = std::ranges::binary_search(run.epochs.outliers, epoch.epoch);
    QColor fill = run.name.isEmpty() ? QColor::fromRgb(colors.textWeak)
                                     : QColor::fromRgb(seriesColor(colors.theme, run.color));
    if (unlike)
      fill = QColor::fromRgb(colors.failure);
    else
      fill.setAlpha(140);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    const int radius = unlike ? kDot + 2 : kDot;
    painter.drawEllipse(dotOf(block, epoch), radius, radius);
  }
  painter.setBrush(Qt::NoBrush);
}

void FoldLanes::paintLane(QPainter& painter, const Palette& colors, const FoldedBlock::Lane& lane,
                          int top) const {
  const int tall = laneHeight();
  paintName(painter, colors, lane.name, top, tall);
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, top + tall, width(), top + tall);
  painter.setPen(QColor::fromRgb(colors.grid));
  painter.drawLine(left_, top, width() - kRightMargin, top);
  const FoldedLane& shares = lane.shares;
  const double step = (width() - left_ - kRightMargin) / std::max(1.0, double(shares.median.size()));
  const auto point = [&](std::size_t column, float share) {
    return QPointF(left_ + (static_cast<double>(column) + 0.5) * step,
                   top + (1 - static_cast<double>(share)) * tall);
  };
  for (std::size_t from = 0; from < shares.median.size(); ++from) {
    if (std::isnan(shares.median[from])) continue;
    std::size_t to = from;
    QPolygonF band, middle;
    for (; to < shares.median.size() && !std::isnan(shares.median[to]); ++to) {
      band << point(to, shares.high[to]);
      middle << point(to, shares.median[to]);
    }
    for (std::size_t column = to; column > from; --column) band << point(column - 1, shares.low[column - 1]);
    QColor fill = colors.color(Kind::compute);
    painter.setPen(QPen(fill, 1.5));
    fill.setAlpha(70);
    painter.setBrush(fill);
    QPainterPath path;
    path.addPolygon(band);
    painter.fillPath(path, fill);
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(middle);
    from = to;
  }
}

}  // namespace halo
