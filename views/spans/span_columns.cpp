#include "views/spans/span_columns.h"

#include <algorithm>
#include <numeric>

namespace halo {
namespace {

/// What each span has once, for every column of SpanColumns: visit(to's column, from's column).
template <class Visit>
void eachColumn(SpanColumns& to, const SpanColumns& from, Visit visit) {
  visit(to.begin, from.begin);
  visit(to.duration, from.duration);
  visit(to.kind, from.kind);
  visit(to.name, from.name);
  visit(to.context, from.context);
  visit(to.epoch, from.epoch);
  visit(to.peer, from.peer);
  visit(to.bytes, from.bytes);
}

/// By begin; of those that begin together what lasts no time first, then the longer; else as they came.
std::vector<std::uint32_t> nestingOrder(const SpanColumns& spans) {
  std::vector<std::uint32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (spans.begin[a] != spans.begin[b]) return spans.begin[a] < spans.begin[b];
    if ((spans.duration[a] == 0) != (spans.duration[b] == 0)) return spans.duration[a] == 0;
    return spans.duration[a] > spans.duration[b];
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

}  // namespace

SpanColumns::SpanColumns(const std::vector<Span>& spans) {
  if (!spans.empty()) lane = spans.front().lane;
  for (const Span& span : spans) {
    begin.push_back(span.beginNs);
    duration.push_back(span.durationNs);
    kind.push_back(static_cast<std::uint8_t>(span.kind));
    name.push_back(static_cast<std::uint16_t>(span.name));
    context.push_back(std::int64_t{span.layer} * 4 + static_cast<std::int64_t>(span.pass));
    epoch.push_back(span.epoch);
    peer.push_back(span.peer);
    bytes.push_back(span.bytes);
  }
}

void SpanColumns::read(const SpanBlock& block) {
  lane = block.lane();
  const auto column = [&](SpanColumn field, auto& to) {
    to.resize(block.count());
    block.read(field, to.data());
  };
  column(SpanColumn::begin, begin);
  column(SpanColumn::duration, duration);
  column(SpanColumn::kind, kind);
  column(SpanColumn::name, name);
  column(SpanColumn::layer, context);
  column(SpanColumn::pass, epoch);
  for (std::size_t i = 0; i < size(); ++i) context[i] = context[i] * 4 + epoch[i];
  column(SpanColumn::epoch, epoch);
  column(SpanColumn::peer, peer);
  column(SpanColumn::bytes, bytes);
}

void SpanColumns::pick(const SpanColumns& from, std::span<const std::uint32_t> indices) {
  lane = from.lane;
  eachColumn(*this, from, [&](auto& to, const auto& source) {
    to.resize(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) to[i] = source[indices[i]];
  });
}

bool SpanColumns::follow(std::int64_t endNs) const {
  bool ordered = true;
  for (std::size_t i = 0; i < size(); ++i) {
    ordered = ordered && begin[i] >= endNs && duration[i] >= 0;
    endNs = this->endNs(i);
  }
  return ordered;
}

bool SpanColumns::anyBackward() const {
  return std::any_of(duration.begin(), duration.end(), [](std::int64_t ns) { return ns < 0; });
}

std::vector<std::vector<std::uint32_t>> partitionIntoRows(const SpanColumns& spans,
                                                          std::vector<std::int64_t>& ends) {
  std::vector<std::vector<std::uint32_t>> rows(ends.size());
  for (const std::uint32_t i : nestingOrder(spans)) {
    std::size_t row = 0;
    while (row < ends.size() && ends[row] > spans.begin[i]) ++row;
    if (row == ends.size()) {
      ends.push_back(INT64_MIN);
      rows.emplace_back();
    }
    ends[row] = spans.endNs(i);
    rows[row].push_back(i);
  }
  return rows;
}

}  // namespace halo
