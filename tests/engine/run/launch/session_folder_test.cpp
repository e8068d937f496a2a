#include "engine/run/launch/session_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

/// What a process that is killed while it holds one leaves in `parent`.
fs::path leftByKilled(const fs::path& parent) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SessionFolder folder(parent, "");
    std::ofstream(folder.path() / "segment") << "bytes";
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  for (const auto& entry : fs::directory_iterator(parent)) return entry.path();
  return {};
}

}  // namespace

TEST_CASE("a session folder is gone with its object", "[launcher]") {
  const Scratch parent;
  fs::path path;
  {
    const SessionFolder folder(parent.path(), "");
    path = folder.path();
    std::ofstream(path / "segment") << "bytes";
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("the folder of a killed program is removed by the next, one in use and others' are not",
          "[launcher]") {
  const Scratch parent;
  const fs::path left = leftByKilled(parent.path());
  REQUIRE(fs::exists(left / "segment"));
  fs::create_directories(parent / "ompi.host.0/pid.1");
  std::ofstream(parent / "vader_segment.host.0.1.0") << "another program's";
  fs::create_directory(parent / "precious");
  std::ofstream(parent / "precious/file") << "kept";
  // a link that only looks like one of ours
  fs::create_directory_symlink(parent / "precious", left.string() + "0");

  const SessionFolder first(parent.path(), "");
  CHECK_FALSE(fs::exists(left));
  const SessionFolder second(parent.path(), "");
  CHECK(fs::exists(first.path()));
  CHECK(fs::exists(parent / "ompi.host.0/pid.1"));
  CHECK(fs::exists(parent / "vader_segment.host.0.1.0"));
  CHECK(fs::exists(parent / "precious/file"));
}

TEST_CASE("a folder that was left half made or half removed is removed too", "[launcher]") {
  const Scratch parent;
  const fs::path left = leftByKilled(parent.path());
  fs::remove(left / "segment");
  fs::remove(left / "lock");
  const SessionFolder next(parent.path(), "");
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("a folder that somebody named much like ours stays", "[launcher]") {
  const Scratch parent;
  const fs::path left = leftByKilled(parent.path());
  const std::string prefix = left.filename().string().substr(0, left.filename().string().size() - 16);
  std::vector<fs::path> others;
  for (const std::string name :
       {"", "thesis", "notes.d", "123456789abcdef", "123456789abcdef01", "123456789ABCDEF0"})
    others.push_back(parent / (prefix + name));
  for (const fs::path& folder : others) {
    fs::create_directory(folder);
    std::ofstream(folder / "lock") << "";
    std::ofstream(folder / "data") << "mine";
  }
  others.push_back(parent / (prefix + "3333333333333333"));  // ours by its name, but without a lock
  fs::create_directory(others.back());
  std::ofstream(others.back() / "data") << "mine";
  const SessionFolder next(parent.path(), "");
  for (const fs::path& folder : others) CHECK(fs::exists(folder / "data"));
}

TEST_CASE("a folder where none can be made is named, with what to do", "[launcher]") {
  try {
    SessionFolder("/nowhere", "set TMPDIR to another");
    FAIL("made where nothing is");
  } catch (const EnvironmentError& error) {
    CHECK(std::string(error.what()) ==
          "/nowhere: a folder for the run cannot be made there: No such file or directory; set TMPDIR to "
          "another");
  }
}
