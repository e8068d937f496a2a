#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/declaration.h"
#include "engine/base/matrix.h"
#include "engine/experiment/experiment.h"
#include "engine/methods/contract/holdings.h"
#include "engine/partition/contract/partitioner.h"
#include "engine/partition/vertex_cut/arc_parts.h"
#include "engine/record/trace/span.h"

namespace halo {

/// What rows are counted from, before a run, by who knows the whole graph.
struct CountRequest {
  const Csr& propagation;
  const Owners& owners;
  int parts = 1;
  const RunSettings& run;
  std::span<const Index> widths;       // d_0 … d_L
  const ArcPlacement* arcs = nullptr;  // of a method that cuts vertices
  std::span<const Vertex> order = {};  // of a method that works on vertices in an order of its own
};

/// What a volume predictor sees: the partition in numbers, no data.
struct VolumeRequest {
  int parts = 1;
  std::vector<std::int64_t> widths;      // d_0 … d_L
  std::vector<std::int64_t> propagated;  // width that travels forward in layer l
  std::vector<std::int64_t> returned;    // width that travels backward in layer l
  std::vector<bool> backward;            // whether layer l propagates backward
  RowTable rows;                         // what travels forward: the first of the tables
  std::vector<RowTable> tables;          // rowsSent
  std::vector<RowTable> decided;         // what an epoch that was trained decided (Method::decided)
  std::int64_t weights = 0;              // elements, all-reduced once an epoch
  std::int64_t inputWeights = 0;         // of those, elements with a row for each feature
  std::int64_t elementBytes = 4;
  bool attends = false;     // layers' coefficients are made of the rows that travel (gat)
  std::int64_t heads = 1;   // that these rows consist of, side by side; 1 where layers do not attend
  bool firstEpoch = false;  // one-time traffic (layer-0 cache) falls here
  std::int64_t epoch = 0;   // for what does not send the same in every epoch
  Values parameters;
};

/// What an epoch of batches is drawn from, by who knows the whole graph.
struct DrawRequest {
  const Csr& arcs;  // row v: in-neighbours, no self loops
  const Owners& owners;
  int parts = 1;
  std::span<const Split> split;  // by vertex
  const RunSettings& run;
  std::int64_t epoch = 0;
  std::int64_t most = 8;  // iterations that are drawn; fewer where the epoch has fewer
  Index features = 0;     // d_0, for who keeps rows of so many; 0: not known
};

/// The batches that all ranks have in one iteration, in numbers.
struct DrawnIteration {
  std::vector<std::vector<std::int64_t>> vertices;  // [l][rank]: |V^l|, l = 0 … L
  std::vector<std::vector<std::int64_t>> arcs;      // [l − 1][rank]: |E^l|, l = 1 … L
  std::vector<std::vector<std::int64_t>> served;  // [l − 1][rank]: of all ranks' E^l, those of own targets
  std::vector<RowTable> decided;                  // Method::decided
  /// By rank, rows of V^0 that come over the link from the host to its device, and how long a byte takes
  /// there. No rows: there is no such link.
  std::vector<std::int64_t> missed = {};
  double linkNsPerByte = 0;
};
struct DrawnEpoch {
  std::int64_t iterations = 0;
  std::vector<DrawnIteration> drawn;  // evenly spread over the epoch
};

/// One predicted flow; integer arithmetic only.
struct PredictedVolume {
  int layer = 0;
  Pass pass = Pass::none;
  int source = 0, target = 0;
  std::int64_t messages = 0, bytes = 0;
  int round = 0;  // within its layer and pass: what is sent in one depends on what came in those before
  bool operator==(const PredictedVolume&) const = default;
};

/// What the memory of one rank is predicted from, by the partition in numbers.
struct MemoryRequest {
  std::int64_t rows = 0;      // own
  std::int64_t vertices = 0;  // of all ranks, or of the rank's group where it has slices of them
  /// Rows of the messages that come before a forward aggregation, and that leave. The largest are those from
  /// and to the one rank that most are from and to.
  std::int64_t received = 0, sent = 0, largestReceived = 0, largestSent = 0;
  std::int64_t halo = 0;          // others' rows that own ones aggregate
  std::int64_t largestBlock = 0;  // own rows of the other rank that has most
  int ranks = 1;
  std::int64_t slice = 0, slices = 1;  // of the columns
  std::int64_t input = 0;              // d_0
  bool readsInput = false;             // whether layer 0 reads the input rows besides what it aggregates
  /// By layer, width that travels in an epoch after the first; 0 where nothing does.
  std::vector<std::int64_t> forward, backward;
  bool drops = false;  // dropout above 0
  Values parameters;
};

}  // namespace halo
