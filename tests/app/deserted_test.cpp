// An mpirun that goes on for ever though none of its ranks is left: the run ends all the same.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/app/program.h"

using halo::test::Ended;
using halo::test::holds;
using halo::test::jsonLines;
using halo::test::Program;
namespace fs = std::filesystem;

namespace {

/// Each word fills what is read of standard error at once: ten make the supervisor look once.
constexpr const char* kSay = R"(#!/bin/sh
word=0123456789abcdef
for doubling in 1 2 3 4 5 6 7 8 9 10 11 12; do word=$word$word; done
say() {
  said=0
  while [ $said -lt $1 ]; do
    echo "$2" >&2
    said=$((said + 1))
  done
}
)";
/// One rank, which ends: so much is said that the supervisor has looked while it was there, and often enough
/// after.
constexpr const char* kOneRank = "say 16 $word &\nwait\nsay 200 $word\n";
/// More lines than a log keeps, then a rank that ends before the supervisor looks. A rank that never was is
/// not missed, so that the log is full before the count begins.
constexpr const char* kShortRank = "say 12000 line\n(:)\nsay 200 $word\n";

/// `haloscope run` behind `before` with an mpirun that does as `script` says and then waits for ever for who
/// writes into a pipe; killed should it wait as long.
Ended deserted(const Program& haloscope, const std::string& script, const std::string& before = ":") {
  const fs::path launcher =
      haloscope.folder() / haloscope.file("bin/mpirun", kSay + script + "read never < never\n");
  fs::permissions(launcher, fs::perms::owner_all);
  REQUIRE(::mkfifo((haloscope.folder() / "never").c_str(), 0600) == 0);
  std::vector<std::string> command = {"sh", "-c", before + " && exec \"$@\"", "sh"};
  for (const std::string& word : Program::command({"run", haloscope.experiment(1, 2), "--json"}))
    command.push_back(word);
  const std::string path = launcher.parent_path().string() + ":" + std::getenv("PATH");
  return halo::test::run(command, haloscope.environment({{"PATH", path}}), haloscope.folder());
}

}  // namespace

TEST_CASE("a deserted mpirun is ended", "[app]") {
  const Program haloscope;
  const Ended ended = deserted(haloscope, kOneRank);
  CAPTURE(ended.error.size());
  CHECK(ended.status == 1);
  CHECK(holds(ended.error, "mpirun went on without a rank, and was ended"));
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("an mpirun whose rank ended unseen is ended, and its log says so however full", "[app]") {
  const Program haloscope;
  const Ended ended = deserted(haloscope, kShortRank);
  CAPTURE(ended.error.size());
  CHECK(ended.status == 1);
  const std::string log = haloscope({"show", "1", "--log"}).out;
  CHECK(holds(log, " lines were left out here)\n"));
  CHECK(holds(log, "\nmpirun went on without a rank, and was ended\n"));
  const std::string message = jsonLines(haloscope({"list", "--json"}).out).back().at("error");
  CHECK(holds(message, "mpirun went on without a rank, and was ended"));
}

#ifndef __SANITIZE_ADDRESS__  // reserves terabytes for itself
TEST_CASE("a deserted mpirun under a limit of memory is told of the limit with 5", "[app]") {
  const Program haloscope;
  const Ended ended = deserted(haloscope, kOneRank, "ulimit -v 1000000");
  CAPTURE(ended.error.size());
  CHECK(ended.status == 5);
  const std::string message = jsonLines(ended.out).back().at("error");
  CHECK(holds(message, "a program may have 976 MiB of memory here"));
  CHECK(holds(message, "mpirun went on without a rank, and was ended"));
  CHECK(holds(message, "raise the limit with: ulimit -v unlimited"));
}
#endif
