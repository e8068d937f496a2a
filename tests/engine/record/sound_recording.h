#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/fingerprint.h"
#include "engine/record/analysis/iteration_summary.h"
#include "engine/record/analysis/layer_times.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/analysis/wait_reasons.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "engine/record/tables/waiting.h"
#include "tests/engine/record/acting_rows.h"

namespace halo {

/// A run of two workers that trains two layers and sends rows forward in the first: every table that a
/// training run fills, as small as can be, and all of it in agreement.
struct SoundRun {
  std::int64_t epochs = 3, planned = 3;
  std::string status = "completed", error;
  bool predictsMessages = true;  // schema 1 does not
  bool inBatches = false;        // two iterations an epoch, with caches
  bool acts = false;             // and actors of worker 0, with their spans, and decisions
};

class SoundRecording {
 public:
  SoundRecording(Database& database, SoundRun like = {}) : db_(database), like_(std::move(like)) {
    Transaction transaction(db_);
    addRun();
    for (std::int64_t epoch = 0; epoch < like_.epochs; ++epoch) addEpoch(epoch);
    addEnd();
    transaction.commit();
  }
  std::int64_t run() const { return run_; }

 private:
  static constexpr std::int64_t kWorkers = 2, kEpochNs = 10'000'000;

  void addRun() {
    std::map<std::string, std::string> keys = {{"run.method", "\"vanilla\""},
                                               {"dataset.name", "\"/data/sound \\\"one\\\"/\""},
                                               {"model.kind", "\"gcn\""},
                                               {"model.layers", "2"},
                                               {"cluster.workers", std::to_string(kWorkers)},
                                               {"cluster.threads", "1"},
                                               {"training.seed", "1"},
                                               {"training.epochs", std::to_string(like_.planned)},
                                               {"training.evaluate_every", "1"},
                                               {"record.spans", "\"all\""},
                                               {"record.staleness", "2"}};
    RunRow row;
    row.method = "vanilla", row.dataset = "sound \"one\"", row.model = "gcn", row.workers = kWorkers;
    if (like_.inBatches)
      keys.insert({{"result.iterations_every", "1"},
                   {"result.training_vertices", "5"},
                   {"result.element_bytes", "4"},
                   {"result.layer_orders", "aggregate-first 2, aggregate-first 3"}});
    if (like_.acts) {
      row.marks = "modelled devices";
      keys.insert({{"run.clock", "\"real\""},
                   {"run.cards", "0"},
                   {"platform.cards", "2"},
                   {"platform.cpu_threads", "16"},
                   {"result.batch", "100"},
                   {"result.dilation", "2"}});
    }
    row.fingerprint = trainingFingerprint(keys);
    Runs runs(db_);
    row.experimentId = runs.addExperiment("sound", "schema = 1\n");
    run_ = runs.add(row);
    runs.setParameters(run_, keys);
    runs.setStatus(run_, "running");
    for (std::int64_t rank = 0; rank < kWorkers; ++rank) {
      WorkerRow worker;
      worker.rank = rank, worker.vertices = 3 - rank, worker.remote = 1, worker.featureBytes = 60;
      workers_.push_back(worker);
    }
    runs.setWorkers(run_, workers_);
    reasons_.emplace(0, false, workers_);
    if (!like_.acts) return;
    Hybrid(db_).setActors(run_, acting::kActors);
    BatchRows rows;
    rows.decisions = acting::decisions();
    Hybrid(db_).append(run_, rows);
  }

  static std::vector<Span> spansOf(std::int64_t epoch, std::int64_t rank) {
    const std::int64_t begin = epoch * (kEpochNs + 1000);
    std::vector<Span> spans;
    const auto add = [&](std::int64_t from, std::int64_t duration, Name name, Kind kind, Lane lane,
                         std::int16_t layer, Pass pass) {
      spans.push_back(
          {begin + from, duration, 0, static_cast<std::int32_t>(epoch), -1, layer, name, kind, lane, pass});
    };
    add(0, kEpochNs - 1000 * rank, Name::epoch, Kind::other, Lane::phase, -1, Pass::none);
    // of tag 0 between these two, the epoch's message is the epoch-th
    const auto ofMessage = [&](bool sent) {
      spans.back().peer = static_cast<std::int32_t>(1 - rank);
      spans.back().message = epoch << 16 | std::int64_t{sent};
    };
    add(90, 5, Name::send, Kind::communication, Lane::message, 0, Pass::forward);
    ofMessage(true);
    add(100, 3000, Name::receive, Kind::communication, Lane::link, 0, Pass::forward);
    ofMessage(false);
    spans.back().bytes = 400;
    add(200, 1900 + rank, Name::wait, Kind::communication, Lane::main, 0, Pass::forward);
    ofMessage(false);
    add(3000, 5000, Name::aggregate, Kind::compute, Lane::main, 0, Pass::forward);
    add(9000, 700, Name::update, Kind::compute, Lane::main, 1, Pass::backward);
    add(10'000, 30, Name::allReduce, Kind::synchronise, Lane::main, -1, Pass::none);
    return spans;
  }

  LayerRow layerRow(std::int64_t epoch, std::int64_t rank, std::int64_t layer, Pass pass) const {
    LayerRow row;
    row.epoch = epoch, row.rank = rank, row.layer = layer, row.pass = pass;
    for (const Span& span : spansOf(epoch, rank))
      if (span.layer == layer && span.pass == pass && span.lane != Lane::phase) addTime(row, span);
    if (like_.acts && rank == 0 && layer == -1 && epoch != 1) {
      addTime(row, acting::sampled(epoch));
      if (epoch == 0) addTime(row, acting::sampled(1));
    }
    if (like_.predictsMessages) row.predictedMessages = 0;
    if (layer == 1) {
      row.flop = 300 + rank;
      if (epoch % 2 == 0) row.stalenessAbsolute = row.stalenessRelative = 0.0;
      return row;
    }
    row.bytesSent = row.predictedBytes = layer == 0 ? 400 : 40;
    if (like_.inBatches && layer == 0) row.flop = forwardFlop(rank, 0);
    row.messages = 1;
    if (like_.predictsMessages) row.predictedMessages = 1;
    return row;
  }

  static BlockRow block(std::int64_t epoch, std::int64_t rank, std::int64_t layer) {
    if (layer == 0) return {epoch, rank, 0, 4, 6, 5 + rank, 9 + rank, 2, 2, 3, 1000};
    return {epoch, rank, 1, 3 - rank, 4, 3 - rank, 6 - 2 * rank, 0, 0, 2, 500};
  }
  BatchRows batchesOf(const EpochRow& epoch) const {
    BatchRows rows;
    rows.iterations = {{.epoch = epoch.epoch,
                        .iteration = 0,
                        .beginNs = epoch.beginNs,
                        .wallNs = 6'000'000,
                        .loss = epoch.loss + 0.2,
                        .seeds = 3,
                        .arcs = 10,
                        .bytesSent = 500,
                        .messages = 2},
                       {.epoch = epoch.epoch,
                        .iteration = 1,
                        .beginNs = epoch.beginNs + 6'000'000,
                        .wallNs = 4'000'000,
                        .loss = epoch.loss - 0.3,
                        .seeds = 2,
                        .arcs = 6,
                        .bytesSent = 380,
                        .messages = 2}};
    for (IterationRow& row : rows.iterations) {
      if (!like_.acts) continue;
      row.modelledNs = row.wallNs / 2;
      for (const StageRow& stage : acting::stagesOf(row)) rows.stages.push_back(stage);
    }
    for (std::int64_t rank = 0; rank < kWorkers; ++rank) {
      for (const std::int64_t layer : {0, 1}) rows.blocks.push_back(block(epoch.epoch, rank, layer));
      rows.caches.push_back({epoch.epoch, rank, 4, 4, 2, 16, 3.5});
    }
    return rows;
  }
  /// Of layers 2 → 3 → 2: 2 nonzeros × in, and 2 targets × in × out.
  static std::int64_t forwardFlop(std::int64_t rank, std::int64_t layer) {
    const BlockRow counts = block(0, rank, layer);
    return layer == 0 ? 4 * counts.nonzeros + 12 * counts.targets : 6 * counts.nonzeros + 12 * counts.targets;
  }

  void addBatches(const EpochRow& epoch) {
    const BatchRows rows = batchesOf(epoch);
    Iterations(db_).append(run_, rows);
    Hybrid(db_).append(run_, rows);
    if (like_.acts) {
      const Span span = acting::sampled(epoch.epoch);
      Spans(db_).append(run_, 0, std::span(&span, 1), 0);
    }
    iterations_.add(rows);
    for (std::int64_t rank = 0; rank < kWorkers; ++rank) {
      LayerRow row;
      row.epoch = epoch.epoch, row.rank = rank, row.layer = 1, row.pass = Pass::forward;
      row.flop = forwardFlop(rank, 1);
      if (like_.predictsMessages) row.predictedMessages = 0;
      Epochs(db_).append(run_, std::span(&row, 1));
      layers_.push_back(row);
    }
  }

  void addEpoch(std::int64_t epoch) {
    epochs_.push_back({epoch, epoch * (kEpochNs + 1000), kEpochNs, 1.0 / static_cast<double>(epoch + 2), 0.5,
                       0.25 * static_cast<double>(epoch % 3), 0.75});
    Epochs table(db_);
    table.append(run_, std::span(&epochs_.back(), 1));
    const std::optional<std::int64_t> predictedMessages =
        like_.predictsMessages ? std::optional<std::int64_t>(1) : std::nullopt;
    for (std::int64_t rank = 0; rank < kWorkers; ++rank) {
      const LayerRow layers[] = {layerRow(epoch, rank, -1, Pass::none),
                                 layerRow(epoch, rank, 0, Pass::forward),
                                 layerRow(epoch, rank, 1, Pass::backward)};
      const MessageRow messages[] = {
          {epoch, -1, Pass::none, rank, -1, 1, 40, 40, predictedMessages},
          {epoch, 0, Pass::forward, rank, 1 - rank, 1, 400, 400, predictedMessages}};
      table.append(run_, layers);
      table.append(run_, messages);
      Spans(db_).append(run_, rank, spansOf(epoch, rank));
      layers_.insert(layers_.end(), std::begin(layers), std::end(layers));
      reasons_->add(rank, spansOf(epoch, rank));
    }
    if (like_.inBatches) addBatches(epochs_.back());
    shares_.add(epochs_.back());
    for (const WaitReasons::Judged& judged : reasons_->take()) {
      const std::vector<WaitRow> rows = waitRows(judged);
      WaitingTable(db_).append(run_, rows);
      Spans(db_).append(run_, judged.rank, judged.pieces);
      shares_.add(rows);
    }
  }

  void addEnd() {
    Runs runs(db_);
    std::map<std::string, double> latest;
    Summary summary(kWorkers);
    if (like_.acts) summary.actBy(std::ssize(acting::kActors));
    summary.add(epochs_, layers_);
    if (!epochs_.empty()) latest = summary.metrics(workers_);
    latest.merge(shares_.metrics());
    latest.merge(iterations_.metrics());
    if (like_.inBatches)
      latest.insert({{"iterations_per_epoch", 2}, {"sampled_arcs_per_epoch", 16}, {"effective_batch", 3}});
    if (like_.status == "completed") {
      latest.insert({{"replication_factor", 1.4},
                     {"aggregation_seconds_per_epoch", 1e-5},
                     {"memory_features_bytes", 120},
                     {"hidden_share", 1e-5}});  // 100 ns in 10 ms
      runs.addArtifact(run_, {"partition", "text/plain", "0\n1\n0\n1\n0\n"});
      runs.addArtifact(run_, {"weights", "application/x-npz", "PK"});
    }
    runs.setLatest(run_, latest);
    runs.setStatus(run_, like_.status, like_.error);
  }

  Database& db_;
  SoundRun like_;
  std::int64_t run_ = 0;
  std::vector<WorkerRow> workers_;
  std::vector<EpochRow> epochs_;
  std::vector<LayerRow> layers_;
  std::optional<WaitReasons> reasons_;
  WaitShares shares_{kWorkers};
  IterationSummary iterations_;
};

}  // namespace halo
