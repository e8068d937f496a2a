// What methods of one file do unlike each other though nobody said so, and how a file makes them alike.
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using halo::test::Ended;
using halo::test::holds;
using halo::test::Program;

namespace {

/// Two methods on two workers, of which one aggregates first whatever the widths are.
std::string unlike(const std::string& top = "") {
  return "schema = 1\nname = \"unlike\"\n" + top +
         "[dataset]\nname = \"karate\"\n[model]\nhidden = 2\n[training]\nepochs = 2\n[cluster]\nworkers = "
         "2\n[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"pipegcn\"\n";
}

constexpr const char* kOrders = "methods differ in the order of a layer that model.order = \"auto\" takes";
constexpr const char* kWidths = "runs differ in the order of layers and the width of rows that travel";

}  // namespace

TEST_CASE("run says which methods auto leaves unlike, once, and compare what came of it", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("unlike.toml", unlike());
  const Ended planned = haloscope({"run", "--dry-run", file});
  CHECK(planned.status == 0);
  CHECK(holds(planned.error, kOrders));
  const Ended ran = haloscope({"run", file});
  CHECK(ran.status == 0);
  const std::size_t said = ran.error.find(kOrders);
  REQUIRE(said != std::string::npos);
  CHECK(ran.error.find(kOrders, said + 1) == std::string::npos);
  CHECK_FALSE(holds(haloscope({"run", "--dry-run", "--quiet", file}).error, kOrders));
  const Ended compared = haloscope({"compare", "1", "2"});
  CHECK(holds(compared.out + compared.error, kWidths));
  CHECK(holds(compared.out + compared.error, "update-first 2, "));
}

TEST_CASE("fair makes methods alike, or says which cannot be", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("fair.toml", unlike("fair = true\n"));
  const Ended ran = haloscope({"run", file});
  CHECK(ran.status == 0);
  CHECK_FALSE(holds(ran.error, kOrders));
  const Ended compared = haloscope({"compare", "1", "2"});
  CHECK_FALSE(holds(compared.out + compared.error, kWidths));
  const std::string wrong = haloscope.file("wrong.toml", unlike("fair = 1\n"));
  const Ended refused = haloscope({"run", wrong});
  CHECK(refused.status == 2);
  CHECK(holds(refused.error, "wrong.toml:3:8: fair: 1 cannot be used; true or false"));
}
