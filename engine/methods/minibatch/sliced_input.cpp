#include "engine/methods/minibatch/sliced_input.h"

#include <algorithm>
#include <span>

#include "engine/kernels/dense/activation.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/worker/uncounted.h"
#include "engine/sampling/block_matrix.h"

namespace halo {
namespace {

constexpr int kFirstTag = 3 << 12;  // above those of pulled batches
enum Tag : int { kHeader = kFirstTag, kBlock, kActivations, kGradients, kEnd };

}  // namespace

bool canSliceInput(const ModelSettings& model) {
  return layerKind(model.kind).make({.in = 1, .out = 1})->inputProduct() != nullptr;
}

SlicedInput::SlicedInput(WorkerParts& parts, const Topology& topology, EdgeWeights weights, int batches)
    : parts_(parts),
      comm_(parts.comm),
      topology_(topology),
      edgeWeights_(weights),
      width_(parts.model.widths().front()),
      begin_(columnsBefore(parts.comm.rank())),
      numbering_(parts.share.graph.globalVertices),
      batches_(at(batches)),
      newest_(at(batches) - 1),
      arrived_(at(parts.comm.size())) {
  for (auto& ranks : batches_) {
    ranks.resize(at(comm_.size()));
    for (Batch& batch : ranks) {
      batch.header.assign(2, 0);
      batch.blocks.arcs.resize(1);
    }
  }
  for (Under* under : {&forward_, &backward_}) {
    under->receives.reserve(at(comm_.size()));
    under->sends.reserve(2 * at(comm_.size()));
  }
  eachOther([&](int rank) {
    for (int tag = kFirstTag; tag < kEnd; ++tag) comm_.announce(rank, tag);
  });
  takeFeatures();
  makeSlice();
}

void SlicedInput::takeFeatures() {
  const Uncounted settingUp(parts_);
  const Index columns = columnsBefore(comm_.rank() + 1) - begin_;
  X_.resize(parts_.share.mapped ? 0 : parts_.share.graph.globalVertices, columns);
  if (parts_.share.mapped) return;
  const Matrix& own = parts_.share.features;
  const RowDirectory& directory = topology_.directory();
  std::vector<std::vector<Vertex>> rows(at(comm_.size()));  // of each rank, as they stand there
  for (const std::int32_t owner : directory.owners()) rows[at(owner)].emplace_back();
  for (Vertex v = 0; at(v) < directory.owners().size(); ++v)
    rows[at(directory.owner(v))][at(directory.rowAtOwner(v))] = v;
  std::vector<Matrix> sent(at(comm_.size()));
  const auto cut = [&](int rank) {
    const Index first = columnsBefore(rank), width = columnsBefore(rank + 1) - first;
    sent[at(rank)].resize(own.rows(), width);
    copyBlock(own.data() + first, own.cols(), sent[at(rank)].data(), width, own.rows(), width);
  };
  eachOther([&](int rank) {
    arrived_[at(rank)].resize(std::ssize(rows[at(rank)]), columns);
    if (auto& from = arrived_[at(rank)]; !from.empty())
      forward_.receives.push_back(comm_.startReceive(rank, kHeader, from.values(), columns));
    cut(rank);
    if (auto& to = sent[at(rank)]; !to.empty())
      forward_.sends.push_back(
          comm_.startSend(rank, kHeader, std::span<const Scalar>(to.values()), to.cols()));
  });
  cut(comm_.rank());
  finish(forward_);
  for (int rank = 0; rank < comm_.size(); ++rank)
    scatterRows(rank == comm_.rank() ? sent[at(rank)].values() : arrived_[at(rank)].values(), rows[at(rank)],
                X_);
  arrived_ = std::vector<Matrix>(arrived_.size());  // parts of batches are smaller
}

void SlicedInput::makeSlice() {
  const Model& model = parts_.model;
  const ModelSettings& settings = parts_.settings.model;
  LayerRequest request;
  request.in = X_.cols();
  request.out = model.widths()[1];
  request.learnEpsilon = settings.learnEpsilon;
  slice_ = layerKind(settings.kind).make(request);
  product_ = slice_->inputProduct();
  wholeProduct_ = parts_.model.layer(0).inputProduct();
  HALO_CHECK(product_ != nullptr && wholeProduct_ != nullptr);
  weights_ = product_->rowWeights();
  wholes_ = wholeProduct_->rowWeights();
  takeSlices();
}

void SlicedInput::takeSlices() {
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    const Matrix& weight = wholes_[w]->value;
    std::ranges::copy(weight.values().subspan(at(begin_ * weight.cols()), weights_[w]->value.values().size()),
                      weights_[w]->value.data());
  }
}

void SlicedInput::startForward(const Csr& ownMatrix, const LayerInput& input) {
  parts_.tracer.setLayer(0, Pass::forward);
  takeFactor();
  const Index width = slice_->out(), targets = ownOf(newest()).targets();
  eachOther([&](int rank) {
    if (targets == 0) return;
    arrived_[at(rank)].resize(targets, width);
    forward_.receives.push_back(comm_.startReceive(rank, kActivations, arrived_[at(rank)].values(), width));
  });
  for (int step = 1; step <= comm_.size(); ++step) {
    const int rank = (comm_.rank() + step) % comm_.size();
    Batch& batch = newest()[at(rank)];
    {
      const Timed timed(parts_.tracer, Kind::compute, Name::sample);
      if (rank == comm_.rank())
        batch.matrix = ownMatrix;
      else
        weighNeighbours(batch.blocks, 1, topology_.matrix(), edgeWeights_, batch.matrix);
    }
    multiplySlice(batch, input);
    if (rank == comm_.rank() || batch.targets() == 0) continue;
    comm_.copyOut(static_cast<std::int64_t>(batch.T.bytes()));
    forward_.sends.push_back(
        comm_.startSend(rank, kActivations, std::span<const Scalar>(batch.T.values()), width));
  }
}

void SlicedInput::finishForward(Matrix& T) {
  parts_.tracer.setLayer(0, Pass::forward);
  finish(forward_);
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  const Batch& own = ownOf(newest());
  T.setZero(own.targets(), slice_->out());
  if (T.empty()) return;
  for (int rank = 0; rank < comm_.size(); ++rank) add(rank == comm_.rank() ? own.T : arrived_[at(rank)], T);
}

void SlicedInput::finish(Under& under) {
  comm_.waitAll(under.receives);
  comm_.waitAll(under.sends);
  under.receives.clear();
  under.sends.clear();
}

/// As it stands in the model now: every rank steps it alike.
void SlicedInput::takeFactor() {
  if (Weight* factor = product_->factor(); factor != nullptr) factor->value = wholeProduct_->factor()->value;
}

void SlicedInput::push(const Blocks& blocks) {
  parts_.tracer.setLayer(0, Pass::none);
  newest_ = (newest_ + 1) % batches_.size();
  Batch& own = ownOf(newest());
  pack(blocks, own);
  counts_.targets += own.header[0];
  counts_.arcs += own.header[1];
  counts_.iterations += own.targets() > 0;
  const std::int64_t bytes = 8 * std::ssize(own.message) + 16;
  comm_.copyOut(bytes, comm_.size() - 1);
  auto& [receives, sends] = forward_;
  eachOther([&](int rank) {
    receives.push_back(comm_.startReceive(rank, kHeader, std::span(newest()[at(rank)].header)));
    sends.push_back(comm_.startSend(rank, kHeader, std::span<const std::int64_t>(own.header)));
    if (own.targets() > 0)
      sends.push_back(comm_.startSend(rank, kBlock, std::span<const std::int64_t>(own.message)));
  });
  comm_.waitAll(receives);
  receives.clear();
  eachOther([&](int rank) {
    Batch& batch = newest()[at(rank)];
    resizeUndefined(batch.message, at(2 * batch.header[0] + batch.header[1]));
    if (batch.targets() > 0)
      receives.push_back(comm_.startReceive(rank, kBlock, std::span<std::int64_t>(batch.message)));
  });
  finish(forward_);
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  eachOther([&](int rank) { unpack(newest()[at(rank)]); });
}

/// Targets, how many arcs each has, and from whom.
void SlicedInput::pack(const Blocks& blocks, Batch& own) const {
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  const Csr& arcs = blocks.block(1);
  own.header = {arcs.rows(), arcs.nonzeros()};
  own.blocks.vertices = blocks.vertices;
  own.blocks.arcs[0] = arcs;
  resizeUndefined(own.message, at(2 * arcs.rows() + arcs.nonzeros()));
  auto next = std::ranges::copy(blocks.at(1), own.message.begin()).out;
  for (Index row = 0; row < arcs.rows(); ++row) *next++ = arcs.degree(row);
  for (const Vertex u : arcs.columns) *next++ = blocks.vertices[at(u)];
}

void SlicedInput::unpack(Batch& batch) {
  const auto rows = at(batch.targets());
  const auto message = std::span<const std::int64_t>(batch.message);
  Buffer<Vertex>& vertices = batch.blocks.vertices;
  resizeUndefined(vertices, rows);
  const auto narrow = [](std::int64_t id) { return static_cast<Vertex>(id); };
  std::ranges::transform(message.first(rows), vertices.begin(), narrow);
  Csr& arcs = batch.blocks.arcs[0];
  arcs.cols = topology_.graph().vertices();
  resizeUndefined(arcs.offsets, rows + 1);
  arcs.offsets[0] = 0;
  for (std::size_t i = 0; i < rows; ++i) arcs.offsets[i + 1] = arcs.offsets[i] + message[rows + i];
  resizeUndefined(arcs.columns, at(batch.header[1]));
  std::ranges::transform(message.subspan(2 * rows), arcs.columns.begin(), narrow);
  numbering_.begin(vertices);
  numbering_.add(arcs);
  numbering_.finish(vertices);
}

// A slice of no columns has a part of zeros.
void SlicedInput::multiplySlice(Batch& batch, const LayerInput& input) {
  const auto sources = std::span<const Vertex>(batch.blocks.vertices), targets = batch.blocks.at(1);
  const auto drop = [&](Matrix& rows, std::span<const Vertex> ids, DropoutKey key, double rate) {
    if (rate == 0 || rows.empty()) return;
    const Timed timed(parts_.tracer, Kind::compute, Name::activation);
    dropout(rows, ids, key, rate, rows, begin_);
  };
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    batch.H.resize(std::ssize(sources), X_.cols());
    if (const auto& mapped = parts_.share.mapped)
      gatherColumns(mapped->rows(), sources, begin_, X_.cols(), batch.H.values());
    else
      gatherRows(X_, sources, batch.H.values());
  }
  drop(batch.H, sources, input.key, input.rate);
  aggregate(parts_.tracer, batch.matrix, batch.H, batch.Z, Write::overwrite);
  drop(batch.Z, targets, input.aggregateKey, input.aggregateRate);
  drop(batch.H, sources, input.key, input.aggregateRate);  // what the vertices themselves enter with
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  product_->product(batch.H, batch.Z, batch.T);
}

void SlicedInput::startBackward(const Matrix& dT) {
  parts_.tracer.setLayer(0, Pass::backward);
  Batch& own = ownOf(oldest());
  own.T = dT;
  const Index width = slice_->out();
  comm_.copyOut(static_cast<std::int64_t>(dT.bytes()), comm_.size() - 1);
  eachOther([&](int rank) {
    Batch& batch = oldest()[at(rank)];
    if (batch.targets() > 0)
      backward_.receives.push_back(comm_.startReceive(rank, kGradients, batch.T.values(), width));
    if (own.targets() > 0)
      backward_.sends.push_back(
          comm_.startSend(rank, kGradients, std::span<const Scalar>(own.T.values()), width));
  });
}

void SlicedInput::finishBackward() {
  parts_.tracer.setLayer(0, Pass::backward);
  finish(backward_);
  takeFactor();
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  for (Weight* weight : weights_) weight->gradient.fill(0);
  Weight* const factor = product_->factor();
  if (factor != nullptr) factor->gradient.fill(0);
  for (Batch& batch : oldest())
    if (batch.targets() > 0) product_->productGradients(batch.H, batch.Z, batch.T);
  if (factor != nullptr) wholeProduct_->factor()->gradient = factor->gradient;
  oldest_ = (oldest_ + 1) % batches_.size();
}

void SlicedInput::gather() {
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    Matrix& weight = wholes_[w]->value;
    const auto rowsOf = [&](int rank) {
      const Index first = columnsBefore(rank), count = columnsBefore(rank + 1) - first;
      return weight.values().subspan(at(first * weight.cols()), at(count * weight.cols()));
    };
    std::ranges::copy(weights_[w]->value.values(), rowsOf(comm_.rank()).begin());
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const auto rows = rowsOf(rank);
      comm_.broadcast(std::span(reinterpret_cast<std::uint8_t*>(rows.data()), rows.size_bytes()), rank);
    }
  }
}

void SlicedInput::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  add(MemoryOf::features, X_.heldBytes());
  add(MemoryOf::activations, slice_->heldBytes());
  add(MemoryOf::exchange, numbering_.heldBytes());
  for (const Matrix& part : arrived_) add(MemoryOf::exchange, part.heldBytes());
  for (const auto& ranks : batches_)
    for (const Batch& batch : ranks) {
      const Csr& matrix = batch.matrix;
      add(MemoryOf::activations, batch.H.heldBytes());
      add(MemoryOf::aggregated, batch.Z.heldBytes());
      add(MemoryOf::exchange, batch.T.heldBytes() + halo::heldBytes(batch.message) +
                                  batch.blocks.heldBytes() + halo::heldBytes(matrix.offsets) +
                                  halo::heldBytes(matrix.columns) + halo::heldBytes(matrix.values));
    }
}

}  // namespace halo
