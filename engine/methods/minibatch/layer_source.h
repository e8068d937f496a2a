#pragma once

#include "engine/methods/minibatch/batch_source.h"
#include "engine/sampling/layer_wise.h"

namespace halo {

/// Sources that each layer draws together, on one rank that has the whole graph.
class LayerSource final : public BatchSource {
 public:
  explicit LayerSource(const BatchParts& parts);

  Index iterations() const override { return order_.iterations(); }
  void begin(std::int32_t epoch) override { order_.begin(static_cast<std::uint32_t>(epoch)); }
  void open(Index iteration, const DrawKey& key) override;
  /// All layers with the last one.
  void draw(int layer, PullCounts& counts) override;
  void fetch(PullCounts& counts) override;
  BatchLoss loss() const override;
  std::span<const Vertex> vertices(int level) const override { return batch_.blocks.at(level); }
  const Matrix& features() const override { return features_; }
  Index arcs(int layer) const override { return batch_.blocks.block(layer).nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override;

 private:
  BatchParts parts_;
  SeedOrder order_;
  LayerWiseSampler sampler_;
  LayerWiseBlocks batch_;
  Matrix features_;
  Index iteration_ = 0;
  DrawKey key_;
};

}  // namespace halo
