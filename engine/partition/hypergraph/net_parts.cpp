#include "engine/partition/hypergraph/net_parts.h"

#include <algorithm>

namespace halo {

NetParts::NetParts(const Hypergraph& graph, Owners owners, int parts,
                   const std::vector<std::int64_t>& baseWeights)
    : graph_(graph),
      parts_(parts),
      owners_(std::move(owners)),
      weights_(partWeights(graph.nodeWeight, owners_, parts)),
      count_(static_cast<std::size_t>(graph.netCount()), 0) {
  for (std::size_t part = 0; part < baseWeights.size(); ++part) weights_[part] += baseWeights[part];
  begin_.reserve(count_.size() + 1);
  begin_.push_back(0);
  for (Vertex net = 0; net < graph.netCount(); ++net)
    begin_.push_back(begin_.back() +
                     std::min<std::int64_t>(parts, static_cast<std::int64_t>(graph.pinsOf(net).size())));
  entries_.resize(static_cast<std::size_t>(begin_.back()));
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    for (const Vertex pin : graph.pinsOf(net)) add(net, owner(pin));
    connectivity_ -= graph.netWeight[static_cast<std::size_t>(net)];  // the first part is free
  }
}

std::int32_t NetParts::pinsIn(Vertex net, std::int32_t part) const {
  for (const PinsInPart& entry : touched(net))
    if (entry.part == part) return entry.pins;
  return 0;
}

bool NetParts::onBoundary(Vertex node) const {
  return std::ranges::any_of(graph_.netsOf(node),
                             [&](Vertex net) { return count_[static_cast<std::size_t>(net)] > 1; });
}

std::int64_t NetParts::gain(Vertex node, std::int32_t part) const {
  if (part == owner(node)) return 0;
  std::int64_t sum = 0;
  for (const Vertex net : graph_.netsOf(node)) {
    const std::int64_t weight = graph_.netWeight[static_cast<std::size_t>(net)];
    if (pinsIn(net, owner(node)) == 1) sum += weight;
    if (pinsIn(net, part) == 0) sum -= weight;
  }
  return sum;
}

std::int32_t NetParts::remove(Vertex net, std::int32_t part) {
  const auto at = static_cast<std::size_t>(net);
  PinsInPart* entry = entries_.data() + begin_[at];
  while (entry->part != part) ++entry;
  if (--entry->pins > 0) return entry->pins;
  *entry = entries_[static_cast<std::size_t>(begin_[at] + --count_[at])];
  connectivity_ -= graph_.netWeight[at];
  return 0;
}

std::int32_t NetParts::add(Vertex net, std::int32_t part) {
  const auto at = static_cast<std::size_t>(net);
  PinsInPart* entry = entries_.data() + begin_[at];
  PinsInPart* const end = entry + count_[at];
  for (; entry != end; ++entry)
    if (entry->part == part) return ++entry->pins;
  *end = {part, 1};
  ++count_[at];
  connectivity_ += graph_.netWeight[at];
  return 1;
}

void NetParts::settle(Vertex node, std::int32_t part) {
  const auto at = static_cast<std::size_t>(node);
  weights_[static_cast<std::size_t>(owners_[at])] -= graph_.nodeWeight[at];
  weights_[static_cast<std::size_t>(part)] += graph_.nodeWeight[at];
  owners_[at] = part;
}

NodeMove MoveFinder::best(Vertex node) {
  const Hypergraph& graph = state_.graph();
  const std::int32_t from = state_.owner(node);
  std::int64_t freed = 0, all = 0;
  metParts_.clear();
  for (const Vertex net : graph.netsOf(node)) {
    const std::int64_t weight = graph.netWeight[static_cast<std::size_t>(net)];
    all += weight;
    for (const auto& [part, pins] : state_.touched(net)) {
      if (part == from) {
        if (pins == 1) freed += weight;
        continue;
      }
      std::int64_t& reached = reached_[static_cast<std::size_t>(part)];
      if (reached == 0) metParts_.push_back(part);
      reached += weight;
    }
  }
  const std::int64_t heaviest = limit_ - graph.nodeWeight[static_cast<std::size_t>(node)];
  NodeMove best;
  for (const std::int32_t part : metParts_) {
    const std::int64_t gain = freed - all + std::exchange(reached_[static_cast<std::size_t>(part)], 0);
    const std::int64_t weight = state_.weight(part);
    if (weight > heaviest) continue;
    if (best.part < 0 || gain > best.gain ||
        (gain == best.gain &&
         (weight < state_.weight(best.part) || (weight == state_.weight(best.part) && part < best.part))))
      best = {gain, part};
  }
  return best;
}

}  // namespace halo
