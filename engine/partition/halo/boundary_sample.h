#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/halo/halo.h"

namespace halo {

/// How many of a pair's boundary rows travel (BNS-GCN): ⌊rate · rows⌋. The product is taken as the decimal
/// that was written: 0.29 of 100 is 29, not the 28 of binary fractions. `atLeastOne`: 1 where that gives 0
/// though there are rows and the rate is not 0.
Index sampleSize(double rate, bool atLeastOne, Index rows);

/// What a sample is drawn by; owner and receiver below 65,536.
struct SampleKey {
  std::uint64_t seed = 1;
  std::uint32_t epoch = 0;
  int owner = 0, receiver = 0;
};

/// `count` distinct positions in [0, rows), ascending, each subset equally likely: the same wherever they are
/// drawn. Source: Floyd's algorithm (Bentley and Floyd 1987). Linear time.
void drawSample(const SampleKey& key, Index rows, Index count, std::vector<Index>& positions);

/// The part of a rank's halo plan that takes part in one epoch: of each peer's rows a sample without
/// replacement. Halo columns are multiplied by |B_ij| / s_ij, the inverse of the ratio that really is
/// sampled. So P[V,V] Y + halo() Y(sample) is an unbiased estimate of the whole aggregate wherever s_ij ≥ 1.
/// Its transposed() is the exact adjoint of halo(). Cost of cut: the sampled nonzeros and the own rows.
class SampledHalo {
 public:
  /// `graph` outlives this.
  SampledHalo(const LocalGraph& graph, double rate, bool atLeastOne);

  // Positions among a peer's rows, in the order of graph.peers: of those I send it (owner: this rank) and of
  // those it sends me. To be drawn, or received, before cut.
  void drawSent(std::uint64_t seed, std::int32_t epoch);
  void drawReceived(std::uint64_t seed, std::int32_t epoch);
  std::vector<std::vector<Index>>& sent() { return sent_; }
  std::vector<std::vector<Index>>& received() { return received_; }

  /// Makes peers, halo and transposed of the positions.
  void cut();
  const std::vector<HaloPeer>& peers() const { return peers_; }
  const Csr& halo() const { return halo_; }              // own × sampled halo rows
  const Csr& transposed() const { return transposed_; }  // sampled halo rows × own

 private:
  void reserveForDensest();
  void cutRows(const HaloPeer& peer, const std::vector<Index>& positions, HaloPeer& sampled);
  void transposeBack();

  const LocalGraph& graph_;
  Csr turnedHalo_;  // halo rows × own
  std::vector<std::vector<Index>> sent_, received_;
  std::vector<HaloPeer> peers_;
  Csr halo_, transposed_;
  Buffer<Index> next_;  // by own row, while halo_ is filled
};

}  // namespace halo
