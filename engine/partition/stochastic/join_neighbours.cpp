#include "engine/partition/stochastic/join_neighbours.h"

#include <algorithm>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

class Joining {
 public:
  Joining(const Csr& edges, const Weights& weights, int parts, std::int64_t limit, Owners& owners)
      : edges_(edges),
        weights_(weights),
        limit_(limit),
        owners_(owners),
        held_(at(parts), 0),
        near_(at(parts), 0),
        waits_(owners.size(), 0) {}

  void run() {
    std::vector<Vertex> without;
    for (std::size_t v = 0; v < owners_.size(); ++v)
      if (owners_[v] < 0)
        without.push_back(static_cast<Vertex>(v));
      else
        held_[at(owners_[v])] += weights_[v];
    lightestFirst(without);
    for (const Vertex v : without)
      if (hasPlacedNeighbour(v)) wait(v);
    joinWaiting();
    for (const Vertex v : without) {  // in reach of nobody who has a part
      if (owners_[at(v)] >= 0) continue;
      join(v);
      joinWaiting();
    }
  }

 private:
  void lightestFirst(std::vector<Vertex>& vertices) const {
    std::ranges::sort(vertices, {}, [&](Vertex v) { return std::pair(weights_[at(v)], v); });
  }
  bool hasPlacedNeighbour(Vertex v) const {
    return std::ranges::any_of(edges_.row(v), [&](Vertex u) { return owners_[at(u)] >= 0; });
  }
  void wait(Vertex v) {
    if (owners_[at(v)] < 0 && !std::exchange(waits_[at(v)], 1)) waiting_.push_back(v);
  }
  void joinWaiting() {
    while (!waiting_.empty()) {
      std::vector<Vertex> now = std::exchange(waiting_, {});
      lightestFirst(now);
      for (const Vertex v : now) join(v);
    }
  }

  void join(Vertex v) {
    for (const Vertex u : edges_.row(v))
      if (owners_[at(u)] >= 0) ++near_[at(owners_[at(u)])];
    std::int32_t best = -1;
    const auto better = [&](std::int32_t part) {
      if (best < 0) return true;
      if (near_[at(part)] != near_[at(best)]) return near_[at(part)] > near_[at(best)];
      return std::pair(held_[at(part)], part) < std::pair(held_[at(best)], best);
    };
    for (const Vertex u : edges_.row(v))
      if (const std::int32_t part = owners_[at(u)];
          part >= 0 && held_[at(part)] + weights_[at(v)] <= limit_ && better(part))
        best = part;
    if (best < 0) best = static_cast<std::int32_t>(std::ranges::min_element(held_) - held_.begin());
    for (const Vertex u : edges_.row(v))
      if (owners_[at(u)] >= 0) near_[at(owners_[at(u)])] = 0;
    owners_[at(v)] = best;
    held_[at(best)] += weights_[at(v)];
    for (const Vertex u : edges_.row(v)) wait(u);
  }

  const Csr& edges_;
  const Weights& weights_;
  std::int64_t limit_;
  Owners& owners_;
  std::vector<std::int64_t> held_;
  std::vector<Index> near_;  // neighbours by part; 0 between calls
  std::vector<std::uint8_t> waits_;
  std::vector<Vertex> waiting_;
};

}  // namespace

void joinNeighbours(const Csr& edges, const Weights& weights, int parts, std::int64_t limit, Owners& owners) {
  Joining(edges, weights, parts, limit, owners).run();
}

}  // namespace halo
