// [[published]]: a paper's figures beside ours.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/commands/published_file.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("compare holds ours against what a paper printed, as figures and as ratios", "[app][published]") {
  const Program haloscope;
  const std::string file = haloscope.file("two.toml", std::string(kRuns) + R"(
[[published]]
where = "Table 1"
metric = "layer_messages_per_epoch"
value = 3.0
of = { method = "vanilla", "cluster.workers" = 3 }
over = { "cluster.workers" = 2 }
low = 1.5
high = 4.5
differs = ["machine", "graph"]
because = "half to either side"
note = "few parts touch on so small a graph"
[[published]]
where = "Table 2"
metric = "epochs"
value = 3
of = { method = "single" }
low = 2.5
high = 3.5
because = "a whole number"
[[published]]
where = "Figure 3"
metric = "layer_messages_per_epoch"
counts = "order"
of = { method = "vanilla", "cluster.workers" = 2 }
over = { "cluster.workers" = 3 }
high = 1
because = "no figures are printed"
[[published]]
where = "Table 4"
metric = "skipped_share"
value = 0.5
of = { method = "single" }
low = 0.4
high = 0.6
because = "a tenth"
)");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out);
  double messages[2] = {};
  for (const auto& column : comparison.at("columns"))
    if (column.at("method") == "vanilla")
      messages[column.at("runs").at(0).get<int>() - 1] = column.at("layer_messages_per_epoch");
  const std::vector<nlohmann::json> published = publishedOf(comparison);
  REQUIRE(published.size() == 4);
  const double ratio = messages[1] / messages[0];
  CHECK(published[0].at("published") == "Table 1");
  CHECK(published[0].at("value") == 3.0);
  CHECK(published[0].at("counts") == "magnitude");
  CHECK(published[0].at("ours").get<double>() == Approx(ratio));
  CHECK(published[0].at("ours_over_published").get<double>() == Approx(ratio / 3));
  CHECK(published[0].at("reproduced") == "yes");
  CHECK(published[0].at("differs") == nlohmann::json{"machine", "graph"});
  CHECK(published[1].at("ours") == 2);
  CHECK(published[1].at("because") == "a whole number");
  CHECK(published[1].at("reproduced") == "no");
  CHECK(published[2].at("counts") == "order");
  CHECK(!published[2].contains("value"));
  CHECK(published[2].at("reproduced") == "yes");
  CHECK(published[3].at("reproduced") == "not recorded");
  CHECK(!published[3].contains("ours"));
  const std::string output = haloscope({"compare", "1", "2", "3"}).out;
  for (const char* part :
       {"Beside the published figures: 1 came out · 1 order only · 1 did not come out · 1 not comparable\n",
        "ours ÷ published", "what counts", "Table 1: few parts touch on so small a graph",
        "Table 2: band: a whole number"}) {
    CAPTURE(part, output);
    CHECK(holds(output, part));
  }
  // with fewer runs given, fewer figures, and which are left out
  CHECK(holds(haloscope({"compare", "1", "3"}).out,
              "2 published figures of these experiments need runs that are not compared here: Table 1 "
              "(layer_messages_per_epoch); Figure 3"));
}

TEST_CASE("what is wrong with a published figure is said before anything runs", "[app][published]") {
  const Program haloscope;
  const Ended ran = dryRun(haloscope, R"([[published]]
metrics = "loss"
value = "much"
of = { workers = 3 }
low = 2
high = 1
counts = "size"
)");
  CHECK(ran.status == 2);
  for (const char* part :
       {"two.toml:14:1: published.metrics: unknown key; did you mean 'metric'?",
        "published.value: 'much' cannot be used; a number", "published.of.workers: unknown key; method, or",
        "published.metric: missing;", "published.low: is above high",
        "published.counts: 'size' cannot be used; one of magnitude order bound"}) {
    CAPTURE(part, ran.error);
    CHECK(holds(ran.error, part));
  }
}

TEST_CASE("a published figure that no run of its file can be held against is refused", "[app][published]") {
  const Program haloscope;
  const std::string begin = "[[published]]\nmetric = \"loss\"\nvalue = 1\n";
  const std::pair<std::string, std::string> wrong[] = {
      {"[[published]]\nmetric = \"epoch_second\"\nvalue = 1\nof = { method = \"single\" }\n",
       "two.toml:14:10: published.metric: 'epoch_second' is no metric; did you mean 'epoch_seconds'?"},
      {begin + "of = { method = \"vanila\" }\n",
       "two.toml:16:17: published.of.method: no run of this file has 'vanila'; did you mean 'vanilla'?"},
      {begin + "of = { method = \"single\", \"training.epoch\" = 2 }\n",
       "published.of.training.epoch: unknown key; did you mean 'training.epochs'?"},
      {begin + "of = { method = \"vanilla\", \"cluster.workers\" = 8 }\n",
       "published.of.cluster.workers: no run of this file has '8'; they have 1 2 3"},
      {begin + "of = { method = \"single\", \"cluster.workers\" = 2 }\n",
       "two.toml:13:1: published.of: no run of this file meets all of these at once"},
      {begin + "of = { method = \"vanilla\" }\n",
       "published.of: 2 runs of this file fit; name what tells them apart: cluster.workers"},
      {begin + "of = { method = \"single\" }\nover = { method = \"vanilla\" }\n",
       "published.over: 2 runs of this file fit"},
      {begin + "of = { method = \"single\" }\nlow = 0.5\nbecause = \"b\"\n",
       "two.toml:13:1: published.high: missing; a band has two sides, low and high, here at most 0.5 to 1.5"},
      {begin + "of = { method = \"single\" }\nlow = 0.5\nhigh = 1.5\n",
       "two.toml:13:1: published.because: missing; why the band is as wide as it is"},
      {begin + "of = { method = \"single\" }\nlow = 1.2\nhigh = 1.5\nbecause = \"b\"\n",
       "two.toml:15:9: published.value: 1 as it is printed is 0.5 to 1.5, which the band of 1.2 to 1.5 does "
       "not"},
      {begin + "of = { method = \"single\" }\nlow = 0.4\nhigh = 1.6\nbecause = \"b\"\n",
       "two.toml:17:7: published.low: 0.4 is beyond 0.5: 25 % of 1, the most where nothing differs"},
      {begin + "of = { method = \"single\" }\nlow = 0.5\nhigh = 1.5\nbecause = \"b\"\ndiffers = [\"card\"]\n",
       "two.toml:20:12: published.differs: 'card' cannot be used; [\"machine\"], [\"graph\"] or"},
      {begin + "of = { method = \"single\" }\nlow = 0.5\nhigh = 1.5\nbecause = \"b\"\ncalibrated = 1\n",
       "published.calibrated: 1 cannot be used; true or false"},
      {"[[published]]\nmetric = \"loss\"\nof = { method = \"single\" }\nlow = 0.5\nhigh = 0.6\nbecause = "
       "\"b\"\nderived = \"a / b\"\n",
       "published.derived: says how a value follows from what is printed; value is missing"},
      {begin + "of = { method = \"single\" }\nover = { method = \"vanilla\", \"cluster.workers\" = 2 }\n"
               "counts = \"order\"\nlow = 1\nbecause = \"b\"\n",
       "two.toml:18:10: published.counts: 1 is printed, and a printed number keeps its band"},
      {begin + "of = { method = \"single\" }\ncounts = \"order\"\nlow = 1\n",
       "published.counts: an order is one of two runs, so it needs over, and low = 1 or high = 1"},
      {begin + "of = { method = \"single\" }\nover = { method = \"vanilla\", \"cluster.workers\" = 2 }\n"
               "counts = \"order\"\nlow = 0.5\n",
       "published.counts: an order"},
  };
  for (const auto& [published, message] : wrong) {
    const Ended ran = dryRun(haloscope, published);
    CAPTURE(published, message, ran.error);
    CHECK(ran.status == 2);
    CHECK(holds(ran.error, message));
  }
}

TEST_CASE("published figures are held against the runs of the file whatever is set beside it",
          "[app][published]") {
  const Program haloscope;
  const std::string band = "low = 0.5\nhigh = 1.5\nbecause = \"b\"\n";
  const std::string right =
      "[[published]]\nmetric = \"loss\"\nvalue = 1\nof = { method = \"vanilla\", \"cluster.workers\" = 3 "
      "}\n" +
      band;
  CHECK(dryRun(haloscope, right).status == 0);
  CHECK(dryRun(haloscope, right, {"--set", "training.epochs=3"}).status == 0);
  CHECK(dryRun(haloscope, right, {"--set", "cluster.workers=1", "--only", "vanilla"}).status == 0);
  const std::string wrong =
      "[[published]]\nmetric = \"loss\"\nvalue = 1\nof = { method = \"single\", \"training.epochs\" = 3 }\n";
  const Ended ran = dryRun(haloscope, wrong, {"--set", "training.epochs=3"});
  CHECK(ran.status == 2);
  CHECK(holds(ran.error, "no run of this file has '3'; they have 2"));
}

TEST_CASE("compare of a recording never fails for a published figure and says which it cannot read",
          "[app][published]") {
  const Program haloscope;
  recordAs(haloscope, R"([[published]]
where = "Table 1"
metric = "lost"
value = 1
of = { method = "single" }
[[published]]
where = "Table 2"
metric = "loss"
value = 1
of = { method = "vanila" }
[[published]]
where = "Table 3"
metric = "loss"
values = 1
of = { method = "single" }
[[published]]
where = "Table 4"
metric = "epochs"
value = 2
of = { method = "single" }
)");
  const Ended compared = haloscope({"compare", "1"});
  CHECK(compared.status == 0);
  for (const char* part : {"cannot be read: Table 1 (lost): 'lost' is no metric of this version",
                           "not compared here: Table 2 (loss)", "published.values: unknown key", "Table 4"}) {
    CAPTURE(part, compared.out);
    CHECK(holds(compared.out, part));
  }
  const auto comparison = comparisonOf(haloscope({"compare", "1", "--json"}).out);
  CHECK(comparison.at("published").at("unread").size() >= 2);
  CHECK(publishedOf(comparison).size() == 1);
}

TEST_CASE("compare lives with a recorded file that is not TOML", "[app][published]") {
  const Program haloscope;
  recordAs(haloscope, "[[published\n");
  const Ended compared = haloscope({"compare", "1"});
  CHECK(compared.status == 0);
  CHECK(holds(compared.out, "not TOML"));
}

TEST_CASE("a recorded band that breaks the rules of today gives no verdict", "[app][published]") {
  const Program haloscope;
  recordAs(haloscope,
           "[[published]]\nwhere = \"Table 1\"\nmetric = \"epochs\"\nvalue = 2\nlow = 1\nof = { method = "
           "\"single\" }\n");
  const std::string output = haloscope({"compare", "1"}).out;
  CAPTURE(output);
  CHECK(holds(output, "no valid band"));
  CHECK(holds(output, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
}
