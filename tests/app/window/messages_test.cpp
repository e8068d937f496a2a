#include "app/window/messages.h"

#include <QStatusBar>
#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a problem is listed once, after those of the experiment", "[window]") {
  Session session;
  QStatusBar bar;
  Messages messages(session, bar);
  std::vector<Problem> problems;
  QObject::connect(&session, &Session::problemsFound,
                   [&](const std::vector<Problem>& all) { problems = all; });
  messages.addProblem("the disk is full");
  messages.addProblem("the disk is full");
  CHECK(problems.size() == 1);
  CHECK(bar.currentMessage().isEmpty());
  messages.setOfExperiment({{"e.toml", 3, 1, "model.kind", "unknown"}});
  REQUIRE(problems.size() == 2);
  CHECK(problems.back().message == "the disk is full");
  messages.setOfExperiment({});
  CHECK(problems.size() == 1);
  messages.sayProblem("the network is gone");
  CHECK(problems.size() == 2);
  CHECK(bar.currentMessage() == "the network is gone");
}
