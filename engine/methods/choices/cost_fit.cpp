#include "engine/methods/choices/cost_fit.h"

#include <cmath>
#include <vector>

#include "engine/base/least_squares.h"

namespace halo {

std::optional<FittedCost> fitCosts(const CostSums& sums) {
  const auto& [rr, re, ee, rt, et] = sums;
  const double determinant = rr * ee - re * re;
  if (determinant <= 1e-9 * rr * ee || (rt <= 0 && et <= 0)) return std::nullopt;
  // two equations with the same sums as all ranks' have: Cholesky's factor of the products
  const double r = std::sqrt(rr), e = re / r, rest = std::sqrt(determinant / rr);
  const std::vector<double> rows[] = {{r, e}, {0, rest}};
  const double times[] = {rt / r, (et - e * rt / r) / rest}, alike[] = {1, 1};
  const std::vector<double> cost = nonNegativeLeastSquares({rows, times, alike});
  return FittedCost{cost[0], cost[1]};
}

}  // namespace halo
