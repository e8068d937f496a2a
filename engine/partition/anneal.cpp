#include "engine/partition/anneal.h"

#include <array>
#include <cmath>

#include "engine/partition/shuffle.h"

namespace halo {
namespace {

/// Gumbel-distributed numbers by quantile: adding one to each gain / temperature and taking the largest draws
/// with probability ∝ exp(gain / temperature).
class Gumbel {
 public:
  Gumbel() {
    for (std::size_t i = 0; i < quantiles_.size(); ++i)
      quantiles_[i] = static_cast<float>(
          -std::log(-std::log((static_cast<double>(i) + 0.5) / static_cast<double>(quantiles_.size()))));
  }
  float operator()(std::uint32_t word) const { return quantiles_[word >> 20]; }

 private:
  std::array<float, 4096> quantiles_;
};
constexpr float kLargest = 9.1F;  // of Gumbel's numbers: ln 8192, rounded up

/// Draws parts for one node after the other; holds what that needs.
class HeatBath {
 public:
  HeatBath(NetParts& state, std::int64_t limit, std::uint64_t seed)
      : state_(state),
        limit_(limit),
        random_(seed, Purpose::partition, 3),
        reached_(static_cast<std::size_t>(state.parts()), 0) {}

  void pass(float temperature) {
    boundary_.clear();
    for (Vertex v = 0; v < state_.graph().nodeCount(); ++v)
      if (state_.onBoundary(v)) boundary_.push_back(v);
    shuffle(boundary_, random_);
    for (const Vertex node : boundary_) {
      const std::int32_t part = drawn(node, temperature);
      if (part != state_.owner(node)) state_.move(node, part);
    }
  }

 private:
  std::int32_t drawn(Vertex node, float temperature) {
    const Hypergraph& graph = state_.graph();
    const std::int32_t own = state_.owner(node);
    std::int64_t alone = 0, all = 0;
    seen_.clear();
    for (const Vertex net : graph.netsOf(node)) {
      const std::int64_t weight = graph.netWeight[static_cast<std::size_t>(net)];
      all += weight;
      for (const auto& [part, pins] : state_.touched(net)) {
        if (part == own) {
          if (pins == 1) alone += weight;
          continue;
        }
        std::int64_t& sum = reached_[static_cast<std::size_t>(part)];
        if (sum == 0) seen_.push_back(part);
        sum += weight;
      }
    }
    const std::int64_t heaviest = limit_ - graph.nodeWeight[static_cast<std::size_t>(node)];
    float best = temperature * gumbel_(random_.next());
    std::int32_t chosen = own;
    for (const std::int32_t part : seen_) {
      const auto gain =
          static_cast<float>(alone - all + std::exchange(reached_[static_cast<std::size_t>(part)], 0));
      if (gain + kLargest * temperature <= best || state_.weight(part) > heaviest) continue;
      const float value = gain + temperature * gumbel_(random_.next());
      if (value <= best) continue;
      best = value;
      chosen = part;
    }
    return chosen;
  }

  NetParts& state_;
  std::int64_t limit_;
  PhiloxStream random_;
  Gumbel gumbel_;
  std::vector<std::int64_t> reached_;  // weight of the node's nets that touch a part; zero between calls
  std::vector<std::int32_t> seen_;
  std::vector<Vertex> boundary_;
};

}  // namespace

void anneal(NetParts& state, std::int64_t limit, const Cooling& cooling, std::uint64_t seed) {
  HeatBath bath(state, limit, seed);
  for (int pass = 0; pass < cooling.passes; ++pass) {
    const double cooled = cooling.passes > 1 ? static_cast<double>(pass) / (cooling.passes - 1) : 1;
    bath.pass(static_cast<float>(cooling.hottest + (cooling.coldest - cooling.hottest) * cooled));
  }
}

}  // namespace halo
