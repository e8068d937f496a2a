#pragma once

#include <QString>
#include <QStringList>
#include <unordered_map>

#include "views/tally/span_order.h"

namespace halo {

/// All spans of some rows whose label holds what is searched. Reads a stretch at a time, so that nothing
/// waits for it, and goes on with spans that were appended since. The rows outlive it, or begin() is called
/// again.
class SpanSearch {
 public:
  /// Rows that are read. `text`: words that a label as spanLabel() holds, each anywhere in it, in any case;
  /// none: nothing is hit.
  void begin(std::vector<RowEntry> rows, const QString& text);
  /// Reads so many spans more; true while there are others.
  bool advance(std::size_t spans);

  bool empty() const { return words_.isEmpty(); }  // nothing is searched
  /// Hits so far.
  std::size_t count() const { return count_; }
  /// How many hits stand up to this span, itself included; 0 where it is no hit.
  std::size_t numberOf(const SpanId& span) const;
  /// The next hit (`by` 1) or the previous (−1) by begin, then by row; round from the last to the first.
  /// From the moment `fromNs` where `from` is no span of the rows. Nothing without hits.
  std::optional<SpanId> next(const std::optional<SpanId>& from, std::int64_t fromNs, int by) const;

 private:
  bool hits(Name name, int layer);
  std::optional<SpanId> beyond(const SpanOrder& from, int by) const;

  std::vector<RowEntry> rows_;
  QStringList words_;
  std::unordered_map<std::uint32_t, bool> known_;  // by name and layer
  std::vector<std::vector<std::uint32_t>> hits_;   // of each row, their indices in order
  std::vector<std::size_t> read_;                  // of each row, how many
  std::size_t count_ = 0;
};

}  // namespace halo
