#include "engine/methods/minibatch/shared_set_source.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/methods/minibatch/consumers.h"
#include "engine/methods/minibatch/square_source.h"
#include "engine/sampling/block_matrix.h"
#include "engine/sampling/saint.h"
#include "engine/sampling/uniform.h"

namespace halo {
namespace {

constexpr Vertex kUnread = -1, kRead = -2;  // another rank's member: no own row reads it, or some do

std::unique_ptr<SquareSampler> samplerOf(const BatchParts& parts, const Csr& consumers) {
  const SampledGraph& graph = parts.topology.graph();
  if (parts.settings.sampler == Sampler::uniform)
    return std::make_unique<UniformSampler>(graph, parts.settings.budget);
  HALO_CHECK(parts.settings.sampler == Sampler::saintNode);
  return std::make_unique<SaintNodeSampler>(graph, consumerSquares(parts.worker, parts.topology, consumers),
                                            parts.settings.budget);
}

std::vector<std::uint8_t> maskOf(std::span<const Vertex> vertices, Index all) {
  std::vector<std::uint8_t> mask(at(all), 0);
  for (const Vertex v : vertices) mask[at(v)] = 1;
  return mask;
}

std::vector<HaloPeer> others(const Communicator& comm) {
  std::vector<HaloPeer> peers;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (rank != comm.rank()) peers.push_back({.rank = rank});
  return peers;
}

void clear(Csr& A, Index rows, Index cols) {
  A.cols = cols;
  A.offsets.assign(1, 0);
  A.offsets.reserve(at(rows) + 1);
  A.columns.clear();
  A.values.clear();
}

std::size_t bytesOf(const Csr& A) {
  return heldBytes(A.offsets) + heldBytes(A.columns) + heldBytes(A.values);
}

}  // namespace

SharedSetSource::SharedSetSource(const BatchParts& parts)
    : parts_(parts),
      rank_(parts.worker.comm.rank()),
      consumers_(consumersOf(parts.worker, parts.topology)),
      trains_(maskOf(parts.trained.vertices, parts.topology.graph().vertices())),
      sampler_(samplerOf(parts, consumers_)),
      loss_(parts, *sampler_, trains_),
      numbering_(parts.topology.graph().vertices()),
      peers_(others(parts.worker.comm)),
      byRank_(at(parts.worker.comm.size())) {}

void SharedSetSource::open(Index, const DrawKey& key) { key_ = {key.seed, key.step, Purpose::subgraph}; }

void SharedSetSource::draw(int layer, PullCounts& counts) {
  const int layers = parts_.worker.model.layers();
  if (layer < layers) return;
  const Timed timed(parts_.worker.tracer, Kind::compute, Name::sample);
  sampler_->draw(key_, numbering_, members_);
  takeOwn();
  loss_.take(members_, own());
  if (!loss_.trains()) return;
  findHalo();
  numberHalo();
  takeArcs();
  findSent();
  takeMatrices();
  counts.addSampled(layers * block_.arcs.nonzeros());
}

/// Which of the members are this rank's.
void SharedSetSource::takeOwn() {
  const RowDirectory& directory = parts_.topology.directory();
  numbering_.begin();
  numbering_.reserve(std::ssize(members_));
  for (const Vertex v : members_) numbering_.number(v);
  resizeUndefined(place_, members_.size());
  ownRows_.clear();
  block_.vertices.clear();
  for (std::size_t p = 0; p < members_.size(); ++p) {
    const Vertex v = members_[p];
    place_[p] = kUnread;
    if (directory.owner(v) != rank_) continue;
    place_[p] = static_cast<Vertex>(ownRows_.size());
    ownRows_.push_back(directory.rowAtOwner(v));
    block_.vertices.push_back(v);
  }
}

template <class Use>
void SharedSetSource::eachArc(const Use& use) const {
  for (std::size_t i = 0; i < ownRows_.size(); ++i)
    for (const Vertex u : parts_.topology.graph().rows().row(ownRows_[i]))
      if (const Vertex p = numbering_.find(u); p >= 0 && u != block_.vertices[i]) use(at(p), i);
}

void SharedSetSource::findHalo() {
  block_.arcs.offsets.assign(ownRows_.size() + 1, 0);
  eachArc([&](std::size_t p, std::size_t i) {
    ++block_.arcs.offsets[i + 1];
    if (place_[p] == kUnread) place_[p] = kRead;
  });
  for (std::size_t i = 0; i < ownRows_.size(); ++i) block_.arcs.offsets[i + 1] += block_.arcs.offsets[i];
}

void SharedSetSource::numberHalo() {
  const RowDirectory& directory = parts_.topology.directory();
  for (HaloPeer& each : peers_) each.receiveCount = 0;
  for (std::size_t p = 0; p < members_.size(); ++p)
    if (place_[p] == kRead) ++peer(directory.owner(members_[p])).receiveCount;
  Index rows = 0;
  for (HaloPeer& each : peers_) {
    each.receiveBegin = rows;
    rows += each.receiveCount;
    each.receiveCount = 0;
  }
  const Index own = std::ssize(ownRows_);
  block_.vertices.resize(at(own + rows));
  for (std::size_t p = 0; p < members_.size(); ++p) {
    if (place_[p] != kRead) continue;
    HaloPeer& from = peer(directory.owner(members_[p]));
    const Index column = own + from.receiveBegin + from.receiveCount++;
    place_[p] = static_cast<Vertex>(column);
    block_.vertices[at(column)] = members_[p];
  }
}

void SharedSetSource::takeArcs() {
  Csr& arcs = block_.arcs;
  arcs.cols = std::ssize(block_.vertices);
  resizeUndefined(arcs.columns, at(arcs.offsets.back()));
  std::size_t next = 0;
  eachArc([&](std::size_t p, std::size_t) { arcs.columns[next++] = place_[p]; });
}

/// What consumers among the members read of own ones. Of weights within V' also by how many.
void SharedSetSource::findSent() {
  const RowDirectory& directory = parts_.topology.directory();
  const bool scales =
      parts_.settings.weights == EdgeWeights::block && parts_.topology.matrix().rule == EdgeRule::symmetric;
  for (HaloPeer& each : peers_) each.sendRows.clear();
  resizeUndefined(scale_, scales ? ownRows_.size() : 0);
  for (std::size_t i = 0; i < ownRows_.size(); ++i) {
    const auto row = static_cast<Vertex>(i);
    Index within = 0;
    for (const Vertex u : consumers_.row(ownRows_[i])) {
      if (numbering_.find(u) < 0) continue;
      ++within;
      const int owner = directory.owner(u);
      if (owner == rank_) continue;
      std::vector<Vertex>& sent = peer(owner).sendRows;
      if (sent.empty() || sent.back() != row) sent.push_back(row);
    }
    if (scales) scale_[i] = static_cast<Scalar>(1 / std::sqrt(static_cast<double>(within) + 1));
  }
}

void SharedSetSource::weigh(int, Csr& out) {
  const GlobalMatrix P = parts_.topology.matrix();
  if (parts_.settings.weights == EdgeWeights::global) {
    sampler_->factors(block_, room_);
    return weighByFactors(block_.arcs, block_.vertices, P, room_, {}, out);
  }
  degrees_.resize(ownRows_.size());
  for (std::size_t i = 0; i < degrees_.size(); ++i)
    degrees_[i] = static_cast<Vertex>(block_.arcs.degree(static_cast<Index>(i)));
  none_.assign(block_.vertices.size(), 0);  // C has the others
  weighWithin(block_.arcs, P.rule, degrees_, none_, out);
}

/// P̂ cut by columns, and what of it is read the other way round.
void SharedSetSource::takeMatrices() {
  weigh(1, weighted_);
  const Index rows = weighted_.rows(), own = rows, halo = haloRows();
  clear(own_.edges(), rows, own);
  clear(halo_.edges(), rows, halo);
  for (Csr& each : byRank_) clear(each, rows, halo);
  const auto add = [&](Csr& A, Index column, std::size_t e) {
    A.columns.push_back(static_cast<Vertex>(column));
    if (weighted_.weighted()) A.values.push_back(weighted_.values[e]);
  };
  const RowDirectory& directory = parts_.topology.directory();
  for (Index i = 0; i < rows; ++i) {
    for (std::size_t e = at(weighted_.offsets[at(i)]); e < at(weighted_.offsets[at(i) + 1]); ++e) {
      const Index column = weighted_.columns[e];
      if (column < own) {
        add(own_.edges(), column, e);
        continue;
      }
      add(halo_.edges(), column - own, e);
      add(byRank_[at(directory.owner(block_.vertices[at(column)]))], column - own, e);
    }
    for (Csr* each : {&own_.edges(), &halo_.edges()}) each->offsets.push_back(std::ssize(each->columns));
    for (Csr& each : byRank_) each.offsets.push_back(std::ssize(each.columns));
  }
  own_.turn(/*attends=*/false);
  halo_.turn(/*attends=*/false);
}

void SharedSetSource::fetch(PullCounts&) { gatherOwn(parts_.worker, ownRows_, features_); }

std::size_t SharedSetSource::heldBytes() const {
  std::size_t bytes = bytesOf(consumers_) + halo::heldBytes(trains_) + sampler_->heldBytes() +
                      loss_.heldBytes() + numbering_.heldBytes() + halo::heldBytes(members_) +
                      halo::heldBytes(place_) + halo::heldBytes(ownRows_) + block_.heldBytes();
  bytes += halo::heldBytes(degrees_) + halo::heldBytes(none_) + halo::heldBytes(room_) +
           halo::heldBytes(scale_) + bytesOf(weighted_) + own_.heldBytes() + halo_.heldBytes();
  for (const Csr& each : byRank_) bytes += bytesOf(each);
  for (const HaloPeer& each : peers_) bytes += halo::heldBytes(each.sendRows);
  return bytes;
}

std::map<std::string, double> SharedSetSource::metrics() const {
  return {{"never_drawn", loss_.neverDrawn()}};
}

}  // namespace halo
