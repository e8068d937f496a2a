// Figures, scores, times and kinds of runs that were changed after they were recorded.
#include <optional>

#include "engine/record/tables/spans.h"
#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("figures of the last word that contradict the tables or each other are found", "[record]") {
  checkFound(
      {{"UPDATE latest SET value = 0.5 WHERE metric = 'hidden_share'",
        "run 1: table latest has hidden_share 0.5, its spans give 1e-05"},
       {"INSERT INTO latest VALUES(1, 'hidden_transfer_share', 0.9)",
        "run 1: table latest has hidden_transfer_share 0.9, its spans give "},
       {"DELETE FROM latest WHERE metric = 'hidden_share'",
        "run 1: is completed, and table latest has no hidden_share"},
       {"DELETE FROM message; UPDATE layer SET bytes_sent = 0, predicted_bytes = 0, messages = 0, "
        "predicted_messages = 0; DELETE FROM latest WHERE metric <> 'hidden_share'",
        "run 1: table latest has hidden_share 1e-05, its rows in worker, layer and message"},
       {"INSERT INTO latest VALUES(1, 'arc_imbalance', 0.25)",
        "run 1: table latest has arc_imbalance 0.25, its rows in worker"},
       {"INSERT INTO latest VALUES(1, 'broadcasts', 5), (1, 'skipped_broadcasts', 0), (1, 'skipped_share', "
        "0)",
        "run 1: table latest has broadcasts 5, its rows in worker, layer and message and memory_…_bytes give "
        "6"},
       {"INSERT INTO latest VALUES(1, 'broadcasts', 6), (1, 'skipped_broadcasts', 1), (1, 'skipped_share', "
        "0)",
        "run 1: table latest has skipped_broadcasts 1, its rows"},
       {"INSERT INTO latest VALUES(1, 'broadcasts', 6), (1, 'skipped_broadcasts', 0), (1, 'skipped_share', "
        "1)",
        "run 1: table latest has skipped_share 1, its rows"},
       {"INSERT INTO latest VALUES(1, 'assigned_bytes', 700)",
        "run 1: table latest has assigned_bytes 700, its rows in worker, layer and message and "
        "memory_…_bytes "
        "give 800"},
       {"INSERT INTO latest VALUES(1, 'aggregation_least_bytes_per_epoch', 9), "
        "(1, 'aggregation_most_bytes_per_epoch', 8)",
        "run 1: table latest has aggregation_least_bytes_per_epoch 9, and aggregation_most_bytes_per_epoch "
        "8"},
       {"INSERT INTO latest VALUES(1, 'aggregation_flop_per_epoch', 602)",
        "run 1: table latest has aggregation_flop_per_epoch 602, and flop_per_epoch 601, of which it is a "
        "part"},
       {"UPDATE latest SET value = 0.65 WHERE metric = 'hidden_share'",
        "run 1: table latest has hidden_share 0.65, and compute_share "},
       {"INSERT INTO latest VALUES(1, 'memory_history_bytes', -4)",
        "run 1: table latest has memory_history_bytes -4; 0 or more"},
       {"INSERT INTO latest VALUES(1, 'partition_seconds', 100)",
        "run 1: its partition took 100.000 s and its last epoch ended 0.030 s after that; it went on from"}});
}

TEST_CASE("a recording older than a figure may lack it, and a newer one may not", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const std::string without = "DELETE FROM latest WHERE metric = 'mean_epoch_seconds'";
  CHECK(changed(database, without + "; UPDATE latest SET metric = 'unwaited_share' WHERE metric = "
                                    "'hidden_share'") == Strings());
  const Strings faults = changed(database, without);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults.front(),
             Catch::Matchers::StartsWith("run 1: table latest has no mean_epoch_seconds; its rows"));
}

TEST_CASE("broadcasts are summed up without those skipped and the layer that is aggregated once",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const auto withFigures = [&](const std::string& broadcasts, const std::string& skipped,
                               const std::string& share, const std::string& change) {
    Strings faults;
    for (const std::string& fault :
         changed(database, "INSERT INTO latest VALUES(1, 'broadcasts', " + broadcasts +
                               "), (1, 'skipped_broadcasts', " + skipped + "), (1, 'skipped_share', " +
                               share + "); " + change))
      if (fault.find("broadcasts") != std::string::npos || fault.find("skipped") != std::string::npos)
        faults.push_back(fault);
    return faults;
  };
  CHECK(withFigures("6", "0", "0.0", "") == Strings());
  CHECK(withFigures("5", "1", "1.0 / 6",
                    "DELETE FROM message WHERE epoch = 2 AND source = 1 AND layer = 0") == Strings());
  CHECK(withFigures("0", "0", "0.0", "INSERT INTO parameter VALUES(1, 'run.layer0_cache', 'true')") ==
        Strings());
}

TEST_CASE("scores that are missing or too many are found", "[record]") {
  const char* const everySecond = "UPDATE parameter SET value = '2' WHERE key = 'training.evaluate_every'; ";
  checkFound({{"UPDATE epoch SET train = NULL WHERE epoch = 1",
               "run 1, epoch 1: has no score train, and others have; it is measured every 1 epochs"},
              {"UPDATE epoch SET train = NULL, valid = NULL, test = NULL WHERE epoch = 0",
               "run 1, epoch 0: has no score test, and others have"},
              {everySecond,
               "run 1, epoch 1: has a score train, and none is measured in it (training.evaluate_every "
               "is 2)"}});
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, {.epochs = 4, .planned = 4});
  database.execute(everySecond);
  database.execute("UPDATE epoch SET train = NULL, valid = NULL, test = NULL WHERE epoch = 1");
  for (const std::string& fault : checkRecording(database, help()).faults)  // the last epoch, 3, has its own
    CHECK(fault.find("score") == std::string::npos);
  // nobody is in the split
  database.execute("UPDATE epoch SET test = NULL");
  for (const std::string& fault : checkRecording(database, help()).faults)
    CHECK(fault.find("has no score") == std::string::npos);
}

TEST_CASE("scores that are no numbers are sound where the run counted them", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const std::string lose = "UPDATE epoch SET valid = NULL WHERE epoch = 0; ";
  CHECK_FALSE(changed(database, lose) == Strings());
  const std::string log =
      "INSERT INTO artifact(run_id, name, media_type, bytes) VALUES(1, 'log', 'text/plain', "
      "CAST('weights hold what is no number: layer0.weight' AS BLOB)); ";
  CHECK_FALSE(changed(database, lose + log) == Strings());
  const std::string tell =
      "INSERT INTO parameter(run_id, key, value) VALUES(1, 'result.lost_score_epochs', '1'); ";
  for (const std::string& fault : changed(database, lose + tell))
    CHECK(fault.find("score") == std::string::npos);
}

TEST_CASE("a run of a kind that nothing writes is found, and looked at all the same", "[record]") {
  checkFound(
      {{"UPDATE run SET kind = 'projection'",
        "run 1: its kind is projection, which nothing writes; training or simulation"},
       {"UPDATE run SET kind = 'projection'; DELETE FROM latest",
        "run 1: is completed and has nothing in table latest"},
       {"UPDATE run SET kind = 'projection'; UPDATE parameter SET value = '7' WHERE key = "
        "'training.seed'",
        "run 1: its fingerprint is "},
       {"UPDATE run SET kind = 'simulation'", "run 1: is a simulation, and is not marked 'simulated'"}});
}

namespace {

/// Moves the times of a worker's spans, in all lanes or in one.
void shift(Database& database, std::int64_t run, std::int64_t rank, std::int64_t ns,
           std::optional<Lane> lane = std::nullopt) {
  Spans store(database);
  std::vector<std::vector<Span>> recorded;
  for (const SpanBlockInfo& row : store.blocks(run)) {
    if (row.rank != rank) continue;
    if (row.lane == Lane::main) recorded.emplace_back();
    for (Span span : store.load(row.id)) {
      if (!lane || span.lane == *lane) span.beginNs += ns;
      recorded.back().push_back(span);
    }
  }
  database.execute("DELETE FROM span_block WHERE rank = " + std::to_string(rank));
  for (const std::vector<Span>& spans : recorded) store.append(run, rank, spans);
}

struct Shift {
  std::int64_t rank, ns;
  std::optional<Lane> lane;
  const char* finding;
};

}  // namespace

TEST_CASE("times of a worker that are shifted are found", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  const char* const meeting = "run 1, epoch 0, worker 1: it comes to a meeting of all (all-reduce) at ";
  for (const auto& [rank, ns, lane, finding] :
       {Shift{1, 31, std::nullopt, meeting}, Shift{1, 3'600'000'000'000, std::nullopt, meeting},
        Shift{1, -31, std::nullopt,
              "run 1, epoch 0, worker 0: it comes to a meeting of all (all-reduce) at 10000 ns, worker 1 has "
              "left it at 9999 ns; nobody leaves before all have come"},
        Shift{0, 31, std::nullopt, "run 1, epoch 0, worker 0: it comes to a meeting of all"},
        Shift{
            1, -201, Lane::main,
            "run 1, epoch 0, worker 1: its spans of lane main are from -1 to 9829 ns, and could be from 0 to "
            "9999000 ns by those of its epochs"},
        Shift{1, -101, Lane::link, "run 1, epoch 0, worker 1: its spans of lane link are from -1 to 2999 ns"},
        Shift{1, 9'997'000, Lane::link,
              "run 1, epoch 0, worker 1: its spans of lane link are from 9997100 to 10000100 ns"}}) {
    Transaction transaction(database);
    shift(database, sound.run(), rank, ns, lane);
    const Strings faults = checkRecording(database, help()).faults;
    CAPTURE(rank, ns, finding, faults);
    CHECK(std::ranges::any_of(
        faults, [&, start = finding](const std::string& fault) { return fault.starts_with(start); }));
  }
  Transaction transaction(database);
  database.execute("UPDATE worker SET clock_uncertainty_ns = 20 WHERE rank = 1");
  shift(database, sound.run(), 1, 40);
  CHECK(checkRecording(database, help()).faults == Strings());  // as far as clocks are known
}

TEST_CASE("a run whose times are all shifted is found by when it was begun and finished", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  for (const auto& [ns, finding] :
       {std::pair{std::int64_t{-5}, "run 1, epoch 0: begins at -5 ns; 0 is when the workers were ready"},
        {std::int64_t{3'600'000'000'000},
         "run 1: its partition took 0.000 s and its last epoch ended 3600.030 s after that; it went on "
         "from "}}) {
    Transaction transaction(database);
    for (const std::int64_t rank : {0, 1}) shift(database, sound.run(), rank, ns);
    database.execute("UPDATE epoch SET begin_ns = begin_ns + " + std::to_string(ns));
    const Strings faults = checkRecording(database, help()).faults;
    CAPTURE(ns, finding, faults);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].starts_with(finding));
  }
}
