#include "engine/methods/slices/feature_slices.h"

#include <algorithm>
#include <map>
#include <utility>

#include "datasets/catalogue.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/exchange/block_ring.h"
#include "engine/methods/full_graph/shared_parts.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"
#include "engine/methods/slices/slice_scores.h"
#include "engine/methods/slices/sliced_adjacency.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

constexpr int kChunks = 16;  // of a group's vertices, each dealt out to all its ranks (block-cyclic)

class SlicedPropagator final : public Propagator {
 public:
  SlicedPropagator(WorkerParts& parts, SliceGrid grid, bool ring)
      : SlicedPropagator(parts, RowDirectory(parts.comm, parts.share.graph), grid, ring) {}

  bool dropsAggregate() const override { return true; }
  void enter(int, const LayerInput& input) override { input_ = input; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    if (scores_) scores_->share(layer, tagOf(layer, SliceStep::scores), Y);
    const Matrix& H = columnsOf(layer, Y);
    if (layer > 0 && input_.training && adjacency_->masks()) {
      const Timed timed(parts_.tracer, Kind::compute, Name::activation);
      positiveBits(H, positive_[at(layer)]);
    }
    Matrix& aggregated = attends_ ? attended_[at(layer)] : out_;
    adjacency_->forward(layer, H, aggregated);
    drop(aggregated, aggregated, input_.aggregateKey, input_.aggregateRate, Y.cols());
    rows_.toRows(tagOf(layer, SliceStep::toRows), aggregated, Y.cols(), Z);
  }
  void release() override {
    for (Matrix* columns : {&features_, &in_, &out_}) *columns = Matrix();
    rows_.release();
    adjacency_->release();
  }

  // dH is masked by the sign of H here, where H's columns passed, and once more by who owns the rows.
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    rows_.toColumns(tagOf(layer, SliceStep::backToColumns), dZ, in_);
    adjacency_->backward(layer, in_, positive_[at(layer)], out_);
    rows_.toRows(tagOf(layer, SliceStep::backToRows), out_, dZ.cols(), dY);
    if (scores_) scores_->pullBack(layer, tagOf(layer, SliceStep::backToScores), dY);
  }

  std::size_t featureBytes() const override { return features_.heldBytes(); }
  // The group's halo; nobody's rows else, though slices of all of its own vertices.
  std::optional<Holdings> holdings() const override { return adjacency_->holdings(); }
  std::size_t bufferBytes() const override {
    std::size_t bytes = in_.heldBytes() + out_.heldBytes() + rows_.bufferBytes() + adjacency_->bufferBytes() +
                        heldBytes(order_.ids);
    for (const auto& bits : positive_) bytes += heldBytes(bits);
    for (const auto* matrices : {&attending_, &attended_})
      for (const Matrix& columns : *matrices) bytes += columns.heldBytes();
    return bytes + (scores_ ? scores_->bytes() : 0);
  }
  std::map<std::string, double> metrics() const override {
    return {{"adjacency_bytes", static_cast<double>(adjacencyBytes_)}};
  }

 private:
  SlicedPropagator(WorkerParts& parts, RowDirectory directory, SliceGrid grid, bool ring)
      : parts_(parts),
        attends_(attends(parts.settings.model)),
        order_(groupOrder(parts.comm, directory, grid.groups)),
        rows_(parts.comm, order_.ranks, order_.rows, attends_ ? parts.settings.model.heads : 1),
        positive_(at(parts.model.layers())),
        attending_(at(parts.model.layers())),
        attended_(at(parts.model.layers())) {
    // who has whole rows makes the scores where they are used, as vanilla does
    if (attends_ && (ring || grid.slices > 1)) scores_.emplace(parts, rows_);
    const SlicedGraph graph{parts, directory, order_, rows_, scores_ ? &scores_->scoresByLayer() : nullptr};
    adjacency_ = ring ? ringAdjacency(graph) : heldAdjacency(graph);
    takeFeatures();
    adjacencyBytes_ = parts.comm.max(static_cast<std::int64_t>(adjacency_->graphBytes()));
  }

  /// This slice of the features; rows multiplied with weights have none of their own, and need the whole
  /// rows.
  void takeFeatures() {
    if (parts_.model.layer(0).updatesBeforeForward()) return;
    const Uncounted setUp(parts_);
    Matrix& X = parts_.share.features;
    rows_.toColumns(0, X, features_);
    if (!parts_.model.layer(0).readsInput()) X = Matrix(0, X.cols());
  }

  /// This slice of what a layer aggregates: of layer 0 it is at hand, and dropped here.
  const Matrix& columnsOf(int layer, const Matrix& Y) {
    if (layer > 0 || parts_.model.layer(0).updatesBeforeForward()) {
      Matrix& columns = attends_ ? attending_[at(layer)] : in_;
      rows_.toColumns(tagOf(layer, SliceStep::toColumns), Y, columns);
      return columns;
    }
    if (input_.rate == 0) return features_;
    drop(features_, in_, input_.key, input_.rate, Y.cols());
    return in_;
  }
  void drop(const Matrix& X, Matrix& Y, DropoutKey key, double rate, Index width) {
    if (rate == 0) return;
    const Timed timed(parts_.tracer, Kind::compute, Name::activation);
    dropout(X, order_.ids, key, rate, Y, rows_.slice(width).begin);
  }

  WorkerParts& parts_;
  bool attends_;
  GroupOrder order_;
  Transposition rows_;
  std::optional<SliceScores> scores_;  // of layers that attend to slices
  std::unique_ptr<SlicedAdjacency> adjacency_;
  Matrix features_;                             // all rows of the group × this slice of d_0
  Matrix in_, out_;                             // the same of what an aggregation gets and gives
  std::vector<Buffer<std::uint8_t>> positive_;  // by layer: the sign of what was aggregated
  std::vector<Matrix> attending_, attended_;  // by layer, where it attends: in_ and out_ of the forward pass
  LayerInput input_;                          // of the layer under way
  std::int64_t adjacencyBytes_ = 0;           // of the rank that holds most
};

/// By position among `count`, who gets it: contiguous blocks, or 16 chunks of blocks dealt out in turn.
std::vector<int> dealOut(Index count, int members, bool cyclic) {
  std::vector<int> member(at(count));
  const int chunks = cyclic ? kChunks : 1;
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int i = 0; i < members; ++i) {
      const Slice block = dealtBlock(count, chunk, chunks, i, members);
      std::fill_n(member.begin() + block.begin, block.count, i);
    }
  return member;
}

/// Messages and bytes of one pass of one layer, each pair of ranks once.
class Pairs {
 public:
  Pairs(const VolumeRequest& request, SliceGrid grid) : request_(request), grid_(grid) {}

  void pass(int layer, Pass pass, std::vector<PredictedVolume>& flows) const {
    for (int i = 0; i < grid_.size(); ++i)
      for (int j = 0; j < grid_.size(); ++j)
        if (const MessageCost cost = i == j ? MessageCost{} : costOf(layer, pass, i, j); cost.messages > 0)
          flows.push_back({layer, pass, i, j, cost.messages, cost.bytes});
  }

 private:
  std::int64_t entry(std::size_t table, int i, int j) const { return request_.tables[table][at(i)][at(j)]; }

  MessageCost costOf(int layer, Pass pass, int i, int j) const {
    MessageCost cost;
    const auto slice = [&](int rank) {
      return headSliceOf(request_.propagated[at(layer)], request_.heads, grid_.sliceOf(rank), grid_.slices)
          .columns.count;
    };
    const auto add = [&](std::int64_t rows, std::int64_t width) {
      if (rows * width == 0) return;
      ++cost.messages;
      cost.bytes += rows * width * request_.elementBytes;
    };
    const bool back = pass == Pass::backward;
    if (grid_.groupOf(i) == grid_.groupOf(j)) {
      // the columns of the input features are at hand
      if (layer > 0 || request_.attends) add(entry(0, i, i), slice(j));
      add(entry(0, j, j), slice(i));
      if (request_.attends) add(back ? entry(0, j, j) : entry(0, i, i), 2 * request_.heads);  // scores
    } else if (grid_.sliceOf(i) == grid_.sliceOf(j)) {
      add(back ? entry(0, j, i) : entry(0, i, j), slice(i));
    }
    if (request_.tables.size() > 1) {
      cost.messages += entry(back ? 3 : 1, i, j);
      cost.bytes += entry(back ? 4 : 2, i, j);
    }
    return cost;
  }

  const VolumeRequest& request_;
  SliceGrid grid_;
};

RowTable emptyTable(int parts) { return RowTable(at(parts), std::vector<std::int64_t>(at(parts), 0)); }

/// What each rank passes on to the one before it when the blocks of `rows` and `nonzeros` go round.
void countRing(const std::vector<Index>& rows, const std::vector<Index>& nonzeros, bool weighted,
               std::vector<RowTable>& tables) {
  const auto parts = static_cast<int>(rows.size());
  RowTable messages = emptyTable(parts), bytes = messages;
  for (int i = 0; i < parts; ++i)
    for (int step = 0; step + 1 < parts; ++step) {
      const std::size_t block = at((i + step) % parts), to = at((i + parts - 1) % parts);
      const BlockCost cost = blockCost(rows[block], nonzeros[block], weighted ? sizeof(Scalar) : 0);
      messages[at(i)][to] += cost.messages;
      bytes[at(i)][to] += cost.bytes;
    }
  tables.push_back(std::move(messages));
  tables.push_back(std::move(bytes));
}

}  // namespace

std::unique_ptr<Method> makeSliced(WorkerParts& parts, const Values& values, SliceGrid grid, bool ring) {
  HALO_CHECK(grid.size() == parts.comm.size() && (!ring || grid.groups == 1));
  HALO_CHECK(!attends(parts.settings.model) || attendsOn(grid, parts.settings.model.heads));
  const bool cached = values.flag("layer0_cache");
  return std::make_unique<SharedParts>(parts, std::make_unique<SlicedPropagator>(parts, grid, ring), cached,
                                       grid.slices);
}

Owners placeSlices(const PlacementRequest& request, SliceGrid grid) {
  const Owners groups =
      grid.groups == 1 ? Owners(at(request.arcs.rows()), 0) : request.partition(grid.groups);
  std::vector<std::vector<Vertex>> vertices(at(grid.groups));
  for (std::size_t v = 0; v < groups.size(); ++v) vertices[at(groups[v])].push_back(static_cast<Vertex>(v));
  const bool cyclic = request.parameters.text("rows") == "block-cyclic";
  Owners owners(groups.size());
  for (int group = 0; group < grid.groups; ++group) {
    const std::vector<Vertex>& own = vertices[at(group)];
    const std::vector<int> members = dealOut(static_cast<Index>(own.size()), grid.slices, cyclic);
    for (std::size_t p = 0; p < own.size(); ++p) owners[at(own[p])] = group * grid.slices + members[p];
  }
  return owners;
}

std::vector<RowTable> countSlices(const CountRequest& request, SliceGrid grid, bool ring) {
  Owners groups = request.owners;
  for (std::int32_t& owner : groups) owner = grid.groupOf(owner);
  const RowTable halo = haloRows(request.propagation, groups, grid.groups);
  std::vector<RowTable> tables = {emptyTable(request.parts)};
  std::vector<Index> rows(at(request.parts), 0), nonzeros = rows, nonzerosBack = rows;
  for (Index v = 0; v < request.propagation.rows(); ++v) {
    ++rows[at(request.owners[at(v)])];
    nonzeros[at(request.owners[at(v)])] += request.propagation.degree(v);
    for (const Vertex u : request.propagation.row(v)) ++nonzerosBack[at(request.owners[at(u)])];
  }
  for (int i = 0; i < request.parts; ++i) {
    tables[0][at(i)][at(i)] = rows[at(i)];
    for (int j = 0; j < request.parts; ++j)
      if (grid.sliceOf(i) == grid.sliceOf(j) && i != j)
        tables[0][at(i)][at(j)] = halo[at(grid.groupOf(i))][at(grid.groupOf(j))];
  }
  if (ring) {
    countRing(rows, nonzeros, request.propagation.weighted(), tables);
    countRing(rows, nonzerosBack, request.propagation.weighted(), tables);
  }
  return tables;
}

std::vector<PredictedVolume> predictSlices(const VolumeRequest& request, SliceGrid grid) {
  const Pairs pairs(request, grid);
  std::vector<PredictedVolume> flows;
  for (int l = 0; l < static_cast<int>(request.propagated.size()); ++l) {
    const bool once = l == 0 && request.parameters.flag("layer0_cache");
    if (!once || request.firstEpoch) pairs.pass(l, Pass::forward, flows);
    if (request.backward[at(l)]) pairs.pass(l, Pass::backward, flows);
  }
  return flows;
}

Memory sliceMemory(const MemoryRequest& request) {
  const auto columns = [&](std::int64_t width) {
    return width * (request.slice + 1) / request.slices - width * request.slice / request.slices;
  };
  const std::int64_t group = request.vertices;
  std::int64_t in = 0, packed = 0, signs = 0;
  for (std::size_t l = 0; l < request.forward.size(); ++l) {
    const std::int64_t wide = std::max(request.forward[l], request.backward[l]);
    packed = std::max(packed, wide);
    in = std::max(in, columns(l > 0 || request.drops ? wide : request.backward[l]));
    if (l > 0) signs += group * ((columns(request.forward[l]) + 7) / 8);  // whole bytes a row
  }
  const std::int64_t forwardWidth = columns(widest(request.forward)),
                     backwardWidth = columns(widest(request.backward));
  const std::int64_t out = std::max(forwardWidth, backwardWidth);
  Memory memory{};
  if (request.forward[0] > 0) bytesOf(memory, MemoryOf::features) = heldRows(group, columns(request.input));
  if (!request.readsInput) {  // whose rows are then given back, and not dropped
    bytesOf(memory, MemoryOf::features) -= heldRows(request.rows, request.input);
    if (request.drops && request.forward[0] > 0)
      bytesOf(memory, MemoryOf::activations) -= heldRows(request.rows, request.input);
  }
  const bool alone = request.slices == request.ranks;
  bytesOf(memory, MemoryOf::exchange) = heldRows(group, in + out) + heldRows(request.rows, packed) +
                                        group * std::int64_t{sizeof(Vertex)} + (alone ? signs : 0) +
                                        heldRows(request.received, forwardWidth + backwardWidth) +
                                        heldRows(request.sent, out);
  return memory;
}

bool attendsOn(SliceGrid grid, Index heads) {
  return grid.groups == 1 || grid.slices <= std::max<Index>(heads, 1);
}

std::vector<Problem> refuseSlices(const RunSettings& run, std::string_view method, int slices,
                                  std::optional<std::span<const Index>> widths) {
  std::vector<Problem> problems;
  const std::string name(method);
  const auto check = [&](Index width, const std::string& subject) {
    if (slices <= width) return;
    problems.push_back({.key = "cluster.workers",
                        .message = name + " cuts the columns of every aggregated layer into " +
                                   std::to_string(slices) + " slices, one a worker" +
                                   (slices < run.cluster.workers ? " of a group" : "") + ", and " + subject +
                                   " is " + std::to_string(width) + "; at most " + std::to_string(width) +
                                   " slices"});
  };
  const CatalogueEntry* entry = catalogued(run.dataset.name);
  if (attends(run.model)) {  // aggregates what was multiplied with weights, never the features
    if (widths) check(run.model.heads * widths->back(), "model.heads · the number of classes");
  } else if (widths)
    check(widths->front(), "the number of input features");
  else if (entry != nullptr && run.dataset.features.empty() && entry->features > 0)
    check(entry->features, "the number of input features");
  if (!widths && run.model.layers > 1) check(run.model.hidden, "model.hidden");
  return problems;
}

}  // namespace halo
