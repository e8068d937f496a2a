// Runs that are killed, or lose their recording, at moments drawn at random, and disks that are full at many
// sizes: what was told to be finished is in the recording, and nothing else is called so.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "tests/app/program.h"

using halo::test::Ended;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::Process;
using halo::test::Program;
namespace fs = std::filesystem;

namespace {

/// What the events of a run say of it.
struct Told {
  std::int64_t epochs = 0;
  std::string status;
};

std::map<std::int64_t, Told> toldBy(std::string out) {
  out.resize(out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);  // the last line may be cut
  std::map<std::int64_t, Told> runs;
  for (const auto& event : jsonLines(out)) {
    if (event.at("run").is_null()) continue;  // where there was no room to begin the recording
    Told& run = runs[event.at("run")];
    if (event.at("event") == "epoch") ++run.epochs;
    if (event.at("event") == "finish") run.status = event.at("status");
  }
  return runs;
}

/// Runs that were told to be completed.
int checkTold(const Program& haloscope, const std::string& out) {
  const auto runs = toldBy(out);
  if (!fs::exists(haloscope.folder() / "recordings.db")) {
    CHECK(runs.empty());
    return 0;
  }
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.error, out);
  const bool begun = !holds(checked.error, "is empty, not a recording");
  if (!begun) CHECK(runs.empty());
  if (begun) CHECK(checked.status == 0);
  std::map<std::int64_t, nlohmann::json> rows;
  for (const auto& row : jsonLines(haloscope({"list", "--json"}).out)) rows[row.at("run")] = row;
  int completed = 0;
  for (const auto& [run, state] : runs) {
    REQUIRE(rows.contains(run));
    CHECK(rows[run].value("epochs", 0) >= state.epochs);
    if (state.status == "completed") {
      ++completed;
      CHECK(rows[run].at("status") == "completed");
    } else if (!state.status.empty()) {
      CHECK(rows[run].at("status") != "completed");
    }
  }
  for (const auto& [run, row] : rows) CHECK(row.at("status") != "running");
  return completed;
}

std::string threeRuns(const Program& haloscope) {
  return haloscope.experiment(
      30, 2, "[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = \"single\"\ncluster.workers = 1\n");
}

/// Kills the program `times` times: a moment after an event drawn at random, or after its start.
void killAtRandom(int times) {
  constexpr int kEvents = 3 * (30 + 2);  // of a whole batch: epochs, a start and an end for each run
  const Program haloscope;
  const std::string file = threeRuns(haloscope);
  std::mt19937 random(27);
  std::uniform_int_distribution<int> events(0, kEvents), microseconds(0, 20'000);
  int completed = 0, before = 0;
  for (int i = 0; i < times; ++i) {
    Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
    process.waitForLines(events(random));
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));  // also between two events
    process.signal(SIGKILL);
    const Ended ended = process.wait();
    completed += checkTold(haloscope, ended.out);
    before += toldBy(ended.out).empty() ? 1 : 0;
  }
  WARN(times << " kills: " << before << " before the first event, " << completed << " runs completed before");
  CHECK(haloscope({"run", file, "--json"}).status == 0);
  CHECK(haloscope({"check"}).status == 0);
}

/// Blocks of 512 bytes that a recording of the three runs takes.
std::int64_t blocksOfAll() {
  const Program haloscope;
  REQUIRE(haloscope({"run", threeRuns(haloscope)}).status == 0);
  return static_cast<std::int64_t>(fs::file_size(haloscope.folder() / "recordings.db")) / 512;
}

/// Lets no file grow beyond sizes from a sixteenth of what the recording takes to eight times as much, in
/// equal ratios: the first is too small for any recording, the last has room for SQLite's log too.
void fillAtSizes(int sizes) {
  const auto totalBlocks = static_cast<double>(blocksOfAll());
  int failed = 0;
  for (int i = 0; i < sizes; ++i) {
    const Program haloscope;
    const std::string file = threeRuns(haloscope);
    const auto blocks = static_cast<std::int64_t>(totalBlocks / 16 * std::pow(128.0, i / (sizes - 1.0)));
    std::vector<std::string> command = {"sh", "-c",
                                        "ulimit -S -f " + std::to_string(blocks) + " && exec \"$@\"", "sh"};
    for (const std::string& word : Program::command({"run", file, "--json"})) command.push_back(word);
    const Ended ended = halo::test::run(command, haloscope.environment(), haloscope.folder());
    CAPTURE(i, ended.out, ended.error);
    CHECK((ended.status == 0 || ended.status == 5));
    failed += ended.status == 5 ? 1 : 0;
    checkTold(haloscope, ended.out);
    for (const auto& [run, state] : toldBy(ended.out)) CHECK_FALSE(state.status.empty());
  }
  WARN(sizes << " sizes: the disk was full at " << failed);
  CHECK(failed > 0);
  CHECK(failed < sizes);
}

/// Removes or renames the recording of a run a moment after an event drawn at random.
void loseAtRandom(int times) {
  std::mt19937 random(28);
  std::uniform_int_distribution<int> events(1, 60), microseconds(0, 20'000);
  for (int i = 0; i < times; ++i) {
    const Program haloscope;
    const fs::path recording = haloscope.folder() / "recordings.db";
    Process process(Program::command({"run", haloscope.experiment(1'000'000, 1), "--json"}),
                    haloscope.environment(), haloscope.folder());
    process.waitForLines(events(random));
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));  // also between two events
    const bool removes = i % 2 == 0;
    const std::string kept = removes ? "recordings.db.rescued" : "moved.db";
    if (removes)
      fs::remove(recording);
    else
      fs::rename(recording, haloscope.folder() / kept);
    const Ended ended = process.wait();
    CAPTURE(i, removes, ended.error);
    CHECK(ended.status == 5);
    CHECK(haloscope({"--db", kept, "check"}).status == 0);
    const auto rows = jsonLines(haloscope({"--db", kept, "list", "--json"}).out);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("status") == "failed");
    CHECK(rows[0].value("epochs", 0) >= toldBy(ended.out).at(1).epochs);
  }
}

}  // namespace

TEST_CASE("a run that is killed loses nothing it told, and claims nothing it did not do", "[app]") {
  killAtRandom(6);
}

TEST_CASE("a run on a full disk loses nothing it told, and claims nothing it did not do", "[app]") {
  fillAtSizes(3);
}

TEST_CASE("two hundred kills lose nothing", "[.nightly]") { killAtRandom(200); }

TEST_CASE("a recording that is removed or renamed at thirty moments loses nothing", "[.nightly]") {
  loseAtRandom(30);
}

TEST_CASE("disks that are full at twenty sizes lose nothing", "[.nightly]") { fillAtSizes(20); }
