#pragma once

#include <vector>

#include "datasets/graph/dataset.h"

namespace halo {

/// Of whole numbers, one a vertex. Median of an even count: the mean of the two in the middle.
struct Spread {
  Index least = 0, most = 0;
  double median = 0, mean = 0;
};

/// What people check of a data set before they believe a number of it.
struct DatasetStatistics {
  Spread inDegree, outDegree;        // the same where the set is undirected
  Index isolated = 0;                // vertices without an arc in either direction
  Index components = 0;              // weakly connected: isolated vertices are some, too
  Index largestComponent = 0;        // vertices
  std::vector<Index> classVertices;  // by class; of a multi-label set a vertex counts for each of its labels
  Index unlabelled = 0;              // vertices
  Spread labelsPerVertex;            // of a multi-label set
  double leastFeature = 0, mostFeature = 0, meanFeature = 0;  // of the finite ones
  Index zeroRows = 0;                                         // of features
  Index nonFinite = 0;                                        // features
};

/// One pass over arcs, features and labels each, in double; 8 bytes a vertex besides. No arcs, no labels, no
/// features: zeros.
DatasetStatistics statisticsOf(const Dataset& dataset);

}  // namespace halo
