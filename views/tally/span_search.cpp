#include "views/tally/span_search.h"

#include <algorithm>
#include <limits>

#include "engine/base/index.h"
#include "views/spans/span_label.h"

namespace halo {

void SpanSearch::begin(std::vector<RowEntry> rows, const QString& text) {
  rows_ = std::move(rows);
  words_ = text.simplified().split(' ', Qt::SkipEmptyParts);
  known_.clear();
  hits_.assign(rows_.size(), {});
  read_.assign(rows_.size(), 0);
  count_ = 0;
}

bool SpanSearch::hits(Name name, int layer) {
  const std::uint32_t key = static_cast<std::uint32_t>(name) << 16 | static_cast<std::uint16_t>(layer);
  const auto [entry, isNew] = known_.try_emplace(key, false);
  if (isNew) {
    const QString label = spanLabel(name, layer);
    entry->second = std::ranges::all_of(
        words_, [&](const QString& word) { return label.contains(word, Qt::CaseInsensitive); });
  }
  return entry->second;
}

bool SpanSearch::advance(std::size_t spans) {
  if (words_.isEmpty()) return false;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const SpanRow& spanRow = rows_[row].row->spans;
    std::size_t& read = read_[row];
    const std::size_t end = std::min(spanRow.size(), read + spans);
    spans -= end - read;
    for (; read < end; ++read)
      if (hits(spanRow.name(read), spanRow.layer(read))) {
        hits_[row].push_back(static_cast<std::uint32_t>(read));
        ++count_;
      }
    if (read < spanRow.size()) return true;
  }
  return false;
}

std::size_t SpanSearch::numberOf(const SpanId& span) const {
  const auto order = orderOf(rows_, span);
  if (!order) return 0;
  const auto& own = hits_[at(order->row)];
  if (!std::binary_search(own.begin(), own.end(), span.index)) return 0;
  std::size_t number = 1;
  for (std::size_t row = 0; row < rows_.size(); ++row)
    number += at(std::ranges::partition_point(
                     hits_[row], [&](std::uint32_t index) { return orderOf(rows_, row, index) < *order; }) -
                 hits_[row].begin());
  return number;
}

std::optional<SpanId> SpanSearch::beyond(const SpanOrder& from, int by) const {
  std::optional<SpanOrder> nearest;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto& hits = hits_[row];
    const auto place = [&](std::uint32_t index) { return orderOf(rows_, row, index); };
    const auto after = std::ranges::partition_point(
        hits, [&](std::uint32_t index) { return by > 0 ? place(index) <= from : place(index) < from; });
    if (by > 0 ? after == hits.end() : after == hits.begin()) continue;
    const SpanOrder candidate = place(by > 0 ? *after : *(after - 1));
    if (!nearest || (by > 0 ? candidate < *nearest : candidate > *nearest)) nearest = candidate;
  }
  if (!nearest) return std::nullopt;
  return SpanId{rows_[at(nearest->row)].id, nearest->index};
}

std::optional<SpanId> SpanSearch::next(const std::optional<SpanId>& from, std::int64_t fromNs, int by) const {
  const auto at = from ? orderOf(rows_, *from) : std::nullopt;
  if (const auto span = beyond(at.value_or(SpanOrder{fromNs}), by)) return span;
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  return beyond(SpanOrder{by > 0 ? -kLast : kLast}, by);
}

}  // namespace halo
