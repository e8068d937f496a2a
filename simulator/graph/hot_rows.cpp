#include "simulator/graph/hot_rows.h"

#include <algorithm>
#include <numeric>

#include "datasets/graph/power_law.h"
#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kAskedEvery = 1 << 21;  // nonzeros

HotRows expected(const Graph& graph, std::int64_t most) {
  const std::int64_t rows = std::min(most, graph.vertices);
  const auto n = static_cast<double>(graph.vertices);
  const double share = static_cast<double>(rows) / n, mean = static_cast<double>(graph.nonzeros) / n;
  const double largest = std::min(static_cast<double>(graph.maxDegree), n);
  if (graph.exponent <= 1 || largest <= mean) return {rows, share, {}};
  return {rows, PowerLaw(mean, largest, graph.exponent).topShare(share), {}};
}

HotRows counted(const Graph& graph, std::int64_t most) {
  const CsrRows& matrix = *graph.matrix;
  std::vector<std::int64_t> uses(at(matrix.cols), 0);
  StopAsks asks(graph.askStop, kAskedEvery);
  for (Index r = 0; r < matrix.rows(); ++r) {
    asks.step(matrix.degree(r));
    for (const Vertex v : matrix.row(r)) ++uses[at(v)];
  }
  std::vector<Vertex> order(uses.size());
  std::iota(order.begin(), order.end(), Vertex{0});
  std::erase_if(order, [&](Vertex v) { return uses[at(v)] == 0; });
  const auto more = [&](Vertex a, Vertex b) {
    const auto usesA = uses[at(a)], usesB = uses[at(b)];
    return usesA != usesB ? usesA > usesB : a < b;
  };
  HotRows hot{std::min<std::int64_t>(most, std::ssize(order)), 0, std::vector<bool>(uses.size())};
  std::ranges::nth_element(order, order.begin() + hot.rows, more);
  std::int64_t nonzeros = 0;
  for (std::int64_t i = 0; i < hot.rows; ++i) {
    const auto v = at(order[at(i)]);
    hot.isHot[v] = true;
    nonzeros += uses[v];
  }
  hot.nonzeroShare = static_cast<double>(nonzeros) / static_cast<double>(graph.nonzeros);
  return hot;
}

}  // namespace

HotRows hotRows(const Graph& graph, std::int64_t most) {
  if (most <= 0 || graph.nonzeros == 0)
    return {0, 0, std::vector<bool>(graph.matrix == nullptr ? 0 : at(graph.matrix->cols))};
  return graph.matrix == nullptr ? expected(graph, most) : counted(graph, most);
}

}  // namespace halo::sim
