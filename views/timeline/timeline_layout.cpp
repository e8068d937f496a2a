#include "views/timeline/timeline_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/index.h"
#include "views/timeline/timeline_navigation.h"

namespace halo {

std::vector<RowPlace> visiblePlaces(std::span<const RowPlace> places, int scroll, int viewHeight) {
  std::vector<RowPlace> visible;
  auto at = std::partition_point(places.begin(), places.end(),
                                 [&](const RowPlace& p) { return p.top + p.height <= scroll; });
  for (; at != places.end() && at->top < scroll + viewHeight; ++at)
    visible.push_back({at->entry, at->top - scroll, at->height, at->block});
  return visible;
}

std::optional<std::size_t> placeAt(std::span<const RowPlace> places, int y) {
  const auto place = std::partition_point(places.begin(), places.end(),
                                          [&](const RowPlace& p) { return p.top + p.height <= y; });
  if (place == places.end() || y < place->top) return std::nullopt;
  return at(place - places.begin());
}

void TimelineLayout::setBlocks(std::vector<const TimelineModel*> blocks, std::vector<std::size_t> fromTop) {
  blocks_ = std::move(blocks);
  fromTop_ = std::move(fromTop);
  if (fromTop_.empty())
    for (std::size_t block = 0; block < blocks_.size(); ++block) fromTop_.push_back(block);
  placeAgain();
}

BlockPlaces TimelineLayout::placed(int rowHeight) const {
  const auto pixels = [&](int height) { return static_cast<int>(std::lround(height * frame_.ratio)); };
  return placeBlocks(blocks_, std::max(1, pixels(rowHeight)), pixels(kRankGap), heads(), order_, pinned_,
                     fromTop_);
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
  pinnedRows_ = places.pinned;
  pinnedHeight_ = places.pinnedHeight;
  headings_ = std::move(places.headings);
  groups_ = std::move(places.groups);
  height_ = places.height;
  ++placing_;
  scroll_ = std::clamp(scroll_, 0, std::max(0, contentHeight() - viewHeight()));
  emit changed();
}

void TimelineLayout::setOrder(LaneOrder order) {
  if (order == order_) return;
  order_ = order;
  placeAgain();
  emit orderChanged();
}

bool TimelineLayout::differs(LaneOrder order) const {
  switch (order) {
    case LaneOrder::runs:
      return true;
    case LaneOrder::ranks:
      return blocks_.size() > 1;
    case LaneOrder::nodes:
      return std::ranges::any_of(blocks_, [](const TimelineModel* block) { return block->hasHosts(); });
    case LaneOrder::parts:
      return std::ranges::any_of(blocks_, [](const TimelineModel* block) { return block->hasParts(); });
    case LaneOrder::layers:
      return std::ranges::any_of(blocks_, [](const TimelineModel* block) { return block->hasLayers(); });
  }
  return false;
}

void TimelineLayout::setPinned(std::set<LaneChoice> pinned) {
  if (pinned == pinned_) return;
  pinned_ = std::move(pinned);
  placeAgain();
  emit pinsChanged();
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
  if (place == nullptr || isPinned(row)) return;
  const int top = static_cast<int>((place->top - pinnedHeight_) / frame_.ratio);
  const int bottom = static_cast<int>(std::ceil((place->top + place->height) / frame_.ratio));
  if (top < scroll_) setScroll(top);
  if (bottom > scroll_ + viewHeight()) setScroll(bottom - viewHeight());
}

int TimelineLayout::contentHeight() const { return static_cast<int>(std::ceil(height_ / frame_.ratio)); }

BlockHeads TimelineLayout::heads() const {
  const auto pixels = [&](int height) { return static_cast<int>(std::lround(height * frame_.ratio)); };
  const int heading = pixels(frame_.headingHeight);
  if (blocks_.size() < 2) return {0, 0, heading};
  const int change = kChangeHeight + kBandHeight * std::clamp(bands_ - 2, 0, kMostBands - 2);
  return {heading, heading > 0 ? pixels(change) : 0, heading};
}

void TimelineLayout::setChangeBands(int bands) {
  if (std::exchange(bands_, bands) != bands) placeAgain();
}

TimelineLayout::BlockBox TimelineLayout::blockBox(std::size_t block) const {
  const auto next = std::ranges::find(fromTop_, block) + 1;
  const int bottom = next != fromTop_.end() ? headings_[*next] : height_;
  const BlockHeads above = heads();
  const int change = headings_[block] + above.heading;
  const int rows = change + (block != topmost() ? above.change : 0);
  return {yOf(headings_[block]), yOf(change), yOf(rows), yOf(bottom)};
}

int TimelineLayout::yOf(int pixel) const {
  return frame_.rulerHeight - scroll_ + static_cast<int>(pixel / frame_.ratio);
}

int TimelineLayout::topOf(const RowPlace& place) const {
  const bool stays = &place < places_.data() + pinnedRows_;
  return yOf(place.top) + (stays ? scroll_ : 0);
}

std::vector<GroupPlace> TimelineLayout::groups() const {
  std::vector<GroupPlace> groups = groups_;
  for (GroupPlace& group : groups) group.top = yOf(group.top);
  return groups;
}

QRect TimelineLayout::scrolledLanes() const {
  return lanes().adjusted(0, static_cast<int>(pinnedHeight_ / frame_.ratio), 0, 0);
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

std::vector<RowPlace> TimelineLayout::visiblePinned() const {
  return visiblePlaces(pinnedPlaces(), 0, static_cast<int>(std::lround(lanes().height() * frame_.ratio)));
}

std::vector<RowPlace> TimelineLayout::visibleScrolled() const {
  // from the end of those that stay on top on
  const int from = static_cast<int>(scroll_ * frame_.ratio) + pinnedHeight_;
  const int tall = static_cast<int>(std::lround(lanes().height() * frame_.ratio)) - pinnedHeight_;
  std::vector<RowPlace> places = visiblePlaces(scrolledPlaces(), from, std::max(0, tall));
  for (RowPlace& place : places) place.top += pinnedHeight_;
  return places;
}

std::vector<RowPlace> TimelineLayout::visible() const {
  std::vector<RowPlace> places = visiblePinned();
  const std::vector<RowPlace> scrolled = visibleScrolled();
  places.insert(places.end(), scrolled.begin(), scrolled.end());
  return places;
}

const RowPlace* TimelineLayout::placeAt(int y) const {
  if (y < frame_.rulerHeight) return nullptr;
  const auto pixel = static_cast<int>((y - frame_.rulerHeight) * frame_.ratio);
  const bool stays = pixel < pinnedHeight_;
  const std::span<const RowPlace> places = stays ? pinnedPlaces() : scrolledPlaces();
  const auto place = halo::placeAt(
      places, stays ? pixel : static_cast<int>((y - frame_.rulerHeight + scroll_) * frame_.ratio));
  return place ? &places[*place] : nullptr;
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
  return boxOf(*place);
}

TimelineLayout::RowBox TimelineLayout::boxOf(const RowPlace& place) const {
  return {topOf(place), static_cast<int>(place.height / frame_.ratio)};
}

std::set<RowId> TimelineLayout::rowsBetween(int top, int bottom) const {
  if (top > bottom) std::swap(top, bottom);
  std::set<RowId> rows;
  for (const RowPlace& place : places_) {
    const bool stays = &place < places_.data() + pinnedRows_;
    const double from = frame_.rulerHeight - (stays ? 0 : scroll_) + place.top / frame_.ratio;
    const double shownFrom = stays ? from : std::max<double>(from, scrolledLanes().top());
    const double to = from + place.height / frame_.ratio;
    if (shownFrom <= bottom && to > top && to > shownFrom) rows.insert(entryOf(place).id);
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
