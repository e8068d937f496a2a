#pragma once

#include <array>
#include <span>
#include <vector>

namespace halo {

/// What is known of x: Σ_j rows[i][j] x_j ≈ y_i, each equation weighed by weights[i] ≥ 0.
struct Equations {
  std::span<const std::vector<double>> rows;  // all of one length
  std::span<const double> y, weights;
};

/// x that makes Σ_i w_i (Σ_j rows[i][j] x_j − y_i)² least, by a QR decomposition. Where more than one x does,
/// one of those with zeros for the unknowns that add nothing.
std::vector<double> leastSquares(const Equations& equations);

/// The same with every x_j ≥ 0, exactly: Lawson and Hanson, Solving Least Squares Problems, 1974, algorithm
/// NNLS. A column of zeros gets 0.
std::vector<double> nonNegativeLeastSquares(const Equations& equations);

/// What is known of two unknowns, summed over all equations a x₀ + b x₁ ≈ y.
struct PairSums {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
};

/// The same of these; aa bb > ab². Allocates nothing.
std::array<double, 2> nonNegativeLeastSquares(const PairSums& sums);

}  // namespace halo
