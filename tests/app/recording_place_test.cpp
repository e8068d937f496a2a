// Which file a recording is, what several programs do to it at once, and what happens when it loses its
// place.
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <deque>
#include <optional>

#include "tests/app/program.h"
#include "tests/support/folder_contents.h"
#include "tests/support/older_recording.h"

using halo::test::Ended;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::Process;
using halo::test::Program;
namespace fs = std::filesystem;

namespace {

void execute(const fs::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

std::size_t runsIn(const Program& haloscope, const std::string& recording) {
  return jsonLines(haloscope({"--db", recording, "list", "--json"}).out).size();
}

/// The program under another limit or in another place: `shell` is what is done before it is started.
Ended after(const Program& haloscope, const std::string& shell, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"sh", "-c", shell + " && exec \"$@\"", "sh"};
  for (const std::string& word : Program::command(arguments)) command.push_back(word);
  return halo::test::run(command, haloscope.environment(), haloscope.folder());
}

/// What `script` does as root of its own mounts; nothing where that is not allowed.
std::optional<Ended> mounted(const Program& haloscope, const std::string& script) {
  const Ended ended = halo::test::run({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script,
                                       std::string(halo::kBinDir) + "/haloscope"},
                                      haloscope.environment(), haloscope.folder());
  if (ended.status != 99 && ended.status != 127 && !holds(ended.error, "unshare:")) return ended;
  WARN("SKIPPED: nothing can be mounted here");
  return std::nullopt;
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
      CHECK(ended.status == 5);
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
  const std::string version = GENERATE("0", "1", "2");
  execute(haloscope.folder() / "claims.db",
          "PRAGMA application_id = 1212238927; PRAGMA user_version = " + version + "; CREATE TABLE t(x)");
  const std::string file = haloscope.experiment(1, 1);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", file}, {"list"}, {"check"}, {"delete", "1"}, {"compare", "1"}}) {
    CAPTURE(version, command.front());
    std::vector<std::string> words = {"--db", "claims.db"};
    words.insert(words.end(), command.begin(), command.end());
    const Ended ended = haloscope(words);
    CHECK(ended.status == 4);
    CHECK(holds(ended.error, "claims.db: "));
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

TEST_CASE("who only reads a recording leaves nothing beside it", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  for (const std::string command : {"list", "check"}) {
    CHECK(haloscope({command}).status == 0);
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-wal"));
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-shm"));
  }
}

TEST_CASE("who reads a recording into a pipe that is closed leaves nothing beside it", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list"}, {"show", "1", "--json"}, {"check"}}) {
    CAPTURE(words.front());
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    const std::vector<std::string> command = Program::command(words);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      if (::chdir(haloscope.folder().c_str()) == 0) ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : 0) == SIGPIPE);
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-wal"));
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-shm"));
  }
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

TEST_CASE("a recording whose log is removed during a run loses nothing", "[app]") {
  const Program haloscope;
  const Ended ended = robbed(haloscope, [&] { fs::remove(haloscope.folder() / "recordings.db-wal"); });
  checkKept(haloscope, ended, "recordings.db");
}

TEST_CASE("what the machine lacks for a run is said in our words, with status 5", "[app]") {
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
#endif
        {"cd gone && rmdir ../gone", "the working directory cannot be used"},
        {"export TMPDIR=/nowhere", "set TMPDIR to a folder that you may write"},
        {"export TMPDIR=/proc", "set TMPDIR to a folder that you may write"}}) {
    const Ended ended = after(haloscope, shell, {"--db", recording, "run", experiment, "--json"});
    CAPTURE(shell, ended.out, ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, words));
    CHECK(holds(ended.out, "\"event\":\"finish\""));
  }
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

TEST_CASE("who only reads leaves a recording and its folder as they are", "[app]") {
  const Program haloscope;
  const bool older = GENERATE(false, true);
  const std::string limit = GENERATE("true", "ulimit -S -f 16");
  CAPTURE(older, limit);
  fs::create_directory(haloscope.folder() / "place");
  REQUIRE(haloscope({"--db", "place/r.db", "run", haloscope.experiment(2, 1)}).status == 0);
  // as a killed supervisor leaves it
  execute(haloscope.folder() / "place/r.db",
          "INSERT INTO run SELECT 2, experiment_id, name, kind, method, dataset, model, workers, seed, "
          "'running', '', marks, started_at, '', host, version, 4194305, fingerprint, tags FROM run");
  if (older) halo::makeOlder(haloscope.folder() / "place/r.db");
  const auto before = halo::filesIn(haloscope.folder() / "place");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"list"},
                                                  {"show", "1"},
                                                  {"compare", "1"},
                                                  {"run", "small.toml", "--dry-run"}}) {
    CAPTURE(command.front());
    std::vector<std::string> words = {"--db", "place/r.db"};
    words.insert(words.end(), command.begin(), command.end());
    const Ended ended = after(haloscope, limit, words);
    CHECK(ended.error == "");
    CHECK(ended.status == 0);
    CHECK((halo::filesIn(haloscope.folder() / "place") == before));
  }
  const auto rows = jsonLines(after(haloscope, limit, {"--db", "place/r.db", "list", "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].at("status") == "interrupted");
}

TEST_CASE("who cannot write for a limit says so, and leaves nothing beside the recording", "[app]") {
  const Program haloscope;
  fs::create_directory(haloscope.folder() / "place");
  REQUIRE(haloscope({"--db", "place/r.db", "run", haloscope.experiment(1, 1)}).status == 0);
  const auto before = halo::filesIn(haloscope.folder() / "place");
  const Ended ended = after(haloscope, "ulimit -S -f 16", {"--db", "place/r.db", "delete", "1"});
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "nothing was changed: raise the limit with: ulimit -f"));
  CHECK((halo::filesIn(haloscope.folder() / "place") == before));
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

TEST_CASE("a recording on a full disk is read, and reading leaves nothing there", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"--db", "r.db", "run", haloscope.experiment(1, 1)}).status == 0);
  fs::create_directory(haloscope.folder() / "small");
  const auto ended = mounted(
      haloscope,
      "mount -t tmpfs -o size=2m none small || exit 99; cp r.db small; dd if=/dev/zero of=small/fill bs=1k; "
      "for words in list check 'show 1' 'compare 1' 'export 1 --format csv -o out'; do "
      "\"$0\" --db small/r.db $words >/dev/null || exit 98; done; \"$0\" --db small/r.db delete 1; "
      "test $? = 5 || exit 97; ls small; cmp r.db small/r.db");
  if (!ended) return;
  CAPTURE(ended->error);
  CHECK(ended->status == 0);
  CHECK(ended->out == "fill\nr.db\n");
  CHECK(holds(ended->error, "(No space left on device); nothing was changed: make room"));
}

TEST_CASE("a log without its index is read on read-only media, and writing there is refused truly", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"--db", "r.db", "run", haloscope.experiment(1, 1)}).status == 0);
  fs::create_directory(haloscope.folder() / "media");
  fs::create_directory(haloscope.folder() / "view");
  {
    sqlite3* writer = nullptr;
    REQUIRE(sqlite3_open((haloscope.folder() / "r.db").c_str(), &writer) == SQLITE_OK);
    REQUIRE(sqlite3_exec(writer, "UPDATE run SET tags = 'walled'", nullptr, nullptr, nullptr) == SQLITE_OK);
    for (const char* name : {"r.db", "r.db-wal"})
      fs::copy_file(haloscope.folder() / name, haloscope.folder() / "media" / name);
    sqlite3_close(writer);
  }
  const auto ended = mounted(haloscope,
                             "mount --bind media view && mount -o remount,ro,bind view || exit 99; "
                             "for words in check 'show 1' 'tag 1' 'export 1 --format csv -o out'; do "
                             "\"$0\" --db view/r.db $words >/dev/null || exit 98; done; "
                             "\"$0\" --db view/r.db tag 1 --add x; \"$0\" --db view/new.db run small.toml; "
                             "\"$0\" --db view/r.db list --json");
  if (!ended) return;
  CAPTURE(ended->error);
  CHECK(ended->status == 0);
  CHECK(holds(ended->out, "walled"));
  CHECK(holds(ended->error, "view/r.db: cannot be written: Read-only file system"));
  CHECK(holds(ended->error, "view/new.db: cannot be written: Read-only file system"));
  CHECK_FALSE(holds(ended->error, "No such file"));
}

TEST_CASE("an output in a working directory that is gone is what the machine lacks", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  const std::string recording = (haloscope.folder() / "recordings.db").string();
  fs::create_directory(haloscope.folder() / "gone");
  for (const std::string format : {"csv", "chrome-trace", "weights"}) {
    const Ended ended = after(haloscope, "cd gone && rmdir ../gone",
                              {"--db", recording, "export", "1", "--format", format, "-o", "x"});
    CAPTURE(format, ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, "x: cannot be found, the working directory is gone"));
    fs::create_directory(haloscope.folder() / "gone");
  }
}

TEST_CASE("an empty TMPDIR counts as none", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.experiment(1, 2)}, {{"TMPDIR", ""}});
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
}
