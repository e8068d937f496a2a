#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "views/tally/span_order.h"

namespace halo {

/// Which spans are alike.
struct SpanGroupKey {
  Lane lane = Lane::main;
  Name name = Name::aggregate;
  std::int16_t layer = -1;
  bool operator==(const SpanGroupKey&) const = default;
  auto operator<=>(const SpanGroupKey& other) const {
    return std::tuple(placeOf(lane), name, layer) <=>
           std::tuple(placeOf(other.lane), other.name, other.layer);
  }
};

/// Statistics of the spans that are alike and touch a range of time.
struct SpanGroup {
  SpanGroupKey key;
  Kind kind = Kind::other;  // of the first
  std::int64_t count = 0;
  std::int64_t insideNs = 0;  // their sum, the part in the range
  double share = 0;           // insideNs ÷ (range × ranks)
  // durations of whole spans, in ns
  double meanNs = 0, medianNs = 0, p95Ns = 0;
  std::int64_t shortestNs = 0, longestNs = 0;
  /// How many are so long. Bins go from the shortest to the longest, each longer than the one before by the
  /// same factor. There is one bin where all are equally long.
  std::vector<std::int64_t> bins;
  /// Begin of a bin in ns; of the bin after the last its end.
  double binBeginNs(std::size_t bin) const;
};

/// Counts the spans of rows by lane, name and layer. Reads a stretch at a time, so that nothing waits for it.
/// The rows outlive it, or begin() is called again.
class SpanGrouping {
 public:
  static constexpr std::size_t kBins = 32;

  /// Rows that are read, of one run. An empty range has no spans.
  void begin(std::vector<RowEntry> rows, TimeRange range);
  /// Reads so many spans more, or works out a figure of a group; true while there is more to do.
  bool advance(std::size_t spans);
  /// In order of their keys; complete once advance() has said so.
  const std::vector<SpanGroup>& groups() const { return groups_; }

 private:
  bool readMore(std::size_t spans);
  void finish(SpanGroup& group, std::vector<std::int64_t>& durations);

  std::vector<RowEntry> rows_;
  TimeRange range_;
  std::int64_t ranks_ = 0;
  std::map<SpanGroupKey, std::size_t> places_;  // in what follows
  std::vector<SpanGroup> counted_;
  std::vector<std::vector<std::int64_t>> durations_;
  std::vector<SpanGroup> groups_;
  std::size_t row_ = 0, read_ = 0;  // next to read
  std::size_t finished_ = 0;        // groups
  int figure_ = 0;                  // next of that group
};

/// The next span of a group after `from` by begin, then by row, among those of `rows` that touch the range.
/// After the last comes the first again. The first also where `from` is none of the rows.
std::optional<SpanId> nextOf(const SpanGroupKey& key, const std::vector<RowEntry>& rows, TimeRange range,
                             const std::optional<SpanId>& from);

}  // namespace halo
