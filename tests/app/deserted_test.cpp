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

/// Has one rank, which ends, and waits for ever for who writes into a pipe. Each word fills what is read of
/// standard error at once: so much is said that the supervisor has looked while the rank was there, and
/// often enough after.
constexpr const char* kWaitsForEver = R"(#!/bin/sh
word=0123456789abcdef
for doubling in 1 2 3 4 5 6 7 8 9 10 11 12; do word=$word$word; done
say() {
  said=0
  while [ $said -lt $1 ]; do
    echo "$word" >&2
    said=$((said + 1))
  done
}
say 16 &
wait
say 200
read never < never
)";

/// `haloscope run` behind `before` with that mpirun; killed should it wait as long.
Ended deserted(const Program& haloscope, const std::string& before) {
  const fs::path launcher = haloscope.folder() / haloscope.file("bin/mpirun", kWaitsForEver);
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
  const Ended ended = deserted(haloscope, ":");
  CAPTURE(ended.error.size());
  CHECK(ended.status == 1);
  CHECK(holds(ended.error, "mpirun went on without a rank, and was ended"));
  CHECK(haloscope({"check"}).status == 0);
}

#ifndef __SANITIZE_ADDRESS__  // reserves terabytes for itself
TEST_CASE("a deserted mpirun under a limit of memory is told of the limit with 5", "[app]") {
  const Program haloscope;
  const Ended ended = deserted(haloscope, "ulimit -v 1000000");
  CAPTURE(ended.error.size());
  CHECK(ended.status == 5);
  const std::string told = jsonLines(ended.out).back().at("error");
  CHECK(holds(told, "a program may have 976 MiB of memory here"));
  CHECK(holds(told, "mpirun went on without a rank, and was ended"));
  CHECK(holds(told, "raise the limit with: ulimit -v unlimited"));
}
#endif
