// What the command line tells of runs that are recorded, going on, damaged or deleted.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <deque>
#include <thread>

#include "engine/record/tables/runs.h"
#include "tests/app/program.h"
#include "tests/support/goes_on.h"

using halo::test::comparisonOf;
using halo::test::Ended;
using halo::test::goesOn;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::Process;
using halo::test::Program;

namespace {

/// Runs a statement on the recording of `haloscope`, as somebody else's hand would.
void tamper(const Program& haloscope, const std::string& sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

}  // namespace

TEST_CASE("a run in the background of a script can be stopped by Ctrl-C's signal", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1'000'000, 1);
  ::signal(SIGINT, SIG_IGN);  // as a shell without job control starts `command &`
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  ::signal(SIGINT, SIG_DFL);
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  process.signal(SIGINT);
  CHECK(process.wait().status == 130);
}

TEST_CASE("a run has the tags of its experiment from its first moment", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("tagged.toml",
                                          "schema = 1\ntags = [\"one\", \"two\"]\n"
                                          "[training]\nepochs = 1000000\n[[run]]\nmethod = \"single\"\n");
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"start\""));
  const auto rows = jsonLines(haloscope({"list", "--tag", "two", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("tags") == "one,two");
  process.signal(SIGTERM);
  process.wait();
}

TEST_CASE("tags that are given to a run while its workers start are kept", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  halo::Database recording(haloscope.folder() / "recordings.db", halo::Access::readWrite);
  halo::Runs runs(recording);
  const std::string file = haloscope.experiment(1, 2);
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  while (!runs.find(2) && goesOn(process)) std::this_thread::yield();
  runs.setTags(2, "mine");
  const Ended ended = process.wait();
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
  CHECK(runs.find(2)->tags == "mine");
}

TEST_CASE("programs that tag the same runs at once all keep their tags", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  constexpr int kRuns = 300;
  {
    halo::Database recording(haloscope.folder() / "recordings.db", halo::Access::readWrite);
    halo::Runs runs(recording);
    const halo::RunRow first = *runs.find(1);
    halo::Transaction transaction(recording);
    for (int i = 1; i < kRuns; ++i) runs.add(first);
    transaction.commit();
  }
  std::vector<std::string> words = {"tag", "--add", ""};
  for (int i = 1; i <= kRuns; ++i) words.push_back(std::to_string(i));
  std::deque<Process> processes;
  for (const char* tag : {"one", "two", "three"}) {
    words[2] = tag;
    processes.emplace_back(Program::command(words), haloscope.environment(), haloscope.folder());
  }
  for (Process& process : processes) CHECK(process.wait().status == 0);
  for (const auto& run : jsonLines(haloscope({"list", "--json"}).out)) {
    const std::string tags = run.at("tags");
    CAPTURE(run.at("run"), tags);
    REQUIRE(tags.size() == std::string("one,two,three").size());
  }
}

TEST_CASE("a run deleted while it trains ends in a sentence, and the next run of its batch starts", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("batch.toml",
                                          "schema = 1\n[[run]]\nmethod = \"single\"\n"
                                          "training.epochs = 1000000\n"
                                          "[[run]]\nmethod = \"single\"\ntraining.epochs = 2\n");
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  CHECK(haloscope({"delete", "1", "--force"}).status == 0);
  const Ended ended = process.wait();
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 3);
  CHECK(holds(ended.out, "run 1 was deleted from the recording while it was training"));
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "completed");
}

TEST_CASE("a run named twice counts once", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(2, 1)}).status == 0);
  const auto columns = comparisonOf(haloscope({"compare", "1", "1", "last", "--json"}).out).at("columns");
  REQUIRE(columns.size() == 1);
  CHECK(columns[0].at("runs") == nlohmann::json({1}));
  CHECK(haloscope({"export", "1", "1", "--format", "csv", "-o", "out"}).status == 0);
  CHECK(haloscope({"delete", "1", "1"}).out == "deleted run 1: small / vanilla\n");
}

TEST_CASE("a comparison carries the marks of its runs, also where all have the same", "[app]") {
  const Program haloscope;
  const std::string link = "link = \"10gbe\"\n";
  REQUIRE(haloscope({"run", haloscope.experiment(2, 2, link), "--set", "training.repeat=2"}).status == 0);
  CHECK(holds(haloscope({"compare", "1", "2"}).out, "emulated link"));
  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "--json"}).out);
  CHECK(holds(comparison.at("columns").at(0).at("marks"), "emulated link"));
}

TEST_CASE("a damaged block of spans costs an export that block and nothing else", "[app]") {
  const Program haloscope;
  const std::string format = GENERATE("csv", "chrome-trace");
  const std::string file = haloscope.experiment(3, 2);
  REQUIRE(haloscope({"run", file}).status == 0);
  REQUIRE(haloscope({"run", file, "--set", "training.seed=9"}).status == 0);
  tamper(haloscope,
         "UPDATE span_block SET spans = zeroblob(length(spans)) WHERE id = "
         "(SELECT min(id) FROM span_block WHERE run_id = 1)");
  const Ended ended = haloscope({"export", "1", "2", "--format", format, "-o", "out"});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "exported without what is damaged"));
  CHECK(holds(ended.error, "of span_block"));
  for (const std::string run : {"1", "2"}) {
    const auto spanFile =
        haloscope.folder() / "out" / ("run-" + run + (format == "csv" ? "/spans.csv" : ".trace.json"));
    CAPTURE(spanFile.string());
    REQUIRE(std::filesystem::exists(spanFile));
    CHECK(std::filesystem::file_size(spanFile) > 1000);
  }
  const Ended checked = haloscope({"check", "--json"});
  CHECK(checked.status == 4);
  CHECK(jsonLines(checked.out).at(0).at("runs") == 2);
}

TEST_CASE("a folder in the place of a recording is named as one", "[app]") {
  const Program haloscope;
  for (const std::string command : {"list", "check"}) {
    const Ended ended = haloscope({command, "--db", haloscope.folder().string()});
    CHECK(ended.status == 4);
    CHECK(ended.error == haloscope.folder().string() + ": is a folder; name a file with --db\n");
  }
}

TEST_CASE("a folder whose name is no text is refused before anything starts", "[app]") {
  const Program haloscope;
  const std::string folder = "bad\xff/";
  haloscope.file(folder + "edges.txt", "0 1\n1 2\n");
  const std::string file = haloscope.file(
      folder + "e.toml", "schema = 1\n[dataset]\npath = \"edges.txt\"\n[[run]]\nmethod = \"single\"\n");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "holds bytes that are no UTF-8 text"));
}

TEST_CASE("HALO_RESOURCES that names the wrong folder is named itself", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"methods"}, {{"HALO_RESOURCES", "/nowhere"}});
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "HALO_RESOURCES"));
}

TEST_CASE("a recording whose rows were changed contradicts itself, by what its methods are known for too",
          "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(3, 2), "--set", "record.staleness=1"}).status == 0);
  REQUIRE(haloscope({"check"}).out == "recordings.db: ok, 1 runs\n");

  tamper(haloscope,
         "UPDATE layer SET staleness_absolute = 1, staleness_relative = 0.5 WHERE epoch = 1 AND layer = 0 "
         "AND pass = 'forward'");
  const Ended stale = haloscope({"check"});
  CHECK(stale.status == 4);
  CHECK(holds(stale.error,
              "recordings.db: contradicts itself: run 1, epoch 1, layer 0, pass forward, worker 0: its "
              "staleness is 1"));
  CHECK(holds(stale.error, "vanilla with its parameters uses fresh rows"));
  CHECK_FALSE(holds(stale.error, ".recover"));
  tamper(haloscope,
         "UPDATE layer SET staleness_absolute = 0, staleness_relative = 0 WHERE staleness_absolute = 1");
  REQUIRE(haloscope({"check"}).status == 0);

  tamper(haloscope, "UPDATE artifact SET bytes = zeroblob(length(bytes)) WHERE name = 'weights'");
  const auto report = jsonLines(haloscope({"check", "--json"}).out).at(0);
  CHECK(report.at("ok") == false);
  REQUIRE(report.at("faults").size() == 1);
  CHECK(holds(report.at("faults")[0], "run 1, artifact 'weights': its archive"));
  CHECK(report.at("notes").empty());
}

TEST_CASE("a name that a recording brings along begins no line of what check says", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  tamper(haloscope, "UPDATE run SET method = 'a' || char(10) || 'b.db: ok'");
  const Ended ended = haloscope({"check"});
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "its method is a\\u000Ab.db: ok"));
}

TEST_CASE("weights whose archive is damaged are not exported, and those of other runs are", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  REQUIRE(haloscope({"run", file}).status == 0);
  REQUIRE(haloscope({"run", file}).status == 0);
  tamper(haloscope,
         "UPDATE artifact SET bytes = zeroblob(length(bytes)) WHERE name = 'weights' AND run_id = 1");
  const Ended ended = haloscope({"export", "1", "2", "--format", "weights", "-o", "out"});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(
      holds(ended.error, "exported without what is damaged:\nrun 1 is not exported: its archive of weights"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "out/run-1.weights.npz"));
  CHECK(std::filesystem::exists(haloscope.folder() / "out/run-2.weights.npz"));
}

TEST_CASE("weights or an experiment that were lost are damage", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  tamper(haloscope, "DELETE FROM artifact WHERE name = 'weights'");
  const Ended weights = haloscope({"export", "1", "--format", "weights", "-o", "out"});
  CHECK(weights.status == 4);
  CHECK(holds(weights.error, "run 1 completed, and its weights are missing"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "out"));
  tamper(haloscope, "PRAGMA foreign_keys = OFF; DELETE FROM experiment");
  const Ended details = haloscope({"show", "1", "--experiment"});
  CHECK(details.status == 4);
  CHECK(holds(details.error, "recordings.db is damaged: experiment 1 is missing, which run 1 names"));
}

TEST_CASE("spans that did not fit are told by check and are no fault", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  tamper(haloscope,
         "UPDATE worker SET dropped_spans = 5; UPDATE latest SET value = 5 WHERE metric = 'dropped_spans'");
  const Ended checked = haloscope({"check"});
  CHECK(checked.status == 0);
  CHECK(holds(checked.out, "recordings.db: ok, 1 runs\n  run 1: 5 spans did not fit"));
}

TEST_CASE("a run whose supervisor died is interrupted in the file once the next one is recorded", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(2, 1);
  REQUIRE(haloscope({"run", file}).status == 0);
  tamper(haloscope, "UPDATE run SET status = 'running', supervisor_pid = (1 << 22) + 1 WHERE id = 1");
  REQUIRE(haloscope({"run", file}).status == 0);
  // nobody of that host is asked
  tamper(haloscope, "UPDATE run SET host = 'elsewhere' WHERE id = 1");
  CHECK(jsonLines(haloscope({"list", "--json"}).out)[0].at("status") == "interrupted");
}

TEST_CASE("repeats are one column, also where one of them lost scores", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("repeats.toml",
                                          "schema = 1\n[training]\nepochs = 2\n[[run]]\nmethod = \"single\"\n"
                                          "[sweep]\n\"training.seed\" = [1, 2]\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  CHECK(holds(haloscope({"compare", "1", "2"}).out, "#1,2 single"));
  tamper(haloscope, "INSERT INTO parameter(run_id, key, value) VALUES(2, 'result.lost_score_epochs', '1')");
  CHECK(holds(haloscope({"compare", "1", "2"}).out, "#1,2 single"));
}
