#include "engine/run/supervisor/run_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/record/analysis/below_wire.h"
#include "engine/record/analysis/rest_share.h"
#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/lost_scores.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/spans.h"

namespace halo {
namespace {

/// As `kThreads` says it.
std::string threadsOf(const std::vector<WorkerRow>& workers) {
  if (workers.empty()) return "0";
  const auto [least, most] = std::ranges::minmax(workers, {}, &WorkerRow::threads);
  return least.threads == most.threads ? fmt::format("{}", least.threads)
                                       : fmt::format("{} to {}", least.threads, most.threads);
}

}  // namespace

RunRecorder::RunRecorder(Database& database, RunRow row, const RunSettings& settings, RunObserver& observer)
    : db_(database),
      runs_(database),
      row_(std::move(row)),
      settings_(settings),
      observer_(observer),
      summary_(settings.cluster.workers),
      waits_(database, row_.id, settings.cluster.workers) {}

void RunRecorder::take(const Frame& frame) {
  switch (frame.type) {
    case FrameType::progress: {
      const auto progress = nlohmann::json::parse(frame.payload);
      return observer_.onProgress(row_, progress.at("what"), progress.at("share"));
    }
    case FrameType::started:
      return takeStarted(nlohmann::json::parse(frame.payload));
    case FrameType::epochs:
      return takeEpochs(decodeEpochs(frame.payload));
    case FrameType::iterations:
      batches_ = decodeBatches(frame.payload);
      return;
    case FrameType::spans:
      spans_.push_back(decodeSpans(frame.payload));
      return;
    case FrameType::artifact:
      return runs_.addArtifact(row_.id, decodeArtifact(frame.payload));
    case FrameType::finished:
      return takeFinished(nlohmann::json::parse(frame.payload));
    case FrameType::failed:  // who supervises knows how it ends
    case FrameType::job:
    case FrameType::stop:
    case FrameType::goOn:
      return;
  }
}

void RunRecorder::takeStarted(const nlohmann::json& started) {
  workers_ = workersFromJson(started.at("workers").dump());
  std::vector<std::string> marks = started.at("marks");
  if (settings_.cluster.link.emulated() && workers_.size() > 1) marks.insert(marks.begin(), "emulated link");
  row_.marks.clear();
  for (const std::string& mark : marks) row_.marks += (row_.marks.empty() ? "" : ", ") + mark;
  row_.dataset = started.at("dataset");
  waits_.start(started.at("late_epochs"), settings_.cluster.link.emulated(), workers_,
               settings_.record.spansEvery);
  busiest_ = BusiestCard(cardsOfRanks(settings_.flat(), workers_));
  const auto remarks = started.value("remarks", std::vector<std::string>());
  Transaction transaction(db_);
  if (cut_) {
    cutBack(db_, row_.id, *cut_);
    restore();
  }
  if (const auto now = runs_.find(row_.id)) row_.tags = now->tags;  // changed while the workers started
  runs_.update(row_);
  runs_.setWorkers(row_.id, workers_);
  if (started.contains("actors")) {
    const std::vector<ActorRow> actors = actorsFromJson(started.at("actors").dump());
    Hybrid(db_).setActors(row_.id, actors);
    summary_.actBy(std::ssize(actors));
  }
  runs_.setParameters(row_.id, {{kLayerOrders, started.at("layer_orders")}});
  if (started.contains("data_digest"))
    runs_.setParameters(row_.id, {{kDataDigest, started.at("data_digest")}});
  runs_.setParameters(row_.id, {{kThreads, threadsOf(workers_)}});
  if (started.contains("findings"))
    runs_.setParameters(row_.id, started.at("findings").get<std::map<std::string, std::string>>());
  if (started.contains("iterations_every"))
    runs_.setParameters(row_.id, {{kIterationsEvery, started.at("iterations_every").dump()},
                                  {kTrainingVertices, started.at("training_vertices").dump()}});
  if (!remarks.empty())
    runs_.addArtifact(row_.id, {"remarks", "text/plain", fmt::format("{}\n", fmt::join(remarks, "\n"))});
  transaction.commit();
  for (const std::string& remark : remarks) observer_.onRemark(row_, row_.dataset + ": " + remark);
  observer_.onStart(row_);
}

/// What is summed up over a run, from the rows that it has.
void RunRecorder::restore() {
  const Epochs table(db_);
  const std::vector<EpochRow> epochs = table.epochs(row_.id);
  summary_.add(epochs, table.layers(row_.id));
  busiest_.add(epochs, table.messages(row_.id));
  lost_.add(epochs);
  const Iterations batches(db_);
  iterations_.add({batches.iterations(row_.id), batches.blocks(row_.id), batches.caches(row_.id), {}, {}});
  waits_.restore(epochs, WaitingTable(db_).rows(row_.id));
  restoreEpoch(epochs);
}

/// Of the epoch that goes on: why its ranks waited is found from the spans that are there.
void RunRecorder::restoreEpoch(const std::vector<EpochRow>& epochs) {
  if (!epochs.empty()) spansTo_ = epochs.back().epoch;
  const std::int64_t end = epochs.empty() ? 0 : epochs.back().beginNs + epochs.back().wallNs;
  const Spans table(db_);
  for (const SpanBlockInfo& block : table.blocksSince(row_.id, end)) {
    std::vector<Span> spans = table.load(block.id);
    std::erase_if(spans, [&](const Span& span) { return span.epoch < cut_->epoch; });
    waits_.add(block.rank, spans);
  }
}

void RunRecorder::takeEpochs(const EpochBatch& batch) {
  {
    Transaction transaction(db_);
    Epochs table(db_);
    table.append(row_.id, batch.epochs);
    table.append(row_.id, batch.layers);
    table.append(row_.id, batch.messages);
    Iterations(db_).append(row_.id, batches_);
    Hybrid(db_).append(row_.id, batches_);
    iterations_.add(std::exchange(batches_, {}));
    for (const SpanBatch& spans : spans_) {
      if (spans.actor != kNoActor) {
        Spans(db_).append(row_.id, spans.rank, spans.spans, spans.actor);
        continue;
      }
      Spans(db_).append(row_.id, spans.rank, spans.spans);
      waits_.add(spans.rank, spans.spans);
      for (const Span& span : spans.spans)
        if (span.lane == Lane::phase) spansTo_ = std::max<std::int64_t>(spansTo_, span.epoch);
    }
    spans_.clear();
    waits_.add(batch.epochs);
    summary_.add(batch.epochs, batch.layers);
    busiest_.add(batch.epochs, batch.messages);
    if (lost_.add(batch.epochs))
      runs_.setParameters(row_.id, {{kLostScoreEpochs, std::to_string(lost_.epochs())}});
    updateLatest();
    transaction.commit();
  }
  for (const EpochRow& epoch : batch.epochs) observer_.onEpoch(row_, epoch, settings_.training.epochs);
}

void RunRecorder::takeFinished(const nlohmann::json& finished) {
  workers_ = workersFromJson(finished.at("workers").dump());
  for (const auto& [name, value] : finished.at("metrics").items()) extraLatest_[name] = value.get<double>();
  lost_.setWeights(finished.at("lost_weights"));
  Transaction transaction(db_);
  runs_.setWorkers(row_.id, workers_);
  updateLatest();
  transaction.commit();
  finished_ = true;
  stoppedEarly_ = finished.at("stopped_early");
}

void RunRecorder::finish() {
  if (!summary_.last()) return;
  Transaction transaction(db_);
  waits_.finish();
  updateLatest();
  markTimes();
  transaction.commit();
}

/// Whoever reads the median is to know where bytes contradict it.
void RunRecorder::markTimes() {
  auto now = runs_.find(row_.id);  // its tags may have changed
  if (!now) return;
  const std::string mark = belowWire({*now, settings_.flat(), now->workers}, runs_.latest(row_.id));
  if (mark.empty()) return;
  now->marks += (now->marks.empty() ? "" : ", ") + mark;
  runs_.update(*now);
}

void RunRecorder::updateLatest() {
  std::map<std::string, double> latest = summary_.metrics(workers_);
  latest.merge(iterations_.metrics());
  latest.merge(waits_.metrics());
  latest.merge(busiest_.metrics());
  latest.insert(extraLatest_.begin(), extraLatest_.end());
  addIdle(latest);
  runs_.setLatest(row_.id, latest);
}

/// Of epochs whose spans did not come over MPI. A rank may have sent the same several times; of a wait that
/// goes on the last says most.
void RunRecorder::append(std::span<const SpanBatch> last) {
  using Key = std::tuple<std::int64_t, Lane, Name, std::int32_t, std::int64_t>;
  std::map<std::int64_t, std::map<Key, Span>> byRank;
  for (const SpanBatch& batch : last)
    for (const Span& span : batch.spans)
      if (batch.rank >= 0 && batch.rank < std::ssize(workers_) && batch.actor == kNoActor &&
          span.epoch > spansTo_)
        byRank[batch.rank].insert_or_assign({span.beginNs, span.lane, span.name, span.peer, span.message},
                                            span);
  for (const auto& [rank, byKey] : byRank) {
    std::vector<Span> spans;
    for (const auto& [key, span] : byKey) spans.push_back(span);
    Spans(db_).append(row_.id, rank, spans);
  }
}

void RunRecorder::end(const RunOutcome& outcome, std::span<const SpanBatch> last) {
  Transaction transaction(db_);
  if (outcome.status != "completed") append(last);
  runs_.setStatus(row_.id, outcome.status, outcome.error);
  transaction.commit();
  if (const auto row = runs_.find(row_.id)) row_ = *row;
}

bool RunRecorder::isThere() const {
  try {
    return runs_.find(row_.id).has_value();
  } catch (const RecordError&) {  // not to be read is not to be deleted
    return true;
  }
}

}  // namespace halo
