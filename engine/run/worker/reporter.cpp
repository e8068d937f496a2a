#include "engine/run/worker/reporter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::int64_t kRowsEveryNs = 45'000'000;        // an epoch that ended 50 ms ago is in the recording
constexpr std::int64_t kSpansEveryNs = 400'000'000;      // a live timeline lags by little more,
constexpr std::int64_t kSpansAtLeastNs = 5'000'000'000;  // and by no more than this where sending is dear
constexpr std::int64_t kSpansShare = 100;  // sending may cost one in a hundred of the time between two
constexpr std::size_t kManySpans = std::size_t{1}
                                   << 17;  // some MB a rank: a stop does not wait for them long

/// Of an epoch whose loss is no number no score is one: dropout may have spared the pass that it is of.
void setScores(EpochRow& row, const EpochRow& scored) {
  for (const auto score : {&EpochRow::train, &EpochRow::valid, &EpochRow::test}) {
    row.*score = scored.*score;
    if (row.*score && !std::isfinite(row.loss)) row.*score = std::nan("");
  }
}

}  // namespace

Reporter::Reporter(Communicator& comm, Communicator::ClockOffset offset, std::int64_t originNs,
                   std::int64_t spansEvery, Predict predict, Send send, Clocks clocks)
    : comm_(comm),
      offset_(offset),
      originNs_(originNs),
      spansEvery_(spansEvery),
      predict_(std::move(predict)),
      send_(std::move(send)),
      clocks_(clocks),
      lastRowsNs_(clocks.wall()),
      lastSpansNs_(lastRowsNs_) {
  if (spansEvery_ > 0) comm_.tracer().recordsFrom(shiftNs());
}

void Reporter::add(const EpochRow& scores, std::int64_t beginNs, std::int64_t endNs, Method& method,
                   std::span<const Staleness> staleness) {
  const std::int64_t began = clocks_.wall(), cpuBegan = clocks_.cpu();
  const std::int64_t shift = shiftNs();
  Tracer& tracer = comm_.tracer();
  const std::vector<Flow> flows = comm_.takeFlows();
  const std::vector<WorkRow> work = method.takeWork();
  sums_.add(tracer.spans());
  auto rows = sums_.take(scores.epoch, comm_.rank(), flows, work);
  addAggregations(rows, work);
  for (const Staleness& probed : staleness)
    for (LayerRow& row : rows)
      // where training diverges there is no distance
      if (row.layer == probed.layer && row.pass == probed.pass && std::isfinite(probed.absolute) &&
          std::isfinite(probed.relative)) {
        row.stalenessAbsolute = probed.absolute;
        row.stalenessRelative = probed.relative;
        row.stalenessCosine = probed.cosine;
        row.stalenessAge = probed.age;
      }
  layers_.insert(layers_.end(), rows.begin(), rows.end());
  for (const Flow& flow : flows)
    if (flow.messages > 0)
      messages_.push_back(
          {scores.epoch, flow.layer, flow.pass, comm_.rank(), flow.target, flow.messages, flow.bytes, 0});
  if (comm_.rank() == 0) decided_[scores.epoch] = method.decided();
  keepBatches(scores.epoch, method.batchSums());
  keepSpans(scores.epoch);
  if (keepsSpans(scores.epoch))
    spans_.push_back({beginNs + shift, endNs - beginNs, 0, static_cast<std::int32_t>(scores.epoch), -1, -1,
                      Name::epoch, Kind::other, Lane::phase, Pass::none});
  epochs_.push_back({scores, beginNs + shift, endNs + shift});
  setScores(epochs_.back().row, scores);
  epochNs_ += endNs - beginNs;
  recordingNs_ += clocks_.wall() - began;
  recordingCpuNs_ += clocks_.cpu() - cpuBegan;
}

void Reporter::keep(ByteWriter& out) const {
  sums_.keep(out);
  // what was sent for iterations to come
  out.value(Communicator::Sent{comm_.sent().messages - sentBefore_.messages,
                               comm_.sent().bytes - sentBefore_.bytes});
  out.value(aggregations_);
  for (const std::int64_t value : {recordingNs_, recordingCpuNs_, epochNs_, timedNs_}) out.value(value);
}

void Reporter::resume(ByteReader& in) {
  sums_.resume(in);
  const auto ahead = in.value<Communicator::Sent>();
  sentBefore_ = {comm_.sent().messages - ahead.messages, comm_.sent().bytes - ahead.bytes};
  aggregations_ = in.value<Aggregations>();
  for (std::int64_t* value : {&recordingNs_, &recordingCpuNs_, &epochNs_, &timedNs_})
    *value = in.value<std::int64_t>();
}

void Reporter::add(const Iteration& iteration) {
  const std::int64_t began = clocks_.wall(), cpuBegan = clocks_.cpu();
  keepIteration(iteration);
  recordingNs_ += clocks_.wall() - began;
  recordingCpuNs_ += clocks_.cpu() - cpuBegan;
}

void Reporter::keepIteration(const Iteration& iteration) {
  const Communicator::Sent before = std::exchange(sentBefore_, comm_.sent());
  const std::int64_t shift = shiftNs();
  for (const ActorSpans& actor : iteration.actors) keepActors(actor);
  batches_.decisions.insert(batches_.decisions.end(), iteration.decisions.begin(), iteration.decisions.end());
  if (iterationsEvery_ == 0 || iteration.step % iterationsEvery_ != 0) return;
  IterationRow row;
  row.epoch = iteration.epoch;
  row.iteration = iteration.number;
  row.beginNs = iteration.beginNs + shift;
  row.wallNs = iteration.endNs - iteration.beginNs;
  row.modelledNs = iteration.modelledNs;
  row.loss = iteration.loss;
  row.seeds = iteration.seeds;
  row.arcs = iteration.arcs;
  row.bytesSent = sentBefore_.bytes - before.bytes;
  row.messages = sentBefore_.messages - before.messages;
  batches_.iterations.push_back(row);
  for (StageRow stage : iteration.stages) {
    stage.beginNs += shift;
    if (stage.plannedEndNs) *stage.plannedEndNs += shift;
    batches_.stages.push_back(stage);
  }
}

// Times of an actor are summed where they were spent, in the epoch that goes on. Its spans may be of a batch
// of the next epoch.
void Reporter::keepActors(const ActorSpans& actorSpans) {
  sums_.add(actorSpans.spans);
  std::vector<Span>& spans = actorSpans_[actorSpans.actor];
  for (const Span& span : actorSpans.spans) {
    if (!keepsSpans(span.epoch)) continue;
    spans.push_back(span);
    spans.back().beginNs += shiftNs();
    ++actorSpanCount_;
  }
}

void Reporter::keepBatches(std::int64_t epoch, BatchSums sums) {
  for (BlockRow& row : sums.blocks) {
    row.epoch = epoch;
    row.rank = comm_.rank();
    batches_.blocks.push_back(row);
  }
  if (!sums.cache) return;
  sums.cache->epoch = epoch;
  sums.cache->rank = comm_.rank();
  batches_.caches.push_back(*sums.cache);
}

void Reporter::takeSpans(std::int64_t epoch) {
  const std::int64_t began = clocks_.wall(), cpuBegan = clocks_.cpu();
  sums_.add(comm_.tracer().spans());
  keepSpans(epoch);
  recordingNs_ += clocks_.wall() - began;
  recordingCpuNs_ += clocks_.cpu() - cpuBegan;
}

void Reporter::keepSpans(std::int64_t epoch) {
  Tracer& tracer = comm_.tracer();
  if (keepsSpans(epoch))
    for (const Span& span : tracer.spans()) keep(span);
  tracer.clear();
}

void Reporter::keep(const Span& span) {
  spans_.push_back(span);
  spans_.back().beginNs += shiftNs();
}

void Reporter::takeLate(std::int64_t epoch, std::int64_t endNs) {
  for (Span span : comm_.tracer().spans()) {
    if (!keepsSpans(epoch) || span.lane != Lane::link || span.kind != Kind::communication ||
        span.beginNs >= endNs)
      continue;
    span.durationNs = std::min(span.endNs(), endNs) - span.beginNs;
    keep(span);
  }
  comm_.tracer().clear();
}

void Reporter::addScores(std::span<const EpochRow> scores) {
  for (const EpochRow& scored : scores) {
    const auto own =
        std::ranges::find(epochs_, scored.epoch, [](const OwnEpoch& noted) { return noted.row.epoch; });
    HALO_CHECK(own != epochs_.end());
    setScores(own->row, scored);
  }
  if (!epochs_.empty()) keepSpans(epochs_.back().row.epoch);
}

void Reporter::addAggregations(std::span<const LayerRow> rows, std::span<const WorkRow> work) {
  ++aggregations_.epochs;
  for (const LayerRow& row : rows) aggregations_.ns += row.aggregateNs;
  for (const WorkRow& row : work) {
    aggregations_.flop += row.aggregationFlop;
    aggregations_.leastBytes += row.aggregationLeastBytes;
    aggregations_.mostBytes += row.aggregationMostBytes;
  }
}

Reporter::Due Reporter::due(std::int64_t nowNs) const {
  const std::int64_t pause = std::clamp(kSpansShare * lastSpansCostNs_, kSpansEveryNs, kSpansAtLeastNs);
  if (spans_.size() + actorSpanCount_ >= kManySpans || nowNs - lastSpansNs_ >= pause) return Due::everything;
  return nowNs - lastRowsNs_ >= kRowsEveryNs ? Due::rows : Due::nothing;
}

std::string Reporter::encodeOwn(bool withSpans) {
  ByteWriter out;
  out.array(epochs_);
  out.array(layers_);
  out.array(messages_);
  out.array(batches_.iterations);
  out.array(batches_.blocks);
  out.array(batches_.caches);
  out.array(batches_.stages);
  out.array(batches_.decisions);
  out.array(withSpans ? spans_ : std::vector<Span>());
  out.value(withSpans ? std::ssize(actorSpans_) : std::ptrdiff_t{0});
  if (withSpans)
    for (const auto& [actor, spans] : actorSpans_) {
      out.value(actor);
      out.array(spans);
    }
  return out.take();
}

void Reporter::flush(bool withSpans) {
  // waiting for the slowest rank is no cost of recording: without a flush the next exchange would wait for it
  comm_.barrier();
  const std::int64_t began = clocks_.wall(), cpuBegan = clocks_.cpu();
  const std::vector<std::string> parts = comm_.gather(encodeOwn(withSpans));
  if (comm_.rank() == 0) merge(parts);
  recordingCpuNs_ += clocks_.cpu() - cpuBegan;
  epochs_.clear();
  layers_.clear();
  messages_.clear();
  batches_ = {};
  lastRowsNs_ = clocks_.wall();
  recordingNs_ += lastRowsNs_ - began;
  if (!withSpans) return;
  spans_.clear();
  actorSpans_.clear();
  actorSpanCount_ = 0;
  lastSpansNs_ = lastRowsNs_;
  lastSpansCostNs_ = lastSpansNs_ - began;
}

void Reporter::merge(const std::vector<std::string>& parts) {
  EpochBatch batch;
  BatchRows batches;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    ByteReader in(parts[rank]);
    std::vector<OwnEpoch> epochs;
    std::vector<LayerRow> layers;
    std::vector<MessageRow> messages;
    SpanBatch spans{static_cast<std::int64_t>(rank), {}, kNoActor};
    in.array(epochs);
    in.array(layers);
    in.array(messages);
    BatchRows drawn;
    in.array(drawn.iterations);
    in.array(drawn.blocks);
    in.array(drawn.caches);
    in.array(drawn.stages);
    in.array(drawn.decisions);
    in.array(spans.spans);
    mergeIterations(drawn.iterations, batches.iterations);
    batches.blocks.insert(batches.blocks.end(), drawn.blocks.begin(), drawn.blocks.end());
    batches.caches.insert(batches.caches.end(), drawn.caches.begin(), drawn.caches.end());
    batches.stages.insert(batches.stages.end(), drawn.stages.begin(), drawn.stages.end());
    batches.decisions.insert(batches.decisions.end(), drawn.decisions.begin(), drawn.decisions.end());
    if (rank == 0) {
      for (const OwnEpoch& own : epochs) batch.epochs.push_back(own.row);
      for (const OwnEpoch& own : epochs) batch.epochs[at(&own - epochs.data())].beginNs = own.beginNs;
    }
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      EpochRow& row = batch.epochs.at(i);
      row.beginNs = std::min(row.beginNs, epochs[i].beginNs);
      row.wallNs = std::max(row.wallNs, epochs[i].endNs - epochs[i].beginNs);
    }
    batch.layers.insert(batch.layers.end(), layers.begin(), layers.end());
    batch.messages.insert(batch.messages.end(), messages.begin(), messages.end());
    if (!spans.spans.empty()) send_(FrameType::spans, encodeSpans(spans));
    for (auto actors = in.value<std::ptrdiff_t>(); actors > 0; --actors) {
      spans.actor = in.value<std::int64_t>();
      in.array(spans.spans);
      if (!spans.spans.empty()) send_(FrameType::spans, encodeSpans(spans));
    }
  }
  for (const EpochRow& row : batch.epochs)
    if (!row.filling) timedNs_ += row.wallNs;
  addPredictions(batch);
  for (IterationRow& row : batches.iterations)
    if (row.seeds == 0) row.loss.reset();
  if (!batches.iterations.empty() || !batches.blocks.empty() || !batches.decisions.empty())
    send_(FrameType::iterations, encodeBatches(batches));
  send_(FrameType::epochs, encodeEpochs(batch));
}

// Ranks note the same iterations: they do an update together. Times stay those of rank 0, which comes first.
void Reporter::mergeIterations(const std::vector<IterationRow>& own, std::vector<IterationRow>& all) const {
  if (all.empty()) {
    all = own;
    return;
  }
  HALO_CHECK(own.size() == all.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    HALO_CHECK(own[i].epoch == all[i].epoch && own[i].iteration == all[i].iteration);
    all[i].loss = all[i].loss.value() + own[i].loss.value();
    all[i].seeds += own[i].seeds;
    all[i].arcs += own[i].arcs;
    all[i].bytesSent += own[i].bytesSent;
    all[i].messages += own[i].messages;
  }
}

// Puts the predicted bytes and messages beside the measured ones. A predicted flow that was not measured
// becomes a row of its own, so that the ledger shows it.
void Reporter::addPredictions(EpochBatch& batch) {
  std::map<std::tuple<std::int64_t, std::int64_t, Pass, std::int64_t, std::int64_t>, std::size_t> rows;
  for (std::size_t i = 0; i < batch.messages.size(); ++i) {
    const MessageRow& m = batch.messages[i];
    rows[{m.epoch, m.layer, m.pass, m.source, m.target}] = i;
  }
  struct Sum {
    std::int64_t bytes = 0, messages = 0;
  };
  std::map<std::tuple<std::int64_t, std::int64_t, Pass, std::int64_t>, Sum> byRank;
  for (MessageRow& message : batch.messages) message.predictedMessages = 0;
  for (const EpochRow& epoch : batch.epochs) {
    for (const PredictedVolume& flow : predict_(epoch.epoch, std::move(decided_[epoch.epoch]))) {
      Sum& sum = byRank[{epoch.epoch, flow.layer, flow.pass, flow.source}];
      sum.bytes += flow.bytes;
      sum.messages += flow.messages;
      const auto row = rows.find({epoch.epoch, flow.layer, flow.pass, flow.source, flow.target});
      if (row != rows.end()) {
        batch.messages[row->second].predictedBytes += flow.bytes;
        *batch.messages[row->second].predictedMessages += flow.messages;
      } else {
        batch.messages.push_back(
            {epoch.epoch, flow.layer, flow.pass, flow.source, flow.target, 0, 0, flow.bytes, flow.messages});
      }
    }
  }
  decided_.clear();
  for (LayerRow& layer : batch.layers) {
    const auto sum = byRank.find({layer.epoch, layer.layer, layer.pass, layer.rank});
    layer.predictedMessages = 0;
    if (sum == byRank.end()) continue;
    layer.predictedBytes = sum->second.bytes;
    layer.predictedMessages = sum->second.messages;
  }
}

}  // namespace halo
