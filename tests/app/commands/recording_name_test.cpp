// What is said of a recording by its name, and of a file in which none stands yet.
#include <catch2/catch.hpp>
#include <string>

#include "tests/app/program.h"

using halo::test::Ended;
using halo::test::holds;
using halo::test::Program;

TEST_CASE("the name of a recording stays on one line whatever is in it", "[app]") {
  const Program haloscope;
  const std::string name = "a\nb.db";
  REQUIRE(haloscope({"--db", name, "run", haloscope.experiment(1, 1)}).status == 0);
  CHECK(haloscope({"--db", name, "check"}).out == "a\\u000Ab.db: ok, 1 runs\n");
  CHECK(holds(haloscope({"--db", "no" + name, "list"}).error, "noa\\u000Ab.db: there is no such recording"));
  haloscope.file(name, "no recording");
  CHECK(holds(haloscope({"--db", name, "list"}).error, "a\\u000Ab.db: is not a recording"));
}

TEST_CASE("a recording whose creation was cut short says that the next run records into it", "[app]") {
  const Program haloscope;
  haloscope.file("recordings.db", "");
  const Ended ended = haloscope({"list"});
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "recordings.db: is empty, not a recording: its creation may have been cut short"));
  CHECK(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  CHECK(haloscope({"check"}).status == 0);
}
