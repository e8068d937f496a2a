#pragma once

#include <memory>

#include "engine/methods/minibatch/set_loss.h"

namespace halo {

/// These rows of this rank's X. Of a rank that has the whole graph row v is of vertex v.
void gatherOwn(WorkerParts& parts, std::span<const Vertex> rows, Matrix& features);

/// One vertex set V' of each batch, which all layers have, on one rank that has the whole graph.
class SquareSource final : public BatchSource {
 public:
  /// Throws InputError where no set has a training vertex.
  explicit SquareSource(const BatchParts& parts);

  Index iterations() const override { return loss_.iterations(); }
  void begin(std::int32_t) override {}
  void open(Index iteration, const DrawKey& key) override;
  /// V' with the last layer.
  void draw(int layer, PullCounts& counts) override;
  void fetch(PullCounts& counts) override;
  BatchLoss loss() const override { return loss_.loss(); }
  std::span<const Vertex> vertices(int) const override { return block_.vertices; }
  const Matrix& features() const override { return features_; }
  Index arcs(int) const override { return block_.arcs.nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override;

 private:
  BatchParts parts_;
  std::unique_ptr<SquareSampler> sampler_;
  SetLoss loss_;
  Numbering numbering_;
  SquareBlock block_;
  DrawKey key_;
  Buffer<double> room_;
  Matrix features_;
};

}  // namespace halo
