#include "views/timeline/timeline_change.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "views/look/units.h"
#include "views/timeline/timeline_overview.h"

namespace halo {
namespace {

using Columns = std::vector<std::array<float, kKinds>>;

constexpr double kFull = 0.5;  // a change of this much has the full colour
constexpr int kGap = 3;        // to the rows below

float at(const std::array<float, kKinds>& column, Kind kind) {
  return column[static_cast<std::size_t>(kind)];
}

/// Nothing where no lane has a span.
float workOf(const std::array<float, kKinds>& column) {
  float all = 0;
  for (const float share : column) all += share;
  return all > 0 ? at(column, Kind::compute) + at(column, Kind::quantise)
                 : std::numeric_limits<float>::quiet_NaN();
}

QRgb colorOf(float change, const Palette& colors) { return changeColor(colors, change / kFull, colors.lane); }

std::vector<float> changeFrom(const Columns& before, const TimelineModel& other, const PixelGrid& grid) {
  const Columns after = overviewShares(other, grid);
  std::vector<float> change(before.size());
  for (std::size_t x = 0; x < change.size(); ++x) change[x] = workOf(after[x]) - workOf(before[x]);
  return change;
}

}  // namespace

std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid) {
  return changeFrom(overviewShares(first, grid), other, grid);
}

void TimelineChange::paint(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style) {
  const auto& blocks = layout.blocks();
  kept_.resize(blocks.size());
  const QRect lanes = layout.lanes();
  std::optional<Columns> before;  // alike for all
  const TimelineModel* topmost = blocks.empty() ? nullptr : blocks[layout.topmost()];
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (block == layout.topmost()) continue;
    const TimelineLayout::BlockBox box = layout.blockBox(block);
    if (box.rows <= lanes.top() || box.change >= lanes.bottom() || box.rows == box.change) continue;
    Kept& blockCache = kept_[block];
    const Shown content{topmost->version(), blocks[block]->version(), layout.grid(), style};
    if (blockCache.line.isNull() || blockCache.shown != content) {
      if (!before) before = overviewShares(*topmost, content.grid);
      const std::vector<float> change = changeFrom(*before, *blocks[block], content.grid);
      blockCache = {content, QImage(content.grid.width, 1, QImage::Format_RGB32)};
      auto* pixels = reinterpret_cast<QRgb*>(blockCache.line.scanLine(0));
      for (std::size_t x = 0; x < change.size(); ++x)
        pixels[x] = std::isnan(change[x]) ? style.colors->header : colorOf(change[x], *style.colors);
    }
    painter.drawImage(QRect(lanes.left(), box.change, lanes.width(), box.rows - box.change - kGap),
                      blockCache.line);
  }
}

QString changeTooltip(const TimelineLayout& layout, QPoint place) {
  if (!layout.scrolledLanes().contains(place)) return {};
  const auto& blocks = layout.blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (block == layout.topmost()) continue;
    const TimelineLayout::BlockBox box = layout.blockBox(block);
    if (place.y() < box.change || place.y() >= box.rows) continue;
    PixelGrid pixel = layout.grid();
    pixel.first += static_cast<std::int64_t>((place.x() - layout.lanes().left()) * layout.frame().ratio);
    pixel.width = 1;
    const float before = workOf(overviewShares(*blocks[layout.topmost()], pixel).front());
    const float after = workOf(overviewShares(*blocks[block], pixel).front());
    const auto share = [](float value) {
      return std::isnan(value) ? QStringLiteral("no spans") : formatShare(static_cast<double>(value));
    };
    return QObject::tr("<b>computing and quantising</b>, mean of all ranks<br>here %1, in the topmost run %2")
        .arg(share(after), share(before));
  }
  return {};
}

}  // namespace halo
