#include "simulator/device/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "engine/base/check.h"
#include "engine/base/philox.h"

namespace halo::sim {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kRounding = 0x1.0p-24;  // of one operation in FP32

/// Widths with whether their outputs are masked, each once.
std::set<std::pair<std::int64_t, bool>> shapesOf(std::span<const SlicePass> passes) {
  std::set<std::pair<std::int64_t, bool>> shapes;
  for (const SlicePass& pass : passes)
    if (pass.width > 0) shapes.insert({pass.width, pass.masked});
  return shapes;
}

/// So small that sums of as many as the longest row has are exact in FP32.
Matrix wholeNumbers(const CsrRows& A, std::int64_t width, PhiloxStream& random) {
  std::int64_t longest = 0;
  for (Index r = 0; r < A.rows(); ++r) longest = std::max<std::int64_t>(longest, A.degree(r));
  constexpr std::int64_t kExact = std::int64_t{1} << 24;
  const auto below = static_cast<std::uint64_t>(std::clamp<std::int64_t>(kExact / (longest + 1), 1, 1000));
  Matrix numbers(A.cols, width);
  for (Scalar& value : numbers.values()) value = static_cast<Scalar>(1 + random.below(below));
  return numbers;
}

/// Columns of the features in turn, each row over the root of its nonzeros and one.
Matrix scaledFeatures(const ExecuteTask& task, std::int64_t width, std::span<const double> roots,
                      PhiloxStream& random) {
  Matrix H(task.A.cols, width);
  for (Index r = 0; r < H.rows(); ++r)
    for (Index c = 0; c < width; ++c) {
      const double value = task.features.cols() > 0
                               ? static_cast<double>(task.features(r, c % task.features.cols()))
                               : random.uniform() - 0.5;
      H(r, c) = static_cast<Scalar>(value / roots[static_cast<std::size_t>(r)]);
    }
  return H;
}

std::vector<std::uint8_t> someWanted(std::int64_t count, PhiloxStream& random) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(count));
  for (std::uint8_t& flag : mask) flag = static_cast<std::uint8_t>(random.below(2));
  return mask;
}

[[noreturn]] void refuse(const AcceleratorEntry& device, std::int64_t width, const std::string& fault) {
  throw std::runtime_error(
      fmt::format("execute: {} with {} columns sums {}", device.declaration.name, width, fault));
}

/// What the dense side adds and multiplies: (sums + own row) over the root, against the definition.
void compareAggregates(const ExecuteTask& task, const Matrix& H, std::span<const std::uint8_t> mask,
                       std::span<const double> roots, Matrix& sums, Executed& to) {
  for (Index r = 0; r < sums.rows(); ++r)
    for (Index c = 0; c < sums.cols(); ++c) {
      const auto at = static_cast<std::size_t>(r * sums.cols() + c);
      if (!mask.empty() && mask[at] == 0) continue;
      const double root = roots[static_cast<std::size_t>(r)];
      const auto aggregate = static_cast<double>(static_cast<Scalar>(sums(r, c) + H(r, c))) / root;
      double truth = static_cast<double>(H(r, c)), terms = std::abs(truth);
      for (const Vertex v : task.A.row(r)) {
        truth += static_cast<double>(H(v, c));
        terms += std::abs(static_cast<double>(H(v, c)));
      }
      if (terms > 0) to.largestError = std::max(to.largestError, std::abs(aggregate * root - truth) / terms);
    }
}

}  // namespace

double executedProducts(std::int64_t nonzeros, std::span<const SlicePass> passes) {
  double columns = 0;
  for (const auto& [width, masked] : shapesOf(passes)) columns += static_cast<double>(width);
  return 2 * columns * static_cast<double>(nonzeros);
}

Mismatch compareSums(const CsrRows& A, const Matrix& H, std::span<const std::uint8_t> mask,
                     const Matrix& sums, Executed& to) {
  HALO_CHECK(sums.rows() == A.rows() && sums.cols() == H.cols());
  for (Index r = 0; r < A.rows(); ++r)
    for (Index c = 0; c < H.cols(); ++c) {
      double truth = 0, terms = 0;
      const bool kept = mask.empty() || mask[static_cast<std::size_t>(r * H.cols() + c)] != 0;
      if (kept)
        for (const Vertex v : A.row(r)) {
          truth += static_cast<double>(H(v, c));
          terms += std::abs(static_cast<double>(H(v, c)));
        }
      const double off = std::abs(static_cast<double>(sums(r, c)) - truth);
      const double error = off == 0 ? 0 : terms > 0 ? off / terms : std::numeric_limits<double>::infinity();
      ++to.outputs;
      to.largestError = std::max(to.largestError, error);
      const double allowed = (static_cast<double>(A.degree(r)) + 4) * kRounding;
      if (!(error <= allowed))
        return fmt::format(
            "{} and not {} at row {}, column {}; {}", sums(r, c), truth, r, c,
            kept ? fmt::format("off by {:.2g} of its terms, where rounding makes {:.2g} at most", error,
                               allowed)
                 : "it is masked");
    }
  return std::nullopt;
}

Executed execute(const AcceleratorEntry& device, const ExecuteTask& task) {
  HALO_CHECK(!task.A.weighted() && task.A.rows() == task.A.cols);
  HALO_CHECK(task.features.cols() == 0 || task.features.rows() == task.A.rows());
  std::vector<double> roots;
  for (Index r = 0; r < task.A.rows(); ++r)
    roots.push_back(std::sqrt(static_cast<double>(task.A.degree(r) + 1)));
  PhiloxStream random(kSeed, Purpose::generatedFeatures, 22);
  Executed executed;
  for (const auto& [width, masked] : shapesOf(task.passes)) {
    if (task.askStop) task.askStop();
    const Matrix numbers = wholeNumbers(task.A, width, random);
    Executed exact;
    const auto counted = device.execute(task.figures, task.library, task.A, numbers, {});
    if (const Mismatch wrong = compareSums(task.A, numbers, {}, counted, exact))
      refuse(device, width, *wrong);
    if (exact.largestError > 0) refuse(device, width, "whole numbers with an error");
    if (task.askStop) task.askStop();
    const Matrix H = scaledFeatures(task, width, roots, random);
    const auto mask = masked ? someWanted(task.A.rows() * width, random) : std::vector<std::uint8_t>();
    Matrix sums = device.execute(task.figures, task.library, task.A, H, mask);
    if (const Mismatch wrong = compareSums(task.A, H, mask, sums, executed)) refuse(device, width, *wrong);
    compareAggregates(task, H, mask, roots, sums, executed);
  }
  return executed;
}

}  // namespace halo::sim
