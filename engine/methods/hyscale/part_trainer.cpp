#include "engine/methods/hyscale/part_trainer.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/kernels/threads/work.h"
#include "engine/methods/minibatch/targets.h"
#include "engine/sampling/block_matrix.h"

namespace halo::hyscale {
namespace {

constexpr std::size_t kNoSpans = 1;

}  // namespace

PartTrainer::PartTrainer(const WorkerParts& worker, const Topology& topology, const BatchSettings& settings)
    : worker_(worker),
      ids_(at(worker.model.layers()) + 1),
      topology_(topology),
      settings_(settings),
      tracer_(kNoSpans),
      model_(worker.settings.model, worker.model.widths(), worker.settings.training.seed,
             /*layer0Cached=*/false),
      own_{worker.comm, tracer_, worker.settings, worker.share, model_, worker.optimizer},
      matrices_(at(model_.layers())),
      aggregation_(own_),
      steps_(own_, model_,
             {[this]() -> const Matrix& { return *rows_; },
              [this](int level) -> const std::vector<Vertex>& { return ids_[at(level)]; }},
             /*layer0Cached=*/false) {
  tracer_.setEnabled(false);
  takeWeights();
}

void PartTrainer::takeWeights() {
  const auto &from = worker_.model.weights(), &to = model_.weights();
  for (std::size_t w = 0; w < from.size(); ++w)
    std::ranges::copy(from[w].second->value.values(), to[w].second->value.data());
}

void PartTrainer::train(Part& part, std::int64_t step) {
  part.loss = 0;
  part.nonzeros.assign(at(model_.layers()), 0);
  if (part.isEmpty()) return;
  workAt_ = work();
  cpuAt_ = threadCpuNs();
  step_ = step;
  for (int level = 0; level <= model_.layers(); ++level) {
    const std::span<const Vertex> vertices = part.blocks.at(level);
    ids_[at(level)].assign(vertices.begin(), vertices.end());
  }
  pass(part);
}

void PartTrainer::pass(Part& part) {
  rows_ = &part.rows;
  steps_.setEpoch(static_cast<std::int32_t>(step_));  // dropout's masks are of the update
  for (int l = 0; l < model_.layers(); ++l) forwardLayer(part, l);
  takeTargets(part);
  part.loss = steps_.loss({labels_, multiLabels_, chosen_, 1 / static_cast<double>(part.seeds.size())});
  workDone(-1, Pass::none);
  for (int l = model_.layers() - 1; l >= 0; --l) backwardLayer(l);
}

void PartTrainer::transfer(Part& part) {
  part.rows.resize(part.gathered.rows(), part.gathered.cols());
  std::ranges::copy(part.gathered.values(), part.rows.data());
}

const TurnedBlock& PartTrainer::weigh(Part& part, int l, bool turned) {
  TurnedBlock& matrix = matrices_[at(l)];
  weighNeighbours(part.blocks, l + 1, topology_.matrix(), settings_.weights, matrix.edges());
  if (turned) matrix.turn(/*attends=*/false);
  part.nonzeros[at(l)] = matrix.edges().nonzeros();
  return matrix;
}

void PartTrainer::forwardLayer(Part& part, int l) {
  const TurnedBlock& matrix = weigh(part, l, steps_.returns(l));
  steps_.enter(l, /*training=*/true);
  const Matrix& Y = steps_.toAggregate(l);
  aggregation_.begin(l, Y, steps_.aggregated(l), matrix.edges().rows());
  aggregation_.add(matrix.block(), Y);
  aggregation_.finish();
  steps_.finish(l, /*dropped=*/false);
  workDone(l, Pass::forward);
}

void PartTrainer::takeTargets(const Part& part) {
  const std::span<const Vertex> outputs = part.blocks.at(model_.layers());
  chosen_.assign(outputs.size(), 1);
  halo::takeTargets(worker_.share, topology_, outputs, labels_, multiLabels_);
}

void PartTrainer::backwardLayer(int l) {
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

void PartTrainer::workDone(int layer, Pass pass) {
  const Work now = work();
  const std::int64_t cpu = threadCpuNs();
  work_.push_back({layer, pass, now.total() - workAt_.total(), cpu - cpuAt_, now.sparse - workAt_.sparse,
                   now.sparseLeastBytes - workAt_.sparseLeastBytes,
                   now.sparseMostBytes - workAt_.sparseMostBytes});
  workAt_ = now;
  cpuAt_ = cpu;
}

void PartTrainer::takeWork(std::vector<WorkRow>& rows) {
  for (const WorkRow& workRow : work_) {
    auto row = std::ranges::find_if(
        rows, [&](const WorkRow& r) { return r.layer == workRow.layer && r.pass == workRow.pass; });
    if (row == rows.end()) row = rows.insert(rows.end(), {.layer = workRow.layer, .pass = workRow.pass});
    row->flop += workRow.flop;
    row->cpuNs += workRow.cpuNs;
    row->aggregationFlop += workRow.aggregationFlop;
    row->aggregationLeastBytes += workRow.aggregationLeastBytes;
    row->aggregationMostBytes += workRow.aggregationMostBytes;
  }
  work_.clear();
}

void PartTrainer::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  steps_.addTo(memory);
  std::size_t bytes = aggregation_.bytes();
  for (const TurnedBlock& matrix : matrices_) bytes += matrix.heldBytes();
  for (const auto& ids : ids_) bytes += halo::heldBytes(ids);
  add(MemoryOf::exchange, bytes);
  add(MemoryOf::activations, halo::heldBytes(labels_) + halo::heldBytes(chosen_) + multiLabels_.heldBytes());
}

}  // namespace halo::hyscale
