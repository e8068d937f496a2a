#include "engine/methods/minibatch/layer_source.h"

#include "engine/base/index.h"
#include "engine/methods/minibatch/neighbour_source.h"
#include "engine/methods/minibatch/square_source.h"
#include "engine/sampling/block_matrix.h"

namespace halo {

LayerSource::LayerSource(const BatchParts& parts)
    : parts_(parts),
      order_(seedOrder(parts.worker.comm, parts.settings.seeds, parts.trained)),
      sampler_(parts.topology.graph(), parts.topology.matrix(),
               std::vector<std::int64_t>(at(parts.worker.model.layers()), parts.settings.budget)) {}

void LayerSource::open(Index iteration, const DrawKey& key) {
  iteration_ = iteration;
  key_ = {key.seed, key.step, Purpose::subgraph};
}

void LayerSource::draw(int layer, PullCounts& counts) {
  if (layer < parts_.worker.model.layers()) return;
  const Timed timed(parts_.worker.tracer, Kind::compute, Name::sample);
  sampler_.sample(order_.seeds(iteration_), key_, batch_);
  counts.addSampled(batch_.blocks.sampledArcs());
}

void LayerSource::fetch(PullCounts&) { gatherOwn(parts_.worker, batch_.blocks.vertices, features_); }

BatchLoss LayerSource::loss() const { return seedLoss(order_, iteration_, parts_.settings.plainAverage); }

void LayerSource::weigh(int layer, Csr& out) {
  const std::size_t l = at(layer) - 1;
  const Topology& topology = parts_.topology;
  if (parts_.settings.weights == EdgeWeights::block)
    weighNeighbours(batch_.blocks, layer, topology.matrix(), EdgeWeights::block, out);
  else
    weighByFactors(batch_.blocks.block(layer), batch_.blocks.at(layer - 1), topology.matrix(),
                   batch_.factors[l], batch_.own[l], out);
}

std::size_t LayerSource::heldBytes() const {
  std::size_t bytes = order_.heldBytes() + sampler_.heldBytes() + batch_.blocks.heldBytes();
  for (const auto* all : {&batch_.factors, &batch_.own})
    for (const Buffer<double>& factors : *all) bytes += halo::heldBytes(factors);
  return bytes;
}

std::map<std::string, double> LayerSource::metrics() const { return batchMetrics(order_); }

}  // namespace halo
