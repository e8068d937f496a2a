#include "views/timeline/timeline_lanes.h"

#include <QBackingStore>
#include <QPaintEngine>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace halo {
namespace {

/// The pixels of the window's backing store under `area`, to draw there without a copy. Null where the
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

/// Lines [top, bottom) of a picture, without a copy.
QImage strip(QImage& picture, int top, int bottom) {
  return {picture.scanLine(top), picture.width(), bottom - top, picture.bytesPerLine(), picture.format()};
}

std::vector<std::uint64_t> versionsOf(const std::vector<const TimelineModel*>& blocks) {
  std::vector<std::uint64_t> versions;
  for (const TimelineModel* block : blocks) versions.push_back(block->version());
  return versions;
}

}  // namespace

/// Rows of one block after another: each block writes its part of the picture once.
void TimelineLanes::drawBlocks(QImage& picture, const TimelineLayout& layout, std::vector<RowPlace> places,
                               const TimelineStyle& style) {
  const auto& blocks = layout.blocks();
  auto from = places.begin();
  int top = 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const auto to =
        std::find_if(from, places.end(), [&](const RowPlace& place) { return place.block != block; });
    // down to the next block's first row, or to the end
    const int bottom = to == places.end() ? picture.height() : std::clamp(to->top, top, picture.height());
    if (bottom > top) {
      for (auto place = from; place != to; ++place) place->top -= top;
      QImage part = strip(picture, top, bottom);
      rasters_[block].draw(part, *blocks[block], {from, to}, layout.grid(), style);
    }
    from = to;
    top = bottom;
  }
}

/// Rows of the blocks in turns.
void TimelineLanes::drawMixed(QImage& picture, const TimelineLayout& layout,
                              const std::vector<RowPlace>& places, const TimelineStyle& style) {
  picture.fill(style.colors->lane);
  const auto& blocks = layout.blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    std::vector<RowPlace> rowsOfBlock;
    std::ranges::copy_if(places, std::back_inserter(rowsOfBlock),
                         [block](const RowPlace& place) { return place.block == block; });
    if (!rowsOfBlock.empty())
      rasters_[block].draw(picture, *blocks[block], rowsOfBlock, layout.grid(), style,
                           TimelineRaster::Between::leave);
  }
}

void TimelineLanes::draw(QImage& picture, const TimelineLayout& layout, const TimelineStyle& style) {
  rasters_.resize(layout.blocks().size());
  const int pinned = std::min(layout.pinnedHeight(), picture.height());
  if (pinned > 0) {
    QImage part = strip(picture, 0, pinned);
    drawMixed(part, layout, layout.visiblePinned(), style);
  }
  if (pinned == picture.height()) return;
  std::vector<RowPlace> places = layout.visibleScrolled();
  for (RowPlace& place : places) place.top -= pinned;
  QImage part = strip(picture, pinned, picture.height());
  if (isMixed(layout.order()))
    drawMixed(part, layout, places, style);
  else
    drawBlocks(part, layout, std::move(places), style);
}

void TimelineLanes::paint(QPainter& painter, const QWidget& widget, const QRegion& dirty,
                          const TimelineLayout& layout, const TimelineStyle& style) {
  const QRect area = layout.lanes();
  const PixelGrid grid = layout.grid();
  const int tall = static_cast<int>(std::lround(area.height() * style.pixelRatio));
  const Shown content{
      versionsOf(layout.blocks()), grid, tall, layout.scroll(), layout.rowHeight(), layout.placing(), style};
  const bool current = pictured_ == content && !layout.places().empty();
  if (!current && dirty.contains(area) && dirty.rectCount() == 1) {
    QImage store = storeUnder(painter, widget, area, {grid.width, tall});
    if (!store.isNull()) {
      pictured_.reset();
      return draw(store, layout, style);
    }
  }
  if (!current) {
    if (picture_.width() != grid.width || picture_.height() != tall)
      picture_ = QImage(grid.width, tall, QImage::Format_RGB32);
    draw(picture_, layout, style);
    pictured_ = content;
  }
  picture_.setDevicePixelRatio(style.pixelRatio);
  painter.drawImage(area.topLeft(), picture_);
}

}  // namespace halo
