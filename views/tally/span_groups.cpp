#include "views/tally/span_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/index.h"
#include "engine/record/comparison/span_totals.h"

namespace halo {
namespace {

std::vector<std::int64_t> binsOf(const SpanGroup& group, const std::vector<std::int64_t>& durations) {
  if (group.shortestNs == group.longestNs) return {group.count};
  std::vector<std::int64_t> bins(SpanGrouping::kBins);
  // instants stand among those of 1 ns: they have no logarithm
  const double least = std::log(static_cast<double>(std::max<std::int64_t>(1, group.shortestNs)));
  const double all = std::log(static_cast<double>(std::max<std::int64_t>(2, group.longestNs))) - least;
  const auto last = static_cast<double>(bins.size() - 1);
  for (const std::int64_t ns : durations) {
    const double share = (std::log(static_cast<double>(std::max<std::int64_t>(1, ns))) - least) / all;
    ++bins[static_cast<std::size_t>(std::clamp(share * static_cast<double>(bins.size()), 0.0, last))];
  }
  return bins;
}

}  // namespace

double SpanGroup::binBeginNs(std::size_t bin) const {
  const auto least = static_cast<double>(std::max<std::int64_t>(1, shortestNs));
  const auto most = static_cast<double>(std::max<std::int64_t>(2, longestNs));
  if (bins.size() < 2) return static_cast<double>(shortestNs);
  return least * std::pow(most / least, static_cast<double>(bin) / static_cast<double>(bins.size()));
}

void SpanGrouping::begin(std::vector<RowEntry> rows, TimeRange range) {
  rows_ = std::move(rows);
  range_ = range;
  std::set<std::int64_t> ranks;
  for (const RowEntry& row : rows_) ranks.insert(row.id.rank);
  ranks_ = std::ssize(ranks);
  places_.clear();
  counted_.clear();
  durations_.clear();
  groups_.clear();
  row_ = read_ = finished_ = 0;
  figure_ = 0;
}

bool SpanGrouping::advance(std::size_t spans) {
  if (range_.empty() || readMore(spans)) return !range_.empty();
  if (finished_ < counted_.size()) {
    finish(counted_[finished_], durations_[finished_]);
    return true;
  }
  for (const auto& [key, place] : places_) groups_.push_back(std::move(counted_[place]));
  places_.clear();
  counted_.clear();
  return false;
}

bool SpanGrouping::readMore(std::size_t spans) {
  for (; row_ < rows_.size(); ++row_, read_ = 0) {
    const SpanRow& spanRow = rows_[row_].row->spans;
    const auto [first, last] = spanRow.touching(range_.beginNs, range_.endNs);
    read_ = std::max(read_, first);
    const std::size_t end = std::min(last, read_ + spans);
    for (; read_ < end; ++read_, --spans) {
      const SpanGroupKey key{rows_[row_].id.lane, spanRow.name(read_), spanRow.layer(read_)};
      const auto [at, isNew] = places_.try_emplace(key, counted_.size());
      if (isNew) {
        counted_.push_back({key, spanRow.kind(read_)});
        durations_.emplace_back();
      }
      const std::int64_t begin = spanRow.beginNs(read_), to = spanRow.endNs(read_);
      counted_[at->second].insideNs += std::min(to, range_.endNs) - std::max(begin, range_.beginNs);
      durations_[at->second].push_back(to - begin);
    }
    if (read_ < last) return true;
  }
  return false;
}

/// A figure at a time: each goes over all durations of the group.
void SpanGrouping::finish(SpanGroup& group, std::vector<std::int64_t>& durations) {
  switch (figure_++) {
    case 0:
      group.medianNs = quantileOf(durations, 0.5);
      return;
    case 1:
      group.p95Ns = quantileOf(durations, 0.95);
      return;
    default:
      break;
  }
  group.count = std::ssize(durations);
  const auto sum = std::accumulate(durations.begin(), durations.end(), std::int64_t{0});
  group.meanNs = static_cast<double>(sum) / static_cast<double>(group.count);
  group.share = static_cast<double>(group.insideNs) / static_cast<double>(range_.lengthNs()) /
                static_cast<double>(ranks_);
  const auto [shortest, longest] = std::ranges::minmax(durations);
  group.shortestNs = shortest;
  group.longestNs = longest;
  group.bins = binsOf(group, durations);
  durations = {};
  ++finished_;
  figure_ = 0;
}

std::optional<SpanId> nextOf(const SpanGroupKey& key, const std::vector<RowEntry>& rows, TimeRange range,
                             const std::optional<SpanId>& from) {
  const auto after = from ? orderOf(rows, *from) : std::nullopt;
  const auto firstAfter = [&](const std::optional<SpanOrder>& begin) {
    std::optional<SpanOrder> nearest;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].id.lane != key.lane) continue;
      const SpanRow& spans = rows[row].row->spans;
      const auto [first, last] = spans.touching(range.beginNs, range.endNs);
      std::size_t i = begin ? std::max(first, spans.firstFrom(begin->beginNs)) : first;
      for (; i < last && (!nearest || spans.beginNs(i) < nearest->beginNs); ++i) {
        const SpanOrder place = orderOf(rows, row, i);
        if (spans.name(i) != key.name || spans.layer(i) != key.layer || (begin && place <= *begin)) continue;
        nearest = place;
        break;
      }
    }
    return nearest;
  };
  auto nearest = firstAfter(after);
  if (!nearest && after) nearest = firstAfter(std::nullopt);
  if (!nearest) return std::nullopt;
  return SpanId{rows[at(nearest->row)].id, nearest->index};
}

}  // namespace halo
