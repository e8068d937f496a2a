#include "engine/methods/minibatch/iteration_notes.h"

#include "engine/base/index.h"

namespace halo {

IterationNotes::IterationNotes(WorkerParts& parts) : parts_(parts), blocks_(at(parts.model.layers())) {}

void IterationNotes::startEpoch(std::int32_t epoch, std::int64_t iterations) {
  for (BlockRow& row : blocks_) row = {};
  now_.epoch = epoch;
  now_.number = 0;
  now_.step = epoch * iterations;
}

void IterationNotes::resume(ByteReader& in, std::int64_t iteration) {
  in.array(blocks_);
  now_.number = iteration;
  now_.step += iteration;
}

void IterationNotes::begin(std::int64_t nowNs) {
  now_.loss = 0;
  now_.seeds = now_.arcs = 0;
  now_.beginNs = nowNs;
}

void IterationNotes::addBlock(const BatchSource& batch, int l, Index nonzeros) {
  BlockRow read;
  read.targets = std::ssize(batch.vertices(l + 1));
  read.sources = batch.sources(l + 1);
  read.arcs = batch.arcs(l + 1);
  read.nonzeros = nonzeros;
  addBlock(l, read);
}

void IterationNotes::addBlock(int l, const BlockRow& read) {
  BlockRow& row = blocks_[at(l)];
  row.targets += read.targets;
  row.sources += read.sources;
  row.arcs += read.arcs;
  row.nonzeros += read.nonzeros;
  now_.arcs += read.arcs;
}

void IterationNotes::addLoss(double loss, std::int64_t seeds) {
  now_.loss = loss;
  now_.seeds = seeds;
}

void IterationNotes::end(std::int64_t nowNs) {
  now_.endNs = nowNs;
  if (parts_.listener != nullptr) parts_.listener->onIteration(now_);
  now_.modelledNs.reset();
  now_.stages = {};
  now_.decisions = {};
  now_.actors = {};
  ++now_.number;
  ++now_.step;
}

std::vector<BlockRow> IterationNotes::sums(const PullCounts& counts) const {
  const int self = parts_.comm.rank(), layers = static_cast<int>(blocks_.size());
  std::vector<BlockRow> sums = blocks_;
  for (int l = 0; l < layers; ++l) {
    BlockRow& row = sums[at(l)];
    row.layer = l;
    row.remoteSources = counts.askedVertices(l, self);
    row.sampleCpuNs = counts.sampleCpuNs(l + 1);
    if (l + 1 == layers) continue;  // seeds are the rank's own
    row.remoteTargets = counts.askedVertices(l + 1, self);
    row.remoteArcs = counts.answeredArcs(l + 1, self);
  }
  return sums;
}

}  // namespace halo
