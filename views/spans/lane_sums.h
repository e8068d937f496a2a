#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "views/spans/span_store.h"

namespace halo {

/// Times in order, appended in any, of which those before a moment are counted and added up. O(log n).
class SortedTimes {
 public:
  /// Sorts `fresh`. What is later than the first of them is taken in again.
  void append(std::vector<std::int64_t>& fresh);
  struct Before {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;  // modulo 2^64
  };
  Before before(std::int64_t ns) const;
  std::size_t size() const { return times_.size(); }
  std::size_t bytes() const { return times_.bytes() + sums_.capacity() * sizeof(sums_[0]); }
  void releaseSpare();

 private:
  std::size_t firstFrom(std::int64_t ns) const;

  SideColumn times_;
  std::vector<std::uint64_t> sums_;  // of what stands before each group of the column
  std::uint64_t total_ = 0;
};

/// Exact time and number of the spans of a lane in any range, however many rows they overlap in. Each span is
/// a begin and an end: before t it took (t − begin) less (t − end), each where that is not below 0.
class LaneSums {
 public:
  /// In any order.
  void append(std::span<const Span> spans);
  /// That of SpanRow::sumOf over all rows.
  SpanRow::Sum sumOf(std::int64_t beginNs, std::int64_t endNs) const;
  std::size_t bytes() const;
  void releaseSpare();

 private:
  struct OfKind {
    SortedTimes begins, ends;
    SortedTimes instants;  // what lasts no time
  };
  std::array<OfKind, kKinds> kinds_;
};

}  // namespace halo
