#include "app/window/problem_list.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a problem is listed once, after those of the experiment", "[window]") {
  Session session;
  ProblemList problems(session);
  std::vector<Problem> told;
  QObject::connect(&session, &Session::problemsFound, [&](const std::vector<Problem>& all) { told = all; });
  problems.add("the disk is full");
  problems.add("the disk is full");
  CHECK(told.size() == 1);
  problems.setOfExperiment({{"e.toml", 3, 1, "model.kind", "unknown"}});
  REQUIRE(told.size() == 2);
  CHECK(told.back().message == "the disk is full");
  problems.setOfExperiment({});
  CHECK(told.size() == 1);
}
