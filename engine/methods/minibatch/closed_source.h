#pragma once

#include "engine/methods/minibatch/batch_source.h"
#include "engine/methods/minibatch/closed_part.h"
#include "engine/methods/minibatch/feature_cache.h"

namespace halo {

/// The keys of a cache of features on a device.
inline constexpr std::array<Parameter, 4> kCacheParameters = {{
    {"cache_mb", "features that each worker keeps; -1: what device_mb leaves beside reserve_mb",
     Integer{-1, -1, 1'000'000}},
    {"device_mb", "memory of each worker's device", Integer{11264, 0, 1'000'000}},
    {"reserve_mb", "of it for everything but cached features", Integer{1024, 0, 1'000'000}},
    {"pcie_gbps",
     "modelled link from the host to each device, GB/s; 0: what crosses it is counted, not timed",
     Real{0, 0, 1e6}},
}};

/// Rows of `width` that a worker may keep by these keys.
Index cacheCapacity(const Values& parameters, Index width);

/// Drawn neighbours of a rank's own seeds, within a part that is closed: no rank asks another one. Features
/// are kept, or read from the host's memory.
class ClosedSource final : public BatchSource {
 public:
  /// Collective.
  explicit ClosedSource(const BatchParts& parts);

  Index iterations() const override { return order_.iterations(); }
  void begin(std::int32_t epoch) override;
  void open(Index iteration, const DrawKey& key) override;
  void draw(int layer, PullCounts& counts) override;
  void fetch(PullCounts& counts) override;
  BatchLoss loss() const override;
  std::span<const Vertex> vertices(int level) const override { return blocks_.at(level); }
  const Matrix& features() const override { return features_; }
  std::size_t featureBytes() const override;
  Index arcs(int layer) const override { return blocks_.block(layer).nonzeros(); }
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override;
  std::optional<CacheRow> cache() const override { return counted_; }
  void keep(ByteWriter& out) const override { out.value(counted_); }
  void resume(ByteReader& in, Index, const DrawKey&) override { counted_ = in.value<CacheRow>(); }

 private:
  void crossLink(Index rows);

  BatchParts parts_;
  SeedOrder order_;
  ClosedPart part_;
  HostFeatures host_;
  FeatureCache cache_;
  double linkNsPerByte_;
  NeighbourDraw draw_;
  BlockNumbering numbering_;
  Blocks blocks_;
  std::vector<Vertex> rowNumbers_;  // of a block's targets, in the part
  Matrix features_;
  CacheRow counted_;  // of the epoch
  Index iteration_ = 0;
  DrawKey key_;
};

}  // namespace halo
