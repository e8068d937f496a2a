#include "engine/methods/minibatch/square_source.h"

#include "engine/base/index.h"
#include "engine/sampling/saint.h"
#include "engine/sampling/uniform.h"
#include "engine/sampling/walk.h"

namespace halo {
namespace {

std::unique_ptr<SquareSampler> samplerOf(const BatchParts& parts) {
  const BatchSettings& settings = parts.settings;
  const SampledGraph& graph = parts.topology.graph();
  const GlobalMatrix P = parts.topology.matrix();
  switch (settings.sampler) {
    case Sampler::saintNode:
      return std::make_unique<SaintNodeSampler>(graph, P, settings.budget);
    case Sampler::saintEdge:
      return std::make_unique<SaintEdgeSampler>(graph, P, settings.budget);
    case Sampler::saintWalk:
      return std::make_unique<WalkSampler>(
          graph, parts.trained.vertices,
          WalkSampler::Settings{settings.roots, settings.depth, settings.coverage, settings.seeds.seed});
    default:
      return std::make_unique<UniformSampler>(graph, settings.budget);
  }
}

}  // namespace

void gatherOwn(WorkerParts& parts, std::span<const Vertex> rows, Matrix& features) {
  const Timed timed(parts.tracer, Kind::compute, Name::gather);
  features.resize(std::ssize(rows), parts.share.features.cols());
  parts.share.gatherFeatures(rows, features.values());
}

SquareSource::SquareSource(const BatchParts& parts)
    : parts_(parts),
      sampler_(samplerOf(parts)),
      loss_(parts, *sampler_, parts.worker.share.train),
      numbering_(parts.topology.graph().vertices()) {}

void SquareSource::open(Index, const DrawKey& key) {
  const bool walks = parts_.settings.sampler == Sampler::saintWalk;
  key_ = {key.seed, key.step, walks ? Purpose::walk : Purpose::subgraph};
}

void SquareSource::draw(int layer, PullCounts& counts) {
  const int layers = parts_.worker.model.layers();
  if (layer < layers) return;
  const Timed timed(parts_.worker.tracer, Kind::compute, Name::sample);
  sampler_->sample(key_, numbering_, block_);
  loss_.take(block_.vertices, block_.vertices);
  if (loss_.trains())
    counts.addSampled(layers * block_.arcs.nonzeros());  // what nothing passes counts nothing
}

void SquareSource::fetch(PullCounts&) { gatherOwn(parts_.worker, block_.vertices, features_); }

void SquareSource::weigh(int, Csr& out) {
  weighSquare(*sampler_, block_, parts_.topology.matrix(), parts_.settings.weights, room_, out);
}

std::size_t SquareSource::heldBytes() const {
  return sampler_->heldBytes() + numbering_.heldBytes() + block_.heldBytes() + halo::heldBytes(room_) +
         loss_.heldBytes();
}

std::map<std::string, double> SquareSource::metrics() const { return {{"never_drawn", loss_.neverDrawn()}}; }

}  // namespace halo
