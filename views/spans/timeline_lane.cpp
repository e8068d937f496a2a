#include "views/spans/timeline_lane.h"

#include <algorithm>
#include <queue>

namespace halo {
namespace {

/// Transfers of several rows one after another by begin, those that overlap as one.
class Joiner {
 public:
  /// From those that begin at `ns` on.
  Joiner(const std::vector<TimelineLane::Row>& rows, std::int64_t ns) : rows_(rows) {
    for (std::size_t r = 0; r < rows.size(); ++r) push(r, rows[r].row->spans.firstFrom(ns));
  }

  SpanColumns join() {
    std::vector<Span> joined;
    while (!next_.empty()) {
      const Next at = next_.top();
      next_.pop();
      const SpanRow& spans = rows_[at.row].row->spans;
      if (joined.empty() || at.beginNs >= joined.back().endNs()) {
        joined.push_back(spans.at(at.index));
      } else {
        Span& several = joined.back();
        Span with = spans.at(at.index);
        several.durationNs = std::max(several.endNs(), with.endNs()) - several.beginNs;
        several.bytes += with.bytes;
        if (several.peer != with.peer) several.peer = -1;
        if (several.epoch != with.epoch) several.epoch = -1;
        if (several.layer != with.layer) several.layer = -1;
        if (several.pass != with.pass) several.pass = Pass::none;
      }
      push(at.row, at.index + 1);
    }
    return joined;
  }

 private:
  struct Next {
    std::int64_t beginNs = 0, endNs = 0;
    std::size_t row = 0, index = 0;
    /// The earliest is on top; of those that begin together what lasts no time.
    bool operator<(const Next& other) const {
      return std::pair(beginNs, endNs) > std::pair(other.beginNs, other.endNs);
    }
  };
  void push(std::size_t row, std::size_t index) {
    const SpanRow& spans = rows_[row].row->spans;
    if (index < spans.size()) next_.push({spans.beginNs(index), spans.endNs(index), row, index});
  }

  const std::vector<TimelineLane::Row>& rows_;
  std::priority_queue<Next> next_;
};

}  // namespace

void TimelineRow::build(std::size_t from) {
  const std::int64_t changed = pyramid.append(spans, from);
  if (changed != INT64_MAX) colors.invalidate(pyramid, changed);
}

void TimelineLane::append(const SpanColumns& spans) {
  take(spans);
  build();
}

void TimelineLane::take(const SpanColumns& spans) {
  size_ += spans.size();
  if (lane_ != Lane::link) return take(-1, spans);
  std::map<std::int32_t, std::vector<std::uint32_t>> byPeer;
  for (std::uint32_t i = 0; i < spans.size(); ++i)
    byPeer[static_cast<std::int32_t>(spans.peer[i])].push_back(i);
  SpanColumns part;
  for (const auto& [peer, indices] : byPeer) {
    part.pick(spans, indices);
    take(peer, part);
  }
}

void TimelineLane::take(std::int32_t peer, const SpanColumns& spans) {
  if (spans.size() == 0) return;
  Group& group = groups_[peer];
  const auto grow = [&] {
    while (group.rows.size() < group.ends.size()) {
      const auto row = static_cast<std::int32_t>(group.rows.size());
      group.rows.push_back(rows_.size());
      rows_.push_back({lane_ == Lane::link ? linkSub(peer, row) : row, std::make_unique<TimelineRow>()});
    }
  };
  const auto rowOf = [&](std::size_t r) -> SpanRow& { return rows_[group.rows[r]].row->spans; };
  // nearly every block of a main lane: in order and free of overlap
  if (spans.follow(group.ends.empty() ? INT64_MIN : group.ends.front())) {
    if (group.ends.empty()) group.ends.push_back(INT64_MIN);
    grow();
    rowOf(0).append(spans);
    group.ends.front() = rowOf(0).endNs();
    return;
  }
  const auto rows = partitionIntoRows(spans, group.ends);
  grow();
  SpanColumns part;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    part.pick(spans, rows[r]);
    rowOf(r).append(part);
  }
}

void TimelineLane::build() {
  join();
  for (Row& row : rows_) {
    row.row->build(row.built);
    row.built = row.row->spans.size();
  }
}

/// What is new; of what is joined already, only what that changes is joined again.
void TimelineLane::join() {
  if (lane_ != Lane::link || rows_.size() < 2) return;
  std::int64_t first = INT64_MAX;
  for (const Row& row : rows_)
    if (row.built < row.row->spans.size()) first = std::min(first, row.row->spans.beginNs(row.built));
  if (!inFlight_) {
    inFlight_ = std::make_unique<TimelineRow>();
    first = INT64_MIN;
  }
  SpanRow& joined = inFlight_->spans;
  std::size_t keptCount = joined.empty() ? 0 : joined.firstEndingAfter(first - 1);
  if (keptCount < joined.size()) {
    first = std::min(first, joined.beginNs(keptCount));
    while (keptCount > 0 && joined.beginNs(keptCount - 1) == first) --keptCount;  // of no length
    joined.truncate(keptCount);
    inFlight_->pyramid = {};
  }
  joined.append(Joiner(rows_, first).join());
  inFlight_->build(inFlight_->pyramid.empty() ? 0 : keptCount);
}

void TimelineLane::releaseSpare() {
  const auto release = [](TimelineRow& row) {
    row.spans.releaseSpare();
    row.pyramid.releaseSpare();
  };
  for (Row& row : rows_) release(*row.row);
  if (inFlight_) release(*inFlight_);
}

std::size_t TimelineLane::bytes() const {
  const auto bytesOf = [](const TimelineRow& row) {
    return sizeof(row) + row.spans.bytes() + row.pyramid.bytes() + row.colors.bytes();
  };
  std::size_t bytes = sizeof(*this) + (inFlight_ ? bytesOf(*inFlight_) : 0);
  for (const Row& row : rows_) bytes += bytesOf(*row.row);
  return bytes;
}

}  // namespace halo
