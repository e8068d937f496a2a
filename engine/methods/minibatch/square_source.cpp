#include "engine/methods/minibatch/square_source.h"

#include <fmt/format.h>

#include <cstdio>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"
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
          graph, parts.trained.all,
          WalkSampler::Settings{settings.roots, settings.depth, settings.coverage, settings.seeds.seed});
    default:
      return std::make_unique<UniformSampler>(graph, settings.budget);
  }
}

Problem nothingDrawn(const RunSettings& run) {
  const std::string& name = run.parameters.text("sampler");
  return {"", 0, 0, "run.sampler",
          fmt::format("{} draws no training vertex of this graph: {}; another sampler", name,
                      name == "saint-edge" ? "none has an arc" : "none is a neighbour of another vertex")};
}

}  // namespace

void gatherOwn(WorkerParts& parts, std::span<const Vertex> vertices, Matrix& features) {
  const Timed timed(parts.tracer, Kind::compute, Name::gather);
  const Matrix& X = parts.share.features;
  features.resize(std::ssize(vertices), X.cols());
  gatherRows(X, vertices, features.values());
}

SquareSource::SquareSource(const BatchParts& parts)
    : parts_(parts), sampler_(samplerOf(parts)), numbering_(parts.topology.graph().vertices()) {
  const RunSettings& run = parts.worker.settings;
  const std::vector<Vertex>& train = parts.trained.all;
  neverDrawn_ = halo::neverDrawn(*sampler_, train);
  trained_ = std::ssize(train) - neverDrawn_;
  if (!train.empty() && trained_ == 0) throw InputError(nothingDrawn(run));
  const Index all = countsMean() ? parts.topology.graph().vertices() : trained_;
  iterations_ = train.empty() ? 0 : iterationsToMeet(all, sampler_->meanVertices());
  if (auto problems =
          stepProblems(iterations_, run.training.epochs, parts.worker.model.layers(), "training.epochs");
      !problems.empty())
    throw InputError(std::move(problems));
  if (neverDrawn_ > 0)
    std::fprintf(stderr,
                 "run.sampler = %s: %lld of the %lld training vertices are never drawn, and are in no loss\n",
                 run.parameters.text("sampler").c_str(), static_cast<long long>(neverDrawn_),
                 static_cast<long long>(train.size()));
}

void SquareSource::open(Index, const DrawKey& key) {
  const bool walks = parts_.settings.sampler == Sampler::saintWalk;
  key_ = {key.seed, key.step, walks ? Purpose::walk : Purpose::subgraph};
}

void SquareSource::draw(int layer, PullCounts& counts) {
  const int layers = parts_.worker.model.layers();
  if (layer < layers) return;
  const Timed timed(parts_.worker.tracer, Kind::compute, Name::sample);
  sampler_->sample(key_, numbering_, block_);
  takeLoss();
  if (inLoss_ > 0) counts.addSampled(layers * block_.arcs.nonzeros());  // what nothing passes counts nothing
}

void SquareSource::takeLoss() {
  chosen_.clear();
  factors_.clear();
  inLoss_ = 0;
  for (const Vertex v : block_.vertices) {
    const bool trains = parts_.worker.share.train[at(v)] != 0;
    inLoss_ += trains;
    chosen_.push_back(trains ? 1 : 0);
    if (!countsMean()) factors_.push_back(trains ? 1 / sampler_->inclusion(v) : 0);
  }
}

void SquareSource::fetch(PullCounts&) { gatherOwn(parts_.worker, block_.vertices, features_); }

BatchLoss SquareSource::loss() const {
  const auto trains = static_cast<double>(inLoss_);
  BatchLoss loss{.chosen = chosen_, .factors = factors_, .trains = inLoss_ > 0};
  loss.weight = 1 / (countsMean() ? trains : static_cast<double>(trained_));
  loss.inEpoch = countsMean() ? trains : 1;
  return loss;
}

void SquareSource::weigh(int, Csr& out) {
  weighSquare(*sampler_, block_, parts_.topology.matrix(), parts_.settings.weights, room_, out);
}

std::size_t SquareSource::heldBytes() const {
  return sampler_->heldBytes() + numbering_.heldBytes() + block_.heldBytes() + halo::heldBytes(room_) +
         halo::heldBytes(chosen_) + halo::heldBytes(factors_);
}

std::map<std::string, double> SquareSource::metrics() const {
  return {{"never_drawn", static_cast<double>(neverDrawn_)}};
}

}  // namespace halo
