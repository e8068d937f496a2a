#include "views/spans/span_columns.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace halo {

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

SpanColumns::SpanColumns(const std::vector<Span>& spans) {
  if (!spans.empty()) lane = spans.front().lane;
  const auto column = [&](auto& to, auto value) {
    to.resize(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i)
      to[i] = static_cast<std::remove_reference_t<decltype(to[i])>>(value(spans[i]));
  };
  column(begin, [](const Span& span) { return span.beginNs; });
  column(duration, [](const Span& span) { return span.durationNs; });
  column(kind, [](const Span& span) { return span.kind; });
  column(name, [](const Span& span) { return span.name; });
  column(context, [](const Span& span) { return std::int64_t{span.layer} * 4 + std::int64_t(span.pass); });
  column(epoch, [](const Span& span) { return span.epoch; });
  column(peer, [](const Span& span) { return span.peer; });
  column(bytes, [](const Span& span) { return span.bytes; });
}

Span SpanColumns::at(std::size_t i) const {
  Span span;
  span.beginNs = begin[i];
  span.durationNs = duration[i];
  span.bytes = bytes[i];
  span.epoch = static_cast<std::int32_t>(epoch[i]);
  span.peer = static_cast<std::int32_t>(peer[i]);
  span.layer = static_cast<std::int16_t>(context[i] >> 2);  // arithmetic: −1 stays −1
  span.pass = static_cast<Pass>(context[i] & 3);
  span.name = static_cast<Name>(name[i]);
  span.kind = static_cast<Kind>(kind[i]);
  span.lane = lane;
  return span;
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
