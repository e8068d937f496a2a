#include "engine/methods/minibatch/closed_source.h"

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/link/link.h"
#include "engine/methods/minibatch/neighbour_source.h"
#include "engine/sampling/block_matrix.h"

namespace halo {

Index cacheCapacity(const Values& parameters, Index width) {
  const std::int64_t cacheMb = parameters.integer("cache_mb");
  const std::int64_t mib =
      cacheMb >= 0 ? cacheMb : parameters.integer("device_mb") - parameters.integer("reserve_mb");
  return (mib << 20) / (static_cast<Index>(sizeof(Scalar)) * width);
}

ClosedSource::ClosedSource(const BatchParts& parts)
    : parts_(parts),
      order_(seedOrder(parts.worker.comm, parts.settings.seeds, parts.trained)),
      part_(parts.worker, parts.trained.own),
      host_(parts.worker),
      cache_(host_, part_, cacheCapacity(parts.worker.settings.parameters, host_.width())),
      linkNsPerByte_(0),
      numbering_(part_.graph().vertices()) {
  if (const double rate = parts.worker.settings.parameters.real("pcie_gbps"); rate > 0)
    linkNsPerByte_ = 1 / rate;  // 1 GB/s is a byte a nanosecond
  blocks_.arcs.resize(parts.settings.neighbours.fanouts.size());
  counted_.capacityRows = cache_.rows();
}

void ClosedSource::begin(std::int32_t epoch) {
  order_.begin(static_cast<std::uint32_t>(epoch));
  counted_ = {.capacityRows = cache_.rows()};
}

void ClosedSource::open(Index iteration, const DrawKey& key) {
  iteration_ = iteration;
  key_ = key;
  numbering_.begin(order_.seeds(iteration));
}

void ClosedSource::draw(int layer, PullCounts& counts) {
  const Timed timed(parts_.worker.tracer, Kind::compute, Name::sample);
  rowNumbers_.clear();
  for (const Vertex v : numbering_.targets()) rowNumbers_.push_back(part_.rowOf(v));
  Csr& block = blocks_.arcs[at(layer) - 1];
  draw_(part_.graph(), parts_.settings.neighbours, key_, layer, numbering_.targets(), rowNumbers_, block);
  numbering_.add(block);
  if (layer > 1) return;
  numbering_.finish(blocks_.vertices);
  counts.addSampled(blocks_.sampledArcs());
}

void ClosedSource::fetch(PullCounts& /*counts*/) {
  Index hits = 0;
  {
    const Timed timed(parts_.worker.tracer, Kind::compute, Name::gather);
    hits = cache_.read(blocks_.vertices, features_);
  }
  const Index read = features_.rows();
  counted_.hits += hits;
  counted_.misses += read - hits;
  counted_.missedBytes = counted_.misses * host_.width() * static_cast<std::int64_t>(sizeof(Scalar));
  counted_.expectedHits += cache_.expectedHitRatio() * static_cast<double>(read);
  crossLink(read - hits);
}

/// Waits as long as the modelled link takes for what the device did not keep.
void ClosedSource::crossLink(Index rows) {
  if (linkNsPerByte_ <= 0 || rows == 0) return;
  const std::int64_t bytes = rows * host_.width() * static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t begin = wallNs();
  sleepUntil(begin + static_cast<std::int64_t>(static_cast<double>(bytes) * linkNsPerByte_));
  parts_.worker.tracer.add(Kind::communication, Name::copied, Lane::main, begin, wallNs(), -1, bytes);
}

BatchLoss ClosedSource::loss() const { return seedLoss(order_, iteration_, parts_.settings.plainAverage); }

void ClosedSource::weigh(int layer, Csr& out) {
  weighNeighbours(blocks_, layer, parts_.topology.matrix(), parts_.settings.weights, out);
}

std::size_t ClosedSource::featureBytes() const {
  return features_.heldBytes() + cache_.heldBytes() + host_.ownBytes();
}

std::size_t ClosedSource::heldBytes() const {
  return order_.heldBytes() + part_.heldBytes() + draw_.heldBytes() + numbering_.heldBytes() +
         blocks_.heldBytes() + halo::heldBytes(rowNumbers_);
}

std::map<std::string, double> ClosedSource::metrics() const { return batchMetrics(order_); }

}  // namespace halo
