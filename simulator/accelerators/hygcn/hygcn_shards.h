#pragma once

// How HyGCN cuts a graph: destinations into intervals, their sources into shards (hygcn.cpp).

#include <functional>
#include <span>
#include <vector>

#include "simulator/accelerators/hygcn/hygcn_device.h"

namespace halo::sim::hygcn {

/// Sources [first, first + rows) of one interval: what of them is brought, and the interval's edges that
/// begin there.
struct Shard {
  std::int64_t first = 0, rows = 0;
  std::int64_t nonzeros = 0;
  std::int64_t bytes = 0;                // of rows brought
  std::int64_t lines = 0, lineSpan = 0;  // lines brought; lines from the first to the last of the shard
  std::int64_t busiest = 0;              // edges at the bank that has most of them; 0: not counted
  bool scattered() const { return lines < lineSpan; }
};

struct Interval {
  std::int64_t first = 0, rows = 0;  // destinations
  std::span<const Shard> shards;     // that are brought, in order; they hold all edges of the interval
};

/// Every interval with an edge, in order. With graph.matrix intervals are counted, else they are expected of
/// arcs at random places (within the band). Expected windows stand at fixed places, for `shrink` too. Of each
/// of them, the mean of windows that slide is taken. Source s of a shard lies in bank s mod `banks`; the
/// busiest bank is counted where windows slide over graph.matrix.
/// Cost: counted, some 10 ns a nonzero and, each interval, a step a source or window. Memory: 4 bytes a
/// vertex.
void forEachInterval(const Graph& graph, const TileShape& shape, Window window, std::int64_t banks,
                     const std::function<void(const Interval&)>& use);

/// Sources brought by windows of `window` rows, as a share of all sources. The windows slide to the next
/// needed source and shrink to the last. Each source is needed with `chance`.
double expectedSlid(double window, double chance);

}  // namespace halo::sim::hygcn
