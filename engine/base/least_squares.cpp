#include "engine/base/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
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

/// Of at most kMost equations and unknowns, then without the heap; or of any number, Eigen::Dynamic.
template <int kMost>
class NonNegative {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMost, kMost>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMost, 1>;

  NonNegative(const Matrix& A, const Vector& b)
      : A_(A), b_(b), x_(Vector::Zero(A.cols())), isFree_(Marks::Constant(A.cols(), false)) {}

  /// Lets unknowns go from 0 one by one, the steepest first, until none would make the sum less.
  const Vector& solve() {
    Marks refused = isFree_;  // since x last changed
    // rounding could let the same unknowns go again and again
    for (Index left = kMostSteps * A_.cols(); left > 0; --left) {
      const Index j = steepest(refused);
      if (j < 0) break;
      isFree_(j) = true;
      Vector target = solutionOfFree();
      if (target(j) <= 0) {  // rounding alone made it look worth while
        isFree_(j) = false;
        refused(j) = true;
        continue;
      }
      while (!moveTo(target)) target = solutionOfFree();
      refused.setConstant(false);
    }
    return x_;
  }

 private:
  using Marks = Eigen::Array<bool, Eigen::Dynamic, 1, Eigen::ColMajor, kMost, 1>;
  using Columns = Eigen::Array<Index, Eigen::Dynamic, 1, Eigen::ColMajor, kMost, 1>;

  /// The unknown at 0 along which the sum falls most, or −1.
  Index steepest(const Marks& refused) const {
    const Vector falls = A_.transpose() * (b_ - A_ * x_);
    double most = std::numeric_limits<double>::epsilon() * static_cast<double>(b_.size()) * b_.norm();
    Index best = -1;
    for (Index j = 0; j < falls.size(); ++j)
      if (!isFree_(j) && !refused(j) && falls(j) > most) {
        most = falls(j);
        best = j;
      }
    return best;
  }

  /// Plain least squares of the free unknowns, the others 0.
  Vector solutionOfFree() const {
    Columns columns(isFree_.count());
    for (Index j = 0, place = 0; j < A_.cols(); ++j)
      if (isFree_(j)) columns(place++) = j;
    const Matrix free = A_(Eigen::all, columns);
    const Vector solution = free.colPivHouseholderQr().solve(b_);
    Vector next = Vector::Zero(A_.cols());
    next(columns) = solution;
    return next;
  }

  /// True: there. False: only as far as none becomes negative; what became 0 on the way is not free.
  bool moveTo(const Vector& target) {
    double share = 1;
    Index first = -1;
    for (Index j = 0; j < x_.size(); ++j) {
      if (!isFree_(j) || target(j) > 0) continue;
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
      if (x_(j) == 0) isFree_(j) = false;
    return false;
  }

  const Matrix& A_;
  const Vector& b_;
  Vector x_;
  Marks isFree_;
};

}  // namespace

std::vector<double> leastSquares(const Equations& equations) {
  const Scaled problem = scaled(equations);
  if (problem.A.cols() == 0) return {};
  return problem.unscaled(problem.A.colPivHouseholderQr().solve(problem.b));
}

std::vector<double> nonNegativeLeastSquares(const Equations& equations) {
  const Scaled problem = scaled(equations);
  return problem.unscaled(NonNegative<Eigen::Dynamic>(problem.A, problem.b).solve());
}

// The columns a and b have lengths √aa and √bb; scaled to 1, their products are LLᵀ, and Lᵀ stands for them.
std::array<double, 2> nonNegativeLeastSquares(const PairSums& sums) {
  using Pair = NonNegative<2>;
  const double a = std::sqrt(sums.aa), b = std::sqrt(sums.bb), cosine = sums.ab / (a * b);
  const Eigen::LLT<Eigen::Matrix2d> products(Eigen::Matrix2d{{1, cosine}, {cosine, 1}});
  const Pair::Matrix A = Eigen::Matrix2d(products.matrixU());
  const Pair::Vector y = products.matrixL().solve(Eigen::Vector2d(sums.ay / a, sums.by / b));
  const Pair::Vector x = Pair(A, y).solve();
  return {x(0) / a, x(1) / b};
}

}  // namespace halo
