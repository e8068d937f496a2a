#include "engine/record/check/check_recording.h"

#include <catch2/catch.hpp>

#include "engine/record/check/findings.h"
#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;
using Catch::Matchers::Contains;

TEST_CASE("a ledger that does not agree with the counters or the predictions is found", "[record]") {
  const std::string at = " WHERE epoch = 2 AND layer = 0 AND ";
  const std::string layer = "UPDATE layer SET ", message = "UPDATE message SET ",
                    place = "run 1, epoch 2, layer 0, pass forward: ";
  const auto check = [&](const std::string& sql, const std::string& finding) {
    checkFound({{sql.c_str(), (place + finding).c_str()}});
  };
  check(layer + "bytes_sent = 404" + at + "rank = 1",
        "the ledger has 400 bytes of worker 1, its counters have 404");
  check(layer + "messages = 2" + at + "rank = 1",
        "the ledger has 1 messages of worker 1, its counters have 2");
  check(layer + "predicted_bytes = 404" + at + "rank = 1",
        "the ledger has 400 predicted bytes of worker 1, its row in layer has 404");
  check(layer + "predicted_messages = 2" + at + "rank = 1",
        "the ledger has 1 predicted messages of worker 1, its row in layer has 2");
  check(message + "bytes = 404, predicted_bytes = 404" + at + "source = 0",
        "the ledger has 404 bytes of worker 0, its counters have 400");
  check(message + "messages = 3, predicted_messages = 3" + at + "source = 0",
        "the ledger has 3 messages of worker 0, its counters have 1");
  check("DELETE FROM message" + at + "source = 0",
        "the ledger has 0 bytes of worker 0, its counters have 400");
  check("DELETE FROM layer" + at + "rank = 0", "the ledger has 400 bytes of worker 0, its counters have 0");
  check(message + "predicted_messages = 2" + at + "source = 1",
        "from worker 1 to 0 counted are 400 bytes in 1 messages, predicted 400 in 2");
  check(message + "predicted_bytes = 44" + at + "source = 1",
        "from worker 1 to 0 counted are 400 bytes in 1 messages, predicted 44 in 1");
  // as many in all as predicted, but by another one
  check(message + "predicted_messages = 2 * source" + at + "1",
        "from worker 0 to 1 counted are 400 bytes in 1 messages, predicted 400 in 0 (and 1 more that differ "
        "here)");
}

TEST_CASE("predictions that only some rows have are found", "[record]") {
  checkFound(
      {{"UPDATE layer SET predicted_messages = NULL",
        "run 1: 18 of 30 rows of layer and message have no predicted messages"},
       {"UPDATE message SET predicted_messages = NULL",
        "run 1: 12 of 30 rows of layer and message have no predicted messages"},
       {"UPDATE layer SET predicted_messages = NULL; UPDATE message SET predicted_messages = NULL",
        "run 1: table latest has predicted_messages_per_epoch 4, its rows in epoch and layer say nothing"},
       {"UPDATE message SET messages = 0 WHERE epoch = 1 AND source = 1 AND target = 0",
        "run 1, epoch 1, layer 0, pass forward: from worker 1 to 0 there are 400 bytes in no message"}});
}

TEST_CASE("workers and layers that a run has not are found", "[record]") {
  checkFound(
      {{"UPDATE layer SET rank = 7 WHERE rank = 1",
        "run 1, epoch 0, layer -1, pass none: a row of layer is of worker 7; the run has 2, from 0"},
       {"UPDATE message SET target = 5 WHERE target = 1",
        "run 1, epoch 0, layer 0, pass forward: a row of message is from worker 0 to 5; the run has 2"},
       {"UPDATE message SET source = -1 WHERE target = -1 AND source = 0",
        "run 1, epoch 0, layer -1, pass none: a row of message is from worker -1 to -1; the run has 2"},
       {"UPDATE message SET target = source WHERE source = 1 AND target = 0",
        "run 1, epoch 0, layer 0, pass forward: worker 1 sends 400 bytes to itself"},
       {"UPDATE worker SET rank = 2 WHERE rank = 1",
        "run 1: a row of worker is of rank 2; the run has 2, from 0"},
       {"UPDATE span_block SET rank = -3 WHERE id = 2",
        "run 1: row 2 of span_block is of worker -3; the run has 2"},
       {"UPDATE run SET workers = 4", "run 1: table worker has 2 rows; the run has 4 workers"},
       {"UPDATE run SET workers = 9000000000000000000",
        "run 1: table worker has 2 rows; the run has 9000000000000000000"},
       {"UPDATE layer SET layer = 9 WHERE layer = 1",
        "run 1: there are rows of layer 9; the model has 2, from 0"},
       {"UPDATE parameter SET value = '1' WHERE key = 'model.layers'",
        "run 1, epoch 0, worker 0: a span 'update' at 9000 ns is of layer 1; the model has 1, from 0"}});
}

TEST_CASE("epochs, rows and tables that are missing are found", "[record]") {
  const char* const last =
      "DELETE FROM epoch WHERE epoch = 2; DELETE FROM layer WHERE epoch = 2; DELETE FROM message WHERE epoch "
      "= 2";
  checkFound(
      {{"DELETE FROM epoch WHERE epoch = 1", "run 1: epoch 1 is not in table epoch, later ones are"},
       {"DELETE FROM epoch WHERE epoch < 2", "run 1: epochs 0 to 1 are not in table epoch, later ones are"},
       {"DELETE FROM epoch WHERE epoch = 0",
        "run 1, epoch 0: has rows in layer, waiting or message, and none in epoch"},
       {last, "run 1: table epoch has 2 rows; the run is completed and was to have 3 (training.epochs)"},
       {"UPDATE run SET status = 'failed', error = 'x'; UPDATE parameter SET value = '2' WHERE key = "
        "'training.epochs'",
        "run 1: table epoch has 3 rows; the run is failed and was to have 2"},
       {"DELETE FROM layer WHERE epoch = 1; DELETE FROM message WHERE epoch = 1",
        "run 1, epoch 1: table layer has rows of 0 workers; the run has 2"},
       {"DELETE FROM worker WHERE rank = 1", "run 1: table worker has 1 rows; the run has 2 workers"},
       {"DELETE FROM parameter", "run 1: has nothing in table parameter"},
       {"DELETE FROM latest", "run 1: is completed and has nothing in table latest"},
       {"DELETE FROM latest WHERE metric = 'loss'", "run 1: table latest has no loss; its rows"},
       {"DELETE FROM artifact WHERE name = 'weights'", "run 1: is completed and has no artifact 'weights'"},
       {"DELETE FROM span_block", "run 1, epoch 0, worker 0: there are no spans of it; record.spans is all"},
       {"DELETE FROM span_block WHERE rank = 1", "run 1, epoch 0, worker 1: there are no spans of it"},
       {"DELETE FROM span_block WHERE lane = 'link'",
        "run 1, epoch 0, layer 0, pass forward, worker 0: up to it 0 bytes have arrived by its transfers "
        "(lane link), 400 by the ledger"},
       {"DELETE FROM span_block WHERE lane = 'main' AND rank = 1",
        "run 1, epoch 0, layer 0, pass forward, worker 1: exchange_wait_ns is 1901, its spans take 0"},
       {"DELETE FROM span_block WHERE lane = 'phase' AND rank = 1",
        "run 1, epoch 0, worker 1: has spans, and none of the epoch itself (lane phase)"}});
}

TEST_CASE("values that cannot be are found", "[record]") {
  const std::string place = "run 1, epoch 1, layer 0, pass forward, worker 1: ";
  const std::string at = " WHERE epoch = 1 AND layer = 0 AND rank = 1";
  for (const std::string column :
       {"flop", "cpu_ns", "gather_ns", "communication_ns", "quantise_bytes", "predicted_messages"})
    checkFound({{("UPDATE layer SET " + column + " = -1" + at).c_str(),
                 (place + column + " is -1; a whole number of 0 or more").c_str()}});
  const auto check = [&](const std::string& change, const std::string& finding) {
    checkFound({{("UPDATE layer SET " + change + at).c_str(), (place + finding).c_str()}});
  };
  check("flop = 'many'", "flop is 'many'; a whole number of 0 or more");
  check("quantise_bytes = 401", "quantise_bytes is 401, and it sent 400 bytes, of which they are a part");
  check("quantise_bytes = 4", "quantise_bytes is 4, and no time went into coding (quantise_ns)");
  check("staleness_absolute = 1.0", "staleness_absolute is 1.0 and staleness_relative NULL");
  check("staleness_absolute = 1.0, staleness_relative = -0.5",
        "staleness_absolute is 1.0 and staleness_relative -0.5");
  check("staleness_cosine = 1.5", "staleness_cosine is 1.5; from -1 to 1, or NULL");
  check("staleness_cosine = -1.5", "staleness_cosine is -1.5; from -1 to 1, or NULL");
  check("staleness_cosine = 'near'", "staleness_cosine is 'near'; from -1 to 1, or NULL");
  check("staleness_age = -0.5", "staleness_age is -0.5; epochs, 0 or more, or NULL");
  check("staleness_absolute = 1.0, staleness_relative = 0.5",
        "its staleness is 1.0 (relative: 0.5), and vanilla with its parameters uses fresh rows");
  check(
      "staleness_absolute = 1e-30, staleness_relative = 0",
      "its staleness is 1.0e-30 (relative: 0.0), and vanilla with its parameters uses fresh rows: exactly 0");
  checkFound(
      {{"UPDATE run SET workers = 'many'", "run 1: workers is 'many'; a whole number of 1 or more"},
       {"UPDATE worker SET peak_rss_bytes = -1 WHERE rank = 1", "run 1, worker 1: peak_rss_bytes is -1"},
       {"UPDATE message SET bytes = 1.5 WHERE epoch = 0 AND target = 0",
        "run 1, epoch 0, layer 0, pass forward, from worker 1 to 0: bytes is 1.5; a whole number of 0"},
       {"UPDATE epoch SET test = 7 WHERE epoch = 1", "run 1, epoch 1: test is 7.0; a share from 0 to 1"},
       {"UPDATE epoch SET loss = NULL WHERE epoch = 1", "run 1, epoch 1: the loss is no number"},
       {"UPDATE epoch SET loss = -1 WHERE epoch = 1", "run 1, epoch 1: the loss is -1.0; 0 or more"},
       {"UPDATE epoch SET loss = 9e999 WHERE epoch = 1", "run 1, epoch 1: the loss is Inf; 0 or more"},
       {"INSERT INTO latest VALUES(1, 'updaters_idle', 5)",
        "run 1: table latest has updaters_idle 5.0; a share from 0 to 1"},
       {"UPDATE layer SET staleness_absolute = NULL, staleness_relative = NULL WHERE epoch = 2 AND rank = 1 "
        "AND layer = 1",
        "run 1, epoch 2, layer 1, pass backward: 1 of its 2 workers have a staleness; all or none do"},
       {"UPDATE run SET seed = char(27)", "run 1: seed is '\\u001B'; a whole number"},
       {"UPDATE epoch SET wall_ns = -5 WHERE epoch = 1", "run 1, epoch 1: wall_ns is -5; a whole number"},
       {"UPDATE epoch SET begin_ns = -1 WHERE epoch = 1",
        "run 1, epoch 1: begins at -1 ns, before the epoch before it (0 ns)"},
       {"UPDATE layer SET cpu_ns = 20000000 WHERE epoch = 1 AND rank = 0 AND layer = 1",
        "run 1, epoch 1, worker 0: it computed for 20000000 ns of CPU time on 1 threads, the epoch took"},
       {"UPDATE layer SET exchange_wait_ns = 20000000 WHERE epoch = 1 AND rank = 0 AND layer = 1",
        "run 1, epoch 1, worker 0: it computed, waited and coded for 20007630 ns, the epoch took"},
       {"UPDATE layer SET staleness_absolute = 0, staleness_relative = 0 WHERE epoch = 1",
        "run 1, epoch 1: has a staleness, which is measured every 2 epochs"},
       {"UPDATE layer SET staleness_absolute = NULL, staleness_relative = NULL WHERE epoch = 2",
        "run 1, epoch 2: has no staleness, which is measured every 2 epochs"},
       {"INSERT INTO component VALUES(1, 'spu', 'adders', 1, -2, 3, 4)",
        "run 1, spu, adders: stall_cycles is -2; a whole number of 0 or more"},
       {"INSERT INTO component VALUES(1, 'spu', 'adders', 1, 2, 3, -4)",
        "run 1, spu, adders: energy_pj is -4.0"}});
}

TEST_CASE("names and texts that are missing, empty or no text are found", "[record]") {
  checkFound({{"DELETE FROM span_name", "table span_name: row 0 is missing"},
              {"DELETE FROM span_name WHERE name = 3", "table span_name: row 3 is missing"},
              {"UPDATE span_kind SET text = '' WHERE kind = 2", "table span_kind, row 2: its text is empty"},
              {"UPDATE run SET name = x'00ff'", "table run, row 1: name is a blob, not text"},
              {"UPDATE run SET host = x'41'", "table run, row 1: host is a blob, not text"},
              {"UPDATE experiment SET text = x'00ff'", "table experiment, row 1: text is a blob, not text"}});
}

TEST_CASE("what is recorded twice and differs is found", "[record]") {
  checkFound(
      {{"UPDATE run SET seed = 99", "run 1: its seed is 99, parameter training.seed is 1"},
       {"UPDATE run SET dataset = 'karate'",
        "run 1: its dataset is karate, parameter dataset.name is /data/sound \"one\"/"},
       {"UPDATE parameter SET value = '\"cora\"' WHERE key = 'dataset.name'",
        "run 1: its dataset is sound \"one\", parameter dataset.name is cora"},
       {"DELETE FROM parameter WHERE key = 'dataset.name'",
        "run 1: its dataset is sound \"one\", parameter dataset.name is not there"},
       {"UPDATE run SET method = 'sar'", "run 1: its method is sar, parameter run.method is vanilla"},
       {"UPDATE run SET fingerprint = 'x'", "run 1: its fingerprint is x, that of its rows in parameter"},
       {"UPDATE parameter SET value = '7' WHERE key = 'training.seed'", "run 1: its fingerprint is "},
       {"UPDATE run SET marks = 'emulated link'", "run 1: is marked 'emulated link', and its keys name none"},
       {"UPDATE run SET marks = 'simulated'", "run 1: was trained, and is marked 'simulated'"},
       {"UPDATE run SET started_at = '2000-01-02T00:00:00Z', finished_at = '2000-01-01T00:00:00Z'",
        "run 1: was finished at 2000-01-01T00:00:00Z, before it was started at 2000-01-02T00:00:00Z"},
       {"UPDATE run SET status = 'failed'", "run 1: is failed, and no error says why"},
       {"UPDATE run SET error = 'boom'", "run 1: is completed, and has an error: boom"},
       {"UPDATE run SET finished_at = ''", "run 1: is completed, and finished_at does not say when"},
       {"UPDATE meta SET value = '999' WHERE key = 'schema version'",
        "table meta: the schema version is 999, the file's own (user_version) is "},
       {"UPDATE epoch SET loss = 2 * loss WHERE epoch = 2", "run 1: table latest has loss 0.25, its rows"},
       {"UPDATE epoch SET test = NULL",
        "run 1: table latest has test 0.75, its rows in epoch and layer say nothing"},
       {"UPDATE epoch SET wall_ns = 5 * wall_ns WHERE epoch = 1",
        "run 1, epoch 1: its row has begin_ns 10001000 and wall_ns 50000000, by its workers' spans these are "
        "10001000 and 10000000"},
       {"UPDATE layer SET flop = 2 * flop WHERE epoch = 1",
        "run 1: table latest has flop_per_epoch 601, its rows"},
       {"UPDATE layer SET aggregate_ns = 5001 WHERE epoch = 1 AND rank = 1 AND layer = 0",
        "run 1, epoch 1, layer 0, pass forward, worker 1: aggregate_ns is 5001, its spans take 5000"},
       {"UPDATE latest SET value = value + 1 WHERE metric = 'bytes_per_epoch'",
        "run 1: table latest has bytes_per_epoch 881, its rows in epoch, layer, message and worker give 880"},
       {"UPDATE worker SET vertices = 4 WHERE rank = 1",
        "run 1, artifact 'partition': gives worker 1 2 vertices, its row in worker has 4"},
       {"UPDATE worker SET remote = 2 WHERE rank = 1",
        "run 1: table latest has replication_factor 1.4, its rows"},
       {"UPDATE worker SET feature_bytes = 61 WHERE rank = 1",
        "run 1: table latest has feature_bytes 120, its rows"},
       {"UPDATE worker SET threads = 2", "run 1, worker 0: has 2 threads; cluster.threads is 1"},
       {"UPDATE latest SET value = 1 WHERE metric = 'aggregation_seconds_per_epoch'",
        "run 1: table latest has aggregation_seconds_per_epoch 1, its rows"},
       {"UPDATE span_block SET last_ns = last_ns + 1 WHERE id = 1",
        "run 1, row 1 of span_block: its row says first_ns 200 and last_ns 10031, its spans go from 200 to "
        "10030"},
       {"UPDATE artifact SET media_type = 'text/plain' WHERE name = 'weights'",
        "run 1, artifact 'weights': is text/plain; application/x-npz would be right"},
       {"UPDATE artifact SET bytes = zeroblob(9) WHERE name = 'partition'",
        "run 1, artifact 'partition': is text/plain and holds zero bytes"},
       {"UPDATE artifact SET bytes = '0' || char(10) || '2' WHERE name = 'partition'",
        "run 1, artifact 'partition': line 2 is no worker; a number from 0 to 1"},
       {"UPDATE artifact SET bytes = 'x' WHERE name = 'weights'",
        "run 1, artifact 'weights': is no archive"}});
}

TEST_CASE("reasons of waiting that contradict the spans, the layers or the shares are found", "[record]") {
  const std::string place = "run 1, epoch 1, layer 0, pass forward, worker 0: ";
  const std::string where = " WHERE epoch = 1 AND rank = 0 AND layer = 0";
  const auto check = [&](const std::string& sql, const std::string& finding) {
    checkFound({{sql.c_str(), finding.c_str()}});
  };
  check("UPDATE waiting SET wire_ns = 1901" + where,
        place + "wire_ns is 1901, its spans of lane wait give 1900");
  check("UPDATE waiting SET wire_ns = 1800, queue_ns = 100" + where,
        place + "queue_ns is 100, its messages and kernels give 0");
  check("UPDATE waiting SET wire_ns = 1901" + where,
        place +
            "it waited for 1900 ns (exchange_wait_ns and synchronise_ns), its reasons in waiting take 1901");
  check("DELETE FROM waiting" + where,
        place + "it waited by its spans of lane wait, and has no row in waiting");
  check(
      "DELETE FROM span_block WHERE lane = 'wait'",
      "run 1, epoch 0, layer -1, pass none, worker 0: has a row in waiting, and its spans of lane wait give "
      "nothing of it");
  check("UPDATE latest SET value = 0.5 WHERE metric = 'exposed_share'",
        "run 1: table latest has exposed_share 0.5, its rows in waiting and epoch give 0.00019005");
  check("DELETE FROM latest WHERE metric = 'wait_share'", "run 1: table latest has no wait_share");
  check("UPDATE waiting SET rank = 5" + where,
        "run 1, epoch 1, layer 0, pass forward: a row of waiting is of worker 5; the run has 2, from 0");
}

TEST_CASE("messages may be as late as the method allows, and no later", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  Transaction transaction(database);
  // the bytes of worker 0 are noted as if half of them were still on their way
  database.execute("UPDATE message SET bytes = 800, predicted_bytes = 800 WHERE target = 0 AND epoch < 2");
  const auto received = [&](std::int64_t late) {
    Strings faults;
    for (const std::string& fault : checkRecording(database, help(late)).faults)
      if (fault.find("lane link") != std::string::npos) faults.push_back(fault);
    return faults;
  };
  const std::string place = "run 1, epoch ", rest = ", layer 0, pass forward, worker 0: up to it ";
  CHECK(received(0) == Strings{place + "0" + rest +
                               "400 bytes have arrived by its transfers (lane link), 800 by the ledger"});
  CHECK(received(1) ==
        Strings{place + "2" + rest +
                "1200 bytes have arrived by its transfers (lane link), 1600 to 2000 by the ledger"});
  CHECK(received(2) == Strings());
  database.execute("UPDATE message SET bytes = 300, predicted_bytes = 300 WHERE target = 0");
  CHECK(received(2) ==
        Strings{place + "0" + rest +
                "400 bytes have arrived by its transfers (lane link), 0 to 300 by the ledger"});
}

TEST_CASE("runs that did not complete may be short, and older ones lack what came later", "[record]") {
  const SoundRun like =
      GENERATE(SoundRun{.epochs = 2, .status = "failed", .error = "a worker died"},
               SoundRun{.epochs = 0, .status = "cancelled", .error = "stopped on request"},
               SoundRun{.epochs = 1, .status = "running"}, SoundRun{.predictsMessages = false});
  CAPTURE(like.status, like.predictsMessages);
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, like);
  CHECK(checkRecording(database, help()).faults == Strings());
  // a diverged loss ends a run
  const std::string diverge =
      "UPDATE epoch SET loss = NULL WHERE epoch = 1; UPDATE latest SET value = NULL WHERE metric = 'loss'";
  if (like.status == "failed") CHECK(changed(database, diverge) == Strings());
  // spans are sent less often than rows
  if (like.status == "failed")
    CHECK(changed(database, "DELETE FROM span_block WHERE id > 10; DELETE FROM waiting WHERE epoch > 0") ==
          Strings());
  // what an older Haloscope did not sum up
  CHECK(
      changed(database, "DELETE FROM latest WHERE metric IN ('replication_factor', 'max_flop_per_epoch')") ==
      Strings());
}

TEST_CASE("spans that did not fit are noted, and are no fault", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute(
      "UPDATE worker SET dropped_spans = 5 WHERE rank = 1; UPDATE latest SET value = 5 WHERE metric = "
      "'dropped_spans'");
  const RecordingCheck check = checkRecording(database, help());
  CHECK(check.faults == Strings());
  REQUIRE(check.notes.size() == 1);
  CHECK_THAT(check.notes[0], Contains("run 1: 5 spans did not fit the workers' rings"));
}

TEST_CASE("a damaged span block is found and the others are still checked", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute("UPDATE span_block SET spans = substr(spans, 1, 120) WHERE id = 1");
  database.execute("UPDATE span_block SET count = 51 WHERE id = 5");
  const RecordingCheck check = checkRecording(database);
  CHECK(check.damaged);
  REQUIRE(check.faults.size() == 2);
  CHECK_THAT(check.faults[0], Contains("row 1 of span_block: span block: its checksum does not fit"));
  CHECK_THAT(check.faults[1], Contains("row 5 of span_block: its row says 51 spans, it holds 4"));
}

TEST_CASE("of findings of one kind the first few stand, and how many more there are", "[record]") {
  Findings findings;
  for (std::int64_t run = 1; run <= 7; ++run) findings.add("kind", run, "epoch 1", "is wrong");
  findings.add("other", 3, "", "is wrong too");
  const Strings all = findings.faults();
  REQUIRE(all.size() == 6);
  CHECK(all[0] == "run 1, epoch 1: is wrong");
  CHECK(all[4] == "run 5, epoch 1: is wrong (and 2 more like this, in 2 runs)");
  CHECK(all[5] == "run 3: is wrong too");
  CHECK_FALSE(findings.damaged());
}

TEST_CASE("of a long cell that is wrong both ends are shown", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, SoundRun());
  const Strings faults = changed(database, "UPDATE run SET error = printf('%.*c', 100000, 'x') || 'end'");
  REQUIRE_FALSE(faults.empty());
  for (const std::string& fault : faults) CHECK(fault.size() < 2'100);
  CHECK_THAT(faults.front(), Contains(" more bytes) …") && Contains("xxend"));
}
