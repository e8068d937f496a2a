#include "views/spans/timeline_lane.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::size_t kLookedUp = 256;  // the first peers, whose rows are asked for once a block
constexpr std::size_t kFewRows = 8;     // of these alone each is asked for its sums

/// By begin; of those that begin together what ends first. What else they are decides last, so that the order
/// in which they came never does.
bool earlier(const Span& a, const Span& b) {
  if (a.beginNs != b.beginNs) return a.beginNs < b.beginNs;
  return std::tuple(a.durationNs, a.peer, a.name, a.kind) < std::tuple(b.durationNs, b.peer, b.name, b.kind);
}

/// Nearly always they are in order of begin already.
void sortByBegin(std::vector<Span>& spans) {
  if (!std::ranges::is_sorted(spans, {}, &Span::beginNs)) std::ranges::sort(spans, earlier);
  for (auto begin = spans.begin(); begin != spans.end();) {
    const auto end = std::find_if(begin + 1, spans.end(),
                                  [&](const Span& span) { return span.beginNs != begin->beginNs; });
    if (end - begin > 1) std::sort(begin, end, earlier);
    begin = end;
  }
}

/// Those that overlap as one.
SpanColumns joined(const std::vector<Span>& spans) {
  SpanColumns all;
  all.lane = Lane::link;
  const auto add = [&](const Span& span) {
    all.begin.push_back(span.beginNs);
    all.duration.push_back(span.durationNs);
    all.kind.push_back(static_cast<std::uint8_t>(span.kind));
    all.name.push_back(static_cast<std::uint16_t>(span.name));
    all.context.push_back(std::int64_t{span.layer} * 4 + static_cast<std::int64_t>(span.pass));
    all.epoch.push_back(span.epoch);
    all.peer.push_back(span.peer);
    all.bytes.push_back(span.bytes);
  };
  if (spans.empty()) return all;
  Span several = spans.front();
  for (const Span& with : std::span(spans).subspan(1)) {
    if (with.beginNs >= several.endNs()) {
      add(several);
      several = with;
      continue;
    }
    several.durationNs = std::max(several.endNs(), with.endNs()) - several.beginNs;
    several.bytes += with.bytes;
    if (several.peer != with.peer) several.peer = -1;
    if (several.epoch != with.epoch) several.epoch = -1;
    if (several.layer != with.layer) several.layer = -1;
    if (several.pass != with.pass) several.pass = Pass::none;
  }
  add(several);
  return all;
}

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
  if (spans.size() == 0) return;
  size_ += spans.size();
  lane_ == Lane::link ? takeByPeer(spans) : takeAsOne(spans);
  for (const Row& row : rows_) waits_ |= row.row->spans.waits();
}

/// As many rows as `group` has ends.
void TimelineLane::grow(Group& group, std::int32_t peer) {
  while (group.rows.size() < group.ends.size()) {
    const auto row = static_cast<std::int32_t>(group.rows.size());
    group.rows.push_back(rows_.size());
    rows_.push_back({lane_ == Lane::link ? linkSub(peer, row) : row, std::make_unique<TimelineRow>()});
  }
}

void TimelineLane::takeAsOne(const SpanColumns& spans) {
  Group& group = groups_[-1];
  const auto rowOf = [&](std::size_t r) -> SpanRow& { return rows_[group.rows[r]].row->spans; };
  // nearly every block of a main lane: in order and free of overlap
  if (spans.follow(group.ends.empty() ? INT64_MIN : group.ends.front())) {
    if (group.ends.empty()) group.ends.push_back(INT64_MIN);
    grow(group, -1);
    rowOf(0).append(spans);
    group.ends.front() = rowOf(0).endNs();
    return;
  }
  const auto rows = partitionIntoRows(spans, group.ends);
  grow(group, -1);
  for (std::size_t r = 0; r < rows.size(); ++r) rowOf(r).append(spans, rows[r]);
}

/// partitionIntoRows() of each peer's spans, in one pass.
void TimelineLane::takeByPeer(const SpanColumns& spans) {
  const std::vector<std::uint32_t> order = nestingOrder(spans);
  std::vector<std::uint32_t> rowOf(order.size());
  std::array<Group*, kLookedUp> known{};
  const auto groupOf = [&](std::int32_t peer) -> Group& {
    if (peer < 0 || at(peer) >= known.size()) return groups_[peer];
    Group*& group = known[at(peer)];
    if (group == nullptr) group = &groups_[peer];
    return *group;
  };
  fresh_.reserve(fresh_.size() + order.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    const Span& span = fresh_.emplace_back(spans.at(order[position]));
    Group& group = groupOf(span.peer);
    std::size_t row = 0;
    while (row < group.ends.size() && group.ends[row] > span.beginNs) ++row;
    if (row == group.ends.size()) {
      group.ends.push_back(INT64_MIN);
      grow(group, span.peer);
    }
    group.ends[row] = span.endNs();
    rowOf[position] = static_cast<std::uint32_t>(group.rows[row]);
  }
  std::vector<std::uint32_t> place(rows_.size() + 1);
  for (const std::uint32_t row : rowOf) ++place[row + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> byRow(order.size());
  for (std::size_t position = 0; position < order.size(); ++position)
    byRow[place[rowOf[position]]++] = order[position];
  std::uint32_t begin = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].row->spans.append(spans, std::span(byRow).subspan(begin, place[row] - begin));
    begin = place[row];
  }
}

void TimelineLane::build() {
  join();
  if (inFlight_ && !peersShown_) return;
  for (Row& row : rows_) {
    row.row->build(row.built);
    row.built = row.row->spans.size();
  }
}

void TimelineLane::showPeers() {
  if (std::exchange(peersShown_, true)) return;
  build();
}

/// Of all rows, those that begin at `ns` or later.
std::vector<Span> TimelineLane::spansFrom(std::int64_t ns) const {
  std::vector<Span> spans;
  for (const Row& row : rows_)
    for (std::size_t i = row.row->spans.firstFrom(ns); i < row.row->spans.size(); ++i)
      spans.push_back(row.row->spans.at(i));
  return spans;
}

void TimelineLane::join() {
  std::vector<Span> fresh = std::exchange(fresh_, {});
  if (lane_ != Lane::link || rows_.size() < 2 || fresh.empty()) return;
  if (sums_) sums_->append(fresh);
  if (!inFlight_ && fresh.size() < size_) fresh = spansFrom(INT64_MIN);
  if (!sums_ && rows_.size() > kFewRows) {
    sums_ = std::make_unique<LaneSums>();
    sums_->append(fresh.size() < size_ ? spansFrom(INT64_MIN) : fresh);
  }
  if (!inFlight_) {
    inFlight_ = std::make_unique<TimelineRow>();
    return joinFrom(INT64_MIN, std::move(fresh));
  }
  // of what is joined already, only what the new ones change is joined again
  std::int64_t first = std::ranges::min(fresh, {}, &Span::beginNs).beginNs;
  const SpanRow& before = inFlight_->spans;
  if (const std::size_t kept = before.firstEndingAfter(first - 1); kept < before.size())
    first = std::min(first, before.beginNs(kept));
  joinFrom(first, spansFrom(first));
}

/// Of what is in flight, what begins at `ns` or later becomes that of `spans`.
void TimelineLane::joinFrom(std::int64_t ns, std::vector<Span> spans) {
  sortByBegin(spans);
  SpanRow& row = inFlight_->spans;
  const std::size_t kept = row.firstFrom(ns);
  if (kept < row.size()) {
    row.truncate(kept);
    inFlight_->pyramid = {};
  }
  row.append(joined(spans));
  inFlight_->build(inFlight_->pyramid.empty() ? 0 : kept);
}

SpanRow::Sum TimelineLane::sumOf(std::int64_t beginNs, std::int64_t endNs) const {
  if (sums_) return sums_->sumOf(beginNs, endNs);
  SpanRow::Sum sum;
  for (const Row& each : rows_) {
    const SpanRow::Sum row = each.row->spans.sumOf(beginNs, endNs);
    for (std::size_t k = 0; k < row.ns.size(); ++k) sum.ns[k] += row.ns[k];
    sum.spans += row.spans;
  }
  return sum;
}

void TimelineLane::releaseSpare() {
  const auto release = [](TimelineRow& row) {
    row.spans.releaseSpare();
    row.pyramid.releaseSpare();
  };
  for (Row& row : rows_) release(*row.row);
  if (inFlight_) release(*inFlight_);
  if (sums_) sums_->releaseSpare();
}

std::size_t TimelineLane::bytes() const {
  const auto bytesOf = [](const TimelineRow& row) {
    return sizeof(row) + row.spans.bytes() + row.pyramid.bytes() + row.colors.bytes();
  };
  std::size_t bytes = sizeof(*this) + (inFlight_ ? bytesOf(*inFlight_) : 0) + (sums_ ? sums_->bytes() : 0);
  for (const Row& row : rows_) bytes += bytesOf(*row.row);
  return bytes;
}

}  // namespace halo
