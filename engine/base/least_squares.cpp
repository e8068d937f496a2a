#include "engine/base/least_squares.h"

#include <Eigen/QR>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rows times √w, columns scaled to length 1.
struct Scaled {
  MatrixXd A;
  VectorXd b, length;  // 0 of a column of zeros, which stays as it is

  std::vector<double> unscaled(const VectorXd& x) const {
    std::vector<double> values;
    for (Index j = 0; j < x.size(); ++j) values.push_back(length(j) > 0 ? x(j) / length(j) : 0);
    return values;
  }
};

Scaled scaled(const Equations& equations) {
  const auto& [rows, y, weights] = equations;
  HALO_CHECK(rows.size() == y.size() && rows.size() == weights.size());
  const auto count = static_cast<Index>(rows.size());
  const auto unknowns = static_cast<Index>(rows.empty() ? 0 : rows.front().size());
  const VectorXd roots = VectorXd::Map(weights.data(), count).cwiseSqrt();
  Scaled problem{MatrixXd(count, unknowns), roots.cwiseProduct(VectorXd::Map(y.data(), count)), {}};
  for (Index i = 0; i < count; ++i) {
    const std::vector<double>& row = rows[at(i)];
    HALO_CHECK(static_cast<Index>(row.size()) == unknowns);
    problem.A.row(i) = roots(i) * VectorXd::Map(row.data(), unknowns);
  }
  problem.length = problem.A.colwise().norm();
  for (Index j = 0; j < unknowns; ++j)
    if (problem.length(j) > 0) problem.A.col(j) /= problem.length(j);
  return problem;
}

constexpr Index kMostSteps = 10;  // an unknown; Lawson and Hanson take 3

class NonNegative {
 public:
  explicit NonNegative(const Scaled& problem)
      : A_(problem.A), b_(problem.b), x_(VectorXd::Zero(A_.cols())), isFree_(at(A_.cols()), false) {}

  /// Lets unknowns go from 0 one by one, the steepest first, until none would make the sum less.
  const VectorXd& solve() {
    std::vector<bool> refused = isFree_;  // since x last changed
    // rounding could let the same unknowns go again and again
    for (Index left = kMostSteps * A_.cols(); left > 0; --left) {
      const Index j = steepest(refused);
      if (j < 0) break;
      isFree_[at(j)] = true;
      VectorXd target = solutionOfFree();
      if (target(j) <= 0) {  // rounding alone made it look worth while
        isFree_[at(j)] = false;
        refused[at(j)] = true;
        continue;
      }
      while (!moveTo(target)) target = solutionOfFree();
      refused.assign(refused.size(), false);
    }
    return x_;
  }

 private:
  /// The unknown at 0 along which the sum falls most, or −1.
  Index steepest(const std::vector<bool>& refused) const {
    const VectorXd falls = A_.transpose() * (b_ - A_ * x_);
    double most = std::numeric_limits<double>::epsilon() * static_cast<double>(b_.size()) * b_.norm();
    Index best = -1;
    for (Index j = 0; j < falls.size(); ++j)
      if (!isFree_[at(j)] && !refused[at(j)] && falls(j) > most) {
        most = falls(j);
        best = j;
      }
    return best;
  }

  /// Plain least squares of the free unknowns, the others 0.
  VectorXd solutionOfFree() const {
    std::vector<Index> columns;
    for (Index j = 0; j < A_.cols(); ++j)
      if (isFree_[at(j)]) columns.push_back(j);
    const VectorXd solution = MatrixXd(A_(Eigen::all, columns)).colPivHouseholderQr().solve(b_);
    VectorXd next = VectorXd::Zero(A_.cols());
    next(columns) = solution;
    return next;
  }

  /// True: there. False: only as far as none becomes negative; what became 0 on the way is not free.
  bool moveTo(const VectorXd& target) {
    double share = 1;
    Index first = -1;
    for (Index j = 0; j < x_.size(); ++j) {
      if (!isFree_[at(j)] || target(j) > 0) continue;
      const double reach = x_(j) / (x_(j) - target(j));  // of those that are free, x_j > 0
      if (first >= 0 && reach >= share) continue;
      share = reach;
      first = j;
    }
    if (first < 0) {
      x_ = target;
      return true;
    }
    x_ = (x_ + share * (target - x_)).cwiseMax(0);
    x_(first) = 0;
    for (Index j = 0; j < x_.size(); ++j)
      if (x_(j) == 0) isFree_[at(j)] = false;
    return false;
  }

  const MatrixXd& A_;
  const VectorXd& b_;
  VectorXd x_;
  std::vector<bool> isFree_;
};

}  // namespace

std::vector<double> leastSquares(const Equations& equations) {
  const Scaled problem = scaled(equations);
  if (problem.A.cols() == 0) return {};
  return problem.unscaled(problem.A.colPivHouseholderQr().solve(problem.b));
}

std::vector<double> nonNegativeLeastSquares(const Equations& equations) {
  const Scaled problem = scaled(equations);
  return problem.unscaled(NonNegative(problem).solve());
}

}  // namespace halo
