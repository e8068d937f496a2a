#pragma once

#include <map>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {

/// What rank 0 prepares and the others receive.
struct Prepared {
  Share share;                 // this rank's
  std::vector<Index> widths;   // d_0 … d_L
  std::string initialWeights;  // bytes of the .npz, or empty
  // rank 0 only
  Owners owners;
  double partitionSeconds = 0;  // 0: nothing was partitioned
  std::map<std::string, double> partitionFigures;
  std::vector<RowTable> sentRows;
  std::vector<std::string> marks, remarks;  // of the data set
  std::string dataset, dataDigest;          // its name, and a digest of what it holds
};

/// Collective. Rank 0 loads the data set, partitions it and sends every rank its share; `progress` is called
/// there. Throws on every rank if rank 0 failed: there what went wrong, elsewhere PreparationFailed.
Prepared prepare(Communicator& comm, const RunSettings& run, const Progress& progress);

/// Rank 0 could not prepare the run; it says why, the others end quietly.
class PreparationFailed : public std::runtime_error {
 public:
  PreparationFailed() : std::runtime_error("rank 0 could not prepare the run") {}
};

/// The share of `rank`, cut from the whole; `arcs`: for a method that cuts vertices.
Share cutShare(const Dataset& dataset, const Csr& propagation, const Owners& owners, int rank, int parts,
               const ArcPlacement* arcs = nullptr);
std::string encodeShare(const Share& share);
Share decodeShare(std::string_view bytes);

}  // namespace halo
