#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/index.h"
#include "engine/partition/hypergraph/net_parts.h"

namespace halo {

/// The gains of moving nodes to every part, kept right while nodes move. Each node that was asked for has a
/// row. A row changes only where a net comes to its first pin in a part, or its last, or next to it.
class GainRows {
 public:
  /// No part may grow above `limit`. Rows are made until they would take `maxBytes`.
  GainRows(NetParts& state, std::int64_t limit, std::size_t maxBytes);

  /// Makes room for about so many rows at once.
  void expect(std::size_t rows) { rows_.reserve(std::min(rows + rows / 8, maxRows_) * width_); }
  /// Makes the row of `node` if it has none; false if there is no room for it.
  bool reserve(Vertex node);
  bool has(Vertex node) const { return place_[at(node)] >= 0; }
  /// Of a node with a row. By how much the connectivity falls if it moves to `part`.
  std::int64_t gain(Vertex node, std::int32_t part) const {
    const std::int32_t* row = rowOf(node);
    return std::int64_t{row[part]} + row[alone_] - row[total_];
  }
  /// Whether `part` may take the node.
  bool hasRoom(Vertex node, std::int32_t part) const {
    return state_.weight(part) + state_.graph().nodeWeight[at(node)] <= limit_;
  }
  /// Among parts with room that share a net with it; of equal gains the lightest, then the first part.
  NodeMove best(Vertex node) const;

  /// Moves a node, with or without a row. `nearer(net)` hears of nets that came to a new part; `last(pin)` of
  /// nodes with rows that are now alone in their part on some net.
  template <class Nearer, class Last>
  void move(Vertex node, std::int32_t part, Nearer&& nearer, Last&& last) {
    const std::int32_t from = state_.owner(node);
    std::int32_t alone = 0;
    state_.move(node, part, [&](Vertex net, std::int32_t leftIn, std::int32_t cameTo) {
      const std::int32_t weight = state_.graph().netWeight[at(net)];
      if (leftIn == 0)
        addToAll(net, from, -weight);
      else if (leftIn == 1)
        if (const Vertex pin = onlyPin(net, from, node); has(pin)) {
          rowOf(pin)[alone_] += weight;
          last(pin);
        }
      if (cameTo == 1) {
        alone += weight;
        addToAll(net, part, weight);
        nearer(net);
      } else if (cameTo == 2) {
        if (const Vertex pin = onlyPin(net, part, node); has(pin)) rowOf(pin)[alone_] -= weight;
      }
    });
    if (has(node)) rowOf(node)[alone_] = alone;
  }

 private:
  // A row holds for each part the weight of the node's nets that touch it. Then come the weight of the nets
  // where the node is alone in its part, and that of all. Last come bits, one a part, for where the weight is
  // not 0: of many parts most are far from a node.
  std::int32_t* rowOf(Vertex node) { return rows_.data() + at(place_[at(node)]) * width_; }
  const std::int32_t* rowOf(Vertex node) const { return rows_.data() + at(place_[at(node)]) * width_; }
  void addToAll(Vertex net, std::int32_t part, std::int32_t weight) {
    for (const Vertex pin : state_.graph().pinsOf(net))
      if (has(pin)) add(rowOf(pin), part, weight);
  }
  void add(std::int32_t* row, std::int32_t part, std::int32_t weight) {
    const std::int32_t bit = std::int32_t(1U << (part % kBits));
    std::int32_t& touched = row[touched_ + part / kBits];
    row[part] += weight;
    touched = row[part] == 0 ? touched & ~bit : touched | bit;
  }
  /// The pin in `part` besides `except`, where there is one.
  Vertex onlyPin(Vertex net, std::int32_t part, Vertex except) const;

  static constexpr std::int32_t kBits = 32;

  NetParts& state_;
  std::int64_t limit_;
  std::int32_t alone_, total_, touched_;  // places in a row
  std::size_t width_, maxRows_, made_ = 0;
  std::vector<std::int32_t> place_;  // -1: no row
  std::vector<std::int32_t> rows_;
};

}  // namespace halo
