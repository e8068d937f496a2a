#pragma once

#include <QTemporaryDir>
#include <filesystem>

#include "engine/record/database/database.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"

namespace halo {

/// A small recording as a run would leave it: `runs` runs of one experiment, spans for the first, in a folder
/// of its own. `varied`: as a sweep has them, in method, workers, width, rate and seed; else all are alike.
class SmallRecording {
 public:
  explicit SmallRecording(int workers, int epochs, int runs = 1, bool varied = false) {
    Database database(file(), Access::create);
    Runs table(database);
    Transaction transaction(database);
    const std::int64_t experiment = table.addExperiment("synthetic", "schema = 1\nname = \"synthetic\"\n");
    for (int run = 1; run <= runs; ++run) addRun(database, experiment, workers, epochs, run == 1);
    if (varied) vary(database);
    transaction.commit();
  }

  std::filesystem::path file() const { return folder_.filePath("synthetic.db").toStdString(); }
  QString path() const { return folder_.filePath("synthetic.db"); }

 private:
  static void addRun(Database& database, std::int64_t experiment, int workers, int epochs, bool spans) {
    Runs table(database);
    RunRow row;
    row.experimentId = experiment;
    row.method = "vanilla";
    row.dataset = "karate-club";
    row.model = "gcn 2x16";
    row.name = "synthetic / vanilla / workers=" + std::to_string(workers);
    row.workers = workers;
    row.status = "completed";
    row.marks = "emulated link";
    row.startedAt = "2026-01-02T03:04:05Z";
    row.version = "0.1.0";
    const std::int64_t run = table.add(row);
    table.setLatest(run, {{"loss", 1.0 / (1 + double(run))},
                          {"epoch_seconds", 0.01},
                          {"test_score", 0.8},
                          {"epochs", epochs}});
    table.setParameters(run, {{"training.epochs", std::to_string(epochs)}, {"model.hidden", "16"}});
    if (!spans) return;
    std::vector<EpochRow> rows;
    std::vector<MessageRow> messages;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      rows.push_back(
          {epoch, kZero + epoch * kEpoch, kEpoch, 1.9 / (1 + epoch), 0.5, 0.4 + 0.01 * epoch, 0.4});
      for (int source = 0; source < workers; ++source)
        for (int target = 0; target < workers; ++target)
          if (source != target)
            messages.push_back({epoch, 0, Pass::forward, source, target, 1, 4096 + source, 4096 + source});
    }
    Epochs(database).append(run, rows);
    Epochs(database).append(run, messages);
    std::vector<WorkerRow> ranks;
    for (int rank = 0; rank < workers; ++rank) {
      WorkerRow worker;
      worker.rank = rank;
      worker.host = "here";
      worker.vertices = 9;
      ranks.push_back(worker);
      Spans(database).append(run, rank, spansOf(rank, epochs));
    }
    table.setWorkers(run, ranks);
  }

  /// All but the first, which has spans.
  static void vary(Database& database) {
    for (const char* change :
         {"UPDATE run SET method = CASE id % 3 WHEN 0 THEN 'pipegcn' WHEN 1 THEN 'vanilla' ELSE 'adaqp' END, "
          "workers = 1 << (id / 3 % 4), seed = id / 120",
          "UPDATE run SET name = 'synthetic / method=' || method || ' / workers=' || workers || "
          "' / model.hidden=' || (16 << (id / 12 % 5)) || ' / training.learning_rate=' || (id / 60 % 2 + 1) "
          "|| "
          "'e-2 / seed=' || seed",
          "INSERT OR REPLACE INTO parameter SELECT id, 'model.hidden', 16 << (id / 12 % 5) FROM run",
          "INSERT OR REPLACE INTO parameter SELECT id, 'training.learning_rate', (id / 60 % 2 + 1) || 'e-2' "
          "FROM run",
          "INSERT OR REPLACE INTO parameter SELECT id, 'training.seed', seed FROM run",
          "INSERT OR REPLACE INTO parameter SELECT id, 'cluster.wire.bandwidth_gbit', 10 FROM run"})
      database.execute(std::string(change) +
                       (std::string_view(change).starts_with("UPDATE") ? " WHERE id > 1" : ""));
  }

  static std::vector<Span> spansOf(int rank, int epochs) {
    std::vector<Span> spans;
    const auto add = [&](int epoch, std::int64_t from, std::int64_t to, Name name, Kind kind, Lane lane,
                         std::int16_t layer) {
      const std::int64_t begin = kZero + epoch * kEpoch;
      spans.push_back({begin + from, to - from, lane == Lane::link ? 4096 : 0, epoch, -1, layer, name, kind,
                       lane, Pass::forward});
    };
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const std::int64_t slow = 300'000 * rank;
      add(epoch, 0, 2'000'000 + slow, Name::aggregate, Kind::compute, Lane::main, 0);
      add(epoch, 1'000'000, 4'000'000, Name::send, Kind::communication, Lane::link, 0);
      add(epoch, 2'500'000 + slow, 4'000'000 + slow, Name::wait, Kind::communication, Lane::main, 0);
      add(epoch, 4'000'000 + slow, 7'000'000 + slow, Name::update, Kind::compute, Lane::main, 1);
      add(epoch, 7'500'000 + slow, kEpoch - 100'000, Name::allReduce, Kind::synchronise, Lane::main, -1);
    }
    return spans;
  }

  static constexpr std::int64_t kZero = 1'000'000'000, kEpoch = 10'000'000;
  QTemporaryDir folder_;
};

}  // namespace halo
