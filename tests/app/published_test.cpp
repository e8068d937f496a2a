// [[published]]: a paper's figures beside ours.
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

const char* const kRuns = R"(schema = 1
name = "two"
[training]
epochs = 2
[[run]]
method = "vanilla"
cluster.workers = 2
[[run]]
method = "vanilla"
cluster.workers = 3
[[run]]
method = "single"
)";

}  // namespace

TEST_CASE("compare holds ours against what a paper printed, as figures and as ratios", "[app][published]") {
  const Program haloscope;
  const std::string file = haloscope.file("two.toml", std::string(kRuns) + R"(
[[published]]
where = "Table 1"
metric = "messages_per_epoch"
value = 5.0
of = { method = "vanilla", "cluster.workers" = 3 }
over = { "cluster.workers" = 2 }
low = 1.5
note = "few parts touch on so small a graph"
[[published]]
where = "Table 2"
metric = "epochs"
value = 3
of = { method = "single" }
high = 1
[[published]]
where = "Table 3"
metric = "loss"
value = 0.5
of = { method = "vanilla", "cluster.workers" = 8 }
)");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto lines = jsonLines(haloscope({"compare", "1", "2", "3", "--json"}).out);
  double messages[2] = {};
  std::vector<nlohmann::json> published;
  int missing = 0;
  for (const auto& line : lines) {
    if (line.contains("method") && line.at("method") == "vanilla")
      messages[line.at("runs").at(0).get<int>() - 1] = line.at("messages_per_epoch");
    if (line.contains("published")) published.push_back(line);
    if (line.contains("published_without_runs")) missing = line.at("published_without_runs");
  }
  REQUIRE(published.size() == 2);
  CHECK(missing == 1);
  CHECK(published[0].at("published") == "Table 1");
  CHECK(published[0].at("value") == 5.0);
  CHECK(published[0].at("ours").get<double>() == Approx(messages[1] / messages[0]));
  CHECK(published[0].at("reproduced") == (messages[1] / messages[0] >= 1.5 ? "yes" : "no"));
  CHECK(published[1].at("ours") == 2);
  CHECK(published[1].at("reproduced") == "no");
  const std::string shown = haloscope({"compare", "1", "2", "3"}).out;
  CHECK(holds(shown, "Beside the published figures"));
  CHECK(holds(shown, "Table 1: few parts touch on so small a graph"));
  CHECK(holds(shown, "1 published figure of these experiments need runs that are not compared here"));
  // with fewer runs given, fewer figures
  CHECK(holds(haloscope({"compare", "1", "3"}).out, "2 published figures of"));
}

TEST_CASE("what is wrong with a published figure is said before anything runs", "[app][published]") {
  const Program haloscope;
  const std::string file = haloscope.file("wrong.toml", std::string(kRuns) + R"([[published]]
metrics = "loss"
value = "much"
of = { workers = 3 }
low = 2
high = 1
)");
  const Ended ran = haloscope({"run", file, "--dry-run"});
  CHECK(ran.status == 2);
  for (const char* part :
       {"wrong.toml:14:1: published.metrics: unknown key; did you mean 'metric'?",
        "published.value: 'much' cannot be used; a number", "published.of.workers: unknown key; method, or",
        "published.metric: missing;", "published.low: is above high"}) {
    CAPTURE(part, ran.error);
    CHECK(holds(ran.error, part));
  }
  const std::string unknown = haloscope.file(
      "unknown.toml",
      std::string(kRuns) + "[[published]]\nmetric = \"lost\"\nvalue = 1\nof = { method = \"single\" }\n");
  REQUIRE(haloscope({"run", unknown, "--only", "single"}).status == 0);
  const Ended compared = haloscope({"compare", "1"});
  CHECK(compared.status == 2);
  CHECK(holds(compared.error, "'lost' is no metric"));
}
