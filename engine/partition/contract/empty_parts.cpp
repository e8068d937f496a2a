#include "engine/partition/contract/empty_parts.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace halo {
namespace {

std::vector<std::int32_t> emptyParts(const Owners& owners, int parts) {
  std::vector<bool> occupied(static_cast<std::size_t>(parts), false);
  for (const std::int32_t owner : owners) occupied[static_cast<std::size_t>(owner)] = true;
  std::vector<std::int32_t> empty;
  for (std::int32_t part = 0; part < parts; ++part)
    if (!occupied[static_cast<std::size_t>(part)]) empty.push_back(part);
  return empty;
}

class Filling {
 public:
  Filling(const Csr& arcs, const Weights& weights, int parts, Owners& owners)
      : weights_(weights),
        parts_(parts),
        total_(totalWeight(weights)),
        owners_(owners),
        members_(static_cast<std::size_t>(parts)),
        held_(partWeights(weights, owners, parts)) {
    for (Vertex v = 0; v < static_cast<Vertex>(arcs.rows()); ++v)
      members_[part(v)].emplace_back(neighboursInPart(arcs, v), v);
    for (std::int32_t part = 0; part < parts; ++part) {
      auto& members = members_[static_cast<std::size_t>(part)];
      std::ranges::sort(members, std::greater<>());  // who goes first stands last
      offer(part);
    }
  }

  /// One vertex each comes first: a part that takes more may not leave another empty.
  void fill(const std::vector<std::int32_t>& empty) {
    for (const std::int32_t part : empty) take(part);
    for (const std::int32_t part : empty)
      while (takesMore(part)) take(part);
  }

 private:
  using Member = std::pair<Index, Vertex>;  // neighbours in its part, vertex
  using Donor = std::pair<std::int64_t, std::int32_t>;

  std::size_t part(Vertex v) const { return static_cast<std::size_t>(owners_[static_cast<std::size_t>(v)]); }
  Index neighboursInPart(const Csr& arcs, Vertex v) const {
    return std::ranges::count_if(arcs.row(v), [&](Vertex u) { return u != v && part(u) == part(v); });
  }

  void offer(std::int32_t part) {
    const auto at = static_cast<std::size_t>(part);
    if (members_[at].size() >= 2) donors_.emplace(held_[at], -part);
  }
  std::size_t heaviest() const { return static_cast<std::size_t>(-donors_.top().second); }
  std::int64_t weightOf(Vertex v) const { return weights_[static_cast<std::size_t>(v)]; }

  void take(std::int32_t part) {
    const std::size_t from = heaviest();
    donors_.pop();
    const Vertex v = members_[from].back().second;
    members_[from].pop_back();
    held_[from] -= weightOf(v);
    held_[static_cast<std::size_t>(part)] += weightOf(v);
    owners_[static_cast<std::size_t>(v)] = part;
    offer(static_cast<std::int32_t>(from));
  }

  bool takesMore(std::int32_t part) const {
    if (donors_.empty()) return false;
    const std::size_t from = heaviest();
    const std::int64_t weight = weightOf(members_[from].back().second);
    return (held_[static_cast<std::size_t>(part)] + weight) * parts_ <= total_ &&
           (held_[from] - weight) * parts_ >= total_;
  }

  const Weights& weights_;
  const std::int64_t parts_, total_;
  Owners& owners_;
  std::vector<std::vector<Member>> members_;
  std::vector<std::int64_t> held_;  // weight
  std::priority_queue<Donor> donors_;
};

}  // namespace

void fillEmptyParts(const Csr& arcs, const Weights& weights, int parts, Owners& owners) {
  if (arcs.rows() < parts) return;
  const std::vector<std::int32_t> empty = emptyParts(owners, parts);
  if (empty.empty()) return;
  Filling(arcs, weights, parts, owners).fill(empty);
}

std::string emptyPartsRemark(const Owners& owners, int parts) {
  const std::vector<std::int32_t> empty = emptyParts(owners, parts);
  if (empty.empty()) return "";
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < empty.size() && i < kShown; ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(empty[i]);
  if (empty.size() > kShown) list += ", …";
  return std::to_string(empty.size()) + " of " + std::to_string(parts) + " parts " +
         (empty.size() == 1 ? "holds" : "hold") + " no vertex (" + list + "); " +
         (owners.size() < static_cast<std::size_t>(parts)
              ? "the graph has only " + std::to_string(owners.size()) + " vertices"
              : "the partition was given so");
}

}  // namespace halo
