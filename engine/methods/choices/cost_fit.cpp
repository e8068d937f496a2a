#include "engine/methods/choices/cost_fit.h"

#include "engine/base/least_squares.h"

namespace halo {

std::optional<FittedCost> fitCosts(const CostSums& sums) {
  const auto& [rr, re, ee, rt, et] = sums;
  const bool alike = rr * ee - re * re <= 1e-9 * rr * ee;
  if (alike || (rt <= 0 && et <= 0)) return std::nullopt;
  const auto [row, edge] = nonNegativeLeastSquares({.aa = rr, .ab = re, .bb = ee, .ay = rt, .by = et});
  return FittedCost{row, edge};
}

}  // namespace halo
