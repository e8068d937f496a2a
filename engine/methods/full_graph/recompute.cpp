#include "engine/methods/full_graph/recompute.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

/// Rows of one matrix, entry by entry.
class RowsWriter {
 public:
  explicit RowsWriter(Csr& A) : A_(A) {}
  void add(Index column, Scalar value) { row_.emplace_back(static_cast<Vertex>(column), value); }
  void endRow() {
    std::ranges::sort(row_, {}, &std::pair<Vertex, Scalar>::first);
    for (const auto& [column, value] : row_) {
      A_.columns.push_back(column);
      A_.values.push_back(value);
    }
    A_.offsets.push_back(static_cast<Index>(A_.columns.size()));
    row_.clear();
  }

 private:
  Csr& A_;
  std::vector<std::pair<Vertex, Scalar>> row_;
};

Scalar valueOf(const Csr& A, Index entry) { return A.weighted() ? A.values[at(entry)] : Scalar{1}; }

/// rowsOf(ids): their rows of P, columns as global ids.
template <class RowsOf>
Surroundings walk(std::vector<Vertex> own, const Owners& owners, int hops, const RowsOf& rowsOf) {
  Surroundings around;
  around.ids = std::move(own);
  around.reach.push_back(static_cast<Index>(around.ids.size()));
  std::vector<Vertex> local(owners.size(), -1);
  for (std::size_t i = 0; i < around.ids.size(); ++i) local[at(around.ids[i])] = static_cast<Vertex>(i);
  std::vector<Csr> rings;
  for (int hop = 0; hop < hops; ++hop) {
    const std::size_t from = hop == 0 ? 0 : at(around.reach[at(hop - 1)]), to = around.ids.size();
    rings.push_back(rowsOf(std::span<const Vertex>(around.ids).subspan(from)));
    for (const Vertex u : rings.back().columns)
      if (local[at(u)] < 0) {
        local[at(u)] = 0;  // seen; numbered below
        around.ids.push_back(u);
      }
    std::ranges::sort(std::span(around.ids).subspan(to), {},
                      [&](Vertex v) { return std::pair(owners[at(v)], v); });
    for (std::size_t i = to; i < around.ids.size(); ++i) local[at(around.ids[i])] = static_cast<Vertex>(i);
    around.reach.push_back(static_cast<Index>(around.ids.size()));
  }
  around.arcs.cols = around.reach.back();
  RowsWriter rows(around.arcs);
  for (const Csr& ring : rings)
    for (Index r = 0; r < ring.rows(); ++r) {
      for (Index e = ring.offsets[at(r)]; e < ring.offsets[at(r) + 1]; ++e)
        rows.add(local[at(ring.columns[at(e)])], valueOf(ring, e));
      rows.endRow();
    }
  return around;
}

}  // namespace

Surroundings surroundings(RowDirectory& directory, const LocalGraph& graph, int hops) {
  return walk(graph.owned, directory.owners(), hops,
              [&](std::span<const Vertex> ids) { return directory.propagationRows(ids); });
}

Surroundings surroundings(const Csr& propagation, const Owners& owners, int part, int hops) {
  std::vector<Vertex> own;
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (owners[v] == part) own.push_back(static_cast<Vertex>(v));
  return walk(std::move(own), owners, hops, [&](std::span<const Vertex> ids) {
    Csr rows;
    rows.cols = propagation.cols;
    RowsWriter writer(rows);
    for (const Vertex v : ids) {
      for (Index e = propagation.offsets[at(v)]; e < propagation.offsets[at(v) + 1]; ++e)
        writer.add(propagation.columns[at(e)], valueOf(propagation, e));
      writer.endRow();
    }
    return rows;
  });
}

Depths everyDepth(const Surroundings& around) {
  const int layers = static_cast<int>(around.reach.size()) - 1;
  Depths depths(around.ids.size(), 0);
  for (int hop = layers; hop >= 0; --hop) std::fill_n(depths.begin(), around.reach[at(hop)], layers - hop);
  return depths;
}

RecomputingPropagator::RecomputingPropagator(WorkerParts& parts, const Choose& choose, bool refetch)
    : parts_(parts), refetch_(refetch), pass_(parts, peers_, /*localFirst=*/false) {
  RowDirectory directory(parts.comm, parts.share.graph);
  const int layers = parts.model.layers();
  const Surroundings around = surroundings(directory, parts.share.graph, layers);
  order(around, choose(around));
  for (int l = 0; l < layers; ++l) layers_.push_back(layerPart(directory, around, l));
  for (const LayerPart& part : layers_) {
    computed_.emplace_back(parts.model, part.computed);
    fetched_.emplace_back(parts.model, part.fetched);
  }
  const Index own = around.own();
  std::vector<Vertex> others(rows_[0].begin() + own, rows_[0].end());
  directory.byOwner(others);
  featurePeers_ = directory.plan(others);
  std::vector<Vertex> place(directory.owners().size(), 0);
  for (std::size_t i = 0; i < rows_[0].size(); ++i) place[at(rows_[0][i])] = static_cast<Vertex>(i);
  for (const Vertex v : others) featureRows_.push_back(place[at(v)]);
  takeFeatures();
  holdings_ = countHoldings();
  place_ = {};
}

void RecomputingPropagator::takeFeatures() {
  Matrix own = std::exchange(parts_.share.features, {});
  if (own.rows() == static_cast<Index>(rows_[0].size())) {
    features_ = std::move(own);
    return;
  }
  features_.resize(static_cast<Index>(rows_[0].size()), own.cols());
  std::ranges::copy(own.values(), features_.data());
}

// Rows of the first layer: those of the others are among them.
Holdings RecomputingPropagator::countHoldings() const {
  std::vector<HaloPeer> peers = featurePeers_;
  for (const LayerPart& part : layers_) peers.insert(peers.end(), part.peers.begin(), part.peers.end());
  const LayerPart& first = layers_.front();
  return {boundaryOf(peers), static_cast<std::int64_t>(featureRows_.size()) + receiveCount(first.peers),
          first.computed.nonzeros() + first.fetched.nonzeros()};
}

// The deepest first, so that the rows of a level are the first of those of the level before.
void RecomputingPropagator::order(const Surroundings& around, const Depths& depths) {
  const int layers = parts_.model.layers();
  std::vector<Index> sorted(around.ids.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, std::greater<>(), [&](Index i) { return depths[at(i)]; });
  place_.assign(sorted.size(), -1);
  rows_.resize(at(layers) + 1);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (depths[at(sorted[i])] >= 0) place_[at(sorted[i])] = static_cast<Index>(i);
    for (int level = 0; level <= depths[at(sorted[i])]; ++level)
      rows_[at(level)].push_back(around.ids[at(sorted[i])]);
  }
  HALO_CHECK(rows_.back() == parts_.share.graph.owned);
}

RecomputingPropagator::LayerPart RecomputingPropagator::layerPart(RowDirectory& directory,
                                                                  const Surroundings& around,
                                                                  int layer) const {
  const auto computed = static_cast<Index>(rows_[at(layer)].size());
  const auto targets = static_cast<Index>(rows_[at(layer) + 1].size());
  const auto isComputed = [&](Index v) { return place_[at(v)] >= 0 && place_[at(v)] < computed; };
  std::vector<Index> rowAt(at(targets), -1);  // of the surroundings
  for (Index v = 0; v < around.arcs.rows(); ++v)
    if (place_[at(v)] >= 0 && place_[at(v)] < targets) rowAt[at(place_[at(v)])] = v;

  std::vector<Vertex> remoteVertices;
  std::vector<Index> number(around.ids.size(), -1);
  for (Index v = 0; v < around.own(); ++v)
    for (const Vertex u : around.arcs.row(v))
      if (!isComputed(u) && number[at(u)] < 0) {
        number[at(u)] = 0;
        remoteVertices.push_back(around.ids[at(u)]);
      }
  directory.byOwner(remoteVertices);
  std::vector<Vertex> place(directory.owners().size(), -1);
  for (std::size_t i = 0; i < remoteVertices.size(); ++i)
    place[at(remoteVertices[i])] = static_cast<Vertex>(i);

  LayerPart part;
  part.computed.cols = computed;
  part.fetched.cols = static_cast<Index>(remoteVertices.size());
  RowsWriter computedRows(part.computed), fetchedRows(part.fetched);
  for (const Index v : rowAt) {
    for (Index e = around.arcs.offsets[at(v)]; e < around.arcs.offsets[at(v) + 1]; ++e) {
      const Vertex u = around.arcs.columns[at(e)];
      if (isComputed(u)) {
        computedRows.add(place_[at(u)], valueOf(around.arcs, e));
      } else {
        HALO_CHECK(v < around.own());  // what is recomputed is so down to the features
        fetchedRows.add(place[at(around.ids[at(u)])], valueOf(around.arcs, e));
      }
    }
    computedRows.endRow();
    fetchedRows.endRow();
  }
  part.peers = directory.plan(remoteVertices);
  return part;
}

void RecomputingPropagator::beginEpoch(std::int32_t) {
  if (featurePeers_.empty()) return;
  parts_.tracer.setLayer(0, Pass::forward);
  if (featureExchange_ == nullptr)
    featureExchange_ = std::make_unique<HaloExchange>(parts_.comm, featurePeers_);
  featureExchange_->startForward(0, features_);
  const Matrix& arrived = featureExchange_->finishForward();
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    scatterRows(arrived.values(), featureRows_, features_);
  }
  parts_.tracer.setLayer(-1, Pass::none);
  if (refetch_) return;
  featureExchange_.reset();
  featurePeers_.clear();
}

void RecomputingPropagator::forward(int layer, const Matrix& Y, Matrix& Z) {
  std::swap(peers_, layers_[at(layer)].peers);
  pass_.forward(layer, computed_[at(layer)].block(), fetched_[at(layer)].block(), Y, Z);
  std::swap(peers_, layers_[at(layer)].peers);
}

void RecomputingPropagator::backward(int layer, const Matrix& dZ, Matrix& dY) {
  std::swap(peers_, layers_[at(layer)].peers);
  pass_.backward(layer, computed_[at(layer)].block(), fetched_[at(layer)].block(), dZ, dY);
  std::swap(peers_, layers_[at(layer)].peers);
}

std::size_t RecomputingPropagator::bufferBytes() const {
  return pass_.bufferBytes() + (featureExchange_ == nullptr ? 0 : featureExchange_->bufferBytes());
}

RowTable neighbourhoodRows(const CountRequest& request) {
  const auto size = at(request.parts);
  RowTable rows(size, std::vector<std::int64_t>(size, 0));
  for (std::size_t part = 0; part < size; ++part) {
    std::vector<std::uint8_t> inside(request.owners.size(), 0);
    std::vector<Vertex> ring, next;
    for (std::size_t v = 0; v < inside.size(); ++v)
      if (request.owners[v] == static_cast<std::int32_t>(part)) {
        inside[v] = 1;
        ring.push_back(static_cast<Vertex>(v));
      }
    for (std::size_t hop = 1; hop < request.widths.size(); ++hop) {
      next.clear();
      for (const Vertex v : ring)
        for (const Vertex u : request.propagation.row(v)) {
          if (inside[at(u)] != 0) continue;
          inside[at(u)] = 1;
          next.push_back(u);
          ++rows[at(request.owners[at(u)])][part];
        }
      std::swap(ring, next);
    }
  }
  return rows;
}

std::vector<PredictedVolume> predictFeatures(const VolumeRequest& request, const RowTable& rows) {
  std::vector<PredictedVolume> flows;
  const std::int64_t rowBytes = request.widths.front() * request.elementBytes;
  for (int i = 0; i < request.parts; ++i)
    for (int j = 0; j < request.parts; ++j)
      if (const std::int64_t bytes = rows[at(i)][at(j)] * rowBytes; bytes > 0)
        flows.push_back({0, Pass::forward, i, j, 1, bytes});
  return flows;
}

}  // namespace halo
