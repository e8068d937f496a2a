#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/dataset.h"

namespace halo {

/// The shape of a published graph that a generated one resembles.
struct GraphShape {
  std::string name;          // "reddit-like"
  std::string resembles;     // the published data set
  std::string generator;     // "community" (power-law planted partition) | "road"
  Index vertices = 0;        // at scale 1
  double averageDegree = 0;  // undirected neighbours, or out-arcs when directed
  double exponent = 2.3;     // of the degree distribution
  Index maxDegree = 0;       // at scale 1
  double homophily = 0.8;    // share of arcs inside a community
  Index features = 0;
  std::int32_t classes = 0;
  bool multiLabel = false;
  bool directed = false;
  double train = 0.6, valid = 0.2;  // shares; the rest is test
};

const std::vector<GraphShape>& generatedShapes();

/// scale in (0, 1]: share of the published vertex count. Same seed, same graph, for any thread count.
/// A GCN learns the labels; features alone are too noisy for a linear model.
Dataset generate(const GraphShape& shape, double scale, std::uint64_t seed, const Progress& progress = {});

}  // namespace halo
