#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/sampled_graph.h"
#include "tests/engine/sampling/slow_sampling.h"
#include "tests/support/small_graphs.h"

namespace halo::test {

inline slow::Rows rowsOf(const Csr& A) {
  slow::Rows rows;
  for (Index v = 0; v < A.rows(); ++v) rows.emplace_back(A.row(v).begin(), A.row(v).end());
  return rows;
}

/// As the rows stand there: with loops and repeated arcs.
inline Csr csrOf(const slow::Rows& rows) {
  Csr A;
  A.cols = static_cast<Index>(rows.size());
  for (const auto& row : rows) {
    A.columns.insert(A.columns.end(), row.begin(), row.end());
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  return A;
}

/// Degrees without arcs from a vertex to itself, and the matrices made of them.
struct Degrees {
  std::vector<Vertex> in, out;
  explicit Degrees(const Csr& A) : in(at(A.rows()), 0), out(in) {
    for (Index v = 0; v < A.rows(); ++v)
      for (const Vertex u : A.row(v))
        if (u != v) {
          ++in[at(v)];
          ++out[at(u)];
        }
  }
  GlobalMatrix matrix(EdgeRule rule) const { return {rule, in, out}; }
};

/// Some vertex without neighbours, arcs to itself, arcs that stand there twice or three times.
inline Csr untidyGraph() {
  return csrOf({{0, 1, 1, 2, 3, 4, 5}, {1, 1}, {}, {0, 0, 0, 3, 4}, {2}, {0, 1, 2, 3, 4, 5}});
}

/// Directed, undirected, a hub, no arcs, one vertex, untidy.
inline std::vector<Csr> sampledGraphs() {
  std::vector<Csr> graphs;
  graphs.push_back(randomDirected(70, 900, 3));
  graphs.push_back(randomUndirected(60, 300, 4));
  graphs.push_back(star(90));
  graphs.push_back(edgeless(5));
  graphs.push_back(edgeless(1));
  graphs.push_back(untidyGraph());
  return graphs;
}

/// The ring of six vertices with a chord of the worked example.
inline Csr chordedRing() { return csrOf({{1, 3, 5}, {0, 2}, {1, 3}, {0, 2, 4}, {3, 5}, {0, 4}}); }

/// What χ² of so many degrees of freedom exceeds once in a thousand times (Wilson and Hilferty 1931).
inline double chiSquareLimit(double freedom) {
  const double part = 2 / (9 * freedom);
  return freedom * std::pow(1 - part + 3.0902 * std::sqrt(part), 3);
}

/// Σ (count − expected)² / expected.
inline double chiSquare(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  return sum;
}

/// Mean of what is added, and its standard error.
class RunningMean {
 public:
  void add(double x) {
    ++count_;
    const double before = x - mean_;
    mean_ += before / count_;
    squares_ += before * (x - mean_);
  }
  double mean() const { return mean_; }
  double error() const { return std::sqrt(squares_ / (count_ - 1) / count_); }
  double count() const { return count_; }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace halo::test
