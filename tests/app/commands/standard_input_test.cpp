// An experiment that no file holds.
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

/// `haloscope run --dry-run -` with the file as its standard input.
Ended dryRun(const Program& haloscope, const std::string& file) {
  return run({"/bin/sh", "-c", "exec \"$0\" run --dry-run - < \"$1\"", Program::command({}).front(), file},
             haloscope.environment(), haloscope.folder());
}

}  // namespace

TEST_CASE("an experiment is read from standard input, its paths relative to the working folder", "[app]") {
  const Program haloscope;
  haloscope.file("graph.el", "0 1\n1 2\n2 0\n");
  const auto experimentOf = [&](const std::string& path) {
    return haloscope.file("elsewhere/small.toml", "schema = 1\nname = \"small\"\n[dataset]\npath = \"" +
                                                      path + "\"\n[[run]]\nmethod = \"single\"\n");
  };
  const Ended absent = dryRun(haloscope, experimentOf("absent.el"));
  CHECK(absent.status == 2);
  CHECK(holds(absent.error, "-:4:"));
  CHECK(holds(absent.error, "absent.el"));
  const Ended present = dryRun(haloscope, experimentOf("graph.el"));
  CAPTURE(present.error);
  CHECK_FALSE(holds(present.error, "is not there"));
  CHECK(present.status != 2);
}
