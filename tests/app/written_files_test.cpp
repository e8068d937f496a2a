#include <catch2/catch.hpp>
#include <iterator>

#include "tests/app/program.h"

using namespace halo;
using test::Ended;
using test::holds;
using test::Program;

namespace {

/// The program where no file may grow beyond a few KiB, as on a full disk.
Ended cramped(const Program& haloscope, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"sh", "-c", "ulimit -f 4; exec \"$@\"", "sh"};
  for (const std::string& word : Program::command(arguments)) command.push_back(word);
  return test::run(command, haloscope.environment(), haloscope.folder());
}

/// Everything in the folder but the cache of data sets.
std::vector<std::string> files(const Program& haloscope) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(haloscope.folder()))
    if (const std::string name = entry.path().filename().string(); name != "cache") names.push_back(name);
  return names;
}

std::string contents(const Program& haloscope, const std::string& name) {
  std::ifstream in(haloscope.folder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a full disk leaves no part of a written data set or partition behind and says what to do",
          "[app]") {
  const Program haloscope;
  const std::vector<std::vector<std::string>> commands = {
      {"dataset", "generate", "cora-like", "-o", "out/g"},
      {"dataset", "convert", "cora-like", "-o", "out.mtx"},
      {"partition", "cora-like", "--parts", "2", "-o", "out.txt"}};
  for (const auto& command : commands) {
    CAPTURE(command.front(), command[1]);
    const Ended ended = cramped(haloscope, command);
    CAPTURE(ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, command.back()));
    CHECK(holds(
        ended.error,
        ": cannot be written: File too large; raise the limit with: ulimit -f; nothing was left behind\n"));
    CHECK(files(haloscope).empty());
  }
}

TEST_CASE("a file that should be overwritten is kept when the disk is full", "[app]") {
  const Program haloscope;
  haloscope.file("p.txt", "old\n");
  CHECK(cramped(haloscope, {"partition", "cora-like", "--parts", "2", "-o", "p.txt", "--force"}).status == 5);
  CHECK(contents(haloscope, "p.txt") == "old\n");
  CHECK(files(haloscope).size() == 1);
  CHECK(haloscope({"partition", "karate", "--parts", "1", "-o", "p.txt", "--force"}).status == 0);
  CHECK(contents(haloscope, "p.txt").size() == 68);
  CHECK(files(haloscope).size() == 1);
}

TEST_CASE("links that were planted where files are made are not followed", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  haloscope.file("precious", "kept");
  std::filesystem::create_directories(haloscope.folder() / "out/run-1");
  const auto plant = [&](const std::string& name) {
    std::filesystem::create_symlink(haloscope.folder() / "precious", haloscope.folder() / name);
  };
  for (const std::string name : {"out/run-1.trace.json.part", "out/run-1.weights.npz.part",
                                 "out/run-1/epoch.csv.part", "set.txt.part", "set.txt"})
    plant(name);
  std::filesystem::create_symlink(haloscope.folder() / "nowhere", haloscope.folder() / "dangling.txt");
  for (const std::string format : {"chrome-trace", "weights", "csv"})
    CHECK(haloscope({"export", "1", "--format", format, "-o", "out"}).status == 0);
  CHECK(haloscope({"dataset", "convert", "karate", "-o", "set.txt"}).status == 2);
  CHECK(haloscope({"dataset", "convert", "karate", "-o", "dangling.txt"}).status == 2);
  const Ended forced = haloscope({"dataset", "convert", "karate", "-o", "set.txt", "--force"});
  CAPTURE(forced.error);
  CHECK(forced.status == 0);
  CHECK_FALSE(std::filesystem::is_symlink(haloscope.folder() / "set.txt"));
  CHECK(contents(haloscope, "precious") == "kept");
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "nowhere"));
}

TEST_CASE("links that were planted as folders of an output are refused, forced or not", "[app]") {
  const Program haloscope;
  namespace fs = std::filesystem;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  fs::create_directories(haloscope.folder() / "elsewhere");
  for (const char* folder : {"out", "set", "split"}) fs::create_directories(haloscope.folder() / folder);
  const auto plant = [&](const std::string& name, const std::string& target) {
    fs::create_directory_symlink(haloscope.folder() / target, haloscope.folder() / name);
  };
  plant("out/run-1", "elsewhere");
  plant("set/raw", "elsewhere");
  plant("split/split", "nowhere");
  plant("named", "elsewhere");
  for (const bool force : {false, true})
    for (const auto& [words, link] :
         {std::pair{std::vector<std::string>{"export", "1", "--format", "csv", "-o", "out"}, "out/run-1"},
          {{"dataset", "convert", "karate", "-o", "set"}, "set/raw"},
          {{"dataset", "convert", "cora-like", "-o", "split"}, "split/split"}}) {
      std::vector<std::string> command = words;
      if (force) command.push_back("--force");
      const Ended ended = haloscope(command);
      CAPTURE(link, ended.error);
      CHECK(ended.status == 2);
      CHECK(holds(ended.error, std::string(link) + ": is a link, and what is written would land where it"));
    }
  CHECK(fs::is_empty(haloscope.folder() / "elsewhere"));
  CHECK_FALSE(fs::exists(haloscope.folder() / "nowhere"));
  // a folder that the user names may be one
  CHECK(haloscope({"export", "1", "--format", "csv", "-o", "named"}).status == 0);
  CHECK(haloscope({"dataset", "convert", "karate", "-o", "named/"}).status == 0);
  CHECK(fs::exists(haloscope.folder() / "elsewhere/run-1/epoch.csv"));
  CHECK(fs::exists(haloscope.folder() / "elsewhere/raw/edge.csv"));
}

TEST_CASE("an output below a plain file is refused with what to do", "[app]") {
  const Program haloscope;
  haloscope.file("plain", "");
  const Ended ended = haloscope({"dataset", "convert", "karate", "-o", "plain/out.txt"});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(holds(ended.error,
              "plain: --output: cannot be a folder: a file is in its place; name another with -o"));
}

TEST_CASE("an output without a name is refused, and a recording is never an output's place", "[app]") {
  const Program haloscope;
  REQUIRE(std::filesystem::copy_file(std::string(kSourceDir) + "/resources/samples/sample.db",
                                     haloscope.folder() / "r.db"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"export", "1", "--format", "csv", "-o", "", "--db", "r.db"},
        {"dataset", "convert", "karate", "-o", ""}}) {
    const Ended ended = haloscope(command);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, "--output: the name is empty"));
  }
  const Ended ended = haloscope({"partition", "karate", "--parts", "2", "-o", "r.db", "--force"});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "r.db: is a recording; name a file, or a new one"));
  CHECK(haloscope({"check", "--db", "r.db"}).status == 0);
}

TEST_CASE("a partition can be written to a pipe", "[app]") {
  const Program haloscope;
  const Ended ended =
      haloscope({"partition", "karate", "--parts", "1", "-o", "/dev/stdout", "--force", "--json"});
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
  CHECK(ended.out.starts_with("0\n0\n"));
}

TEST_CASE("a set written over another does not inherit its marks", "[app]") {
  const Program haloscope;
  const auto marks = [&] {
    const Ended ended = haloscope({"dataset", "info", "g", "--json"});
    return test::jsonLines(ended.out).at(0).at("marks").size();
  };
  CHECK(haloscope({"dataset", "convert", "karate", "-o", "g"}).status == 0);
  CHECK(marks() == 2);
  std::filesystem::copy(haloscope.folder() / "g", haloscope.folder() / "own",
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(haloscope.folder() / "own/marks.txt");
  CHECK(haloscope({"dataset", "convert", "own", "-o", "g"}).status == 2);
  CHECK(haloscope({"dataset", "convert", "own", "-o", "g", "--force"}).status == 0);
  CHECK(marks() == 0);
}
