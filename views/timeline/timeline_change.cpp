#include "views/timeline/timeline_change.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/timeline/timeline_overview.h"

namespace halo {
namespace {

using Columns = std::vector<std::array<float, kKinds>>;

constexpr double kFull = 0.5;  // a change of this much has the full colour
constexpr int kGap = 3;        // to the rows below

float shareOf(const std::array<float, kKinds>& column, Kind kind) { return column[at(kind)]; }

/// Nothing where no lane has a span.
float workOf(const std::array<float, kKinds>& column) {
  float all = 0;
  for (const float share : column) all += share;
  return all > 0 ? shareOf(column, Kind::compute) + shareOf(column, Kind::quantise)
                 : std::numeric_limits<float>::quiet_NaN();
}

QRgb colorOf(float change, const Palette& colors) { return changeColor(colors, change / kFull, colors.lane); }

std::vector<float> changeBetween(const Columns& before, const Columns& after) {
  std::vector<float> change(before.size());
  for (std::size_t x = 0; x < change.size(); ++x) change[x] = workOf(after[x]) - workOf(before[x]);
  return change;
}

/// The groups of a block's ranks; none: all of them together.
std::vector<RankGroup> groupsOf(const RankMaps& maps, std::size_t block) {
  const auto map = maps.find(static_cast<std::int32_t>(block));
  if (map == maps.end() || map->second.rule == RankRule::together) return {};
  return map->second.groups;
}

/// "rank 1", "ranks 4, 5, 6"; of many the first and the last.
QString ranksText(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kMost = 4;
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return QString("rank %1").arg(ranks.front());
  if (ranks.size() > kMost)
    return QString("%1 ranks from %2 to %3").arg(ranks.size()).arg(ranks.front()).arg(ranks.back());
  QStringList numbers;
  for (const std::int64_t rank : ranks) numbers << QString::number(rank);
  return "ranks " + numbers.join(", ");
}

}  // namespace

std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid) {
  return changeBetween(overviewShares(first, grid), overviewShares(other, grid));
}

std::vector<float> changeOf(const TimelineModel& first, const TimelineModel& other, const PixelGrid& grid,
                            const RankGroup& ranks) {
  return changeBetween(overviewShares(first, grid, ranks.first), overviewShares(other, grid, ranks.second));
}

void TimelineChange::paint(QPainter& painter, const TimelineLayout& layout, const RankMaps& maps,
                           const TimelineStyle& style) {
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
    const Shown content{topmost->version(), blocks[block]->version(), layout.grid(), style,
                        groupsOf(maps, block)};
    if (blockCache.lines.isNull() || blockCache.shown != content) {
      const auto bands = std::max<std::size_t>(1, content.groups.size());
      blockCache = {content, QImage(content.grid.width, static_cast<int>(bands), QImage::Format_RGB32)};
      if (content.groups.empty() && !before) before = overviewShares(*topmost, content.grid);
      for (std::size_t band = 0; band < bands; ++band) {
        const std::vector<float> change =
            content.groups.empty() ? changeBetween(*before, overviewShares(*blocks[block], content.grid))
                                   : changeOf(*topmost, *blocks[block], content.grid, content.groups[band]);
        auto* pixels = reinterpret_cast<QRgb*>(blockCache.lines.scanLine(static_cast<int>(band)));
        for (std::size_t x = 0; x < change.size(); ++x)
          pixels[x] = std::isnan(change[x]) ? style.colors->header : colorOf(change[x], *style.colors);
      }
    }
    painter.drawImage(QRect(lanes.left(), box.change, lanes.width(), box.rows - box.change - kGap),
                      blockCache.lines);
  }
}

QString changeTooltip(const TimelineLayout& layout, const RankMaps& maps, QPoint place) {
  if (!layout.scrolledLanes().contains(place)) return {};
  const auto& blocks = layout.blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (block == layout.topmost()) continue;
    const TimelineLayout::BlockBox box = layout.blockBox(block);
    if (place.y() < box.change || place.y() >= box.rows) continue;
    PixelGrid pixel = layout.grid();
    pixel.first += static_cast<std::int64_t>((place.x() - layout.lanes().left()) * layout.frame().ratio);
    pixel.width = 1;
    const TimelineModel &topmost = *blocks[layout.topmost()], &other = *blocks[block];
    const auto share = [](const Columns& columns) {
      const float value = workOf(columns.front());
      return std::isnan(value) ? QStringLiteral("no spans") : formatShare(static_cast<double>(value));
    };
    const auto map = maps.find(static_cast<std::int32_t>(block));
    const QString matched =
        map == maps.end() ? QString() : "<br>" + QString::fromStdString(map->second.words);
    const std::vector<RankGroup> groups = groupsOf(maps, block);
    if (groups.empty())
      return QObject::tr(
                 "<b>computing and quantising</b>, mean of all ranks<br>here %1, in the topmost run %2")
                 .arg(share(overviewShares(other, pixel)), share(overviewShares(topmost, pixel))) +
             matched;
    const auto band =
        at(place.y() - box.change) * groups.size() / at(std::max(1, box.rows - box.change - kGap));
    const RankGroup& group = groups[std::min(band, groups.size() - 1)];
    return QObject::tr("<b>computing and quantising</b><br>%1 here %2, %3 of the topmost run %4")
               .arg(ranksText(group.second), share(overviewShares(other, pixel, group.second)),
                    ranksText(group.first), share(overviewShares(topmost, pixel, group.first))) +
           matched;
  }
  return {};
}

}  // namespace halo
