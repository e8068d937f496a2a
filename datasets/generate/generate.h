#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"

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
  double signal = 1.5;  // distance of a class's mean feature from the origin, in noise deviations: weak
  double labelNoise =
      0.0;  // share of vertices whose label is not that of their community: no model learns it
};

const std::vector<GraphShape>& generatedShapes();

/// Vertices of `shape` at this scale: the share of the published count, but never so few that nothing can be
/// trained.
Index generatedVertices(const GraphShape& shape, double scale);

/// The split of what `generate` makes, without making it.
std::vector<Split> splitOfGenerated(const GraphShape& shape, double scale, std::uint64_t seed);

/// Bytes that drawing the arcs alone takes at its peak, without features and labels.
double generateArcsBytes(const GraphShape& shape, double scale);

/// Bytes that `generate` needs at its peak.
double generateBytes(const GraphShape& shape, double scale);

/// A graph of that shape: Chung–Lu draws inside planted communities, or a road grid. Labels go by community,
/// and features are a weak class signal in noise. A GCN learns the labels; features alone are too noisy for a
/// linear model. Where a small scale cannot hold the published degree, degree and homophily fall.
///
/// scale    (0, 1]: share of the published vertex count
/// threads  0: all cores. Same seed, same bytes, for any number.
/// Throws InputError for the scale, EnvironmentError when this machine's memory cannot hold it,
/// and what `progress` throws, which is asked all the while.
Dataset generate(const GraphShape& shape, double scale, std::uint64_t seed, const Progress& progress = {},
                 int threads = 0);

}  // namespace halo
