#include "views/timeline/timeline_overview.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr int kEdge = 5;
constexpr int kFiner = 2;        // four to eight buckets a column, so that an edge in one hardly shows
constexpr int kLeastWindow = 3;  // pixels, or it could not be seen
// from the bottom up: what keeps a rank from computing stands on top of what it computes
constexpr Kind kStack[] = {Kind::compute, Kind::quantise, Kind::communication, Kind::synchronise,
                           Kind::other};

void addExact(const TimelineRow& row, const PixelGrid& grid,
              std::vector<std::array<float, kKinds>>& columns) {
  KindTimes before = row.spans.before(grid.beginOf(grid.first));
  for (int x = 0; x < grid.width; ++x) {
    const KindTimes after = row.spans.before(grid.beginOf(grid.first + x + 1));
    auto& column = columns[at(x)];
    for (std::size_t k = 0; k < column.size(); ++k)
      column[k] += static_cast<float>(static_cast<double>(after[k] - before[k]) / grid.nsPerColumn);
    before = after;
  }
}

void addShares(const TimelineRow& row, const PixelGrid& grid,
               std::vector<std::array<float, kKinds>>& columns) {
  const int shift = static_cast<int>(std::floor(std::log2(std::max(1.0, grid.nsPerColumn)))) - kFiner;
  if (shift < row.pyramid.finest()) return addExact(row, grid, columns);
  const Pyramid::Level& level = row.pyramid.level(shift);
  std::int64_t first = firstBucketFrom(row, level, grid.beginOf(grid.first));
  for (int x = 0; x < grid.width; ++x) {
    const std::int64_t last = firstBucketFrom(row, level, grid.beginOf(grid.first + x + 1));
    auto& column = columns[at(x)];
    const float weight = 1.0F / 65535.0F / static_cast<float>(std::max<std::int64_t>(1, last - first));
    for (std::int64_t b = std::max(first, level.first); b < std::min(last, level.end()); ++b) {
      const Shares& shares = level.buckets[at(b - level.first)];
      for (std::size_t k = 0; k < column.size(); ++k) column[k] += weight * static_cast<float>(shares[k]);
    }
    first = last;
  }
}

std::vector<std::array<float, kKinds>> sharesOf(const std::vector<const TimelineRow*>& rows,
                                                const PixelGrid& grid) {
  std::vector<std::array<float, kKinds>> columns(at(grid.width));
  for (const TimelineRow* row : rows) addShares(*row, grid, columns);
  for (auto& column : columns)
    for (float& share : column) share /= static_cast<float>(std::max<std::size_t>(1, rows.size()));
  return columns;
}

}  // namespace

std::vector<std::array<float, kKinds>> overviewShares(const TimelineModel& model, const PixelGrid& grid) {
  return sharesOf(model.mainRows(), grid);
}

std::vector<std::array<float, kKinds>> overviewShares(const TimelineModel& model, const PixelGrid& grid,
                                                      const std::vector<std::int64_t>& ranks) {
  std::vector<const TimelineRow*> rows;
  for (const std::int64_t rank : ranks)
    if (const TimelineRow* row = model.mainOf(rank)) rows.push_back(row);
  return sharesOf(rows, grid);
}

TimelineOverview::TimelineOverview(TimelineModel& model, TimeWindow& window, QWidget* parent)
    : QWidget(parent), model_(model), window_(window) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setAccessibleName(tr("Overview of the run"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  const auto repaint = qOverload<>(&QWidget::update);
  connect(&model_, &TimelineModel::rowsChanged, this, repaint);
  connect(&model_, &TimelineModel::spansChanged, this, repaint);
  connect(&model_, &TimelineModel::epochsChanged, this, repaint);
  connect(&window_, &TimeWindow::visibleChanged, this, repaint);
  connect(&window_, &TimeWindow::extentChanged, this, repaint);
  connect(&window_, &TimeWindow::selectionChanged, this, repaint);
}

void TimelineOverview::setMargins(int left, int right) {
  left_ = left;
  right_ = right;
  update();
}

QSize TimelineOverview::sizeHint() const { return {600, fontMetrics().height() * 2 + 12}; }

QRect TimelineOverview::strip() const { return rect().adjusted(left_, 4, -right_, -5); }

TimeRange TimelineOverview::whole() const {
  const TimeRange extent = window_.extent();  // runs below this one may end later
  return extent.empty() ? TimeRange{extent.beginNs, extent.beginNs + 1} : extent;
}

double TimelineOverview::xOf(std::int64_t ns) const {
  const double share = static_cast<double>(ns - whole().beginNs) / static_cast<double>(whole().lengthNs());
  return strip().left() + share * strip().width();
}

std::int64_t TimelineOverview::nsAt(double x) const {
  const double share = (x - strip().left()) / std::max(1, strip().width());
  return whole().beginNs + static_cast<std::int64_t>(share * static_cast<double>(whole().lengthNs()));
}

void TimelineOverview::render() {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  const QSize size = (QSizeF(strip().size()) * devicePixelRatioF()).toSize().expandedTo({1, 1});
  const auto content = std::tuple(model_.version(), whole(), size, colors.theme);
  if (pictured_ == content) return;
  pictured_ = content;
  picture_ = QImage(size, QImage::Format_RGB32);
  picture_.fill(colors.lane);
  const auto columns = overviewShares(model_, PixelGrid::of(whole(), whole().beginNs, size.width()));
  for (int x = 0; x < size.width(); ++x) {
    float below = 0;
    for (const Kind kind : kStack) {
      const float top = std::min(1.0F, below + columns[at(x)][at(kind)]);
      const int to = size.height() - static_cast<int>(std::lround(top * static_cast<float>(size.height())));
      const int from =
          size.height() - static_cast<int>(std::lround(below * static_cast<float>(size.height())));
      for (int y = to; y < from; ++y)
        reinterpret_cast<QRgb*>(picture_.scanLine(y))[x] = colors.kind[at(kind)];
      below = top;
    }
  }
}

void TimelineOverview::paintEvent(QPaintEvent*) {
  const Palette& colors = halo::palette(themeOf(QWidget::palette()));
  render();
  QPainter painter(this);
  painter.fillRect(rect(), QColor::fromRgb(colors.header));
  const QRect area = strip();
  painter.drawImage(area, picture_);
  const auto& epochs = model_.epochs();
  if (!epochs.empty() && area.width() / static_cast<double>(epochs.size()) >= 6) {
    painter.setPen(QColor::fromRgb(colors.textWeak));
    for (const EpochRow& epoch : epochs)
      painter.drawLine(QPointF(xOf(epoch.beginNs), area.bottom() + 1),
                       QPointF(xOf(epoch.beginNs), area.bottom() + 4));
  }
  const TimeRange visible = window_.visible();
  double left = std::clamp<double>(xOf(visible.beginNs), area.left(), area.right() + 1);
  double right = std::clamp<double>(xOf(visible.endNs), area.left(), area.right() + 1);
  if (right - left < kLeastWindow) {
    left = std::min(left, static_cast<double>(area.right() - kLeastWindow));
    right = left + kLeastWindow;
  }
  QColor shade = QColor::fromRgb(colors.header);
  shade.setAlpha(170);
  painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), shade);
  painter.fillRect(QRectF(right, area.top(), area.right() + 1 - right, area.height()), shade);
  const TimeRange selection = window_.selection();
  painter.setPen(QPen(QColor::fromRgb(colors.accent), 2));
  if (!selection.empty())
    painter.drawLine(QPointF(xOf(selection.beginNs), area.top() - 2),
                     QPointF(xOf(selection.endNs), area.top() - 2));
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.drawRect(QRectF(left, area.top(), right - left, area.height()));
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, height() - 1, width(), height() - 1);
}

TimelineOverview::Drag TimelineOverview::dragAt(int x) const {
  const double left = xOf(window_.visible().beginNs);
  const double right = xOf(window_.visible().endNs);
  if (right - left > 3 * kEdge) {
    if (std::abs(x - left) <= kEdge) return Drag::begin;
    if (std::abs(x - right) <= kEdge) return Drag::end;
  }
  const bool coversAll = left <= strip().left() + 1 && right >= strip().right() - 1;
  return !coversAll && x > left - kEdge && x < right + kEdge ? Drag::move : Drag::fresh;
}

void TimelineOverview::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressedX_ = event->pos().x();
  pressedWindow_ = window_.visible();
  moved_ = false;
  drag_ = dragAt(pressedX_);
}

void TimelineOverview::mouseMoveEvent(QMouseEvent* event) {
  const int x = event->pos().x();
  if (drag_ == Drag::none) {
    const Drag over = dragAt(x);
    setCursor(over == Drag::move    ? Qt::OpenHandCursor
              : over == Drag::fresh ? Qt::ArrowCursor
                                    : Qt::SizeHorCursor);
    return;
  }
  moved_ = moved_ || std::abs(x - pressedX_) > 2;
  if (!moved_) return;
  const std::int64_t by = nsAt(x) - nsAt(pressedX_);
  TimeRange range = pressedWindow_;
  if (drag_ == Drag::move) range = {range.beginNs + by, range.endNs + by};
  if (drag_ == Drag::begin)
    range.beginNs = std::min(range.beginNs + by, range.endNs - TimeWindow::kShortestNs);
  if (drag_ == Drag::end) range.endNs = std::max(range.endNs + by, range.beginNs + TimeWindow::kShortestNs);
  if (drag_ == Drag::fresh) range = {std::min(nsAt(x), nsAt(pressedX_)), std::max(nsAt(x), nsAt(pressedX_))};
  window_.setVisible(range, Move::pan);
}

void TimelineOverview::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Drag drag = std::exchange(drag_, Drag::none);
  if (moved_ || drag == Drag::none) return;
  const std::int64_t half = window_.visible().lengthNs() / 2;
  const std::int64_t middle = nsAt(event->pos().x());
  window_.setVisible({middle - half, middle + half}, Move::jump);
}

void TimelineOverview::mouseDoubleClickEvent(QMouseEvent*) { window_.home(); }

void TimelineOverview::wheelEvent(QWheelEvent* event) {
  window_.zoom(std::pow(1.25, -event->angleDelta().y() / 120.0), nsAt(event->position().x()));
  event->accept();
}

}  // namespace halo
