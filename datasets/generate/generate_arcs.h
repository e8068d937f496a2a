#pragma once

#include <cstdint>
#include <vector>

#include "datasets/generate/generate.h"

namespace halo {

/// What a shape becomes at one scale: a graph too small for its published degree gets a lower one.
struct GraphPlan {
  Index vertices = 0;
  std::int32_t classes = 0;
  Index communities = 0;
  double degree = 0;  // undirected neighbours, or out-arcs when directed
  double maxDegree = 0;
  double inside = 0;  // share of arcs inside a community
};

GraphPlan planGraph(const GraphShape& shape, double scale);

/// Arcs with the planted truth behind them.
struct PlantedGraph {
  Csr arcs;
  Buffer<Vertex> communityOf;         // vertices
  std::vector<std::int32_t> classOf;  // communities
};

/// Both generators: the same bytes for any number of threads.
PlantedGraph plantCommunities(const GraphShape& shape, const GraphPlan& plan, std::uint64_t seed,
                              const Progress& progress, int threads);
/// A grid in which every vertex keeps a street to the west or the north, so that it is connected. It keeps
/// others until the published degree is met. A few diagonals give crossings of more than four streets.
/// Vertices are numbered row by row, as road networks come: neighbours have near numbers.
PlantedGraph plantRoads(const GraphPlan& plan, std::uint64_t seed, const Progress& progress, int threads);

}  // namespace halo
