#include "engine/methods/slices/sliced_adjacency.h"

#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "engine/comm/exchange/block_ring.h"
#include "engine/methods/full_graph/halo_pass.h"

namespace halo {
namespace {

/// Whether any rank's part of the propagation matrix has values.
bool weightedAnywhere(const WorkerParts& parts) {
  const LocalGraph& graph = parts.share.graph;
  return parts.comm.anywhere(graph.own.weighted() || graph.halo.weighted());
}

class HeldAdjacency final : public SlicedAdjacency {
 public:
  explicit HeldAdjacency(const SlicedGraph& graph)
      : parts_(graph.parts),
        attends_(parts_.model.propagation() == Propagation::attention),
        graph_(groupGraph(parts_.comm, graph.directory, graph.order, weightedAnywhere(parts_))),
        own_(parts_.model, graph_.own),
        halo_(parts_.model, graph_.halo),
        pass_(parts_, graph_.peers, /*localFirst=*/false, graph.scores) {}

  void forward(int layer, const Matrix& H, Matrix& Z) override {
    if (worksOn(H)) return pass_.forward(layer, own_.block(), halo_.block(), H, Z);
    Z.resize(H.rows(), 0);
  }
  void backward(int layer, const Matrix& dZ, std::span<const std::uint8_t> mask, Matrix& dH) override {
    if (!worksOn(dZ)) return dH.resize(dZ.rows(), 0);
    if (mask.empty()) return pass_.backward(layer, own_.block(), halo_.block(), dZ, dH);
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    spmmMasked(own_.block().transposed, dZ, mask, dH);
  }
  // with other groups there are sums to add to before anything may be masked
  bool masks() const override { return graph_.parts == 1 && !attends_; }
  void release() override { pass_.release(); }
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }
  std::size_t graphBytes() const override {
    std::size_t bytes = 0;
    for (const TurnedEdges* edges : {&own_, &halo_}) {
      const EdgeBlock block = edges->block();
      bytes += block.edges.bytes() + block.transposed.bytes() + block.places.size_bytes();
    }
    return bytes;
  }
  Holdings holdings() const override { return haloHoldings(graph_); }

 private:
  // More slices than columns: nothing to do, nothing to fetch. Attention takes part all the same, with no
  // gradients of the scores.
  bool worksOn(const Matrix& columns) const { return columns.cols() > 0 || attends_; }

  WorkerParts& parts_;
  bool attends_;
  LocalGraph graph_;
  TurnedEdges own_, halo_;
  HaloPass pass_;
};

class RingAdjacency : public SlicedAdjacency {
 public:
  explicit RingAdjacency(const SlicedGraph& graph) : RingAdjacency(graph, weightedAnywhere(graph.parts)) {}

  void forward(int layer, const Matrix& H, Matrix& Z) override {
    sumRound(forward_, tagOf(layer, SliceStep::ring), H, Z);
  }
  void backward(int layer, const Matrix& dZ, std::span<const std::uint8_t>, Matrix& dH) override {
    sumRound(backward_, tagOf(layer, SliceStep::ringBack), dZ, dH);
  }
  void release() override { part_ = Matrix(); }
  std::size_t bufferBytes() const override { return part_.heldBytes(); }
  std::size_t graphBytes() const override { return forward_.bytes() + backward_.bytes(); }
  Holdings holdings() const override { return holdings_; }

 protected:
  RingAdjacency(const SlicedGraph& graph, bool weighted)
      : RingAdjacency(graph, weighted,
                      ownRowBlocks(graph.parts.comm, graph.directory, graph.order,
                                   graph.parts.share.graph.owned, weighted)) {}
  RingAdjacency(const SlicedGraph& graph, bool weighted, RowBlocks blocks)
      : parts_(graph.parts),
        rows_(graph.rows),
        holdings_{0, 0, blocks.rows.nonzeros()},
        forward_(parts_.comm, std::move(blocks.rows), weighted),
        backward_(parts_.comm, std::move(blocks.transposed), weighted) {}

  /// The rows of one rank, out of those of all or into them.
  void take(const Matrix& all, int rank, Matrix& part) const {
    part.resize(rows_.rowsOf(rank), all.cols());
    std::copy_n(all.data() + rows_.firstRow(rank) * all.cols(), part.size(), part.data());
  }
  void put(const Matrix& part, int rank, Matrix& all) const {
    std::ranges::copy(part.values(), all.data() + rows_.firstRow(rank) * all.cols());
  }

  WorkerParts& parts_;
  const Transposition& rows_;
  Holdings holdings_;
  BlockRing forward_, backward_;
  Matrix part_;

 private:
  void sumRound(BlockRing& ring, int tag, const Matrix& X, Matrix& sums) {
    sums.resize(X.rows(), X.cols());
    ring.turn(tag, [&](int rank, const Csr& block) {
      aggregate(parts_.tracer, block, X, part_, Write::overwrite);
      put(part_, rank, sums);
    });
  }
};

/// The same for layers that attend. A block of rows has all edges into its vertices forward, and all out of
/// them backward. There the gradients of the scores of their other ends add up over the blocks.
class AttendingRing final : public RingAdjacency {
 public:
  explicit AttendingRing(const SlicedGraph& graph)
      : RingAdjacency(graph), scores_(*graph.scores), kept_(at(parts_.model.layers())) {}

  void forward(int layer, const Matrix& H, Matrix& Z) override {
    enter(layer);
    Kept& layerState = kept_[at(layer)];
    layerState.H = &H;
    layerState.Z = &Z;
    Z.resize(H.rows(), H.cols());
    layerState.logSum.resize(H.rows(), heads());
    forward_.turn(tagOf(layer, SliceStep::ring), [&](int rank, const Csr& block) {
      const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
      take(layerScores_->target, rank, scoresPart_);
      beginAttention(block.rows(), H.cols(), heads(), softmax_, part_);
      attend(block, H, {layerScores_->source, scoresPart_, attention_.slope}, softmax_, part_);
      finishAttention(softmax_, part_, logSumPart_);
      put(part_, rank, Z);
      put(logSumPart_, rank, layerState.logSum);
    });
  }

  void backward(int layer, const Matrix& dZ, std::span<const std::uint8_t>, Matrix& dH) override {
    enter(layer);
    const Kept& layerState = kept_[at(layer)];
    clearGradients(attention_);
    headProducts(dZ, *layerState.Z, heads(), products_);
    dH.resize(dZ.rows(), dZ.cols());
    layerScores_->dSource.resize(dZ.rows(), heads());
    layerScores_->dTarget.setZero(dZ.rows(), heads());
    backward_.turn(tagOf(layer, SliceStep::ringBack), [&](int rank, const Csr& block) {
      const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
      take(*layerState.H, rank, rowsPart_);
      take(layerScores_->source, rank, scoresPart_);
      attendBackward(block, {}, rowsPart_, {scoresPart_, layerScores_->target, attention_.slope},
                     {layerState.logSum, products_, dZ}, part_, dSourcePart_, dEdges_);
      put(part_, rank, dH);
      put(dSourcePart_, rank, layerScores_->dSource);
      sumTurnedEdges(block, dEdges_, layerScores_->dTarget);
    });
  }

  std::size_t bufferBytes() const override {
    std::size_t bytes = RingAdjacency::bufferBytes();
    for (const Matrix* m : {&softmax_.largest, &softmax_.sum, &products_, &rowsPart_, &scoresPart_,
                            &logSumPart_, &dSourcePart_, &dEdges_})
      bytes += m->heldBytes();
    for (const Kept& layerState : kept_) bytes += layerState.logSum.heldBytes();
    return bytes;
  }

 private:
  /// What the backward pass of a layer reads of its forward pass.
  struct Kept {
    const Matrix* H = nullptr;
    const Matrix* Z = nullptr;
    Matrix logSum;
  };
  void enter(int layer) {
    attention_ = parts_.model.layer(layer).attention().value();
    layerScores_ = &scores_[at(layer)];
  }
  Index heads() const { return layerScores_->slice.heads.count; }

  std::vector<GivenScores>& scores_;
  std::vector<Kept> kept_;  // by layer
  Attention attention_;     // of the layer under way
  GivenScores* layerScores_ = nullptr;
  RunningSoftmax softmax_;
  Matrix products_, rowsPart_, scoresPart_, logSumPart_, dSourcePart_, dEdges_;
};

}  // namespace

std::unique_ptr<SlicedAdjacency> heldAdjacency(const SlicedGraph& graph) {
  return std::make_unique<HeldAdjacency>(graph);
}

std::unique_ptr<SlicedAdjacency> ringAdjacency(const SlicedGraph& graph) {
  if (graph.scores != nullptr) return std::make_unique<AttendingRing>(graph);
  return std::make_unique<RingAdjacency>(graph);
}

}  // namespace halo
