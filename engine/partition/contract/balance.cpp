#include "engine/partition/contract/balance.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "engine/base/index.h"

namespace halo {

Weights balanceWeights(const Csr& arcs, const Values& parameters) {
  Weights weights(at(arcs.rows()), 1);
  const std::string& balance = parameters.text("balance");
  if (balance == "vertices") return weights;
  const bool self = balance == "nonzeros-self";
  for (Index v = 0; v < arcs.rows(); ++v) {
    const bool adds = self && std::ranges::find(arcs.row(v), static_cast<Vertex>(v)) == arcs.row(v).end();
    weights[at(v)] = static_cast<std::int32_t>(std::max<Index>(1, arcs.degree(v) + adds));
  }
  return weights;
}

std::int64_t totalWeight(const Weights& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

std::int64_t partLimit(const Weights& weights, int parts, double imbalance) {
  if (weights.empty()) return 0;
  const std::int64_t total = totalWeight(weights);
  const auto balanceLimit =
      static_cast<std::int64_t>(static_cast<double>(total) / parts * (1 + imbalance) + 1e-9);
  const std::int64_t mean = (total + parts - 1) / parts;
  return std::max({balanceLimit, mean, std::int64_t{*std::ranges::max_element(weights)}});
}

std::vector<std::int64_t> partWeights(const Weights& weights, const Owners& owners, int parts) {
  std::vector<std::int64_t> sums(at(parts), 0);
  for (std::size_t v = 0; v < owners.size(); ++v) sums[at(owners[v])] += weights[v];
  return sums;
}

Owners spreadByWeight(const Weights& weights, int parts) {
  std::vector<Vertex> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](Vertex a, Vertex b) { return weights[at(a)] > weights[at(b)]; });
  using Part = std::pair<std::int64_t, std::int32_t>;  // weight, number
  std::priority_queue<Part, std::vector<Part>, std::greater<>> lightest;
  for (std::int32_t part = 0; part < parts; ++part) lightest.push({0, part});
  Owners owners(weights.size());
  for (const Vertex v : order) {
    auto [weight, part] = lightest.top();
    lightest.pop();
    owners[at(v)] = part;
    lightest.push({weight + weights[at(v)], part});
  }
  return owners;
}

}  // namespace halo
