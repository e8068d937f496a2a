#include "simulator/calibration/least_squares.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace halo::sim {

std::vector<double> nonNegativeLeastSquares(const std::vector<std::vector<double>>& rows,
                                            std::span<const double> y, std::span<const double> weights) {
  HALO_CHECK(rows.size() == y.size() && rows.size() == weights.size());
  const std::size_t unknowns = rows.empty() ? 0 : rows.front().size();
  // normal equations G x = b, columns scaled to length 1
  std::vector<std::vector<double>> G(unknowns, std::vector<double>(unknowns, 0));
  std::vector<double> b(unknowns, 0), x(unknowns, 0), length(unknowns, 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < unknowns; ++j) length[j] += weights[i] * rows[i][j] * rows[i][j];
  for (double& one : length) one = std::sqrt(one);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < unknowns; ++j) {
      if (length[j] == 0) continue;
      b[j] += weights[i] * rows[i][j] * y[i] / length[j];
      for (std::size_t k = 0; k < unknowns; ++k)
        if (length[k] > 0) G[j][k] += weights[i] * rows[i][j] * rows[i][k] / (length[j] * length[k]);
    }
  double moved = 1, largest = 0;
  for (int sweep = 0; sweep < 200'000 && moved > 1e-12 * largest; ++sweep) {
    moved = 0;
    for (std::size_t j = 0; j < unknowns; ++j) {
      if (length[j] == 0) continue;
      double rest = b[j];
      for (std::size_t k = 0; k < unknowns; ++k)
        if (k != j) rest -= G[j][k] * x[k];
      const double better = std::max(0.0, rest / G[j][j]);
      moved = std::max(moved, std::abs(better - x[j]));
      largest = std::max(largest, better);
      x[j] = better;
    }
  }
  for (std::size_t j = 0; j < unknowns; ++j)
    if (length[j] > 0) x[j] /= length[j];
  return x;
}

}  // namespace halo::sim
