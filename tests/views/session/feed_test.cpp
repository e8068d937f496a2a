#include "views/session/feed.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <catch2/catch.hpp>
#include <future>
#include <set>

#include "engine/record/database/database.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"
#include "tests/views/timeline_fixture.h"

using halo::Feed;
using halo::Lane;
using halo::TimelineModel;

namespace {

/// Lets queued calls come until `done` holds; gives up after half a minute.
template <class Done>
bool until(Done done) {
  QElapsedTimer timer;
  timer.start();
  while (!done() && timer.elapsed() < 30'000)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  return done();
}

struct Recording {
  halo::Scratch folder;
  std::filesystem::path file = folder / "r.db";
  halo::Database database{file, halo::Access::create};
  halo::Runs runs{database};
  halo::Epochs epochs{database};
  halo::Spans spans{database};

  std::int64_t addRun(const std::string& status) {
    const std::int64_t experiment = runs.addExperiment("e", "");
    halo::RunRow row;
    row.experimentId = experiment;
    row.status = status;
    return runs.add(row);
  }
  void add(std::int64_t run, std::int64_t rank, const std::vector<halo::Span>& newSpans) {
    halo::Transaction transaction(database);
    spans.append(run, rank, newSpans);
    transaction.commit();
  }
};

}  // namespace

TEST_CASE("actors of a rank have rows of their own, below the ranks and named", "[views][feed]") {
  Recording recording;
  halo::RunRow row;
  row.experimentId = recording.runs.addExperiment("e", "");
  row.status = "completed";
  row.workers = 1;
  const std::int64_t run = recording.runs.add(row);
  recording.add(run, 0, halo::randomSpans(10, 1));
  const std::vector<halo::ActorRow> actors = {{0, 0, "sample", halo::ActorKind::sampler},
                                              {1, 0, "card 0: train", halo::ActorKind::trainer}};
  {
    halo::Transaction transaction(recording.database);
    halo::Hybrid(recording.database).setActors(run, actors);
    for (const halo::ActorRow& actor : actors)
      recording.spans.append(run, 0, halo::randomSpans(10, 2), actor.actor);
    transaction.commit();
  }
  TimelineModel model;
  Feed feed(model);
  bool complete = false;
  QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
  feed.open(recording.file, run);
  REQUIRE(until([&] { return complete; }));
  std::set<std::int64_t> ranks;
  for (const halo::RowEntry& entry : model.rows()) ranks.insert(entry.id.rank);
  CHECK(ranks == std::set<std::int64_t>{0, 1, 2});
  CHECK(model.rankName(0) == "rank 0");
  CHECK(model.rankName(1) == "1 sample");
  CHECK(model.rankName(2) == "2 card 0 train");
}

TEST_CASE("lanes and epochs come in modelled or wall time, as the run recorded both", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("completed");
  recording.runs.setParameters(run, {{"result.dilation", "4.0"}});
  halo::Span span;
  std::vector<halo::Span> spans;
  for (const std::int64_t begin : {1000, 1401, 2000}) {
    span.beginNs = begin, span.durationNs = begin == 1000 ? 401 : 8;  // the first two touch
    spans.push_back(span);
  }
  {
    halo::Transaction transaction(recording.database);
    const std::vector<halo::ActorRow> actors = {{0, 0, "sample", halo::ActorKind::sampler}};
    halo::Hybrid(recording.database).setActors(run, actors);
    recording.spans.append(run, 0, spans);
    transaction.commit();
  }
  std::vector<halo::EpochRow> rows(1);
  rows[0].beginNs = 800, rows[0].wallNs = 2400;
  recording.epochs.append(run, std::span<const halo::EpochRow>(rows));
  TimelineModel model;
  Feed feed(model);
  const auto read = [&](halo::TimeClock clock) {
    bool complete = false;
    const auto done = QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
    feed.open(recording.file, run, {}, clock);
    REQUIRE(until([&] { return complete; }));
    QObject::disconnect(done);
    return &model.mainOf(0)->spans;
  };
  const halo::SpanRow* modelled = read(halo::TimeClock::modelled);
  CHECK(modelled->beginNs(0) == 250);
  CHECK(modelled->endNs(0) == modelled->beginNs(1));
  CHECK(modelled->durationNs(2) == 2);
  CHECK(model.epochs().front().beginNs == 200);
  CHECK(model.epochs().front().wallNs == 600);
  CHECK(model.time().title == "modelled time");
  CHECK(model.time().chosen);
  CHECK(model.time().note.contains("divided by the dilation 4"));
  const halo::SpanRow* wall = read(halo::TimeClock::wall);
  CHECK(wall->durationNs(0) == 401);
  CHECK(model.epochs().front().wallNs == 2400);
  CHECK(model.time().title == "wall time");
  recording.runs.setParameters(run, {{"run.device", "\"modelled\""}, {"run.clock", "\"virtual\""}});
  CHECK(read(halo::TimeClock::wall)->durationNs(0) == 401);
  CHECK(model.time().title == "modelled time");
  CHECK_FALSE(model.time().chosen);
  CHECK(model.time().note.contains("no wall time is recorded"));
}

TEST_CASE("a feed delivers everything a recording holds", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("completed");
  std::size_t count = 0;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    recording.add(run, rank, halo::randomSpans(70'000, static_cast<std::uint64_t>(rank)));
    recording.add(run, rank, halo::overlappingSpans(500, static_cast<std::uint64_t>(rank)));
    count += 70'500;
  }
  std::vector<halo::EpochRow> rows(2);
  rows[1].epoch = 1;
  rows[1].beginNs = 500;
  recording.epochs.append(run, std::span<const halo::EpochRow>(rows));

  TimelineModel model;
  Feed feed(model);
  bool complete = false;
  std::size_t lanesFirst = 0;
  std::string status;
  qint64 read = 0;
  QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
  QObject::connect(&feed, &Feed::directoryRead, [&] { lanesFirst = model.rows().size(); });
  QObject::connect(&feed, &Feed::runChanged, [&](const halo::RunRow& row) { status = row.status; });
  QObject::connect(&feed, &Feed::progressed, [&](qint64 spanCount, qint64) { read = spanCount; });
  feed.open(recording.file, run);
  REQUIRE(until([&] { return complete; }));
  CHECK(lanesFirst == 6);
  CHECK(model.spans() == count);
  CHECK(read == static_cast<qint64>(count));
  CHECK(model.epochs().size() == 2);
  CHECK(status == "completed");
}

TEST_CASE("a feed follows a run that grows until it has ended", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("running");
  TimelineModel model;
  Feed feed(model);
  feed.setInterval(5);
  std::vector<std::string> statuses;
  std::size_t epochs = 0;
  QObject::connect(&feed, &Feed::runChanged,
                   [&](const halo::RunRow& row) { statuses.push_back(row.status); });
  QObject::connect(&feed, &Feed::epochsAdded,
                   [&](const std::vector<halo::EpochRow>& rows) { epochs += rows.size(); });
  feed.open(recording.file, run);
  REQUIRE(until([&] { return !statuses.empty(); }));
  const std::vector<halo::Span> spans = halo::randomSpans(900, 5);
  for (std::size_t piece = 0; piece < 3; ++piece) {
    const auto at = spans.begin() + static_cast<std::ptrdiff_t>(piece * 300);
    recording.add(run, 0, {at, at + 300});
    std::vector<halo::EpochRow> row(1);
    row[0].epoch = static_cast<std::int64_t>(piece);
    row[0].beginNs = spans.front().beginNs;
    recording.epochs.append(run, std::span<const halo::EpochRow>(row));
    REQUIRE(until([&] { return model.spans() == (piece + 1) * 300 && epochs == piece + 1; }));
  }
  recording.runs.setStatus(run, "completed");
  REQUIRE(until([&] { return statuses.back() == "completed"; }));
  REQUIRE(model.rows().size() == 1);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < spans.size(); ++i)
    wrong += model.rows()[0].row->spans.at(i) == spans[i] ? 0U : 1U;
  CHECK(wrong == 0);
}

TEST_CASE("what an earlier opening delivers late is dropped", "[views][feed]") {
  Recording recording;
  const std::int64_t big = recording.addRun("completed");
  const std::int64_t small = recording.addRun("completed");
  recording.add(big, 0, halo::randomSpans(60'000, 1));
  recording.add(small, 0, halo::randomSpans(10, 2));
  TimelineModel model;
  Feed feed(model);
  bool complete = false;
  QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
  for (int i = 0; i < 5; ++i) feed.open(recording.file, big);  // never let come
  feed.open(recording.file, small);
  REQUIRE(until([&] { return complete; }));
  CHECK(model.spans() == 10);
  CHECK(feed.generation() == 6);
  feed.open(recording.file, big);
  feed.close();
  QCoreApplication::processEvents();
  CHECK(model.spans() == 0);
}

TEST_CASE("a feed says what is wrong with a recording and shows the rest", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("completed");
  recording.add(run, 0, halo::randomSpans(1000, 1));
  recording.add(run, 1, halo::randomSpans(1000, 2));
  recording.database.execute("UPDATE span_block SET spans = x'00112233' WHERE rank = 1");
  TimelineModel model;
  Feed feed(model);
  QStringList problems;
  bool complete = false;
  QObject::connect(&feed, &Feed::failed, [&](const QString& problem) { problems << problem; });
  QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
  feed.open(recording.file, run);
  REQUIRE(until([&] { return complete; }));
  CHECK(model.spans() == 1000);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].contains("span_block"));

  feed.open(recording.file, 999);
  REQUIRE(until([&] { return problems.size() == 2; }));
  CHECK(problems[1].contains("999"));
  feed.open(recording.folder / "absent.db", 1);
  REQUIRE(until([&] { return problems.size() == 3; }));
}

TEST_CASE("closing a feed does not wait for a slow read", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("completed");
  recording.add(run, 0, halo::randomSpans(10, 1));
  recording.database.execute("PRAGMA journal_mode = DELETE");
  recording.database.execute("BEGIN EXCLUSIVE");  // who reads waits for the lock, for many seconds
  TimelineModel model;
  Feed feed(model);
  QElapsedTimer clock;
  clock.start();
  feed.open(recording.file, run);
  feed.open(recording.file, run);
  feed.close();
  CHECK(clock.elapsed() < 5000);
  recording.database.execute("COMMIT");
  bool complete = false;
  QObject::connect(&feed, &Feed::complete, [&] { complete = true; });
  feed.open(recording.file, run);
  CHECK(until([&] { return complete; }));
  CHECK(model.spans() == 10);
}

TEST_CASE("a recording replaced on disk is opened anew", "[views][feed]") {
  Recording first, second;
  const std::int64_t run = first.addRun("completed");
  REQUIRE(second.addRun("completed") == run);
  first.add(run, 0, halo::randomSpans(10, 1));
  second.add(run, 0, halo::randomSpans(20, 2));
  for (Recording* each : {&first, &second}) each->database.execute("PRAGMA journal_mode = DELETE");
  TimelineModel model;
  Feed feed(model);
  feed.setInterval(5);
  feed.open(first.file, run);
  REQUIRE(until([&] { return model.spans() == 10; }));
  std::filesystem::rename(second.file, first.file);
  CHECK(until([&] { return model.spans() == 20; }));
  CHECK(feed.generation() == 2);
}

TEST_CASE("a closed feed tells once its thread reads no more, and does not wait for it", "[views][feed]") {
  Recording recording;
  const std::int64_t run = recording.addRun("completed");
  TimelineModel model;
  Feed feed(model);
  bool rested = false;
  QObject::connect(&feed, &Feed::rested, [&] { rested = true; });
  std::promise<void> mayGoOn;
  feed.open(recording.file, run, [going = mayGoOn.get_future().share()](halo::Database&) {
    going.wait();  // a read that takes as long as it likes
    return halo::Shifted{};
  });
  feed.close();
  CHECK_FALSE(feed.rests());
  mayGoOn.set_value();
  CHECK(until([&] { return rested; }));
  CHECK(feed.rests());
}
