#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/record/tables/span_block.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Spans of one lane as columns, all of one length: between a packed block and a row, without whole spans.
struct SpanColumns {
  std::vector<std::int64_t> begin, duration;
  std::vector<std::uint8_t> kind;
  std::vector<std::uint16_t> name;
  std::vector<std::int64_t> context, epoch, peer, bytes;  // context: layer × 4 + pass
  Lane lane = Lane::main;

  SpanColumns() = default;
  /// `spans` all of one lane.
  SpanColumns(const std::vector<Span>& spans);

  /// Replaces what is here by the spans of `block`.
  void read(const SpanBlock& block);
  Span at(std::size_t i) const;

  std::size_t size() const { return begin.size(); }
  std::int64_t endNs(std::size_t i) const { return begin[i] + duration[i]; }
  /// Whether the spans, as they stand, can follow a row that ends at `endNs`.
  bool follow(std::int64_t endNs) const;
  /// Whether a span ends before it begins: no recorder writes one.
  bool anyBackward() const;
};

/// By begin; of those that begin together what lasts no time first, then the longer; else as they came.
std::vector<std::uint32_t> nestingOrder(const SpanColumns& spans);

/// Which spans go to which sub-row, by greedy interval partitioning. In an order that nests the longer ones
/// on top, each span goes to the first of `ends` it does not overlap. `ends` grows by what is needed and
/// moves on. Element r has the spans of sub-row r in order; nothing is dropped.
std::vector<std::vector<std::uint32_t>> partitionIntoRows(const SpanColumns& spans,
                                                          std::vector<std::int64_t>& ends);

}  // namespace halo
