#include "views/timeline/timeline_layout.h"

#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_navigation.h"

namespace halo {

std::vector<RowPlace> placeRows(const std::vector<RowEntry>& rows, int height, int gap) {
  std::vector<RowPlace> places;
  places.reserve(rows.size());
  int top = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].firstOfRank && i > 0) top += gap;
    const int tall = rows[i].id.lane == Lane::main ? height : std::max(1, height * 3 / 5);
    places.push_back({i, top, tall});
    top += tall;
  }
  return places;
}

BlockPlaces placeBlocks(const std::vector<const TimelineModel*>& blocks, int height, int gap,
                        BlockHeads heads) {
  BlockPlaces placed;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (block > 0) placed.height += gap;
    placed.headings.push_back(placed.height);
    placed.height += heads.heading + (block > 0 ? heads.change : 0);
    const int top = placed.height;
    for (const RowPlace& place : placeRows(blocks[block]->rows(), height, gap)) {
      placed.rows.push_back({place.entry, top + place.top, place.height, block});
      placed.height = top + place.top + place.height;
    }
  }
  return placed;
}

std::vector<RowPlace> visiblePlaces(const std::vector<RowPlace>& places, int scroll, int viewHeight) {
  std::vector<RowPlace> visible;
  auto at = std::partition_point(places.begin(), places.end(),
                                 [&](const RowPlace& p) { return p.top + p.height <= scroll; });
  for (; at != places.end() && at->top < scroll + viewHeight; ++at)
    visible.push_back({at->entry, at->top - scroll, at->height, at->block});
  return visible;
}

std::optional<std::size_t> placeAt(const std::vector<RowPlace>& places, int y) {
  const auto at = std::partition_point(places.begin(), places.end(),
                                       [&](const RowPlace& p) { return p.top + p.height <= y; });
  if (at == places.end() || y < at->top) return std::nullopt;
  return static_cast<std::size_t>(at - places.begin());
}

void TimelineLayout::setBlocks(std::vector<const TimelineModel*> blocks) {
  blocks_ = std::move(blocks);
  placeAgain();
}

BlockPlaces TimelineLayout::placed(int rowHeight) const {
  const auto pixels = [&](int height) { return static_cast<int>(std::lround(height * frame_.ratio)); };
  return placeBlocks(blocks_, std::max(1, pixels(rowHeight)), pixels(kRankGap), heads());
}

/// The tallest with which all rows show.
int TimelineLayout::fillingHeight() const {
  const double room = viewHeight() * frame_.ratio;
  if (placed(kUsualRow).height > room) return kUsualRow;  // with many rows the usual case
  int height = kTallestFilling;
  while (placed(height).height > room) --height;
  return height;
}

void TimelineLayout::placeAgain() {
  if (filling_) rowHeight_ = fillingHeight();
  BlockPlaces places = placed(rowHeight_);
  places_ = std::move(places.rows);
  headings_ = std::move(places.headings);
  height_ = places.height;
  scroll_ = std::clamp(scroll_, 0, std::max(0, contentHeight() - viewHeight()));
  emit changed();
}

void TimelineLayout::setFilling(bool filling) {
  filling_ = filling;
  placeAgain();
}

void TimelineLayout::setRowHeight(int pixels) {
  filling_ = false;
  const int bounded = std::clamp(pixels, kLowestRow, kTallestRow);
  if (bounded == rowHeight_) return;
  rowHeight_ = bounded;
  placeAgain();
}

void TimelineLayout::setShown(TimeRange range) {
  shown_ = range;
  emit shownChanged();
}

void TimelineLayout::setScroll(int y) {
  const int bounded = std::clamp(y, 0, std::max(0, contentHeight() - viewHeight()));
  if (bounded == scroll_) return;
  scroll_ = bounded;
  emit changed();
}

void TimelineLayout::reveal(RowId row) {
  const RowPlace* place = placeOf(row);
  if (place == nullptr) return;
  const int top = static_cast<int>(place->top / frame_.ratio);
  const int bottom = static_cast<int>(std::ceil((place->top + place->height) / frame_.ratio));
  if (top < scroll_) setScroll(top);
  if (bottom > scroll_ + viewHeight()) setScroll(bottom - viewHeight());
}

int TimelineLayout::contentHeight() const { return static_cast<int>(std::ceil(height_ / frame_.ratio)); }

BlockHeads TimelineLayout::heads() const {
  if (blocks_.size() < 2) return {};
  const auto pixels = [&](int height) { return static_cast<int>(std::lround(height * frame_.ratio)); };
  return {pixels(frame_.headingHeight), frame_.headingHeight > 0 ? pixels(kChangeHeight) : 0};
}

TimelineLayout::BlockBox TimelineLayout::blockBox(std::size_t block) const {
  const auto y = [&](int pixel) {
    return frame_.rulerHeight - scroll_ + static_cast<int>(pixel / frame_.ratio);
  };
  const int bottom = block + 1 < headings_.size() ? headings_[block + 1] : height_;
  const BlockHeads above = heads();
  const int change = headings_[block] + above.heading;
  return {y(headings_[block]), y(change), y(change + (block > 0 ? above.change : 0)), y(bottom)};
}

QRect TimelineLayout::lanes() const {
  return {frame_.headerWidth, frame_.rulerHeight, std::max(1, frame_.size.width() - frame_.headerWidth),
          std::max(1, viewHeight())};
}

PixelGrid TimelineLayout::grid() const {
  const std::int64_t zero = blocks_.empty() ? 0 : blocks_.front()->extent().beginNs;
  return PixelGrid::of(shown_, zero, static_cast<int>(std::lround(lanes().width() * frame_.ratio)));
}

double TimelineLayout::xOf(std::int64_t ns) const {
  return frame_.headerWidth + grid().pixelOf(ns) / frame_.ratio;
}

std::int64_t TimelineLayout::nsAt(double x) const {
  const PixelGrid at = grid();
  const double column = (x - frame_.headerWidth) * frame_.ratio + static_cast<double>(at.first);
  return at.zeroNs + static_cast<std::int64_t>(std::floor(column * at.nsPerColumn));
}

std::vector<RowPlace> TimelineLayout::visible() const {
  return visiblePlaces(places_, static_cast<int>(scroll_ * frame_.ratio),
                       static_cast<int>(std::lround(lanes().height() * frame_.ratio)));
}

const RowPlace* TimelineLayout::placeAt(int y) const {
  if (y < frame_.rulerHeight) return nullptr;
  const auto place =
      halo::placeAt(places_, static_cast<int>((y - frame_.rulerHeight + scroll_) * frame_.ratio));
  return place ? &places_[*place] : nullptr;
}

std::optional<RowId> TimelineLayout::rowAt(int y) const {
  const RowPlace* place = placeAt(y);
  return place == nullptr ? std::nullopt : std::optional(entryOf(*place).id);
}

const RowPlace* TimelineLayout::placeOf(RowId row) const {
  const auto place =
      std::ranges::find_if(places_, [&](const RowPlace& each) { return entryOf(each).id == row; });
  return place == places_.end() ? nullptr : &*place;
}

std::optional<TimelineLayout::RowBox> TimelineLayout::boxOf(RowId row) const {
  const RowPlace* place = placeOf(row);
  if (place == nullptr) return std::nullopt;
  return RowBox{frame_.rulerHeight - scroll_ + static_cast<int>(place->top / frame_.ratio),
                static_cast<int>(place->height / frame_.ratio)};
}

std::set<RowId> TimelineLayout::rowsBetween(int top, int bottom) const {
  if (top > bottom) std::swap(top, bottom);
  std::set<RowId> rows;
  for (const RowPlace& place : places_) {
    const double from = frame_.rulerHeight - scroll_ + place.top / frame_.ratio;
    if (from <= bottom && from + place.height / frame_.ratio > top) rows.insert(entryOf(place).id);
  }
  return rows;
}

std::optional<SpanId> TimelineLayout::spanAt(QPoint at) const {
  const RowPlace* place = lanes().contains(at) ? placeAt(at.y()) : nullptr;
  if (place == nullptr || entryOf(*place).row == nullptr) return std::nullopt;
  const RowId row = entryOf(*place).id;
  const SpanRow& spans = entryOf(*place).row->spans;
  const auto slack = static_cast<std::int64_t>(2 * grid().nsPerColumn * frame_.ratio);
  const TimeRange pixel{nsAt(at.x()), std::max(nsAt(at.x() + 1), nsAt(at.x()) + 1)};
  const PixelFacts facts = factsOf(spans, pixel);
  if (facts.spans > 0) return SpanId{row, facts.longest};
  const auto index = halo::spanAt(spans, pixel.beginNs, slack);
  return index ? std::optional(SpanId{row, *index}) : std::nullopt;
}

}  // namespace halo
