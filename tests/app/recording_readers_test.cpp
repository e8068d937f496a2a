// Who only reads a recording leaves it and its folder as they are, wherever it lies and however reading ends.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <optional>
#include <set>

#include "tests/app/program.h"
#include "tests/app/recording_places.h"
#include "tests/support/folder_contents.h"
#include "tests/support/older_recording.h"
#include "tests/support/places.h"

using halo::test::after;
using halo::test::Ended;
using halo::test::execute;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::mounted;
using halo::test::Program;
namespace fs = std::filesystem;

namespace {

/// What lies in a folder, and the bytes of one of its files.
struct Contents {
  std::set<std::string> names;
  std::string bytes;
  bool operator==(const Contents&) const = default;
};

Contents contentsOf(const fs::path& folder, const std::string& file) {
  Contents contents{{}, halo::bytesOf(folder / file)};
  for (const auto& entry : fs::directory_iterator(folder)) contents.names.insert(entry.path().filename());
  return contents;
}

}  // namespace

TEST_CASE("who only reads a recording leaves nothing beside it", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  for (const std::string command : {"list", "check"}) {
    CHECK(haloscope({command}).status == 0);
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-wal"));
    CHECK_FALSE(fs::exists(haloscope.folder() / "recordings.db-shm"));
  }
}

TEST_CASE("who draws of a recording leaves nothing beside it and the figure", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  const Contents before = contentsOf(haloscope.folder(), "recordings.db");
  REQUIRE(halo::test::run({std::string(halo::kBinDir) + "/haloscope-desktop", "--db", "recordings.db",
                           "--render", "timeline", "-o", "out.svg"},
                          haloscope.environment(), haloscope.folder())
              .status == 0);
  REQUIRE(fs::remove(haloscope.folder() / "out.svg"));
  CHECK(contentsOf(haloscope.folder(), "recordings.db") == before);
}

TEST_CASE("another program's SQLite file is no recording, and stays as it is", "[app]") {
  const Program haloscope;
  const fs::path file = haloscope.folder() / "foreign.db";
  execute(file, "CREATE TABLE run(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO run VALUES(1, 'theirs')");
  const Contents before = contentsOf(haloscope.folder(), "foreign.db");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list"}, {"check"}, {"show", "1"}, {"tag", "1", "--add", "x"}}) {
    std::vector<std::string> all = {"--db", "foreign.db"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = haloscope(all);
    CAPTURE(words.front(), ended.out, ended.error);
    CHECK(ended.status == 4);
    CHECK(holds(ended.error, "foreign.db"));
    CHECK(contentsOf(haloscope.folder(), "foreign.db") == before);
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
