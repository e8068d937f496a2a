#include "engine/methods/choices/cost_fit.h"

#include <algorithm>

namespace halo {

// By hand, where nonNegativeLeastSquares() would do: an epoch allocates nothing, and this runs inside epochs.
std::optional<FittedCost> fitCosts(const CostSums& sums) {
  const auto& [rr, re, ee, rt, et] = sums;
  const double determinant = rr * ee - re * re;
  if (determinant <= 1e-9 * rr * ee || (rt <= 0 && et <= 0)) return std::nullopt;
  const double row = (rt * ee - et * re) / determinant, edge = (et * rr - rt * re) / determinant;
  if (row >= 0 && edge >= 0) return FittedCost{row, edge};
  // the sum of squares falls by rt² / rr with rows alone, by et² / ee with edges alone
  const double byRows = std::max(rt, 0.0) / rr, byEdges = std::max(et, 0.0) / ee;
  return byRows * byRows * rr > byEdges * byEdges * ee ? FittedCost{byRows, 0} : FittedCost{0, byEdges};
}

}  // namespace halo
