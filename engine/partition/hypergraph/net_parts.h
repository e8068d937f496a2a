#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/partition/hypergraph/hypergraph.h"

namespace halo {

/// How many pins of a net lie in a part.
struct PinsInPart {
  std::int32_t part, pins;
};

/// A partition of a hypergraph with what moving nodes needs. For each net this is the parts it touches, and
/// how many of its pins lie in each. A net holds room for min(pins, parts) of them.
class NetParts {
 public:
  /// Keeps a reference to `graph`. `baseWeights`: what each part weighs before a node is put into it; 0 if
  /// empty.
  NetParts(const Hypergraph& graph, Owners owners, int parts,
           const std::vector<std::int64_t>& baseWeights = {});

  const Hypergraph& graph() const { return graph_; }
  int parts() const { return parts_; }
  const Owners& owners() const { return owners_; }
  Owners takeOwners() { return std::move(owners_); }
  std::int32_t owner(Vertex node) const { return owners_[static_cast<std::size_t>(node)]; }
  std::int64_t weight(std::int32_t part) const { return weights_[static_cast<std::size_t>(part)]; }
  const std::vector<std::int64_t>& weights() const { return weights_; }
  /// Σ weight × (λ − 1), kept up to date.
  std::int64_t connectivity() const { return connectivity_; }
  std::span<const PinsInPart> touched(Vertex net) const {
    const auto at = static_cast<std::size_t>(net);
    return {entries_.data() + begin_[at], static_cast<std::size_t>(count_[at])};
  }
  std::int32_t pinsIn(Vertex net, std::int32_t part) const;
  bool onBoundary(Vertex node) const;
  /// By how much Σ weight × (λ − 1) falls if `node` moves to `part`. From the pin counts, one net at a time.
  std::int64_t gain(Vertex node, std::int32_t part) const;

  /// Moves `node`. `changed(net, leftIn, cameTo)` hears of each of its nets. `leftIn` pins are left in the
  /// part that the node left, and `cameTo` are now in the part it came to.
  template <class Changed>
  void move(Vertex node, std::int32_t part, Changed&& changed) {
    const std::int32_t from = owners_[static_cast<std::size_t>(node)];
    for (const Vertex net : graph_.netsOf(node)) {
      const std::int32_t left = remove(net, from);
      changed(net, left, add(net, part));
    }
    settle(node, part);
  }
  void move(Vertex node, std::int32_t part) {
    move(node, part, [](Vertex, std::int32_t, std::int32_t) {});
  }

 private:
  std::int32_t remove(Vertex net, std::int32_t part);
  std::int32_t add(Vertex net, std::int32_t part);
  void settle(Vertex node, std::int32_t part);

  const Hypergraph& graph_;
  int parts_;
  Owners owners_;
  std::vector<std::int64_t> weights_, begin_;
  std::vector<std::int32_t> count_;
  std::vector<PinsInPart> entries_;
  std::int64_t connectivity_ = 0;
};

/// The best move of a node, found over the parts its nets touch.
struct NodeMove {
  std::int64_t gain = 0;
  std::int32_t part = -1;  // -1: none is allowed
};

/// Finds best moves; holds the sums by part, so that nothing is allocated for a node.
class MoveFinder {
 public:
  /// No part may grow above `limit`.
  MoveFinder(const NetParts& state, std::int64_t limit)
      : state_(state), limit_(limit), reached_(static_cast<std::size_t>(state.parts()), 0) {}
  /// Among the parts that have room and that `node` shares nets with; of equal gains the lightest part, of
  /// equally light ones the first.
  NodeMove best(Vertex node);

 private:
  const NetParts& state_;
  std::int64_t limit_;
  std::vector<std::int64_t> reached_;  // weight of the node's nets that touch a part; zero between calls
  std::vector<std::int32_t> metParts_;
};

}  // namespace halo
