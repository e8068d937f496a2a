#include "simulator/cluster/plans/sliced_memory.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "engine/base/index.h"
#include "engine/methods/contract/layer_work.h"
#include "simulator/cluster/plans/iteration_steps.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar), kId = sizeof(Vertex), kPlace = sizeof(Index);
constexpr std::int64_t kDirectory = 16;  // of a vertex on every rank: owner, row there, both degrees
constexpr std::int64_t kSeed = 40;       // of a training vertex: its key, twice, and its places
constexpr std::int64_t kDraw = 45'104;   // tables of whoever draws (engine/sampling/row_draw.h)
constexpr std::int64_t kRow = 24;        // of a target whose neighbours are drawn
constexpr std::int64_t kPiece = 4096;    // own rows that an evaluation aggregates at a time

class SlicedMemory {
 public:
  SlicedMemory(const RunSettings& run, const ModelShape& shape, const DrawnIteration& drawn, int rank,
               const OwnPart& part, std::int64_t vertices)
      : run_(run),
        kind_(layerWork(run.model.kind)),
        layers_(shape.layers),
        drawn_(drawn),
        rank_(rank),
        ranks_(static_cast<int>(drawn.vertices.front().size())),
        part_(part),
        vertices_(vertices),
        slice_(sliceWidth(layers_.front().in, rank, ranks_)),
        piece_(std::min(part.rows, kPiece)) {
    heldWeights_ = shape.weights - inputWeights(shape, kind_);
    const auto pipeline = run.parameters.find("pipeline");
    pipelined_ = pipeline != run.parameters.end() && std::get<std::string>(pipeline->second) == "3";
  }

  Memory memory() const {
    Memory memory{};
    memory[at(MemoryOf::features)] = features() * kElement;
    memory[at(MemoryOf::activations)] = activations() * kElement + v(levels()) * (4 + 1);  // labels, marks
    memory[at(MemoryOf::aggregated)] = aggregated() * kElement;
    memory[at(MemoryOf::gradients)] = gradients() * kElement;
    memory[at(MemoryOf::exchange)] = topology() + questions() + blocks() + slices() + evaluation();
    return memory;
  }

 private:
  std::size_t levels() const { return layers_.size(); }
  std::int64_t v(std::size_t level) const { return drawn_.vertices[level][at(rank_)]; }
  std::int64_t arcs(std::size_t l) const { return drawn_.arcs[l][at(rank_)]; }
  std::int64_t entries(std::size_t l) const { return arcs(l) + (kind_.includesItself ? v(l + 1) : 0); }
  /// Σ of all ranks' batches, and how many of each are kept.
  std::int64_t all(const std::vector<std::int64_t>& counts) const {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum * (pipelined_ ? 2 : 1);
  }
  std::int64_t allEntries() const {
    return all(drawn_.arcs[0]) + (kind_.includesItself ? all(drawn_.vertices[1]) : 0);
  }

  /// Own rows whole, for evaluations, unless they are mapped as the slice is.
  std::int64_t features() const {
    return run_.dataset.mapFeatures ? 0 : part_.rows * layers_.front().in + vertices_ * slice_;
  }

  std::int64_t activations() const {
    std::int64_t elements = v(1) * layers_[0].out + all(drawn_.vertices[0]) * slice_;
    std::int64_t entering = 0, leaving = 0;  // widest of an evaluation
    for (std::size_t l = 0; l < levels(); ++l) {
      const LayerShape& layer = layers_[l];
      const bool isLast = l + 1 == levels(), normed = run_.model.norm == "layer" && !isLast;
      elements += v(l + 1) * layer.out;
      if (l > 0) elements += v(l) * layer.in * (run_.model.dropout > 0 ? 2 : 1);
      if (normed) elements += 2 * (v(l + 1) + part_.rows);
      if (kind_.secondProduct)
        elements += std::max(v(l + 1), piece_) * ((l > 0 ? layer.in : slice_) + 2 * layer.out);
      if (l > 0) entering = std::max(entering, layer.in);
      leaving = std::max(leaving, layer.out);
    }
    return elements + part_.rows * (entering + leaving) + piece_ * (widestIn() + leaving);
  }

  std::int64_t aggregated() const {
    std::int64_t elements = all(drawn_.vertices[1]) * slice_ + piece_ * widestIn();
    for (std::size_t l = 1; l < levels(); ++l) elements += v(l + 1) * layers_[l].in;
    return elements;
  }

  /// Those of outputs and inputs change places from layer to layer.
  std::int64_t gradients() const {
    std::int64_t sums = 0, returned = 0, output = 0, input = 0;
    for (int turn = 0; turn < 2; ++turn) {
      output = std::max(output, v(levels()) * layers_.back().out);
      for (std::size_t l = levels(); l-- > 1;) {
        sums = std::max(sums, v(l + 1) * layers_[l].returned);
        returned = std::max(returned, v(l) * layers_[l].returned);
        input = std::max(input, v(l) * layers_[l].in);
        std::swap(output, input);
      }
    }
    return sums + returned + output + input + v(1) * layers_[0].out + (pipelined_ ? heldWeights_ : 0);
  }

  std::int64_t topology() const {
    return kPlace * (part_.rows + 1) + kId * part_.entries + kDirectory * vertices_ + kSeed * part_.trained;
  }

  /// Own blocks, ids of their vertices by layer, and matrices, those of all layers but the first both ways.
  std::int64_t blocks() const {
    std::int64_t bytes = numbering(v(1), arcs(0)) + kId * v(0);
    for (std::size_t l = 0; l < levels(); ++l) {
      bytes += kPlace * v(l + 1) + kId * arcs(l);
      bytes += matrix(v(l + 1), entries(l)) + (l > 0 ? matrix(v(l), entries(l)) : 0);
    }
    for (std::size_t level = 0; level <= levels(); ++level) bytes += kId * v(level);
    return bytes;
  }
  std::int64_t matrix(std::int64_t rows, std::int64_t count) const {
    return kPlace * (rows + 1) + (kId + kElement) * count;
  }

  /// Of targets to their owners, and their draws, of block 1: others are smaller. Owners are hashed, so that
  /// each has as many of them.
  std::int64_t questions() const {
    const std::int64_t targets = v(1), own = targets / ranks_, remote = targets - own;
    const std::int64_t drawnArcs = arcs(0), ofOthers = targets == 0 ? 0 : drawnArcs * remote / targets;
    const std::int64_t served = std::max(own, remote), servedArcs = std::max(drawnArcs - ofOthers, ofOthers);
    const std::int64_t questionBytes = 2 * remote * (8 + kId) + 2 * kId * grown(own);
    return kDraw + questionBytes + 2 * 8 * ofOthers + kRow * served + kId * grown(served) +
           kPlace * (served + 1) + kId * servedArcs;
  }
  /// What a vector that grew by itself has room for.
  static std::int64_t grown(std::int64_t count) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  }
  /// Of a numbering: where each vertex stands, and those that a block meets.
  std::int64_t numbering(std::int64_t targets, std::int64_t drawnArcs) const {
    return kId * (vertices_ + std::min(targets + drawnArcs, vertices_) + 1);
  }

  /// Of block 1 of every rank: as messages, unpacked, their matrices, products and parts of them.
  std::int64_t slices() const {
    const std::int64_t targets = all(drawn_.vertices[1]), drawnArcs = all(drawn_.arcs[0]);
    const std::int64_t products = (targets + (ranks_ - 1) * v(1)) * layers_[0].out * kElement;
    const std::int64_t numbered =
        numbering(*std::ranges::max_element(drawn_.vertices[1]), *std::ranges::max_element(drawn_.arcs[0]));
    return products + 8 * (2 * targets + drawnArcs) + kId * (all(drawn_.vertices[0]) + drawnArcs) +
           kPlace * targets + matrix(targets, allEntries()) + (ranks_ > 1 ? numbered : kId * vertices_);
  }

  /// Halo rows as wide as what enters any layer, those that leave, and the rows of a piece.
  std::int64_t evaluation() const {
    const std::int64_t entriesOfPiece = part_.rows == 0 ? 0 : part_.entries * piece_ / part_.rows;
    std::int64_t width = 0;
    for (std::size_t l = run_.dataset.mapFeatures ? 1 : 0; l < levels(); ++l)
      width = std::max(width, layers_[l].in);
    return (part_.haloRows + part_.sentRows) * width * kElement + matrix(piece_, entriesOfPiece);
  }

  std::int64_t widestIn() const {
    std::int64_t width = 0;
    for (const LayerShape& layer : layers_) width = std::max(width, layer.in);
    return width;
  }

  const RunSettings& run_;
  LayerWork kind_;
  const std::vector<LayerShape>& layers_;
  const DrawnIteration& drawn_;
  int rank_, ranks_;
  const OwnPart& part_;
  std::int64_t vertices_, slice_, piece_;
  std::int64_t heldWeights_ = 0;  // gradients of the batch before, but for the slices'
  bool pipelined_ = false;
};

}  // namespace

std::vector<OwnPart> ownParts(const Csr& arcs, const Owners& owners, std::span<const Split> split, int ranks,
                              bool itself) {
  std::vector<OwnPart> parts(at(ranks));
  std::vector<std::vector<Vertex>> own(at(ranks));
  for (std::size_t v = 0; v < owners.size(); ++v) {
    OwnPart& part = parts[at(owners[v])];
    ++part.rows;
    part.entries += arcs.degree(static_cast<Index>(v)) + (itself ? 1 : 0);
    if (v < split.size() && split[v] == Split::train) ++part.trained;
    own[at(owners[v])].push_back(static_cast<Vertex>(v));
  }
  std::vector<int> readBy(owners.size(), -1);  // last
  for (int rank = 0; rank < ranks; ++rank)
    for (const Vertex v : own[at(rank)])
      for (const Vertex u : arcs.row(v)) {
        if (owners[at(u)] == rank || std::exchange(readBy[at(u)], rank) == rank) continue;
        ++parts[at(rank)].haloRows;
        ++parts[at(owners[at(u)])].sentRows;
      }
  return parts;
}

Memory slicedMemory(const RunSettings& run, const ModelShape& shape, const DrawnIteration& drawn, int rank,
                    const OwnPart& part, std::int64_t vertices) {
  return SlicedMemory(run, shape, drawn, rank, part, vertices).memory();
}

}  // namespace halo::cluster
