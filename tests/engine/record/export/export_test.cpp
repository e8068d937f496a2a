#include "engine/record/export/export.h"
#include "engine/base/index.h"

#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/problem.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/record/random_spans.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

std::string inflated(const std::filesystem::path& file) {
  std::string all(1 << 24, '\0');
  const gzFile zip = gzopen(file.c_str(), "rb");
  all.resize(at(gzread(zip, all.data(), static_cast<unsigned>(all.size()))));
  gzclose(zip);
  return all;
}

/// Two ranks, all lanes, in several blocks that overlap in time.
std::int64_t fill(Database& database) {
  RunRow run;
  run.name = "a \"quoted\", name", run.marks = "emulated link", run.method = "vanilla";
  const std::int64_t id = Runs(database).add(run);
  WorkerRow worker;
  worker.host = "h\n1";
  Runs(database).setWorkers(id, {worker});
  Runs(database).setParameters(id, {{"run.seed", "1"}});
  const EpochRow epoch{0, 1, 2, 0.1, {}, 0.5, {}};
  Epochs(database).append(id, std::span(&epoch, 1));
  for (std::int64_t rank = 0; rank < 2; ++rank)
    for (std::uint64_t block = 0; block < 3; ++block)
      for (const Lane lane : {Lane::main, Lane::link, Lane::phase}) {
        auto spans = randomSpans(400, 31 + block, lane, false);
        for (Span& span : spans) span.beginNs += static_cast<std::int64_t>(block) * 5'000'000;
        Spans(database).append(id, rank, spans);
      }
  return id;
}

std::int64_t nanoseconds(const nlohmann::json& microseconds) {
  return static_cast<std::int64_t>(std::llround(microseconds.get<double>() * 1000));
}

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string>;

}  // namespace

TEST_CASE("a Chrome trace holds every span once, with its exact times", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  const std::string name = GENERATE("t.json", "t.json.gz");
  exportChromeTrace(database, run, folder / name);
  const auto trace =
      nlohmann::json::parse(name == "t.json" ? contents(folder / name) : inflated(folder / name));
  std::vector<Key> events, expected;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X")
      events.push_back(
          {event.at("pid"), nanoseconds(event.at("ts")), nanoseconds(event.at("dur")), event.at("name")});
  for (std::int64_t rank = 0; rank < 2; ++rank)
    for (const Span& span : Spans(database).all(run, rank))
      expected.push_back({rank, span.beginNs, span.durationNs, std::string(text(span.name))});
  std::sort(events.begin(), events.end());
  std::sort(expected.begin(), expected.end());
  CHECK(events.size() == 7200);
  CHECK(events == expected);
  CHECK(trace.at("otherData").at("marks") == "emulated link");
}

TEST_CASE("no two spans of one trace thread overlap without nesting", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  exportChromeTrace(database, fill(database), folder / "t.json");
  const auto trace = nlohmann::json::parse(contents(folder / "t.json"));
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;
  for (const auto& event : trace.at("traceEvents")) {
    const std::pair<std::int64_t, std::int64_t> thread{event.at("pid"), event.at("tid")};
    if (event.at("ph") == "X") {
      const std::int64_t begin = nanoseconds(event.at("ts"));
      threads[thread].emplace_back(begin, begin + nanoseconds(event.at("dur")));
    }
    if (event.at("name") == "thread_name") names[thread] = event.at("args").at("name");
  }
  for (const auto& [thread, spans] : threads) {
    CAPTURE(thread.first, thread.second);
    REQUIRE(names.count(thread) == 1);
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (std::size_t j = i + 1; j < spans.size(); ++j) {
        const auto [a, b] = spans[i];
        const auto [c, d] = spans[j];
        const bool apart = b <= c || d <= a, nested = (a <= c && d <= b) || (c <= a && b <= d);
        if (!apart && !nested) FAIL("[" << a << ", " << b << ") and [" << c << ", " << d << ")");
      }
  }
  CHECK(names.at({0, 0}) == "main");
}

namespace {

struct Slice {
  std::int64_t beginNs = 0, endNs = 0;
};
struct ArrowEnd {
  std::int64_t process = -1, thread = -1, atNs = -1;
  bool operator==(const ArrowEnd&) const = default;
};
struct Trace {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Slice>> slices;  // of each thread
  std::map<std::int64_t, std::pair<ArrowEnd, ArrowEnd>> arrows;
};

Trace traceOf(const std::filesystem::path& file) {
  Trace trace;
  const auto all = nlohmann::json::parse(contents(file));
  for (const auto& event : all.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "M") continue;
    const ArrowEnd place{event.at("pid"), event.at("tid"), nanoseconds(event.at("ts"))};
    if (phase == "X")
      trace.slices[{place.process, place.thread}].push_back(
          {place.atNs, place.atNs + nanoseconds(event.at("dur"))});
    if (phase == "s") trace.arrows[event.at("id")].first = place;
    if (phase == "f") trace.arrows[event.at("id")].second = place;
  }
  return trace;
}

/// A moment of a slice; of one without length, its only one.
bool isWithin(const Trace& trace, const ArrowEnd& end) {
  const auto thread = trace.slices.find({end.process, end.thread});
  return thread != trace.slices.end() && std::ranges::any_of(thread->second, [&](const Slice& slice) {
           return slice.beginNs <= end.atNs &&
                  (end.atNs < slice.endNs || (slice.beginNs == slice.endNs && end.atNs == slice.beginNs));
         });
}

void append(Database& database, std::int64_t run, std::int64_t rank, const Span& span) {
  Spans(database).append(run, rank, std::span(&span, 1));
}

void work(Database& database, std::int64_t run, std::int64_t rank, std::int64_t begin, std::int64_t end) {
  append(database, run, rank,
         {begin, end - begin, 0, 0, -1, 1, Name::aggregate, Kind::compute, Lane::main, Pass::forward});
}

void receive(Database& database, std::int64_t run, std::int64_t rank, std::int32_t from, std::int64_t begin) {
  append(database, run, rank,
         {begin, 5, 64, 0, from, 1, Name::receive, Kind::communication, Lane::link, Pass::forward});
}

}  // namespace

TEST_CASE("an arrow leads from what the sender did when a transfer began to the end of its receive",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  work(database, run, 0, 50, 110);
  work(database, run, 0, 60, 105);  // inside that: on its thread
  work(database, run, 0, 150, 180);
  work(database, run, 0, 160, 190);   // overlaps: on a thread of its own
  receive(database, run, 1, 0, 40);   // before anything: ends before it begins
  receive(database, run, 1, 0, 46);   // before anything
  receive(database, run, 1, 0, 103);  // under way
  receive(database, run, 1, 0, 130);  // in a gap
  receive(database, run, 1, 0, 203);  // after all
  receive(database, run, 1, 7, 103);  // of a sender without spans
  exportChromeTrace(database, run, folder / "t.json");
  const Trace trace = traceOf(folder / "t.json");
  std::vector<std::pair<ArrowEnd, ArrowEnd>> arrows;
  for (const auto& [id, ends] : trace.arrows) arrows.push_back(ends);
  const std::int64_t link = 1'000'000;
  CHECK(arrows == std::vector<std::pair<ArrowEnd, ArrowEnd>>{{{0, 0, 50}, {1, link, 50}},
                                                             {{0, 0, 103}, {1, link, 107}},
                                                             {{0, 0, 109}, {1, link, 134}},
                                                             {{0, 1, 189}, {1, link, 207}}});
}

TEST_CASE("every arrow of a trace begins and ends within a slice of its thread, and not before it begins",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  exportChromeTrace(database, fill(database), folder / "t.json");
  const std::int64_t run = Runs(database).add({});  // one with gaps
  for (std::int64_t rank = 0; rank < 3; ++rank)
    for (std::int64_t i = 0; i < 200; ++i) {
      work(database, run, rank, 1000 * i + 100 * rank, 1000 * i + 400 + 50 * (i % 3));
      receive(database, run, rank, static_cast<std::int32_t>((rank + 1) % 3), 1000 * i + 37 * i % 990);
    }
  exportChromeTrace(database, run, folder / "u.json");
  for (const char* file : {"t.json", "u.json"}) {
    const Trace trace = traceOf(folder / file);
    CAPTURE(file);
    CHECK(trace.arrows.size() > 10);
    for (const auto& [id, arrow] : trace.arrows) {
      CAPTURE(id, arrow.first.atNs, arrow.second.atNs);
      CHECK(isWithin(trace, arrow.first));
      CHECK(isWithin(trace, arrow.second));
      CHECK(arrow.first.atNs <= arrow.second.atNs);
    }
  }
}

TEST_CASE("CSV files name their columns with units and lose no span", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  exportCsv(database, run, folder / "out");
  CHECK(contents(folder / "out/epoch.csv") ==
        "run_id,epoch,begin_ns,wall_ns,loss,train,valid,test,filling\n1,0,1,2,0.1,,0.5,,0\n");
  CHECK_THAT(contents(folder / "out/run.csv"), Contains("\"a \"\"quoted\"\", name\""));
  CHECK_THAT(contents(folder / "out/worker.csv"), Contains("\"h\n1\""));
  CHECK(contents(folder / "out/message.csv") ==
        "run_id,epoch,layer,pass,source,target,messages,bytes,predicted_bytes,predicted_messages\n");
  std::istringstream lines(contents(folder / "out/spans.csv"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "run_id,rank,lane,begin_ns,duration_ns,kind,name,layer,pass,epoch,peer,bytes");
  std::int64_t count = 0, durations = 0, expected = 0;
  while (std::getline(lines, line)) {
    ++count;
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 5; ++i) std::getline(fields, field, ',');
    durations += std::stoll(field);
  }
  for (std::int64_t rank = 0; rank < 2; ++rank)
    for (const Span& span : Spans(database).all(run, rank)) expected += span.durationNs;
  CHECK(count == 7200);
  CHECK(durations == expected);
}

TEST_CASE("a loss that is no number is NaN in iteration.csv, and one of no seeds is empty", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  BatchRows rows;
  rows.iterations.resize(3);
  for (std::size_t i = 0; i < rows.iterations.size(); ++i) {
    rows.iterations[i].iteration = static_cast<std::int64_t>(i);
    rows.iterations[i].seeds = i == 2 ? 0 : 4;
    rows.iterations[i].loss = i == 0 ? 0.5 : std::nan("");
  }
  rows.iterations[2].loss.reset();
  Iterations(database).append(run, rows);
  exportCsv(database, run, folder / "out");
  CHECK(contents(folder / "out/iteration.csv") ==
        "run_id,epoch,iteration,begin_ns,wall_ns,modelled_ns,loss,seeds,arcs,bytes_sent,messages\n"
        "1,0,0,0,0,,0.5,4,0,0,0\n1,0,1,0,0,,NaN,4,0,0,0\n1,0,2,0,0,,,0,0,0,0\n");
}

TEST_CASE("a staleness that is no number is NaN in layer.csv, and one that nobody measured is empty",
          "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  const EpochRow lost{1, 1, 2, std::nan(""), {}, {}, {}};
  Epochs(database).append(run, std::span(&lost, 1));
  std::vector<LayerRow> rows(3);
  rows[0].pass = rows[1].pass = rows[2].pass = Pass::forward;
  rows[0].stalenessAbsolute = rows[0].stalenessRelative = 0.5;
  rows[0].stalenessCosine = 0.75, rows[0].stalenessAge = 1.5;
  rows[1].epoch = rows[2].epoch = 1;
  rows[1].stalenessAbsolute = rows[1].stalenessRelative = std::nan("");
  rows[0].layer = rows[1].layer = 0;
  rows[2].layer = 1;
  Epochs(database).append(run, rows);
  exportCsv(database, run, folder / "out");
  const std::string csv = contents(folder / "out/layer.csv");
  CHECK_THAT(csv, Contains("\n1,0,0,0,forward,") && Contains(",0.5,0.5,,0.75,1.5\n"));
  CHECK_THAT(csv, Contains(",NaN,NaN,,,\n1,1,0,1,forward,") && Catch::Matchers::EndsWith(",,,,,\n"));
}

TEST_CASE("an export never overwrites unless forced and leaves no half files", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  exportCsv(database, run, folder / "out");
  std::ofstream(folder / "out/run.csv") << "mine";
  try {
    exportCsv(database, run, folder / "out");
    FAIL("overwrote");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 18);
  }
  CHECK(contents(folder / "out/run.csv") == "mine");
  exportCsv(database, run, folder / "out", /*force=*/true);
  CHECK(contents(folder / "out/run.csv") != "mine");
  std::ofstream(folder / "t.json") << "mine";
  CHECK_THROWS_AS(exportChromeTrace(database, run, folder / "t.json"), InputError);
  CHECK_THROWS_AS(exportChromeTrace(database, run, folder / "no/such/folder/t.json"), RecordError);
  CHECK_THROWS_AS(exportChromeTrace(database, run + 1, folder / "u.json"), RecordError);
  CHECK(contents(folder / "t.json") == "mine");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("a heading of CSV is escaped, whatever column a stranger added", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  database.execute(
      "ALTER TABLE run ADD COLUMN \"a,b\"; ALTER TABLE run ADD COLUMN \"c\"\"d\"; ALTER TABLE run ADD COLUMN "
      "\"=1+1\"");
  exportCsv(database, run, folder / "out");
  const std::string heading = contents(folder / "out/run.csv");
  CHECK_THAT(heading.substr(0, heading.find('\n')), Catch::Matchers::EndsWith(",\"a,b\",\"c\"\"d\",=1+1"));
  exportCsv(database, run, folder / "sheet", false, CsvFor::spreadsheet);
  const std::string sheet = contents(folder / "sheet/run.csv");
  CHECK_THAT(sheet.substr(0, sheet.find('\n')), Contains("'=1+1"));
}

TEST_CASE("text in a column of numbers is damage to an export as to every reader", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  for (const char* damage : {"UPDATE epoch SET wall_ns = 'x'", "UPDATE worker SET vertices = 'x'"}) {
    database.execute(damage);
    CHECK_THROWS_WITH(exportCsv(database, run, folder / "out"),
                      Contains(" is 'x', and a number would be right; `haloscope check` says where"));
  }
}

TEST_CASE("an export that the disk has no room for leaves none of its files", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  rlimit before{}, small{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  small = {40'000, before.rlim_max};  // enough for every table, not for the spans
  const auto old = signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  CHECK_THROWS_AS(exportCsv(database, run, folder / "out"), DiskFull);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  signal(SIGXFSZ, old);
  CHECK_FALSE(std::filesystem::exists(folder / "out"));  // it made the folder too
}

TEST_CASE("a link that leads nowhere is not written over either", "[export]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = fill(database);
  std::filesystem::create_directory(folder / "out");
  std::filesystem::create_symlink("gone", folder / "out/latest.csv");
  CHECK_THROWS_AS(exportCsv(database, run, folder / "out"), InputError);
  std::filesystem::create_symlink("gone", folder / "t.json");
  CHECK_THROWS_AS(exportChromeTrace(database, run, folder / "t.json"), InputError);
  CHECK(std::filesystem::is_symlink(folder / "t.json"));
}
