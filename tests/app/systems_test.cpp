// The experiment that ships of systems side by side, and what `show` and `methods` say of their parts.
#include <catch2/catch.hpp>
#include <set>

#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("the systems that ship side by side train to vanilla's loss and report what they model",
          "[app][systems]") {
  const Program haloscope;
  const std::string file = std::string(kSourceDir) + "/resources/experiments/systems.toml";
  REQUIRE(haloscope({"run", file, "--set", "training.epochs=2", "--set", "dataset.scale=0.002"}).status == 0);
  std::map<std::string, nlohmann::json> by;
  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "3", "4", "5", "6", "--json"}).out);
  for (const auto& column : comparison.at("columns")) by[column.at("method")] = column;
  REQUIRE(by.size() == 6);
  for (const auto& [method, line] : by) {
    CAPTURE(method);
    CHECK(line.at("loss").get<double>() ==
          Approx(by.at("vanilla").at("loss").get<double>()).epsilon(1e-5));  // float sums in other orders
  }
  for (const auto& [method, metric] :
       {std::pair("moa", "updaters_idle"), std::pair("roc", "swap_seconds"),
        std::pair("dgcl", "longest_link"), std::pair("dorylus", "modelled_epoch_dollars")})
    CHECK(by.at(method).contains(metric));

  const std::string output = haloscope({"show", "2"}).out;
  CHECK(holds(output, "role"));
  CHECK(holds(output, "aggregator"));
  CHECK(holds(output, "updater"));
  std::multiset<std::string> roles;
  const auto json = jsonLines(haloscope({"show", "2", "--json"}).out);
  for (const auto& worker : json.at(0).at("workers_detail")) roles.insert(worker.at("role"));
  CHECK(roles == std::multiset<std::string>{"aggregator", "aggregator", "updater", "updater"});
}

TEST_CASE("a parameter that is a word or a number is shown as such", "[app][systems]") {
  const Program haloscope;
  CHECK(holds(haloscope({"methods", "moa"}).out, "auto or a whole number"));
}

TEST_CASE("a method whose layer 0 aggregates first says so, whatever the other layers do", "[app][systems]") {
  const Program haloscope;
  CHECK(holds(haloscope({"methods", "bns"}).out, "layer 0 aggregates first"));
  CHECK_FALSE(holds(haloscope({"methods", "vanilla"}).out, "layer 0 aggregates first"));
}
