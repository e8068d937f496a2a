#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/record/tables/span_stream.h"

namespace halo {

/// The threads of one lane of one rank: viewers lose X events of one thread that overlap without nesting.
class TraceRows {
 public:
  explicit TraceRows(bool nesting) : nesting_(nesting) {}

  /// Spans come by begin, the longer first. Returns the row, from 0.
  std::size_t place(const Span& span) {
    std::size_t row = 0;
    while (row < open_.size() && !fits(open_[row], span)) ++row;
    if (row == open_.size()) open_.emplace_back();
    open_[row].push_back(span.endNs());
    return row;
  }
  std::size_t count() const { return open_.size(); }

 private:
  bool fits(std::vector<std::int64_t>& ends, const Span& span) const {
    while (!ends.empty() && ends.back() <= span.beginNs) ends.pop_back();
    return ends.empty() || (nesting_ && ends.back() >= span.endNs());
  }
  bool nesting_;
  std::vector<std::vector<std::int64_t>>
      open_;  // a row: ends of the spans that are under way, innermost last
};

/// The rows of every lane of every rank and actor. Spans come as forEachOwnedSpan gives them.
class TraceLanes {
 public:
  /// Returns the row of the lane, from 0.
  std::int64_t place(const SpanOwner& owner, Lane lane, const Span& span) {
    TraceRows& rows = lanes_.try_emplace({owner, lane}, lane != Lane::link).first->second;
    return static_cast<std::int64_t>(rows.place(span));
  }
  const std::map<std::pair<SpanOwner, Lane>, TraceRows>& all() const { return lanes_; }

 private:
  std::map<std::pair<SpanOwner, Lane>, TraceRows> lanes_;
};

}  // namespace halo
