#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "engine/record/analysis/summary.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/record/random_spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

RunRow runBy(const std::string& status, const std::string& host, std::int64_t pid) {
  RunRow run;
  run.status = status, run.host = host, run.supervisorPid = pid;
  return run;
}

}  // namespace

TEST_CASE("a run comes back column by column", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t experiment = runs.addExperiment("first", "[run]\n");
  CHECK(runs.experiment(experiment).text == "[run]\n");
  CHECK(runs.experiment(experiment).createdAt.size() == 20);
  RunRow run{0,   experiment,      "a", "simulation", "vanilla", "cora", "gcn", 4,     7,    "queued",
             "e", "emulated link", "s", "f",          "h",       "0.1",  99,    "abc", "x,y"};
  run.id = runs.add(run);
  const auto same = [](const RunRow& a, const RunRow& b) {
    CHECK(a.id == b.id);
    CHECK(a.experimentId == b.experimentId);
    CHECK((a.name + a.kind + a.method + a.dataset + a.model) ==
          (b.name + b.kind + b.method + b.dataset + b.model));
    CHECK((a.status + a.error + a.marks + a.startedAt + a.finishedAt) ==
          (b.status + b.error + b.marks + b.startedAt + b.finishedAt));
    CHECK((a.host + a.version + a.fingerprint + a.tags) == (b.host + b.version + b.fingerprint + b.tags));
    CHECK(a.workers * 1000 + a.seed == b.workers * 1000 + b.seed);
    CHECK(a.supervisorPid == b.supervisorPid);
  };
  same(runs.find(run.id).value(), run);
  run.name = "b", run.kind = "training", run.supervisorPid = 5;
  runs.update(run);
  same(runs.all().at(0), run);
  CHECK_FALSE(runs.find(run.id + 1).has_value());
  CHECK(runs.ofFingerprint("abc").empty());
  runs.setStatus(run.id, "running");
  CHECK(runs.find(run.id)->startedAt.size() == 20);
  CHECK(runs.find(run.id)->finishedAt == "f");
  runs.setStatus(run.id, "completed");
  CHECK(runs.find(run.id)->finishedAt.size() == 20);
  CHECK(runs.ofFingerprint("abc").size() == 1);
  runs.setTags(run.id, "best");
  CHECK(runs.find(run.id)->tags == "best");
  CHECK_THROWS_AS(runs.setStatus(run.id, "asleep"), RecordError);
}

TEST_CASE("parameters in which runs differ are found for all of them at once", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  CHECK(runs.unlikeParameters().empty());
  const std::int64_t first = runs.add({}), second = runs.add({});
  runs.setParameters(first, {{"same", "1"}, {"other", "1"}, {"own", "1"}});
  runs.setParameters(second, {{"same", "1"}, {"other", "2"}});
  using Keys = std::map<std::string, std::string>;
  CHECK(runs.unlikeParameters().at(first) == Keys{{"other", "1"}, {"own", "1"}});
  CHECK(runs.unlikeParameters().at(second) == Keys{{"other", "2"}});
  // what all do alike, though some have no key for it
  for (const std::int64_t run : {first, second}) runs.setParameters(run, {{"result.keeps_layer0", "false"}});
  CHECK(runs.unlikeParameters().at(second) == Keys{{"other", "2"}, {"result.keeps_layer0", "false"}});
}

TEST_CASE("parameters, latest values, workers and artifacts come back and are replaced", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t run = runs.add({});
  runs.setParameters(run, {{"a", "1"}, {"b", ""}});
  runs.setParameters(run, {{"a", "2"}});
  CHECK(runs.parameters(run) == std::map<std::string, std::string>{{"a", "2"}, {"b", ""}});
  runs.setLatest(run, {{"loss", 1.5}, {"train", 0.25}});
  runs.setLatest(run, {{"loss", std::nan("")}});
  CHECK(std::isnan(runs.latest(run).at("loss")));
  CHECK(runs.latestOfAll().at(run).at("train") == 0.25);
  WorkerRow worker{1, "h", "trainer", 2, 3, 4, 5, 6, 7, 8, -9, 10, 11};
  runs.setWorkers(run, {worker});
  const WorkerRow back = runs.workers(run).at(0);
  CHECK(back.host == "h");
  CHECK(back.clockOffsetNs == -9);
  CHECK(back.droppedSpans == 11);
  CHECK(back.nonzeros == 6);
  const std::string bytes("\0\1\2", 3);
  runs.addArtifact(run, {"weights", "application/octet-stream", bytes});
  CHECK(runs.artifact(run, "weights")->bytes == bytes);
  CHECK(runs.artifactNames(run) == std::vector<std::string>{"weights"});
  CHECK_FALSE(runs.artifact(run, "report").has_value());
}

TEST_CASE("what recordings before other_share call idle is read as the rest, and nothing else is",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t older = runs.add({}), now = runs.add({});
  const std::map<std::string, double> own = {{"idle_share", 0.3}, {"other_share", 0.1}, {"rest_share", 0.4}};
  runs.setLatest(older, {{"idle_share", 0.4}});
  runs.setLatest(now, own);
  const std::map<std::string, double> rest = {{"rest_share", 0.4}};
  CHECK(runs.latest(older) == rest);
  CHECK(runs.latest(now) == own);
  CHECK(runs.latestOfAll() ==
        std::map<std::int64_t, std::map<std::string, double>>{{older, rest}, {now, own}});
}

TEST_CASE("a score that is no number comes back as NaN where it was due, and as none elsewhere", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t run = runs.add({});
  runs.setParameters(run, {{"training.evaluate_every", "2"}, {"training.epochs", "4"}});
  const double nan = std::nan("");
  std::vector<EpochRow> rows;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) rows.push_back({epoch, 0, 1, 1.5, {}, {}, {}});
  rows[0].train = 0.5, rows[0].valid = nan;
  rows[2].train = nan, rows[2].valid = nan;
  rows[3].train = nan, rows[3].valid = 0.25;
  Epochs epochs(database);
  epochs.append(run, rows);
  runs.setLatest(run, summarise(rows, {}, {}, 1));
  const auto back = epochs.epochs(run);
  REQUIRE(back.size() == 4);
  for (std::size_t i = 0; i < back.size(); ++i)
    for (const auto score : {&EpochRow::train, &EpochRow::valid, &EpochRow::test}) {
      CAPTURE(i);
      REQUIRE((back[i].*score).has_value() == (rows[i].*score).has_value());  // nobody is in the test split
      if (rows[i].*score) CHECK(std::isnan(*(back[i].*score)) == std::isnan(*(rows[i].*score)));
    }
}

TEST_CASE("epochs, layers and messages come back, a loss that is not a number included", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  Epochs epochs(database);
  const EpochRow rows[] = {{0, 5, 10, 1.5, 0.5, {}, 0.25}, {1, 15, 11, std::nan(""), {}, {}, {}}};
  epochs.append(run, rows);
  epochs.append(run, rows);  // by key: replaced, not doubled
  const auto back = epochs.epochs(run);
  REQUIRE(back.size() == 2);
  CHECK(back[0].loss == 1.5);
  CHECK(back[0].train == 0.5);
  CHECK_FALSE(back[0].valid.has_value());
  CHECK(std::isnan(back[1].loss));
  CHECK(epochs.epochs(run, 1).size() == 1);
  LayerRow layer;
  layer.epoch = 1, layer.rank = 2, layer.layer = 0, layer.pass = Pass::backward;
  layer.aggregateNs = 1, layer.quantiseNs = 12, layer.bytesSent = 13, layer.flop = 17,
  layer.stalenessRelative = 0.5;
  epochs.append(run, std::span(&layer, 1));
  const LayerRow row = epochs.layersOf(run, 1).at(0);
  CHECK(row.pass == Pass::backward);
  CHECK(row.aggregateNs == 1);
  CHECK(row.quantiseNs == 12);
  CHECK(row.bytesSent == 13);
  CHECK(row.flop == 17);
  CHECK_FALSE(row.stalenessAbsolute.has_value());
  CHECK(row.stalenessRelative == 0.5);
  CHECK(epochs.layers(run).size() == 1);
  CHECK_FALSE(row.predictedMessages.has_value());
  const MessageRow message{1, 0, Pass::forward, 2, -1, 3, 400, 500, 6};
  epochs.append(run, std::span(&message, 1));
  CHECK(epochs.messages(run).at(0).target == -1);
  CHECK(epochs.messages(run).at(0).predictedBytes == 500);
  CHECK(epochs.messages(run).at(0).predictedMessages == 6);
}

TEST_CASE("appended spans come back by begin, in blocks of one lane", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  Spans store(database);
  std::vector<Span> mixed = randomSpans(kSpansPerBlock + 5, 21, Lane::main, false);
  for (std::size_t i = 0; i < mixed.size(); i += 7) mixed[i].lane = Lane::link;
  std::vector<Span> shuffled = mixed;
  std::reverse(shuffled.begin(), shuffled.end());
  store.append(run, 3, shuffled);
  store.append(run, 4, {});
  CHECK(store.count(run) == static_cast<std::int64_t>(mixed.size()));
  const auto blocks = store.blocks(run);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].lane == Lane::main);
  CHECK(blocks[1].lane == Lane::link);
  CHECK(store.blocks(run, blocks[0].id).size() == 1);
  CHECK(blocks[0].count + blocks[1].count == store.count(run));
  auto back = store.all(run, 3);
  const auto key = [](const Span& a, const Span& b) {
    return std::tie(a.beginNs, a.durationNs, a.bytes) < std::tie(b.beginNs, b.durationNs, b.bytes);
  };
  std::sort(back.begin(), back.end(), key);
  std::sort(mixed.begin(), mixed.end(), key);
  CHECK(back == mixed);
  CHECK(store.all(run, 4).empty());
}

TEST_CASE("removing a run removes everything of it and nothing else", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  std::int64_t ids[2];
  for (std::int64_t& id : ids) {
    RunRow run;
    run.experimentId = runs.addExperiment("e", "");
    id = runs.add(run);
    runs.setParameters(id, {{"a", "1"}});
    runs.setLatest(id, {{"loss", 1}});
    runs.setWorkers(id, {{}});
    runs.addArtifact(id, {"a", "b", "c"});
    const EpochRow epoch;
    const LayerRow layer;
    const MessageRow message;
    Epochs(database).append(id, std::span(&epoch, 1));
    Epochs(database).append(id, std::span(&layer, 1));
    Epochs(database).append(id, std::span(&message, 1));
    Spans(database).append(id, 0, randomSpans(3, 1, Lane::main, false));
  }
  runs.remove(ids[0]);
  for (const char* table :
       {"parameter", "latest", "worker", "artifact", "epoch", "layer", "message", "span_block"}) {
    CAPTURE(table);
    Statement count(database, std::string("SELECT count(*), min(run_id) FROM ") + table);
    REQUIRE(count.step());
    CHECK(count.integer(0) == 1);
    CHECK(count.integer(1) == ids[1]);
  }
  Statement experiments(database, "SELECT count(*) FROM experiment");
  REQUIRE(experiments.step());
  CHECK(experiments.integer(0) == 1);
}

TEST_CASE("runs of a supervisor that no longer lives are found interrupted", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t living = runs.add(runBy("running", "here", getpid()));
  const std::int64_t dead = runs.add(runBy("running", "here", (1 << 22) + 1));
  const std::int64_t elsewhere = runs.add(runBy("running", "there", (1 << 22) + 1));
  const std::int64_t completed = runs.add(runBy("completed", "here", (1 << 22) + 1));
  RunRow before = runBy("running", "here", getpid());  // its number was given to another process, this one
  before.startedAt = "2001-09-09T01:46:40Z";
  const std::int64_t reused = runs.add(before);
  const std::int64_t begun = runs.add(runBy("queued", "here", getpid()));
  runs.setStatus(begun, "running");
  CHECK(runs.markInterrupted("here") == 2);
  CHECK(runs.find(reused)->status == "interrupted");
  CHECK(runs.find(begun)->status == "running");
  CHECK(runs.find(living)->status == "running");
  CHECK(runs.find(dead)->status == "interrupted");
  CHECK(runs.find(elsewhere)->status == "running");
  CHECK(runs.find(completed)->status == "completed");
}
