// What is said of the performance model of a run whose stages this machine does.
#include <catch2/catch.hpp>
#include <set>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

std::string trainedOn(const std::string& devices) {
  return "schema = 1\n[dataset]\nname = \"karate\"\n[model]\nlayers = 2\n[training]\nepochs = 4\n"
         "[cluster]\nworkers = 1\n[[run]]\nmethod = \"hyscale\"\nbatch = 1\ncards = 1\nfanouts = \"4,3\"\n" +
         devices;
}

}  // namespace

TEST_CASE("a run on this machine says of an iteration and every stage whether its model comes out", "[app]") {
  const Program haloscope;
  const Ended ran =
      haloscope({"--quiet", "run", haloscope.file("host.toml", trainedOn("device = \"host\"\n"))});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const auto run = jsonLines(haloscope({"show", "last", "--json"}).out).front();
  const auto& model = run.at("performance_model");
  CHECK(model.at("measured") == true);
  CHECK(model.at("platform") == "hyscale-u250");
  std::set<std::string> parts;
  bool holdsAll = true;
  for (const auto& part : model.at("parts")) {
    const std::string name = part.at("part");
    parts.insert(name);
    const std::string metric = name == "iteration" ? "prediction_error" : "prediction_error_" + name;
    CHECK(part.at("error") == run.at("latest").at(metric));
    const bool fits = std::abs(part.at("error").get<double>()) <= 0.15;
    CHECK(part.at("fits") == fits);
    CHECK((fits || holds(model.at("sentence"), name)));
    holdsAll = holdsAll && fits;
  }
  CHECK(parts == std::set<std::string>{"iteration", "sample", "load", "transfer", "propagate"});
  CHECK(model.at("holds") == holdsAll);
  CHECK_FALSE(holdsAll);  // nobody's threads are four U250
  const std::string text = haloscope({"show", "last"}).out;
  CHECK(holds(text, "Performance model"));
  CHECK(holds(text, "does not come out: "));
  CHECK(holds(text, "by the figures of platform hyscale-u250"));
}

TEST_CASE("with modelled devices it says that no machine is measured", "[app]") {
  const Program haloscope;
  const Ended ran =
      haloscope({"--quiet", "run", haloscope.file("modelled.toml", trainedOn("clock = \"virtual\"\n"))});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const auto model = jsonLines(haloscope({"show", "last", "--json"}).out).front().at("performance_model");
  CHECK(model.at("measured") == false);
  CHECK(model.at("holds").is_null());
  const std::string text = haloscope({"show", "last"}).out;
  CHECK(holds(text, "model against model, no machine is measured"));
  CHECK_FALSE(holds(text, "come out"));
}
