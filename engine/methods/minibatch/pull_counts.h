#pragma once

#include <vector>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/predictions.h"

namespace halo {

/// What the batches of an epoch pulled from whom, summed over its iterations: what a sampling method decided
/// (Method::decided). Tables by who asked and who was:
///
///   0, 1                           vertices of V^0, and iterations with any
///   4l − 2, 4l − 1, 4l, 4l + 1     of block l = 1 … L − 1: targets, iterations with any; arcs, iterations
///   with any last                           one number: iterations
class PullCounts {
 public:
  PullCounts(int layers, int ranks);

  void clear();
  /// Adds what another, of as many layers and ranks, counted.
  void add(const PullCounts& other);
  /// Vertices that rank `self` asked of each rank, by where each part begins; block 0: V^0.
  void addAsked(int block, int self, std::span<const Index> begins);
  /// Arcs that it was answered.
  void addArcs(int block, int self, std::span<const Index> begins);
  /// Arcs in all blocks, others' and own ones.
  void addSampled(std::int64_t arcs) { counts_.back() += arcs; }
  /// CPU time of the driving thread in which block 1 … L was drawn.
  void addSampleCpu(int block, std::int64_t ns) { sampleCpuNs_[at(block) - 1] += ns; }
  std::int64_t sampleCpuNs(int block) const { return sampleCpuNs_[at(block) - 1]; }
  /// Vertices that rank `self` asked of all others, and arcs that it was answered.
  std::int64_t askedVertices(int block, int self) const { return rowSum(block, /*kind=*/0, self); }
  std::int64_t answeredArcs(int block, int self) const { return rowSum(block, /*kind=*/2, self); }
  /// Collective, uncounted: sums over the ranks.
  void share(Communicator& comm) { comm.sum(counts_); }
  std::int64_t sampledArcs() const { return counts_.back(); }
  std::vector<RowTable> tables(std::int64_t iterations) const;
  /// For a run that goes on with them.
  void keep(ByteWriter& out) const;
  void resume(ByteReader& in);

 private:
  void add(std::size_t table, int self, std::span<const Index> begins);
  std::int64_t rowSum(int block, std::size_t kind, int self) const;

  std::size_t ranks_, tables_;
  std::vector<std::int64_t> counts_;  // table after table, each by who asked, then by who was; sampled arcs
  std::vector<std::int64_t> sampleCpuNs_;  // this rank's, by block from 1
};

/// What the tables of a sampling method say, one after the other.
class PullTables {
 public:
  explicit PullTables(const std::vector<RowTable>& tables) : tables_(tables) {}
  const RowTable& vertices(int block) const { return table(block, 0); }
  const RowTable& askedIn(int block) const { return table(block, 1); }
  const RowTable& arcs(int block) const { return table(block, 2); }
  const RowTable& answeredIn(int block) const { return table(block, 3); }
  std::int64_t iterations() const { return tables_.back().front().front(); }

 private:
  const RowTable& table(int block, int kind) const;
  const std::vector<RowTable>& tables_;
};

/// Everything that a method sends that samples and fetches: the two below.
std::vector<PredictedVolume> predictPulls(const VolumeRequest& request);
/// Everything that is sent to sample the blocks 1 … L − 1: counts, ids, answers (layer l − 1, pass none).
std::vector<PredictedVolume> predictSampling(const VolumeRequest& request);
/// Everything that is sent to fetch the features of V^0: counts and ids (layer 0, pass none), rows (forward).
std::vector<PredictedVolume> predictFeaturePulls(const VolumeRequest& request);

}  // namespace halo
