#pragma once

#include <span>
#include <vector>

namespace halo::sim {

/// x ≥ 0 that makes Σ w_i (Σ_j rows[i][j] x_j − y_i)² least. Coordinates in turn, until none moves by more
/// than a millionth of a millionth: for a handful of unknowns. A column of zeros gets 0.
std::vector<double> nonNegativeLeastSquares(const std::vector<std::vector<double>>& rows,
                                            std::span<const double> y, std::span<const double> weights);

}  // namespace halo::sim
