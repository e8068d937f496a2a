#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/partition/contract/quality.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// How many vertices have so many consumers: others that aggregate them.
using ConsumerHistogram = std::map<std::int64_t, std::int64_t>;
ConsumerHistogram consumersOf(const Csr& propagation);
/// Mean number of consumers: no partition has more halo rows a vertex.
double meanConsumers(const ConsumerHistogram& consumers);

/// Halo rows of a uniformly random partition: Σ_v (P−1)(1 − (1−1/P)^k_v), k_v the consumers of v.
double expectedHaloRows(const ConsumerHistogram& consumers, double parts);

/// One figure at some number of parts.
struct PartsFigure {
  double parts = 1, value = 0;
};

/// y = a P^β, or with a limit that y cannot pass, y = limit (1 − exp(−a P^β / limit)).
struct GrowthFit {
  double a = 0, exponent = 0, limit = 0;  // limit 0: none
  double heldOutError = 0;                // relative, of the largest number of parts, by a fit to the others
  double at(double parts) const;
};

/// Least squares of the logarithms, of four or more figures above 0. If there is a limit, a fit with it and
/// one without it are tried. The one taken comes nearer to the largest number of parts when that is left out
/// of the fit. Throws InputError where both miss it by more than 10 %: then the graph does not grow so.
GrowthFit fitGrowth(std::span<const PartsFigure> figures, double limit, const char* key);

/// What of a partition decides times. These are halo rows a vertex, the share of arcs that cross between
/// parts, and the share of vertices that have such arcs. Of rows, entries and rows sent it is the largest
/// over the mean. Each is fitted for itself (resources/manual/reference/simulator/clusters.md, Plans).
struct PartitionGrowth {
  GrowthFit haloRowsPerVertex;
  GrowthFit cutShare, boundaryShare;                // with the limit 1
  GrowthFit rowsExcess, entriesExcess, sentExcess;  // largest over mean − 1
};
/// Of partitions of one graph into four or more numbers of parts. Throws as fitGrowth does for the halo rows;
/// the others are fits without a bound on their error (imbalances are maxima, which scatter).
PartitionGrowth growthOf(std::span<const PartitionQuality> partitions, std::int64_t vertices,
                         double consumersPerVertex, bool directed);

/// A graph cut for so many ranks, in sums only.
struct WideFigures {
  int ranks = 1;
  std::int64_t vertices = 0, entries = 0;
  double haloRows = 0;       // of all ranks
  double groupHaloRows = 0;  // of the groups of a transposed method with more than one
  double ownShare = 1;       // of a rank's entries, those whose column it owns
  double centralShare = 1;   // of a rank's entries, those of rows whose columns it owns all
  PlanOrigin origin = PlanOrigin::expected;
  std::vector<std::int64_t> rows, entriesOf;  // of each rank; add up to all
  std::vector<double> sends, receives;        // share of each rank, together 1
};

/// Of a random partition. Rows are dealt out evenly. Entries and halo rows scatter as sums of independent
/// draws do (normal for entries, Poisson for rows sent and received), by the seed alone.
WideFigures expectedFigures(const ConsumerHistogram& consumers, std::int64_t vertices, std::int64_t entries,
                            int ranks, int groups, std::uint64_t seed);

/// Of fits: the first rank has the largest share of everything, the others share the rest. `arcs`: entries
/// but those of vertices to themselves, which no partition cuts. Central entries are taken to be as many of
/// all as central vertices are.
WideFigures fittedFigures(const PartitionGrowth& growth, std::int64_t vertices, std::int64_t entries,
                          std::int64_t arcs, int ranks, int groups);

/// `total` in whole numbers by shares that add up to 1 (to rounding); adds up to total.
std::vector<std::int64_t> dealt(std::int64_t total, std::span<const double> shares);

}  // namespace halo::cluster
