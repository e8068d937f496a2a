#include "engine/partition/hypergraph/hypergraph.h"

#include <algorithm>
#include <numeric>

namespace halo {
namespace {

/// splitmix64's last step (Steele, Lea and Flood 2014): spreads a small number over 64 bits.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Nets of distinct, ascending clusters with at least two pins; `mark` tells them apart by hash and place.
struct Mark {
  std::uint64_t hash;
  Vertex net;
};

std::vector<Mark> contractPins(const Hypergraph& graph, const std::vector<Vertex>& cluster, Vertex clusters,
                               Hypergraph& coarse) {
  std::vector<Vertex> seenBy(static_cast<std::size_t>(clusters), -1);  // the last net that holds a cluster
  std::vector<Mark> marks;
  coarse.pins.reserve(graph.pins.size());
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    const std::size_t begin = coarse.pins.size();
    std::uint64_t hash = 0;
    for (const Vertex pin : graph.pinsOf(net)) {
      const Vertex c = cluster[static_cast<std::size_t>(pin)];
      if (std::exchange(seenBy[static_cast<std::size_t>(c)], net) == net) continue;
      coarse.pins.push_back(c);
      hash += mixed(static_cast<std::uint64_t>(c));
    }
    if (coarse.pins.size() - begin < 2) {
      coarse.pins.resize(begin);
      continue;
    }
    std::sort(coarse.pins.begin() + static_cast<std::ptrdiff_t>(begin), coarse.pins.end());
    marks.push_back({hash, coarse.netCount()});
    coarse.netBegin.push_back(static_cast<std::int64_t>(coarse.pins.size()));
    coarse.netWeight.push_back(graph.netWeight[static_cast<std::size_t>(net)]);
  }
  return marks;
}

/// Keeps of equal nets the first, with the weight of all; order kept.
void mergeEqualNets(Hypergraph& coarse, std::vector<Mark>& marks) {
  std::ranges::sort(
      marks, [](const Mark& a, const Mark& b) { return a.hash != b.hash ? a.hash < b.hash : a.net < b.net; });
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto first = static_cast<std::size_t>(marks[i].net);
    if (coarse.netWeight[first] == 0) continue;  // merged into an earlier one
    for (std::size_t j = i + 1; j < marks.size() && marks[j].hash == marks[i].hash; ++j) {
      const auto other = static_cast<std::size_t>(marks[j].net);
      if (coarse.netWeight[other] == 0 ||
          !std::ranges::equal(coarse.pinsOf(marks[i].net), coarse.pinsOf(marks[j].net)))
        continue;
      coarse.netWeight[first] += std::exchange(coarse.netWeight[other], 0);
    }
  }
  std::size_t keptNets = 0, pin = 0;
  for (Vertex net = 0; net < coarse.netCount(); ++net) {
    const auto at = static_cast<std::size_t>(net);
    if (coarse.netWeight[at] == 0) continue;
    const auto from = static_cast<std::size_t>(coarse.netBegin[at]),
               to = static_cast<std::size_t>(coarse.netBegin[at + 1]);
    for (std::size_t i = from; i < to; ++i) coarse.pins[pin++] = coarse.pins[i];
    coarse.netWeight[keptNets++] = coarse.netWeight[at];
    coarse.netBegin[keptNets] = static_cast<std::int64_t>(pin);
  }
  coarse.netWeight.resize(keptNets);
  coarse.netBegin.resize(keptNets + 1);
  coarse.pins.resize(pin);
}

}  // namespace

Owners columnNetParts(const Csr& arcs, const PartitionRequest& request,
                      const std::function<Owners(const Hypergraph&)>& divide) {
  Weights weights = balanceWeights(arcs, request.parameters);
  if (request.parts == 1) return Owners(weights.size(), 0);
  if (request.parts >= arcs.rows()) return spreadByWeight(weights, request.parts);
  const Hypergraph graph = columnNets(arcs, std::move(weights));
  if (graph.netCount() == 0) return spreadByWeight(graph.nodeWeight, request.parts);
  return divide(graph);
}

void completeNodes(Hypergraph& graph, Vertex nodes) {
  graph.nodeBegin.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (const Vertex pin : graph.pins) ++graph.nodeBegin[static_cast<std::size_t>(pin) + 1];
  std::partial_sum(graph.nodeBegin.begin(), graph.nodeBegin.end(), graph.nodeBegin.begin());
  graph.nets.resize(graph.pins.size());
  std::vector<std::int64_t> next(graph.nodeBegin.begin(), graph.nodeBegin.end() - 1);
  for (Vertex net = 0; net < graph.netCount(); ++net)
    for (const Vertex pin : graph.pinsOf(net))
      graph.nets[static_cast<std::size_t>(next[static_cast<std::size_t>(pin)]++)] = net;
}

Hypergraph columnNets(const Csr& arcs, Weights weights) {
  const Csr needs = transpose(arcs);  // row v: the vertices whose rows need v
  Hypergraph graph;
  graph.nodeWeight = std::move(weights);
  graph.pins.reserve(static_cast<std::size_t>(needs.nonzeros() + needs.rows()));
  for (Vertex v = 0; v < static_cast<Vertex>(needs.rows()); ++v) {
    const std::size_t begin = graph.pins.size();
    graph.pins.push_back(v);
    for (const Vertex u : needs.row(v))
      if (u != v) graph.pins.push_back(u);
    if (graph.pins.size() - begin < 2) {
      graph.pins.resize(begin);
      continue;
    }
    graph.netBegin.push_back(static_cast<std::int64_t>(graph.pins.size()));
  }
  graph.netWeight.assign(graph.netBegin.size() - 1, 1);
  completeNodes(graph, static_cast<Vertex>(arcs.rows()));
  return graph;
}

std::int64_t connectivity(const Hypergraph& graph, const Owners& owners, int parts) {
  std::vector<Vertex> touchedBy(static_cast<std::size_t>(parts), -1);
  std::int64_t sum = 0;
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    std::int64_t touched = 0;
    for (const Vertex pin : graph.pinsOf(net)) {
      const auto part = static_cast<std::size_t>(owners[static_cast<std::size_t>(pin)]);
      touched += std::exchange(touchedBy[part], net) != net;
    }
    sum += (touched - 1) * graph.netWeight[static_cast<std::size_t>(net)];
  }
  return sum;
}

Hypergraph contracted(const Hypergraph& graph, const std::vector<Vertex>& cluster, Vertex clusters) {
  Hypergraph coarse;
  std::vector<Mark> marks = contractPins(graph, cluster, clusters, coarse);
  mergeEqualNets(coarse, marks);
  coarse.nodeWeight.assign(static_cast<std::size_t>(clusters), 0);
  for (std::size_t v = 0; v < cluster.size(); ++v)
    coarse.nodeWeight[static_cast<std::size_t>(cluster[v])] += graph.nodeWeight[v];
  completeNodes(coarse, clusters);
  return coarse;
}

}  // namespace halo
