#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/exchange/row_directory.h"
#include "engine/methods/full_graph/halo_pass.h"

namespace halo {

/// The in-neighbourhood of a rank's vertices, up to some hops away.
struct Surroundings {
  std::vector<Vertex> ids;   // global; own ones first, then one ring after another, each by owner
  std::vector<Index> reach;  // [k]: how many of them are at most k hops away
  Csr arcs;                  // rows of P of all but the outermost ring, columns numbered as ids
  Index own() const { return reach.front(); }
};

/// Collective: fetches rows of P from their owners.
Surroundings surroundings(RowDirectory& directory, const LocalGraph& graph, int hops);
/// The same by who knows the whole graph.
Surroundings surroundings(const Csr& propagation, const Owners& owners, int part, int hops);

/// By vertex of the surroundings: the highest level whose row this rank computes itself, −1 for none. At
/// level 0 it keeps the features. Own vertices have the number of layers.
using Depths = std::vector<int>;

/// Every vertex's row of every level that own outputs depend on.
Depths everyDepth(const Surroundings& around);

/// Of the remote vertices' rows that a rank needs, it computes some itself from their in-neighbours' rows (as
/// lhop does). It fetches the others from their owners before the layer that needs them, as a halo (as
/// vanilla):
///
///   C(l): whose rows of A(l) it computes, C(L) = V_i        F(l): whose it fetches
///   Z = P[C(l+1), C(l)] Y + P[V_i, F(l)] Y(F(l))            dY = the transposes; F(l)'s part goes back
///
/// Rows computed twice carry the gradients of this rank's own losses only. So nothing of theirs travels, and
/// the sum over the ranks is that of one worker. Exact, dropout included: its masks go by global vertices.
class RecomputingPropagator final : public Propagator {
 public:
  /// How to choose depths. Whatever stands at depth d has its in-neighbours at d − 1 or deeper.
  using Choose = std::function<Depths(const Surroundings&)>;
  /// Collective. `refetch`: features of others' vertices are fetched in every epoch, not in the first alone.
  RecomputingPropagator(WorkerParts& parts, const Choose& choose, bool refetch);

  const std::vector<Vertex>* rows(int level) const override { return &rows_[at(level)]; }
  const Matrix* features() const override { return &features_; }
  void beginEpoch(std::int32_t epoch) override;
  void forward(int layer, const Matrix& Y, Matrix& Z) override;
  void backward(int layer, const Matrix& dZ, Matrix& dY) override;
  std::size_t bufferBytes() const override;
  std::optional<Holdings> holdings() const override { return holdings_; }

 private:
  struct LayerPart {
    Csr computed, fetched;  // rows(l + 1) × rows(l), × F(l)
    std::vector<HaloPeer> peers;
  };
  void order(const Surroundings& around, const Depths& depths);
  void takeFeatures();
  Holdings countHoldings() const;
  LayerPart layerPart(RowDirectory& directory, const Surroundings& around, int layer) const;

  WorkerParts& parts_;
  bool refetch_;
  std::vector<std::vector<Vertex>> rows_;  // by level
  std::vector<Index> place_;  // set-up only: by vertex of the surroundings, its row in rows_[0], or −1
  std::vector<LayerPart> layers_;
  std::vector<TurnedEdges> computed_, fetched_;  // by layer
  std::vector<HaloPeer> peers_;                  // of the exchange under way
  HaloPass pass_;
  std::vector<HaloPeer> featurePeers_;
  std::vector<Vertex> featureRows_;  // where what arrives stands in the features
  std::unique_ptr<HaloExchange> featureExchange_;
  Matrix features_;
  Holdings holdings_;
};

/// tables of MethodEntry::countRows, [0]: rows of part j's C(0) that part i owns; counted from the whole
/// graph.
RowTable neighbourhoodRows(const CountRequest& request);
/// Features of table `rows` as messages of layer 0.
std::vector<PredictedVolume> predictFeatures(const VolumeRequest& request, const RowTable& rows);

}  // namespace halo
