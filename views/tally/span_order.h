#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// Where a span stands among those of all rows: by begin, then by row from the top.
struct SpanOrder {
  std::int64_t beginNs = 0;
  std::ptrdiff_t row = -1;  // place in the list of rows
  std::size_t index = 0;
  auto operator<=>(const SpanOrder&) const = default;
};

inline SpanOrder orderOf(const std::vector<RowEntry>& rows, std::size_t row, std::size_t index) {
  return {rows[row].row->spans.beginNs(index), static_cast<std::ptrdiff_t>(row), index};
}

/// Nothing where its row is not in the list, or has no such span.
inline std::optional<SpanOrder> orderOf(const std::vector<RowEntry>& rows, const SpanId& span) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].id == span.row && span.index < rows[row].row->spans.size())
      return orderOf(rows, row, span.index);
  return std::nullopt;
}

}  // namespace halo
