#pragma once

#include <cstdint>
#include <vector>

#include "simulator/graph/workload.h"

namespace halo::sim {

/// A nonzero, and where its row has it.
struct Nonzero {
  std::int64_t column = 0;
  std::int64_t row = 0, index = 0;  // row: of those asked for; index: in the row
};

/// Nonzeros of rows [first, last) as they stream column by column, a column's by row. All are given if they
/// are at most `mostNonzeros`. Else mostNonzeros / length stretches of `length` are, evenly over them. So a
/// hub's column is there for as much of them as it holds, wherever it stands. Cost: about 2 ns a nonzero of
/// the rows, and sorting those that are taken and others of their columns.
std::vector<Nonzero> stretchesByColumn(const CsrRows& matrix, std::int64_t first, std::int64_t last,
                                       std::int64_t mostNonzeros, std::int64_t length,
                                       const AskStop& askStop = {});

/// All of them.
inline std::vector<Nonzero> allByColumn(const CsrRows& matrix, std::int64_t first, std::int64_t last,
                                        const AskStop& askStop = {}) {
  return stretchesByColumn(matrix, first, last, matrix.nonzeros(), 1, askStop);
}

}  // namespace halo::sim
