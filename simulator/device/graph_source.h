#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/arc_file.h"
#include "datasets/graph/dataset.h"
#include "engine/base/problem.h"
#include "simulator/device/library.h"

namespace halo::sim {

/// Where the graph of a simulation comes from.
struct GraphRequest {
  std::string graph;            // published figures of a graph stand for it; empty: the data set itself
  std::string tiling = "auto";  // auto | statistics | exact | replica
  double replicaScale = 0.01;
  double band = 1;      // share of the vertices that neighbours lie apart at most; figures and replicas only
  double locality = 1;  // share of the arcs of which that holds; the others lie anywhere
  DatasetRequest dataset;
  bool features = false;  // the data set's are kept
  bool stream = false;    // arcs of an edge list stay on disk where they can
};

/// What is aggregated over, and what it stands for.
struct SourceGraph {
  Csr arcs;  // of a graph that is there; empty with figures alone, and where it is streamed
  std::optional<ArcFile> streamed;
  std::string tiling;   // statistics | exact | replica: what was done
  double share = 1;     // of the vertices of the whole graph that a replica has
  double band = 1;      // with figures alone
  double locality = 1;  // with figures alone
  double exponent = 0;  // of the degrees' power law, with figures alone
  std::int64_t maxDegree = 0;
  bool directed = false;                                               // arcs do not hold both directions
  std::int64_t vertices = 0, nonzeros = 0, features = 0, classes = 0;  // of the whole graph
  std::vector<std::string> marks;                                      // of the data set, "replica"
  Matrix rows;                                                         // its features, where asked for
  std::vector<Split> split;  // by vertex; of a data set whose arcs are kept

  /// For a device; of a replica the counts are its own. Refers to arcs, or to what is streamed.
  Graph graph() const;
};

/// Vertices of the replica of these figures.
Index replicaVertices(const GraphRequest& request, const GraphFigures& figures);
/// Why a replica of these figures cannot be made, as far as that is known at once. It is memory (in bytes, of
/// what is available), or, of a small replica, vertices too few for the degrees. Problems at
/// "simulate.replica_scale".
std::vector<Problem> replicaRefusals(const GraphRequest& request, const GraphFigures& figures,
                                     double availableBytes);

/// Places of a matrix of so many vertices whose columns lie at most `band` of them from the diagonal.
double placesInBand(double vertices, double band);
/// Refuses a band that has fewer places than there are arcs in it: a Problem at "simulate.band".
std::optional<Problem> tooNarrow(double vertices, double arcs, double band);

/// Loads the data set, or makes the replica, or takes the figures. Throws InputError for a replica without
/// room for its degrees, a band without room for the arcs, and what loadDataset and `progress` throw.
/// Counting needs a graph ("exact"), making one alike needs figures ("replica"); who asks has seen to it.
SourceGraph sourceGraph(const GraphRequest& request, const Library& library, const Progress& progress = {});

}  // namespace halo::sim
