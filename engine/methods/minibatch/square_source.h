#pragma once

#include <memory>
#include <vector>

#include "engine/methods/minibatch/batch_source.h"
#include "engine/sampling/square_sampler.h"

namespace halo {

/// X of these vertices, all of them this rank's, which has the whole graph: row v is of vertex v.
void gatherOwn(WorkerParts& parts, std::span<const Vertex> vertices, Matrix& features);

/// One vertex set V' of each batch, which all layers have, on one rank that has the whole graph:
///
///   uniform     I = ⌈n / b⌉ iterations, whose loss is the mean over V' ∩ train; the epoch's over all of
///   these saint-…     I = ⌈n_train / mean |V'|⌉; Σ_{v ∈ V' ∩ train} ℓ_v / (λ_v n_train); the epoch's is
///   their mean
///
/// Training vertices that no set ever has (λ_v = 0) are in no loss and not in n_train. An iteration whose V'
/// has no training vertex passes nothing and updates nothing; for the epoch of saint-… its loss is 0.
class SquareSource final : public BatchSource {
 public:
  /// Throws InputError where no set has a training vertex.
  explicit SquareSource(const BatchParts& parts);

  Index iterations() const override { return iterations_; }
  void begin(std::int32_t) override {}
  void open(Index iteration, const DrawKey& key) override;
  /// V' with the last layer.
  void draw(int layer, PullCounts& counts) override;
  void fetch(PullCounts& counts) override;
  BatchLoss loss() const override;
  std::span<const Vertex> vertices(int) const override { return block_.vertices; }
  const Matrix& features() const override { return features_; }
  Index arcs(int) const override { return block_.arcs.nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override;

 private:
  bool countsMean() const { return parts_.settings.sampler == Sampler::uniform; }
  void takeLoss();

  BatchParts parts_;
  std::unique_ptr<SquareSampler> sampler_;
  Index neverDrawn_ = 0, trained_ = 0, iterations_ = 0;
  Numbering numbering_;
  SquareBlock block_;
  DrawKey key_;
  Buffer<double> room_;
  std::vector<std::uint8_t> chosen_;
  std::vector<double> factors_;  // 1 / λ_v
  Index inLoss_ = 0;
  Matrix features_;
};

}  // namespace halo
