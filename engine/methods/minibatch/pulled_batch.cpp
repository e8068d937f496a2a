#include "engine/methods/minibatch/pulled_batch.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

constexpr int kFirstTag = 1 << 13;  // above those of halo exchanges, which evaluate

}  // namespace

PulledBatch::PulledBatch(WorkerParts& parts, const Topology& topology, NeighbourSettings settings, int slot,
                         bool fetches)
    : parts_(parts),
      topology_(topology),
      settings_(std::move(settings)),
      exchange_(parts.comm, topology.directory()),
      numbering_(topology.graph().vertices()),
      sent_(at(parts.comm.size()) + 1, 0),
      received_(sent_),
      slot_(slot),
      fetches_(fetches) {
  blocks_.arcs.resize(settings_.fanouts.size());
  const int last = fetches ? 0 : 1;
  for (round_ = settings_.layers() - 1; round_ >= last; --round_) exchange_.announce(tag());
  round_ = -1;
}

int PulledBatch::tag() const {
  return kFirstTag + OwnerExchange::kTags * (slot_ * settings_.layers() + round_);
}

void PulledBatch::open(std::span<const Vertex> seeds, const DrawKey& key) {
  HALO_CHECK(round_ < 0);
  numbering_.begin(seeds);
  key_ = key;
  round_ = settings_.layers();
  next_ = Step::ask;
}

void PulledBatch::step(PullCounts& counts) {
  const bool rows = round_ == 0 && next_ == Step::take;
  parts_.tracer.setLayer(static_cast<std::int16_t>(std::max(round_ - 1, 0)),
                         rows ? Pass::forward : Pass::none);
  exchange_.finish();
  switch (next_) {
    case Step::ask:
      return ask(counts);
    case Step::sayWhich:
      exchange_.startIds(tag() + 1);
      next_ = Step::answer;
      return;
    case Step::answer:
      next_ = Step::take;
      return round_ > 0 ? answerDraws(counts) : answerRows();
    case Step::take:
      round_ > 0 ? takeDraws(counts) : takeRows();
      next_ = Step::ask;
      if (--round_ == 0 && !fetches_) round_ = -1;
  }
}

// The seeds are the rank's own.
void PulledBatch::ask(PullCounts& counts) {
  const std::span<const Vertex> vertices =
      round_ > 0 ? numbering_.targets() : std::span<const Vertex>(blocks_.vertices);
  if (round_ == settings_.layers()) {
    exchange_.keep(vertices);
    next_ = Step::answer;
    return;
  }
  exchange_.startQuestion(tag(), vertices);
  counts.addAsked(round_, parts_.comm.rank(), exchange_.remoteBegins());
  next_ = Step::sayWhich;
}

void PulledBatch::answerDraws(PullCounts& counts) {
  const std::span<const Vertex> targets = numbering_.targets();
  if (round_ < settings_.layers()) exchange_.takeIds();
  setOffsets(targets, block());
  startDraws(block());
  if (round_ < settings_.layers()) counts.addArcs(round_, parts_.comm.rank(), received_);
  drawOwn(targets, block());
}

// Degrees are known everywhere, and so is how many neighbours each target draws.
void PulledBatch::setOffsets(std::span<const Vertex> targets, Csr& block) const {
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  const std::int32_t fanout = settings_.fanouts[at(round_) - 1];
  block.cols = topology_.graph().vertices();
  resizeUndefined(block.offsets, targets.size() + 1);
  block.offsets[0] = 0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    block.offsets[i + 1] =
        block.offsets[i] + drawnArcs(topology_.inDegree(targets[i]), fanout, settings_.replace);
  resizeUndefined(block.columns, at(block.nonzeros()));
}

/// Draws for others, and posts what they asked for.
void PulledBatch::startDraws(const Csr& block) {
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    ids_.clear();
    for (const Vertex row : exchange_.servedRows()) ids_.push_back(topology_.owned()[at(row)]);
    draw_(topology_.graph(), settings_, key_, round_, ids_, exchange_.servedRows(), drawn_);
    resizeUndefined(answers_, drawn_.columns.size());
    std::ranges::copy(drawn_.columns, answers_.begin());
    std::size_t place = 0;
    Index sum = 0;
    for (std::size_t rank = 0; rank + 1 < sent_.size(); ++rank) {
      sent_[rank + 1] = drawn_.offsets[at(exchange_.served()[rank + 1])];
      for (; place < at(exchange_.remoteBegins()[rank + 1]); ++place)
        sum += block.degree(exchange_.remotePlaces()[place]);
      received_[rank + 1] = sum;
    }
    resizeUndefined(arrived_, at(sum));
  }
  exchange_.startAnswers(tag() + 2, answers_, sent_, arrived_, received_);
}

void PulledBatch::drawOwn(std::span<const Vertex> targets, Csr& block) {
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  ids_.clear();
  for (const Vertex place : exchange_.ownPlaces()) ids_.push_back(targets[at(place)]);
  draw_(topology_.graph(), settings_, key_, round_, ids_, exchange_.ownRows(), drawn_);
  for (std::size_t i = 0; i < ids_.size(); ++i)
    std::ranges::copy(drawn_.row(static_cast<Index>(i)),
                      block.columns.begin() + block.offsets[at(exchange_.ownPlaces()[i])]);
}

/// Others' draws, then numbers in the place of ids.
void PulledBatch::takeDraws(PullCounts& counts) {
  const Timed timed(parts_.tracer, Kind::compute, Name::sample);
  Csr& block = this->block();
  auto from = arrived_.begin();
  for (const Vertex row : exchange_.remotePlaces()) {
    const auto count = static_cast<std::ptrdiff_t>(block.degree(row));
    std::transform(from, from + count, block.columns.begin() + block.offsets[at(row)],
                   [](std::int64_t id) { return static_cast<Vertex>(id); });
    from += count;
  }
  numbering_.add(block);
  if (round_ > 1) return;
  numbering_.finish(blocks_.vertices);
  counts.addSampled(blocks_.sampledArcs());
}

void PulledBatch::answerRows() {
  exchange_.takeIds();
  parts_.tracer.setLayer(0, Pass::forward);
  const Share& share = parts_.share;
  const Index width = share.features.cols();
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    resizeUndefined(packed_, exchange_.servedRows().size() * at(width));
    share.gatherFeatures(exchange_.servedRows(), packed_);
    resizeUndefined(arrivedRows_, exchange_.remotePlaces().size() * at(width));
  }
  exchange_.startAnswers(tag() + 2, packed_, exchange_.served(), arrivedRows_, exchange_.remoteBegins(),
                         width);
  const Timed timed(parts_.tracer, Kind::compute, Name::gather);
  features_.resize(std::ssize(blocks_.vertices), width);
  for (std::size_t i = 0; i < exchange_.ownRows().size(); ++i)
    std::ranges::copy(share.featureRow(exchange_.ownRows()[i]),
                      features_.row(exchange_.ownPlaces()[i]).begin());
}

void PulledBatch::takeRows() {
  const Timed timed(parts_.tracer, Kind::compute, Name::gather);
  scatterRows(arrivedRows_, exchange_.remotePlaces(), features_);
}

std::size_t PulledBatch::heldBytes() const {
  std::size_t bytes =
      exchange_.heldBytes() + draw_.heldBytes() + numbering_.heldBytes() + blocks_.heldBytes();
  bytes += halo::heldBytes(drawn_.offsets) + halo::heldBytes(drawn_.columns) + halo::heldBytes(ids_);
  bytes += halo::heldBytes(answers_) + halo::heldBytes(arrived_);
  return bytes + halo::heldBytes(packed_) + halo::heldBytes(arrivedRows_);
}

}  // namespace halo
