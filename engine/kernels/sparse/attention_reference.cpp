#include <cmath>
#include <vector>

#include "engine/base/index.h"
#include "engine/kernels/sparse/attention.h"

namespace halo {
namespace {

struct Edge {
  Vertex source;
  double raw, alpha;  // score before leaky, and after the softmax
};

// The edges into v with their coefficients in one head.
std::vector<Edge> coefficients(const Csr& A, const EdgeScores& scores, Index v, Index head) {
  std::vector<Edge> edges;
  double largest = -HUGE_VAL, sum = 0;
  const auto leaky = [&](double x) { return x > 0 ? x : static_cast<double>(scores.slope) * x; };
  for (const Vertex u : A.row(v)) {
    const double raw = static_cast<double>(scores.source(u, head)) + scores.target(v, head);
    edges.push_back({u, raw, 0});
    largest = std::max(largest, leaky(raw));
  }
  for (Edge& edge : edges) sum += edge.alpha = std::exp(leaky(edge.raw) - largest);
  for (Edge& edge : edges) edge.alpha /= sum;
  return edges;
}

}  // namespace

void attendReference(const Csr& A, const Matrix& Y, const EdgeScores& scores, Matrix& Z) {
  const Index heads = scores.target.cols(), w = Y.cols() / heads;
  Z.setZero(A.rows(), Y.cols());
  for (Index v = 0; v < A.rows(); ++v) {
    for (Index h = 0; h < heads; ++h) {
      const std::vector<Edge> edges = coefficients(A, scores, v, h);
      for (Index j = h * w; j < (h + 1) * w; ++j) {
        double sum = 0;
        for (const Edge& edge : edges) sum += edge.alpha * Y(edge.source, j);
        Z(v, j) = static_cast<Scalar>(sum);
      }
    }
  }
}

void attendBackwardReference(const Csr& A, const Matrix& Y, const EdgeScores& scores, const Matrix& dZ,
                             Matrix& dY, Matrix& dSource, Matrix& dTarget) {
  const Index heads = scores.target.cols(), w = Y.cols() / heads;
  std::vector<double> rows(at(Y.size())), sources(at(Y.rows() * heads)), targets(at(A.rows() * heads));
  for (Index v = 0; v < A.rows(); ++v) {
    for (Index h = 0; h < heads; ++h) {
      const std::vector<Edge> edges = coefficients(A, scores, v, h);
      // through the softmax: ds = α (dα − Σ α dα)
      std::vector<double> dAlpha;
      double mean = 0;
      for (const Edge& edge : edges) {
        double product = 0;
        for (Index j = h * w; j < (h + 1) * w; ++j) {
          product += static_cast<double>(dZ(v, j)) * Y(edge.source, j);
          rows[at(edge.source * Y.cols() + j)] += edge.alpha * dZ(v, j);
        }
        dAlpha.push_back(product);
        mean += edge.alpha * product;
      }
      for (std::size_t e = 0; e < edges.size(); ++e) {
        const double slope = edges[e].raw > 0 ? 1.0 : static_cast<double>(scores.slope);
        const double gradient = edges[e].alpha * (dAlpha[e] - mean) * slope;
        sources[at(edges[e].source * heads + h)] += gradient;
        targets[at(v * heads + h)] += gradient;
      }
    }
  }
  const auto store = [](const std::vector<double>& from, Index count, Index cols, Matrix& to) {
    to.resize(count, cols);
    for (std::size_t i = 0; i < from.size(); ++i) to.data()[i] = static_cast<Scalar>(from[i]);
  };
  store(rows, Y.rows(), Y.cols(), dY);
  store(sources, Y.rows(), heads, dSource);
  store(targets, A.rows(), heads, dTarget);
}

}  // namespace halo
