// Which file a recording is, what several programs do to it at once, and what happens when it loses its
// place.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <deque>

#include "engine/record/tables/runs.h"
#include "engine/run/supervisor/unrecorded.h"
#include "tests/app/program.h"
#include "tests/app/recording_places.h"
#include "tests/support/folder_contents.h"
#include "tests/support/goes_on.h"
#include "tests/support/older_recording.h"

using halo::test::after;
using halo::test::Ended;
using halo::test::execute;
using halo::test::goesOn;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::Process;
using halo::test::Program;
namespace fs = std::filesystem;

namespace {

std::size_t runsIn(const Program& haloscope, const std::string& recording) {
  return jsonLines(haloscope({"--db", recording, "list", "--json"}).out).size();
}

/// A run that goes on until its recording has lost its place, by `lose`; how it ended.
template <class Lose>
Ended robbed(const Program& haloscope, Lose lose) {
  const std::string file = haloscope.experiment(1'000'000, 1);
  Process process(Program::command({"run", file, "--json"}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  lose();
  return process.wait();
}

/// The sound recording that the message names behind `words`.
void checkKept(const Program& haloscope, const Ended& ended, const std::string& name) {
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "recordings.db: was removed, renamed or replaced while it was being written"));
  CHECK(holds(ended.error, "everything recorded until then is in " + (haloscope.folder() / name).string()));
  CHECK(holds(ended.out, "\"event\":\"finish\""));
  CHECK_FALSE(holds(ended.out, "\"status\":\"completed\""));
  CHECK(haloscope({"--db", name, "check"}).status == 0);
  const auto rows = jsonLines(haloscope({"--db", name, "list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "failed");
  CHECK(rows[0].at("epochs") > 0);
}

/// Differs whenever another connection has written.
std::int64_t writtenBy(halo::Database& others) {
  halo::Statement version(others, "PRAGMA data_version");
  version.step();
  return version.integer(0);
}

}  // namespace

TEST_CASE("every name of a recording is the name of a file", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  const std::string name =
      GENERATE(":memory:", "file:d.db", "file:x?mode=memory", "file::memory:", "a%20b#c?d");
  CAPTURE(name);
  const Ended ran = haloscope({"--db", name, "run", file});
  CAPTURE(ran.error);
  CHECK(ran.status == 0);
  CHECK(fs::is_regular_file(haloscope.folder() / name));
  CHECK(runsIn(haloscope, name) == 1);
  CHECK_FALSE(fs::exists(haloscope.folder() / "d.db"));
}

TEST_CASE("what the kernel makes up is refused as a recording at once", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  const std::string name = GENERATE("/proc/self/mem", "/proc/version", "/proc/none.db", "/sys/none.db");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", file}, {"list"}, {"check"}, {"delete", "1"}}) {
    CAPTURE(name, command.front());
    std::vector<std::string> words = {"--db", name};
    words.insert(words.end(), command.begin(), command.end());
    const Ended ended = haloscope(words);
    CHECK(ended.status == (command.front() == "run" && !fs::exists(name) ? 5 : 4));
    CHECK(ended.error == name + ": is on no disk, the kernel makes it up; name a file with --db\n");
  }
}

TEST_CASE("what is no plain file is refused as a recording at once, by its kind", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  REQUIRE(::mkfifo((haloscope.folder() / "pipe").c_str(), 0600) == 0);
  fs::create_directory(haloscope.folder() / "folder");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", file}, {"list"}, {"check"}, {"delete", "1"}})
    for (const auto& [name, kind] :
         {std::pair{"pipe", "a pipe"}, std::pair{"folder", "a folder"}, std::pair{"/dev/null", "a device"}}) {
      CAPTURE(command.front(), name);
      std::vector<std::string> words = {"--db", name};
      words.insert(words.end(), command.begin(), command.end());
      const Ended ended = haloscope(words);
      CHECK(ended.status == 4);
      CHECK(ended.error == std::string(name) + ": is " + kind + "; name a file with --db\n");
    }
  const Ended nameless = haloscope({"--db", "", "run", file});
  CHECK(nameless.status == 2);
  CHECK(nameless.error == "--db: the name is empty; name a file\n");
}

TEST_CASE("what is no file in the place of SQLite's own is refused at once", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  REQUIRE(haloscope({"run", file}).status == 0);
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    const std::string beside = "recordings.db" + std::string(ending);
    REQUIRE(::mkfifo((haloscope.folder() / beside).c_str(), 0600) == 0);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"run", file}, {"list"}, {"check"}}) {
      CAPTURE(command.front(), beside);
      const Ended ended = haloscope(command);
      CHECK(ended.status == 5);
      CHECK(
          holds(ended.error, beside + ": is a pipe, where SQLite keeps a file of recordings.db; remove it"));
    }
    fs::remove(haloscope.folder() / beside);
  }
}

TEST_CASE("an SQLite file that only claims to be a recording is damaged input", "[app]") {
  const Program haloscope;
  const std::string version = GENERATE("0", "1", "2", "3");
  const std::string tables = GENERATE(
      "CREATE TABLE t(x)",
      "CREATE TABLE meta(key, value); CREATE TABLE span_name(name, text); CREATE TABLE run(id INTEGER "
      "PRIMARY KEY, name); INSERT INTO run VALUES(1, 'mine')");
  execute(haloscope.folder() / "claims.db",
          "PRAGMA application_id = 1212238927; PRAGMA user_version = " + version + "; " + tables);
  const std::string file = haloscope.experiment(1, 1);
  const auto before = halo::filesIn(haloscope.folder());
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", file},
                                                  {"list"},
                                                  {"check"},
                                                  {"delete", "1"},
                                                  {"tag", "1", "--add", "kept"},
                                                  {"compare", "1"}}) {
    CAPTURE(version, command.front());
    std::vector<std::string> words = {"--db", "claims.db"};
    words.insert(words.end(), command.begin(), command.end());
    const Ended ended = haloscope(words);
    CHECK(ended.status == 4);
    CHECK(holds(ended.error, "claims.db: "));
    CHECK(halo::filesIn(haloscope.folder()) == before);
  }
}

TEST_CASE("programs that begin the same recording at once all record", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  for (int i = 0; i < 5; ++i) {
    const std::string name = "race" + std::to_string(i) + ".db";
    if (i % 2 == 1) haloscope.file(name, "");  // an empty file is where one may begin
    std::deque<Process> processes;
    for (int p = 0; p < 3; ++p)
      processes.emplace_back(Program::command({"--db", name, "run", file}), haloscope.environment(),
                             haloscope.folder());
    Process reader(Program::command({"--db", name, "check"}), haloscope.environment(), haloscope.folder());
    for (Process& process : processes) {
      const Ended ended = process.wait();
      CAPTURE(i, ended.error);
      CHECK(ended.status == 0);
    }
    const Ended looked = reader.wait();
    CAPTURE(looked.error);
    CHECK((looked.status == 0 || holds(looked.error, "there is no such recording") ||
           holds(looked.error, "is empty")));
    CHECK(runsIn(haloscope, name) == 3);
    CHECK(haloscope({"--db", name, "check"}).status == 0);
  }
}

TEST_CASE("of programs that meet an older recording at once one migrates it, and all work", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  REQUIRE(haloscope({"run", file}).status == 0);
  halo::makeOlder(haloscope.folder() / "recordings.db");
  std::deque<Process> processes;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", file}, {"run", file}, {"list"}, {"check"}, {"delete", "1"}})
    processes.emplace_back(Program::command(words), haloscope.environment(), haloscope.folder());
  for (Process& process : processes) {
    const Ended ended = process.wait();
    CAPTURE(ended.error);
    CHECK(ended.status == 0);
  }
  CHECK(runsIn(haloscope, "recordings.db") == 2);
  CHECK(fs::exists(haloscope.folder() / "recordings.db.v1.bak"));
  CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db.v1.2.bak"));
}

TEST_CASE("programs record into a file that another one compacts meanwhile", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  const std::string file = haloscope.experiment(50, 1);
  std::deque<Process> processes;
  for (int i = 0; i < 2; ++i)
    processes.emplace_back(Program::command({"run", file}), haloscope.environment(), haloscope.folder());
  int compacted = 0;
  {
    halo::Database other(haloscope.folder() / "recordings.db", halo::Access::readWrite);
    // once for each that was written meanwhile: one after the other would keep the programs from writing
    std::int64_t compactedOf = -1;
    while (goesOn(processes[0]) || goesOn(processes[1])) {
      const std::int64_t written = writtenBy(other);
      if (written == compactedOf) continue;
      other.execute("VACUUM");
      compactedOf = written;
      ++compacted;
    }
  }
  CHECK(compacted > 0);
  for (Process& process : processes) {
    const Ended ended = process.wait();
    CAPTURE(ended.error);
    CHECK(ended.status == 0);
  }
  CHECK(runsIn(haloscope, "recordings.db") == 3);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a recording that is removed during a run fails it, and its data are in a copy beside", "[app]") {
  const Program haloscope;
  const Ended ended = robbed(haloscope, [&] { fs::remove(haloscope.folder() / "recordings.db"); });
  checkKept(haloscope, ended, "recordings.db.rescued");
}

TEST_CASE("a recording that is replaced during a run fails it and leaves the other as it is", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"--db", "other.db", "run", haloscope.experiment(1, 1)}).status == 0);
  const Ended ended = robbed(
      haloscope, [&] { fs::rename(haloscope.folder() / "other.db", haloscope.folder() / "recordings.db"); });
  checkKept(haloscope, ended, "recordings.db.rescued");
  CHECK(haloscope({"check"}).out == "recordings.db: ok, 1 runs\n");
}

TEST_CASE("a recording that is renamed during a run fails it and has all that was recorded", "[app]") {
  const Program haloscope;
  const Ended ended = robbed(
      haloscope, [&] { fs::rename(haloscope.folder() / "recordings.db", haloscope.folder() / "moved.db"); });
  checkKept(haloscope, ended, "moved.db");
}

TEST_CASE("a recording that is renamed during a run, with a link in its place, is told from a cut one",
          "[app]") {
  const Program haloscope;
  const Ended ended = robbed(haloscope, [&] {
    fs::rename(haloscope.folder() / "recordings.db", haloscope.folder() / "moved.db");
    fs::create_symlink("moved.db", haloscope.folder() / "recordings.db");
  });
  checkKept(haloscope, ended, "moved.db");
  CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-wal"));
}

TEST_CASE("a recording that is back in its place when its run fails is said to be there", "[app]") {
  const halo::Scratch folder;
  const auto file = folder / "r.db", away = folder / "away.db";
  {
    halo::Database database(file, halo::Access::create);
    const std::int64_t run = halo::Runs(database).add({});
    fs::rename(file, away);
    halo::Transaction transaction(database);
    halo::Runs(database).setStatus(run, "failed");
    try {
      transaction.commit();
      FAIL("a moved recording was written");
    } catch (const halo::RecordMoved& error) {
      CHECK_THAT(halo::unrecordedOutcome(database, run, error).error,
                 Catch::Matchers::EndsWith("; everything recorded until then is in " + away.string() +
                                           ", which was its name when the run ended"));
      fs::rename(away, file);
      CHECK_THAT(halo::unrecordedOutcome(database, run, error).error,
                 Catch::Matchers::EndsWith("; everything recorded until then is in " + file.string() +
                                           ", back in its place"));
    }
  }
  CHECK(halo::Database(file, halo::Access::readOnly).integrity() == "ok");
}

TEST_CASE("a recording whose log is removed during a run loses nothing", "[app]") {
  const Program haloscope;
  const Ended ended = robbed(haloscope, [&] { fs::remove(haloscope.folder() / "recordings.db-wal"); });
  checkKept(haloscope, ended, "recordings.db");
}

TEST_CASE("what the machine lacks for a run is said in our words with 5, and nothing recorded", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 2);
  const std::string recording = (haloscope.folder() / "r.db").string();
  fs::create_directory(haloscope.folder() / "gone");
  const std::string experiment = (haloscope.folder() / file).string();
  for (const auto& [shell, words] :
       {std::pair<std::string, std::string>{"ulimit -n 32", "raise the limit with: ulimit -n"},
        {"ulimit -f 1024", "raise the limit with: ulimit -f"},
#ifndef __SANITIZE_ADDRESS__  // reserves terabytes for itself
        {"ulimit -v 200000", "raise the limit with: ulimit -v"},
        {"ulimit -v 350000", "raise the limit with: ulimit -v"},  // ranks come up, METIS finds no room
#endif
        {"cd gone && rmdir ../gone", "the working directory cannot be used"},
        {"export TMPDIR=/nowhere", "set TMPDIR to a folder that you may write"},
        {"export TMPDIR=" + experiment, "set TMPDIR to a folder that you may write"},
        {"export TMPDIR=/proc", "set TMPDIR to a folder that you may write"}}) {
    const Ended ended = after(haloscope, shell, {"--db", recording, "run", experiment, "--json"});
    CAPTURE(shell, ended.out, ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, words));
    const auto last = jsonLines(ended.out).back();
    CHECK(last.at("event") == "finish");
    CHECK(last.at("exit_status") == 5);
    const bool known = !holds(shell, "ulimit -v");  // what workers take of it shows when they take it
    CHECK(last.at("run").is_null() == known);
    CHECK(fs::remove(recording) != known);
  }
}

TEST_CASE("every command where a stack may hardly grow is refused with 5, and nothing recorded", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 2);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", file}, {"list"}, {"dataset", "info", "cora-like"}}) {
    const Ended ended = after(haloscope, "ulimit -s 128", command);
    CAPTURE(command.front(), ended.out, ended.error);
    CHECK(ended.status == 5);
    CHECK(ended.out.empty());
    CHECK(holds(ended.error,
                "may have 128 KiB here, and 1024 KiB are needed; raise the limit with: ulimit -s"));
  }
  CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("a recording that may not grow fails its run with status 5 and a last event", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1'000'000, 1);
  // no trap: the signal of a file that may not grow kills who does not ignore it
  const Ended ended = after(haloscope, "ulimit -S -f 1024", {"run", file, "--json"});
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "no space left while"));
  const auto last = jsonLines(ended.out).back();
  CHECK(last.at("event") == "finish");
  CHECK(last.at("status") == "failed");
  CHECK(last.at("exit_status") == 5);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a recording that may not even be begun leaves no file, and an event says so", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  const std::string blocks = GENERATE("1", "16", "64", "128", "200");
  fs::create_directory(haloscope.folder() / "place");
  const Ended ended =
      after(haloscope, "ulimit -S -f " + blocks, {"--db", "place/r.db", "run", file, "--json"});
  CAPTURE(blocks, ended.out, ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "ulimit -f"));
  CHECK_FALSE(holds(ended.error, "make room"));
  CHECK_FALSE(holds(ended.error, "what was recorded before is kept"));
  CHECK(halo::filesIn(haloscope.folder() / "place").empty());
  const auto last = jsonLines(ended.out).back();
  CHECK(last.at("event") == "finish");
  CHECK(last.at("run").is_null());
  CHECK(last.at("status") == "failed");
  CHECK(last.at("exit_status") == 5);
}
