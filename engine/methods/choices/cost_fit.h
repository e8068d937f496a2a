#pragma once

#include <optional>

namespace halo {

/// Sums over ranks of products of their rows r, edges e and measured time t.
struct CostSums {
  double rr = 0, re = 0, ee = 0, rt = 0, et = 0;
};

/// What a row and an edge take, neither below 0.
struct FittedCost {
  double row = 0, edge = 0;
};

/// t = row · r + edge · e by non-negative least squares, exactly. It is the plain solution. Where that would
/// have one of them negative, it is the better of the two fits by one alone. Empty where ranks are so alike
/// that nothing tells rows from edges, or where no time was measured.
std::optional<FittedCost> fitCosts(const CostSums& sums);

}  // namespace halo
