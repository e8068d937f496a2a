#include "engine/methods/minibatch/batch_trainer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/index.h"
#include "engine/methods/minibatch/targets.h"

namespace halo {
namespace {

BatchSettings checkedSettings(const WorkerParts& parts, std::span<const std::int64_t> trained) {
  const Index vertices = parts.share.graph.globalVertices;
  if (auto problems = batchProblems(parts.settings, trained, vertices); !problems.empty())
    throw InputError(std::move(problems));
  return batchSettings(parts.settings, trained, vertices);
}

/// Largest over mean.
double imbalance(std::span<const std::int64_t> trained) {
  const double all = static_cast<double>(std::reduce(trained.begin(), trained.end()));
  if (all == 0) return 1;
  return static_cast<double>(std::ranges::max(trained)) * static_cast<double>(trained.size()) / all;
}

}  // namespace

BatchTrainer::BatchTrainer(WorkerParts& parts, MakeSource make)
    : BatchTrainer(parts, make, trainingVertices(parts)) {}

BatchTrainer::BatchTrainer(WorkerParts& parts, MakeSource make, const TrainingVertices& trained)
    : Trainer(parts),
      topology_(parts),
      settings_(checkedSettings(parts, trained.byRank)),
      source_(make({parts, topology_, trained, settings_})),
      seedImbalance_(imbalance(trained.byRank)),
      counts_(parts.model.layers(), parts.comm.size()),
      allCounts_(counts_),
      notes_(parts),
      matrices_(at(parts.model.layers())),
      ids_(at(parts.model.layers()) + 1),
      aggregation_(parts),
      steps_(parts, parts.model,
             {[this]() -> const Matrix& { return source_->features(); },
              [this](int level) -> const std::vector<Vertex>& { return ids_[at(level)]; }},
             /*layer0Cached=*/false),
      scores_(parts, topology_, settings_) {}

double BatchTrainer::runEpoch(std::int32_t epoch) {
  const double sum = Trainer::runEpoch(epoch);
  const std::int64_t begin = wallNs();
  counts_.share(parts_.comm);
  parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
  allCounts_.add(counts_);
  ++epochs_;
  return countedOfEpoch_ > 0 ? sum / countedOfEpoch_ : 0;
}

void BatchTrainer::keep(ByteWriter& out, const ResumePoint& next) const {
  out.value(epochs_);
  allCounts_.keep(out);
  ByteWriter ofEpoch;
  if (next.iteration > 0) keepEpoch(ofEpoch);
  out.array(ofEpoch.take());
}

void BatchTrainer::resume(ByteReader& in, const ResumePoint& next) {
  epochs_ = in.value<std::int64_t>();
  allCounts_.resume(in);
  in.array(keptOfEpoch_);
  resumed_ = next;
}

void BatchTrainer::keepEpoch(ByteWriter& out) const {
  out.value(loss_);
  out.value(countedOfEpoch_);
  out.array(work_);
  counts_.keep(out);
  notes_.keep(out);
  source_->keep(out);
}

void BatchTrainer::resumeEpoch(ByteReader& in) {
  loss_ = in.value<double>();
  countedOfEpoch_ = in.value<double>();
  in.array(work_);
  counts_.resume(in);
  iteration_ = resumed_.iteration;
  notes_.resume(in, iteration_);
  source_->resume(in, iteration_, keyOf(Index{resumed_.epoch} * source_->iterations() + iteration_));
}

/// Bytes of draws and features from one machine to another, an epoch.
double BatchTrainer::betweenMachines() const {
  const std::vector<RowTable> tables = allCounts_.tables(epochs_ * source_->iterations());
  VolumeRequest request;
  request.parts = parts_.comm.size();
  request.widths.assign(parts_.model.widths().begin(), parts_.model.widths().end());
  request.elementBytes = sizeof(Scalar);
  request.decided = tables;
  const int ranks = request.parts / settings_.machines;  // of a machine
  std::int64_t bytes = 0;
  for (const PredictedVolume& flow : predictPulls(request))
    if (flow.source / ranks != flow.target / ranks) bytes += flow.bytes;
  return static_cast<double>(bytes) / static_cast<double>(epochs_);
}

Index BatchTrainer::startEpoch(std::int32_t epoch) {
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    source_->begin(epoch);
  }
  workDone(-1, Pass::none);
  counts_.clear();
  notes_.startEpoch(epoch, source_->iterations());
  iteration_ = 0;
  countedOfEpoch_ = 0;
  if (const std::string kept = std::exchange(keptOfEpoch_, {}); !kept.empty()) {
    ByteReader in(kept);
    resumeEpoch(in);
  }
  return source_->iterations() - iteration_;
}

DrawKey BatchTrainer::keyOf(std::int64_t step) const {
  return {parts_.settings.training.seed, static_cast<std::uint64_t>(step)};
}

double BatchTrainer::pass(std::int32_t epoch) {
  notes_.begin();
  return iterate(epoch);
}

double BatchTrainer::iterate(std::int32_t epoch) {
  if (!drawNext(epoch)) return 0;
  parts_.tracer.setLayer(0, Pass::forward);
  source_->fetch(counts_);
  workDone(0, Pass::forward);
  return trainFrom(0);
}

bool BatchTrainer::drawNext(std::int32_t epoch) {
  const Index step = Index{epoch} * source_->iterations() + iteration_;
  steps_.setEpoch(static_cast<std::int32_t>(step));  // dropout's masks are of the update
  drawBatch(keyOf(step));
  ++iteration_;
  counted_ = source_->loss();
  countedOfEpoch_ += counted_.inEpoch;
  return counted_.trains;
}

double BatchTrainer::trainFrom(int first) {
  takeTargets(counted_);
  for (int l = first; l < parts_.model.layers(); ++l) forwardLayer(l);
  parts_.tracer.setLayer(-1, Pass::none);
  const double loss = steps_.loss({labels_, multiLabels_, chosen_, counted_.weight, counted_.factors});
  workDone(-1, Pass::none);
  for (int l = parts_.model.layers() - 1; l >= first; --l) backwardLayer(l);
  for (int l = 0; l < parts_.model.layers(); ++l) notes_.addBlock(*source_, l, nonzeros(l));
  notes_.addLoss(loss, std::ranges::count(chosen_, 1));
  return loss * counted_.inEpoch;
}

void BatchTrainer::drawBatch(const DrawKey& key) {
  source_->open(iteration_, key);
  for (int layer = parts_.model.layers(); layer >= 1; --layer) {
    parts_.tracer.setLayer(static_cast<std::int16_t>(layer - 1), Pass::none);
    const std::int64_t cpuBegan = parts_.tracer.computeCpuNs();
    source_->draw(layer, counts_);
    counts_.addSampleCpu(layer, parts_.tracer.computeCpuNs() - cpuBegan);
    workDone(layer - 1, Pass::none);
  }
}

/// Between two kernels of this layer and pass: whatever batches to come can do without waiting, or all of it.
void BatchTrainer::prepareNext(int layer, Pass pass, bool waits) {
  workDone(layer, pass);
  for (;;) {
    const std::int64_t cpuBegan = parts_.tracer.computeCpuNs();
    const std::optional<int> drawn = source_->goOn(counts_, waits);
    if (!drawn) break;
    if (*drawn > 0) counts_.addSampleCpu(*drawn, parts_.tracer.computeCpuNs() - cpuBegan);
    workDone(std::max(*drawn - 1, 0), *drawn > 0 ? Pass::none : Pass::forward);
  }
  parts_.tracer.setLayer(static_cast<std::int16_t>(layer), pass);
}

/// What the outputs of the batch are held against.
void BatchTrainer::takeTargets(const BatchLoss& loss) {
  const std::span<const Vertex> outputs = source_->vertices(parts_.model.layers());
  chosen_.assign(outputs.size(), 1);
  if (!loss.chosen.empty()) std::ranges::copy(loss.chosen, chosen_.begin());
  halo::takeTargets(parts_.share, topology_, outputs, labels_, multiLabels_);
}

void BatchTrainer::takeIds(int l) {
  for (const int level : {l, l + 1}) {
    const auto vertices = source_->vertices(level);
    ids_[at(level)].assign(vertices.begin(), vertices.end());
  }
}

void BatchTrainer::enterBlock(int l, bool turned) {
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  takeIds(l);
  TurnedBlock& matrix = matrices_[at(l)];
  source_->weigh(l + 1, matrix.edges());
  if (turned) matrix.turn(aggregation_.attends());
}

void BatchTrainer::forwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
  enterBlock(l, steps_.returns(l));
  prepareNext(l, Pass::forward);
  steps_.enter(l, /*training=*/true);
  propagate(l, steps_.toAggregate(l), steps_.aggregated(l));
  prepareNext(l, Pass::forward);
  steps_.finish(l, /*dropped=*/false);
  prepareNext(l, Pass::forward);
}

void BatchTrainer::propagate(int l, const Matrix& Y, Matrix& Z) {
  const TurnedBlock& matrix = matrices_[at(l)];
  aggregation_.begin(l, Y, Z, matrix.edges().rows());
  aggregation_.add(matrix.block(), Y);
  aggregation_.finish();
}

void BatchTrainer::propagateBack(int l, const Matrix& dZ, Matrix& dY) {
  aggregation_.beginBackward(l, dZ);
  aggregation_.ownGradients(matrices_[at(l)].block(), dY);
  aggregation_.finishBackward(dY);
}

void BatchTrainer::backwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::backward);
  steps_.startBackward(l);
  if (steps_.returns(l)) {
    prepareNext(l, Pass::backward);
    propagateBack(l, steps_.dZ(), steps_.dY());
    prepareNext(l, Pass::backward);
    steps_.pullBack(l);
  }
  steps_.endBackward(l);
  prepareNext(l, Pass::backward);
}

Memory BatchTrainer::memory() const {
  Memory bytes{};
  const auto add = [&](MemoryOf category, std::size_t size) {
    bytes[at(category)] += static_cast<std::int64_t>(size);
  };
  add(MemoryOf::features, parts_.share.features.heldBytes() + source_->featureBytes());
  steps_.addTo(bytes);
  scores_.addTo(bytes);
  add(MemoryOf::exchange, source_->heldBytes() + aggregation_.bytes());
  for (const TurnedBlock& matrix : matrices_) add(MemoryOf::exchange, matrix.heldBytes());
  for (const auto& ids : ids_) add(MemoryOf::exchange, halo::heldBytes(ids));
  add(MemoryOf::exchange, topology_.heldBytes());
  add(MemoryOf::activations, halo::heldBytes(labels_) + halo::heldBytes(chosen_) + multiLabels_.heldBytes());
  return bytes;
}

std::map<std::string, double> BatchTrainer::metrics() const {
  if (epochs_ == 0) return {};
  std::map<std::string, double> figures = source_->metrics();
  figures.insert({{"iterations_per_epoch", static_cast<double>(source_->iterations())},
                  {"sampled_arcs_per_epoch",
                   static_cast<double>(allCounts_.sampledArcs()) / static_cast<double>(epochs_)},
                  {"seed_imbalance", seedImbalance_}});
  if (settings_.machines > 1) figures["between_machines_bytes"] = betweenMachines();
  return figures;
}

}  // namespace halo
