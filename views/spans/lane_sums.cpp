#include "views/spans/lane_sums.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo {
namespace {

/// Times that are nearly in order, as ends of spans in order of begin are; others as std::sort would.
void sortNearlySorted(std::vector<std::int64_t>& times) {
  constexpr std::size_t kMovesEach = 8;  // more than that on average, and std::sort is faster
  std::size_t moves = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const std::int64_t time = times[i];
    std::size_t to = i;
    for (; to > 0 && times[to - 1] > time; --to) times[to] = times[to - 1];
    times[to] = time;
    moves += i - to;
    if (moves > kMovesEach * times.size()) return std::sort(times.begin(), times.end());
  }
}

}  // namespace

void SortedTimes::append(std::vector<std::int64_t>& fresh) {
  if (fresh.empty()) return;
  sortNearlySorted(fresh);
  const std::size_t kept =
      size() == 0 || times_.at(size() - 1) <= fresh.front() ? size() : firstFrom(fresh.front());
  if (kept < size()) {
    const auto taken = std::ssize(fresh);
    for (std::size_t i = kept; i < size(); ++i) {
      fresh.push_back(times_.at(i));
      total_ -= static_cast<std::uint64_t>(fresh.back());
    }
    std::inplace_merge(fresh.begin(), fresh.begin() + taken, fresh.end());
    times_.truncate(kept);
    sums_.resize((kept + SideColumn::kGroup - 1) / SideColumn::kGroup);
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if ((kept + i) % SideColumn::kGroup == 0) sums_.push_back(total_);
    total_ += static_cast<std::uint64_t>(fresh[i]);
  }
  times_.append(fresh);
}

std::size_t SortedTimes::firstFrom(std::int64_t ns) const {
  // the group first, then within it
  const auto first = [&](std::size_t low, std::size_t high, std::size_t step) {
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (times_.at(middle * step) < ns)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const std::size_t group = first(0, sums_.size(), SideColumn::kGroup);
  if (group == 0) return 0;
  return first((group - 1) * SideColumn::kGroup + 1, std::min(group * SideColumn::kGroup, size()), 1);
}

SortedTimes::Before SortedTimes::before(std::int64_t ns) const {
  const std::size_t count = firstFrom(ns);
  if (count == 0) return {};
  const std::size_t group = (count - 1) / SideColumn::kGroup;
  Before before{count, sums_[group]};
  for (std::size_t i = group * SideColumn::kGroup; i < count; ++i)
    before.sum += static_cast<std::uint64_t>(times_.at(i));
  return before;
}

void SortedTimes::releaseSpare() {
  times_.releaseSpare();
  sums_.shrink_to_fit();
}

void LaneSums::append(std::span<const Span> spans) {
  std::array<std::vector<std::int64_t>, kKinds> begins, ends, instants;
  std::array<std::size_t, kKinds> counts{};
  for (const Span& span : spans) ++counts[at(span.kind)];
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    begins[kind].reserve(counts[kind]);
    ends[kind].reserve(counts[kind]);
  }
  for (const Span& span : spans) {
    const auto kind = at(span.kind);
    if (span.durationNs == 0) {
      instants[kind].push_back(span.beginNs);
      continue;
    }
    begins[kind].push_back(span.beginNs);
    ends[kind].push_back(span.endNs());
  }
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    kinds_[kind].begins.append(begins[kind]);
    kinds_[kind].ends.append(ends[kind]);
    kinds_[kind].instants.append(instants[kind]);
  }
}

SpanRow::Sum LaneSums::sumOf(std::int64_t beginNs, std::int64_t endNs) const {
  SpanRow::Sum sum;
  if (endNs <= beginNs) return sum;
  const auto after = [](const SortedTimes::Before& before, std::int64_t ns) {
    return before.count * static_cast<std::uint64_t>(ns) - before.sum;
  };
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto& [begins, ends, instants] = kinds_[kind];
    if (instants.size() > 0)
      sum.spans += static_cast<std::int64_t>(instants.before(endNs).count - instants.before(beginNs).count);
    if (begins.size() == 0) continue;
    const SortedTimes::Before begunFirst = begins.before(beginNs), begunLast = begins.before(endNs);
    const SortedTimes::Before endedFirst = ends.before(beginNs + 1), endedLast = ends.before(endNs);
    sum.spans += static_cast<std::int64_t>(begunLast.count - endedFirst.count);
    // each term may pass 2^64; what remains does not
    sum.ns[kind] = static_cast<std::int64_t>(after(begunLast, endNs) - after(endedLast, endNs) -
                                             after(begunFirst, beginNs) + after(endedFirst, beginNs));
  }
  return sum;
}

std::size_t LaneSums::bytes() const {
  std::size_t bytes = sizeof(*this);
  for (const auto& [begins, ends, instants] : kinds_)
    bytes += begins.bytes() + ends.bytes() + instants.bytes();
  return bytes;
}

void LaneSums::releaseSpare() {
  for (auto& [begins, ends, instants] : kinds_) {
    begins.releaseSpare();
    ends.releaseSpare();
    instants.releaseSpare();
  }
}

}  // namespace halo
