#include "views/recording/time_window.h"

#include <algorithm>
#include <cmath>

namespace halo {
namespace {

constexpr std::size_t kLongestHistory = 200;

}  // namespace

TimeRange TimeWindow::fitted(TimeRange range) const {
  const std::int64_t extentNs = std::max(kShortestNs, extent_.lengthNs());
  // half a run of margin on each side: the ends can be looked at from outside, and nobody gets lost
  const std::int64_t length = std::clamp(range.lengthNs(), kShortestNs, 2 * extentNs);
  const std::int64_t grown = length - range.lengthNs();
  std::int64_t begin = range.beginNs - grown / 2;
  const std::int64_t lowest = extent_.beginNs - std::max(extentNs / 2, length / 2);
  const std::int64_t highest = extent_.endNs + std::max(extentNs / 2, length / 2) - length;
  begin = std::clamp(begin, std::min(lowest, highest), std::max(lowest, highest));
  return {begin, begin + length};
}

void TimeWindow::show(TimeRange range) {
  if (range == visible_) return;
  visible_ = range;
  emit visibleChanged(visible_);
}

void TimeWindow::remember(TimeRange range, Move move) {
  if (!history_.empty() && history_[at_].range == range) return;
  history_.resize(history_.empty() ? 0 : at_ + 1);
  const bool continues = move != Move::jump && move == lastMove_ && history_.size() > 1;
  if (continues) {
    history_.back() = {range, epoch_};
  } else {
    if (history_.size() == kLongestHistory) history_.erase(history_.begin());
    history_.push_back({range, epoch_});
  }
  at_ = history_.size() - 1;
  lastMove_ = move;
  emit historyChanged();
}

void TimeWindow::setExtent(TimeRange extent) {
  if (extent == extent_) return;
  const bool wasWhole = visible_ == extent_ || visible_.empty();
  extent_ = extent;
  emit extentChanged(extent_);
  if (wasWhole) {
    show(fitted(extent_));
    if (history_.size() <= 1) history_ = {{visible_, epoch_}};
  } else if (following_) {
    showNewest();
  } else {
    show(fitted(visible_));
  }
}

void TimeWindow::setNewest(std::int64_t ns) {
  newest_ = ns;
  if (following_) showNewest();
}

void TimeWindow::showNewest() { show(fitted({newestNs() - visible_.lengthNs(), newestNs()})); }

void TimeWindow::setVisible(TimeRange range, Move move) {
  const TimeRange next = fitted(range);
  if (next == visible_) return;
  if (move != Move::follow) setFollowing(false);
  if (history_.empty()) remember(visible_, Move::jump);
  show(next);
  if (move != Move::follow) remember(next, move);
}

void TimeWindow::zoom(double factor, std::int64_t anchorNs) {
  const double length = static_cast<double>(visible_.lengthNs());
  const double newLength = std::max(length * factor, static_cast<double>(kShortestNs));
  const double share = length > 0 ? static_cast<double>(anchorNs - visible_.beginNs) / length : 0.5;
  const auto begin = anchorNs - static_cast<std::int64_t>(std::llround(share * newLength));
  setVisible({begin, begin + static_cast<std::int64_t>(std::llround(newLength))},
             factor < 1 ? Move::zoomIn : Move::zoomOut);
}

void TimeWindow::pan(std::int64_t byNs) {
  setVisible({visible_.beginNs + byNs, visible_.endNs + byNs}, Move::pan);
}

void TimeWindow::revisit(std::size_t entry) {
  setFollowing(false);
  lastMove_ = Move::jump;
  at_ = entry;
  setEpoch(history_[at_].epoch);
  show(history_[at_].range);
  emit historyChanged();
}

void TimeWindow::back() {
  if (canBack()) revisit(at_ - 1);
}

void TimeWindow::forward() {
  if (canForward()) revisit(at_ + 1);
}

void TimeWindow::undoZoom() {
  const std::int64_t length = visible_.lengthNs();
  while (canBack() && visible_.lengthNs() == length) back();
}

void TimeWindow::up() {
  for (std::size_t i = at_; i-- > 0;) {
    const Visited wider = history_[i];
    if (!wider.range.contains(visible_) || wider.range == visible_) continue;
    setEpoch(wider.epoch);
    setVisible(wider.range, Move::jump);
    return;
  }
  const std::int64_t length = visible_.lengthNs();
  const TimeRange wider{visible_.beginNs - length - length / 2, visible_.endNs + length + length / 2};
  if (wider.lengthNs() >= extent_.lengthNs())
    home();
  else
    setVisible(wider, Move::jump);
}

void TimeWindow::home() { setVisible(extent_, Move::jump); }

void TimeWindow::setFollowing(bool following) {
  if (following == following_) return;
  following_ = following;
  if (following_) showNewest();
}

void TimeWindow::select(TimeRange range) {
  if (range.endNs < range.beginNs) std::swap(range.beginNs, range.endNs);
  if (range == selection_) return;
  selection_ = range;
  emit selectionChanged(selection_);
}

void TimeWindow::chooseLane(std::optional<LaneChoice> lane) {
  if (lane == lane_) return;
  lane_ = lane;
  emit laneChanged();
}

void TimeWindow::setEpoch(std::optional<std::int64_t> epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  emit epochChanged();
}

void TimeWindow::selectSpan(std::int64_t rank, std::optional<Span> span, std::int32_t block) {
  if (span == span_ && rank == spanRank_ && block == spanBlock_) return;
  span_ = span;
  spanRank_ = span ? rank : -1;
  spanBlock_ = span ? block : 0;
  emit spanChanged();
}

void TimeWindow::reset(TimeRange extent) {
  history_.clear();
  at_ = 0;
  lastMove_ = Move::jump;
  setFollowing(false);
  select({});
  chooseLane({});
  setEpoch({});
  selectSpan(-1, {});
  visible_ = {};
  newest_.reset();
  extent_ = {};
  setExtent(extent);
  emit historyChanged();
}

}  // namespace halo
