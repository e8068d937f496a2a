#include "engine/methods/minibatch/batch_trainer.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "engine/sampling/block_matrix.h"

namespace halo {
namespace {

BatchSettings checkedSettings(const RunSettings& run, std::span<const std::int64_t> trained) {
  if (auto problems = batchProblems(run, trained); !problems.empty()) throw InputError(std::move(problems));
  return batchSettings(run, trained);
}

/// Largest over mean.
double imbalance(std::span<const std::int64_t> trained) {
  const double all = static_cast<double>(std::reduce(trained.begin(), trained.end()));
  if (all == 0) return 1;
  return static_cast<double>(std::ranges::max(trained)) * static_cast<double>(trained.size()) / all;
}

}  // namespace

BatchTrainer::BatchTrainer(WorkerParts& parts) : BatchTrainer(parts, trainingVertices(parts)) {}

BatchTrainer::BatchTrainer(WorkerParts& parts, const TrainingVertices& trained)
    : Trainer(parts),
      topology_(parts),
      settings_(checkedSettings(parts.settings, trained.byRank)),
      order_(seedOrder(parts.comm, settings_.seeds, trained)),
      seedImbalance_(imbalance(trained.byRank)),
      counts_(parts.model.layers(), parts.comm.size()),
      notes_(parts),
      batch_(parts, topology_, settings_.neighbours),
      matrices_(at(parts.model.layers())),
      ids_(at(parts.model.layers()) + 1),
      aggregation_(parts),
      steps_(parts, parts.model,
             {[this]() -> const Matrix& { return batch_.features(); },
              [this](int level) -> const std::vector<Vertex>& { return ids_[at(level)]; }},
             /*layer0Cached=*/false),
      scored_(parts, parts.model,
              {[this]() -> const Matrix& { return parts_.share.features; },
               [this](int) -> const std::vector<Vertex>& { return parts_.share.graph.owned; }},
              /*layer0Cached=*/false),
      halo_(parts, parts.share.graph.peers, /*localFirst=*/false) {
  if (settings_.evaluation) drawn_.emplace(parts, topology_, *settings_.evaluation, settings_.weights);
}

double BatchTrainer::runEpoch(std::int32_t epoch) {
  const double loss = Trainer::runEpoch(epoch);
  const std::int64_t begin = wallNs();
  counts_.share(parts_.comm);
  parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
  sampledArcs_ += counts_.sampledArcs();
  ++epochs_;
  return loss;
}

Index BatchTrainer::startEpoch(std::int32_t epoch) {
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    order_.begin(static_cast<std::uint32_t>(epoch));
  }
  workDone(-1, Pass::none);
  counts_.clear();
  notes_.startEpoch(epoch, order_.iterations());
  iteration_ = 0;
  seedsOfEpoch_ = 0;
  for (Index t = 0; t < order_.iterations(); ++t) seedsOfEpoch_ += order_.globalSeeds(t);
  return order_.iterations();
}

double BatchTrainer::pass(std::int32_t epoch) {
  const Index iteration = iteration_++, seeds = order_.globalSeeds(iteration);
  const Index step = Index{epoch} * order_.iterations() + iteration;
  notes_.begin();
  steps_.setEpoch(static_cast<std::int32_t>(step));  // dropout's masks are of the update
  takeTargets(order_.seeds(iteration));
  const DrawKey key{parts_.settings.training.seed, static_cast<std::uint64_t>(step)};
  batch_.sample(order_.seeds(iteration), key, counts_);
  workDone(0, Pass::none);
  batch_.fetch(counts_);
  workDone(0, Pass::forward);
  for (int l = 0; l < parts_.model.layers(); ++l) forwardLayer(l);
  parts_.tracer.setLayer(-1, Pass::none);
  const double loss = steps_.loss({labels_, multiLabels_, chosen_, seedWeight(iteration)});
  workDone(-1, Pass::none);
  for (int l = parts_.model.layers() - 1; l >= 0; --l) backwardLayer(l);
  notes_.add(batch_.blocks(), matrices_, loss);
  return seeds > 0 ? loss * static_cast<double>(seeds) / static_cast<double>(seedsOfEpoch_) : 0.0;
}

/// Of a seed of this rank in the loss of an iteration.
double BatchTrainer::seedWeight(Index iteration) const {
  const auto own = static_cast<double>(order_.seeds(iteration).size());
  if (own == 0) return 0;
  if (settings_.plainAverage) return 1 / (own * static_cast<double>(order_.trainersWithSeeds(iteration)));
  return 1 / static_cast<double>(order_.globalSeeds(iteration));
}

/// What the outputs of the batch are held against.
void BatchTrainer::takeTargets(std::span<const Vertex> seeds) {
  const Share& share = parts_.share;
  chosen_.assign(seeds.size(), 1);
  labels_.clear();
  multiLabels_.resize(share.multiLabel ? std::ssize(seeds) : 0, share.multiLabels.cols());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const Vertex row = topology_.directory().rowAtOwner(seeds[i]);
    if (share.multiLabel)
      std::ranges::copy(share.multiLabels.row(row), multiLabels_.row(static_cast<Index>(i)).begin());
    else
      labels_.push_back(share.labels[at(row)]);
  }
}

void BatchTrainer::forwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
  TurnedBlock& matrix = matrices_[at(l)];
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    const Blocks& blocks = batch_.blocks();
    for (const int level : {l, l + 1}) {
      const auto vertices = blocks.at(level);
      ids_[at(level)].assign(vertices.begin(), vertices.end());
    }
    weighNeighbours(blocks, l + 1, topology_.matrix(), settings_.weights, matrix.edges());
    if (steps_.returns(l)) matrix.turn(aggregation_.attends());
  }
  steps_.enter(l, /*training=*/true);
  const Matrix& Y = steps_.toAggregate(l);
  aggregation_.begin(l, Y, steps_.aggregated(l), matrix.edges().rows());
  aggregation_.add(matrix.block(), Y);
  aggregation_.finish();
  steps_.finish(l, /*dropped=*/false);
  workDone(l, Pass::forward);
}

void BatchTrainer::backwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::backward);
  steps_.startBackward(l);
  if (steps_.returns(l)) {
    aggregation_.beginBackward(l, steps_.dZ());
    aggregation_.ownGradients(matrices_[at(l)].block(), steps_.dY());
    aggregation_.finishBackward(steps_.dY());
    steps_.pullBack(l);
  }
  steps_.endBackward(l);
  workDone(l, Pass::backward);
}

// Of all rows, layer by layer, as full-graph methods do.
void BatchTrainer::evaluationPass() {
  const LocalGraph& graph = parts_.share.graph;
  const Csr &own = drawn_ ? drawn_->own() : graph.own, &halo = drawn_ ? drawn_->halo() : graph.halo;
  for (int l = 0; l < parts_.model.layers(); ++l) {
    if (drawn_) drawn_->draw(epoch(), l + 1);
    parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
    scored_.enter(l, /*training=*/false);
    const Matrix& Y = scored_.toAggregate(l);
    // only a backward pass reads the other way round
    halo_.forward(l, {own, own}, {halo, halo}, Y, scored_.aggregated(l));
    scored_.finish(l, /*dropped=*/false);
  }
}

Memory BatchTrainer::memory() const {
  Memory bytes{};
  const auto add = [&](MemoryOf what, std::size_t size) {
    bytes[at(what)] += static_cast<std::int64_t>(size);
  };
  add(MemoryOf::features, parts_.share.features.heldBytes() + batch_.features().heldBytes());
  steps_.addTo(bytes);
  scored_.addTo(bytes);
  // both count what layers keep of their own
  for (int l = 0; l < parts_.model.layers(); ++l)
    bytes[at(MemoryOf::activations)] -= static_cast<std::int64_t>(parts_.model.layer(l).heldBytes());
  add(MemoryOf::exchange, batch_.heldBytes() + halo_.bufferBytes() + aggregation_.bytes());
  if (drawn_) add(MemoryOf::exchange, drawn_->heldBytes());
  for (const TurnedBlock& matrix : matrices_) add(MemoryOf::exchange, matrix.heldBytes());
  return bytes;
}

std::map<std::string, double> BatchTrainer::metrics() const {
  if (epochs_ == 0) return {};
  return {{"iterations_per_epoch", static_cast<double>(order_.iterations())},
          {"sampled_arcs_per_epoch", static_cast<double>(sampledArcs_) / static_cast<double>(epochs_)},
          {"effective_batch", static_cast<double>(order_.globalSeeds(0))},
          {"seed_imbalance", seedImbalance_}};
}

}  // namespace halo
