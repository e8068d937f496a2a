#pragma once

#include <memory>
#include <vector>

#include "engine/methods/minibatch/set_loss.h"
#include "engine/methods/minibatch/turned_block.h"

namespace halo {

/// One vertex set V' of each batch, which all layers have, on ranks that own its members. Every rank draws
/// V' alike and passes rows of its own members:
///
///   targets, own sources   own members, ascending
///   halo                   others' members with an arc into own ones, by owner, then ascending
///   sent to rank j         own members with an arc into j's, ascending
///
/// So both ranks of a pair find the same list in the same order, and no vertex number travels. Weights are of
/// the whole graph, or of the arcs within V'. Then P̂ = A C for `symmetric`. Nobody but v's owner knows how
/// many members read v. So C v, its row by 1/√(that number + 1), is what is aggregated and sent.
class SharedSetSource final : public BatchSource {
 public:
  /// Collective. Throws InputError where no set has a training vertex.
  explicit SharedSetSource(const BatchParts& parts);

  Index iterations() const override { return loss_.iterations(); }
  void begin(std::int32_t) override {}
  void open(Index iteration, const DrawKey& key) override;
  /// V' with the last layer, its lists and matrices, if it trains.
  void draw(int layer, PullCounts& counts) override;
  void fetch(PullCounts& counts) override;
  BatchLoss loss() const override { return loss_.loss(); }
  std::span<const Vertex> vertices(int) const override { return own(); }
  Index sources(int) const override { return std::ssize(block_.vertices); }
  const Matrix& features() const override { return features_; }
  Index arcs(int) const override { return block_.arcs.nonzeros(); }
  /// Own members × [own members, halo].
  void weigh(int layer, Csr& out) override;
  std::size_t heldBytes() const override;
  std::map<std::string, double> metrics() const override;

  /// What goes to and comes from every other rank in each layer, ascending; rows are places among own
  /// members, and among the halo. Stays where it is from batch to batch.
  const std::vector<HaloPeer>& peers() const { return peers_; }
  Index haloRows() const { return sources(1) - std::ssize(ownRows_); }
  /// P̂ by columns: own members, the halo, and by rank what stands in the columns of its halo rows.
  EdgeBlock ownBlock() const { return own_.block(); }
  EdgeBlock haloBlock() const { return halo_.block(); }
  std::span<const Csr> byRank() const { return byRank_; }
  Index nonzeros() const { return own_.edges().nonzeros() + halo_.edges().nonzeros(); }
  /// C; empty: every row as it is.
  std::span<const Scalar> scale() const { return scale_; }

 private:
  std::span<const Vertex> own() const { return std::span(block_.vertices).first(ownRows_.size()); }
  void takeOwn();
  void findHalo();
  void numberHalo();
  void takeArcs();
  void findSent();
  void takeMatrices();
  HaloPeer& peer(int rank) { return peers_[at(rank < rank_ ? rank : rank - 1)]; }
  /// use(p, i) for each arc into own row i, from the member at place p of V'.
  template <class Use>
  void eachArc(const Use& use) const;

  BatchParts parts_;
  int rank_;
  Csr consumers_;
  std::vector<std::uint8_t> trains_;  // by vertex of the whole graph
  std::unique_ptr<SquareSampler> sampler_;
  SetLoss loss_;
  DrawKey key_;
  Numbering numbering_;          // of V', in ascending order
  Buffer<Vertex> members_;       // V', ascending
  Buffer<Vertex> place_;         // of each member its column here, or below 0
  std::vector<Vertex> ownRows_;  // of own members, at their owner
  SquareBlock block_;            // of own members × sources; vertices: the sources
  std::vector<HaloPeer> peers_;
  std::vector<Vertex> degrees_, none_;  // within V': arcs into own members; 0 of each source
  Buffer<double> room_;
  Buffer<Scalar> scale_;
  Csr weighted_;
  TurnedBlock own_, halo_;
  std::vector<Csr> byRank_;
  Matrix features_;
};

}  // namespace halo
