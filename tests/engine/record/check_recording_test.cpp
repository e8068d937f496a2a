#include "engine/record/check_recording.h"

#include <catch2/catch.hpp>

#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "engine/record/spans.h"
#include "tests/engine/record/random_spans.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

std::int64_t fill(Database& database) {
  const std::int64_t run = Runs(database).add({});
  LayerRow layer;
  layer.layer = 0, layer.pass = Pass::forward, layer.bytesSent = 100, layer.messages = 2;
  Epochs(database).append(run, std::span(&layer, 1));
  const MessageRow messages[] = {{0, 0, Pass::forward, 0, 1, 1, 60, 60, 1},
                                 {0, 0, Pass::forward, 0, 2, 1, 40, 40, 1}};
  Epochs(database).append(run, messages);
  Spans(database).append(run, 0, randomSpans(50, 41, Lane::main, false));
  return run;
}

}  // namespace

TEST_CASE("a sound recording has no findings", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  fill(database);
  CHECK(checkRecording(database).empty());
}

TEST_CASE("one byte or message too many in the ledger is found, with its place", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  fill(database);
  database.execute("UPDATE message SET bytes = 41, predicted_bytes = 41 WHERE target = 2");
  CHECK(checkRecording(database) ==
        std::vector<std::string>{
            "run 1, epoch 0, layer 0, pass forward: the ledger has 101 bytes, the counters have 100"});
  database.execute(
      "UPDATE message SET bytes = 40, predicted_bytes = 40, messages = 3, predicted_messages = 3 "
      "WHERE target = 2");
  CHECK(checkRecording(database) ==
        std::vector<std::string>{
            "run 1, epoch 0, layer 0, pass forward: the ledger has 4 messages, the counters have 2"});
}

TEST_CASE("bytes and messages that were not predicted are found, with who sent them to whom", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  fill(database);
  const auto finding = [&](const char* change) {
    Transaction transaction(database);  // not committed: the next change finds the recording as it was
    database.execute(std::string("UPDATE message SET ") + change);
    const auto findings = checkRecording(database);
    return findings.size() == 1 ? findings.front() : std::to_string(findings.size()) + " findings";
  };
  const std::string place = "run 1, epoch 0, layer 0, pass forward: from worker 0 to ";
  CHECK(finding("predicted_messages = 2 WHERE target = 2") ==
        place + "2 counted are 40 bytes in 1 messages, predicted 40 in 2");
  CHECK(finding("predicted_bytes = 44 WHERE target = 2") ==
        place + "2 counted are 40 bytes in 1 messages, predicted 44 in 1");
  // as many in all as predicted, but by another one
  CHECK(finding("predicted_messages = 2 * (target - 1)") ==
        place + "1 counted are 60 bytes in 1 messages, predicted 60 in 0 (and 1 more that differ here)");
  // recordings of schema 1 predict no messages
  CHECK(finding("predicted_messages = NULL") == "0 findings");
}

TEST_CASE("a damaged span block is found and the others are still checked", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  Spans(database).append(run, 1, randomSpans(50, 42, Lane::main, false));
  database.execute("UPDATE span_block SET spans = substr(spans, 1, 300) WHERE rank = 0");
  database.execute("UPDATE span_block SET count = 51 WHERE rank = 1");
  const auto findings = checkRecording(database);
  REQUIRE(findings.size() == 2);
  CHECK_THAT(findings[0], Contains("row 1 of span_block: span block: its checksum does not fit"));
  CHECK_THAT(findings[1], Contains("its row says 51 spans, it holds 50"));
}
