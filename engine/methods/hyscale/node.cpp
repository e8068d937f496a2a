#include "engine/methods/hyscale/node.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/hyscale/start_mapping.h"

namespace halo::hyscale {
namespace {

constexpr double kNsPerSecond = 1e9;

}  // namespace

std::int64_t BatchUnderWay::seeds() const { return std::reduce(dealt.begin(), dealt.end()); }

BlockRow BatchUnderWay::readIn(int layer) const {
  BlockRow read;
  for (const Part& part : parts) {
    if (part.isEmpty()) continue;
    read.targets += std::ssize(part.blocks.at(layer + 1));
    read.sources += std::ssize(part.blocks.at(layer));
    read.arcs += part.blocks.block(layer + 1).nonzeros();
    read.nonzeros += part.nonzeros[at(layer)];
    read.sampleCpuNs += part.sampleNs[at(layer)];
  }
  return read;
}

Node::Node(WorkerParts& worker, const Topology& topology, const BatchSettings& batches,
           const NodeSettings& node, const HybridWork& work)
    : worker_(worker),
      topology_(topology),
      batches_(batches),
      node_(node),
      work_(work),
      platform_(node.platform),
      plan_(node.platform.cards),
      trainers_(makeDevices(worker, topology, batches, node)),
      numbering_(topology.graph().vertices()) {
  const std::size_t trainers = trainers_.size();
  for (BatchUnderWay& slot : slots_) {
    slot.parts.resize(trainers);
    for (Part& part : slot.parts) {
      part.blocks.arcs.resize(batches.neighbours.fanouts.size());
      part.sampleNs.resize(batches.neighbours.fanouts.size());
    }
  }
  for (const auto& [name, weight] : worker.model.weights()) weights_.push_back(weight);
  for (const ActorRow& row : actorRows(node.platform.cards, node.cardsAre()))
    spans_.push_back({row.actor, {}});
  takenSpans_ = spans_;
}

void Node::deal(const OpenedBatch& openedBatch, std::span<const Vertex> seeds) {
  BatchUnderWay& underWay = slot(openedBatch.batch);
  underWay.batch = openedBatch.batch;
  underWay.epoch = openedBatch.epoch;
  underWay.iteration = openedBatch.iteration;
  underWay.step = openedBatch.step;
  underWay.mapping = openedBatch.mapping;
  underWay.predicted = openedBatch.predicted;
  underWay.stages.clear();
  dealSeeds(openedBatch.mapping, node_.platform.cards, std::ssize(seeds), underWay.dealt);
  weighGradients(underWay.dealt, batches_.plainAverage, underWay.factors);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < underWay.parts.size(); ++i) {
    const std::span<const Vertex> own = seeds.subspan(begin, at(underWay.dealt[i]));
    underWay.parts[i].seeds.assign(own.begin(), own.end());
    begin += own.size();
  }
}

void Node::planWhenDrawn(const Machine& machine, const HybridMapping& mapping) {
  planned_ = &machine;
  mapping_ = mapping;
}

// What a card's passes over a batch take is found as it is drawn.
void Node::drift(std::int64_t iteration) { node_.drift.apply(node_.platform, iteration, platform_); }

void Node::plan(const Machine& machine, const HybridMapping& mapping) {
  plan_.make(platform_, work_, mapping, node_.prefetch,
             {workOf(machine.sampling()), workOf(machine.loading()), workOf(machine.transferring()),
              workOf(machine.training())});
}

void Node::begin(std::int64_t beginNs, double nsPerSecond) {
  beginNs_ = beginNs;
  nsPerSecond_ = nsPerSecond;
  measured_ = {};
}

std::int64_t Node::endNs(const Task& task) const {
  if (task.stage == Stage::draw || task.stage == Stage::step || nsPerSecond_ == 0) return 0;
  return beginNs_ + std::llround(plan_.taskOf(task).end * nsPerSecond_);
}

void Node::rehearse(const Task& task) const {
  if (rehearsal_.empty()) return;
  constexpr std::array<const char*, 7> kStages = {"draw",  "sample",      "load", "transfer",
                                                  "train", "synchronise", "step"};
  const std::string name = std::string(kStages[at(task.stage)]) + ' ' + std::to_string(task.trainer);
  if (rehearsal_.throwsIn(name, batch(task.batch).step)) throw std::runtime_error("throws, as was rehearsed");
}

void Node::perform(const Task& task) {
  rehearse(task);
  BatchUnderWay& batch = slot(task.batch);
  const auto trainer = at(task.trainer);
  switch (task.stage) {
    case Stage::draw:
      draw(batch);
      if (planned_ != nullptr) plan(*planned_, mapping_);
      return;
    case Stage::sample:
      return;
    case Stage::load:
      return load(batch);
    case Stage::transfer:
      return transfer(batch.parts[trainer], *trainers_[trainer]);
    case Stage::train:
      return trainers_[trainer]->train(batch.parts[trainer], batch.step);
    case Stage::synchronise:
      sumGradients(batch);
      return worker_.optimizer.step(weights_);
    case Stage::step:
      return trainers_[trainer]->takeWeights();
  }
}

void Node::draw(BatchUnderWay& batch) {
  const DrawKey key{batches_.seeds.seed, static_cast<std::uint64_t>(batch.step)};
  for (Part& part : batch.parts) drawPart(key, part);
  batch.work = batchWork(platform_, work_, batch.mapping,
                         [&](double, int trainer) { return sizeOf(batch.parts[at(trainer)].blocks); });
}

void Node::drawPart(const DrawKey& key, Part& part) {
  numbering_.begin(part.seeds);
  for (int layer = part.blocks.layers(); layer >= 1; --layer) {
    const std::int64_t began = threadCpuNs();
    const std::span<const Vertex> targets = numbering_.targets();
    rowNumbers_.clear();
    for (const Vertex v : targets) rowNumbers_.push_back(topology_.directory().rowAtOwner(v));
    Csr& block = part.blocks.arcs[at(layer) - 1];
    draw_(topology_.graph(), batches_.neighbours, key, layer, targets, rowNumbers_, block);
    numbering_.add(block);
    part.sampleNs[at(layer) - 1] = threadCpuNs() - began;
  }
  numbering_.finish(part.blocks.vertices);
}

// The processors' part stays where it is.
void Node::load(BatchUnderWay& batch) {
  for (std::size_t i = 0; i < batch.parts.size(); ++i) {
    Part& part = batch.parts[i];
    gather(part, i == 0 ? part.rows : part.gathered);
  }
}

void Node::gather(Part& part, Matrix& rows) const {
  const Share& share = worker_.share;
  rows.resize(std::ssize(part.blocks.vertices), share.features.cols());
  for (std::size_t i = 0; i < part.blocks.vertices.size(); ++i)
    std::ranges::copy(share.featureRow(topology_.directory().rowAtOwner(part.blocks.vertices[i])),
                      rows.row(static_cast<Index>(i)).begin());
}

// What a modelled link carries is here already.
void Node::transfer(Part& part, Device& to) const {
  if (node_.modelled) return std::swap(part.gathered, part.rows);
  to.transfer(part);
}

// Always in the order of the trainers: the sum does not depend on who was done first.
void Node::sumGradients(BatchUnderWay& batch) {
  batch.loss = 0;
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    Matrix& sum = weights_[w]->gradient;
    sum.setZero(weights_[w]->value.rows(), weights_[w]->value.cols());
    for (std::size_t i = 0; i < trainers_.size(); ++i) {
      if (batch.factors[i] == 0) continue;
      const auto factor = static_cast<Scalar>(batch.factors[i]);
      const Matrix& part = trainers_[i]->model().weights()[w].second->gradient;
      std::ranges::transform(part.values(), sum.values(), sum.data(),
                             [factor](Scalar g, Scalar s) { return s + factor * g; });
    }
  }
  for (std::size_t i = 0; i < trainers_.size(); ++i) batch.loss += batch.factors[i] * batch.parts[i].loss;
}

// On a virtual clock a task takes what is planned, and no more.
void Node::note(const Actor& actor, const Task& task, const TaskTimes& measuredTimes) {
  if (task.stage == Stage::draw) slot(task.batch).drawing = measuredTimes;
  if (!isStage(task)) return;
  const NotedTask noted = notedOf(task);
  TaskTimes times = measuredTimes;
  if (node_.virtualClock) {
    times.beginNs = beginNs_ + std::llround(noted.planned->begin * nsPerSecond_);
    times.busyNs = noted.plannedEndNs - times.beginNs;
  } else if (task.stage == Stage::sample && node_.modelled) {  // drawn ahead, it is sampled from the begin on
    times.busyNs += times.beginNs - beginNs_;
    times.beginNs = beginNs_;
  } else if (task.stage == Stage::sample) {  // the draw is its work
    const TaskTimes& drawing = slot(task.batch).drawing;
    times.busyNs += drawing.busyNs;
    times.beginNs = drawing.beginNs;
    times.queued = drawing.queued;
  }
  BatchUnderWay& batch = slot(task.batch);
  StageRow& row =
      batch.stages.emplace_back(stageRow(numberOf(actor, node_.platform.cards), task, times, noted));
  row.epoch = batch.epoch;
  row.iteration = batch.iteration;
  spans_[at(row.actor)].spans.push_back(spanOf(row));
  if (node_.virtualClock) return;
  noteMeasured(task, static_cast<double>(times.busyNs) / (nsPerSecond_ > 0 ? nsPerSecond_ : kNsPerSecond));
  if (noted.planned != nullptr) notePunctuality(task, times.beginNs + times.busyNs);
}

NotedTask Node::notedOf(const Task& task) const {
  NotedTask noted;
  noted.bytes = bytesOf(task);
  noted.predictedSeconds = predictedSeconds(task, batch(task.batch).predicted);
  if (nsPerSecond_ == 0) return noted;
  noted.planned = &plan_.taskOf(task);
  noted.plannedEndNs = endNs(task);
  noted.nsPerSecond = nsPerSecond_;
  return noted;
}

std::int64_t Node::bytesOf(const Task& task) const {
  const BatchUnderWay& under = batch(task.batch);
  const Index rowBytes = worker_.share.features.cols() * static_cast<Index>(sizeof(Scalar));
  const auto rowsOf = [](const Part& part) { return static_cast<Index>(part.blocks.vertices.size()); };
  if (node_.openCl) {  // what went over the bus
    if (task.stage == Stage::synchronise) return 0;
    const Device& card = *trainers_[at(task.trainer)];
    if (task.stage == Stage::transfer) return card.transferBytes();
    if (task.stage == Stage::train) return under.parts[at(task.trainer)].isEmpty() ? 0 : card.trainBytes();
  }
  if (task.stage == Stage::transfer) return rowsOf(under.parts[at(task.trainer)]) * rowBytes;
  if (task.stage == Stage::synchronise) return 2 * node_.platform.cards * std::llround(modelBytes(work_));
  if (task.stage != Stage::load) return 0;
  Index rows = 0;
  for (const Part& part : under.parts) rows += rowsOf(part);
  return rows * rowBytes;
}

void Node::notePunctuality(const Task& task, std::int64_t end) {
  const PlannedTask& planned = plan_.taskOf(task);
  if (planned.end > 0)
    punctuality_.addTask(static_cast<double>(end - beginNs_), planned.end, planned.seconds(), nsPerSecond_);
}

void Node::notePlanned(std::int64_t takenNs) {
  if (nsPerSecond_ == 0) return;
  ++punctuality_.iterations;
  punctuality_.plannedNs += plan_.seconds() * nsPerSecond_;
  punctuality_.takenNs += static_cast<double>(takenNs);
}

std::span<const ActorSpans> Node::takeSpans() {
  std::swap(spans_, takenSpans_);
  for (ActorSpans& actor : spans_) actor.spans.clear();
  return takenSpans_;
}

void Node::noteMeasured(const Task& task, double seconds) {
  const auto most = [&](double& time) { time = std::max(time, seconds); };
  switch (task.stage) {
    case Stage::sample:
      return most(measured_.sampleCpu);
    case Stage::load:
      return most(measured_.load);
    case Stage::transfer:
      return most(measured_.transfer);
    case Stage::train:
      return most(task.trainer == 0 ? measured_.trainCpu : measured_.trainCard);
    case Stage::synchronise:
      return most(measured_.sync);
    case Stage::draw:
    case Stage::step:
      break;
  }
}

std::vector<MeasuredTask> Node::measure(std::int64_t step, std::span<const Vertex> seeds,
                                        const HybridMapping& mapping) {
  const Index number = step;  // batches that follow each other have places of their own
  deal({number, 0, 0, step, mapping, {}}, seeds);
  BatchUnderWay& batch = slot(number);
  std::vector<MeasuredTask> tasks;
  std::vector<Task> stageTasks;
  const auto timed = [&](std::string name, const Task& task, const auto& work) {
    const std::int64_t began = threadCpuNs();
    work();
    tasks.push_back({std::move(name), static_cast<double>(threadCpuNs() - began) / kNsPerSecond, 0});
    stageTasks.push_back(task);
  };
  timed("sample", {Stage::sample, number, 0}, [&] { draw(batch); });
  timed("load", {Stage::load, number, 0}, [&] { load(batch); });
  for (int i = 1; i < node_.trainers(); ++i)
    timed("transfer card " + std::to_string(i - 1), {Stage::transfer, number, i},
          [&] { transfer(batch.parts[at(i)], *trainers_[at(i)]); });
  for (int i = mapping.cpuTrains() ? 0 : 1; i < node_.trainers(); ++i)
    timed(i == 0 ? "train processors" : "train card " + std::to_string(i - 1), {Stage::train, number, i},
          [&] { trainers_[at(i)]->train(batch.parts[at(i)], step); });
  timed("synchronise", {Stage::synchronise, number, 0}, [&] { sumGradients(batch); });
  plan_.make(node_.platform, work_, mapping, node_.prefetch,
             {&batch.work, &batch.work, &batch.work, &batch.work});
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].modelled = plan_.taskOf(stageTasks[i]).seconds();
  std::vector<WorkRow> uncounted;
  takeWork(uncounted);
  return tasks;
}

void Node::takeWeights() {
  for (const auto& trainer : trainers_) trainer->takeWeights();
}

void Node::takeWork(std::vector<WorkRow>& rows) {
  for (const auto& trainer : trainers_) trainer->takeWork(rows);
}

void Node::countCardsFrom(const CardUse& before) {
  movedBefore_ = {};
  const CardUse again = cardUse();
  movedBefore_ = {0, before.bytesUp - again.bytesUp, before.bytesDown - again.bytesDown};
}

CardUse Node::cardUse() const {
  CardUse all = movedBefore_;
  for (const auto& trainer : trainers_) {
    const CardUse use = trainer->cardUse();
    all.memoryBytes += use.memoryBytes;
    all.bytesUp += use.bytesUp;
    all.bytesDown += use.bytesDown;
  }
  return all;
}

void Node::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  for (const auto& trainer : trainers_) trainer->addTo(memory);
  for (const BatchUnderWay& slot : slots_)
    for (const Part& part : slot.parts) {
      add(MemoryOf::features, part.gathered.heldBytes() + part.rows.heldBytes());
      add(MemoryOf::exchange, part.blocks.heldBytes() + halo::heldBytes(part.seeds));
    }
  add(MemoryOf::exchange, numbering_.heldBytes() + draw_.heldBytes() + halo::heldBytes(rowNumbers_));
}

}  // namespace halo::hyscale
