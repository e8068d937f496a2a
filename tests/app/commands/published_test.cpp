// [[published]]: a paper's figures beside ours.
#include <sqlite3.h>

#include <algorithm>
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

/// The runs above with some published tables; what a dry run says of it.
Ended dryRun(const Program& haloscope, const std::string& published,
             const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", haloscope.file("two.toml", kRuns + published), "--dry-run"};
  words.insert(words.end(), more.begin(), more.end());
  return haloscope(words);
}

/// A recording of two epochs of `single`, made of a file that is right, whose text is then another: as if a
/// version of the program that took that one had recorded it.
void recordAs(const Program& haloscope, const std::string& published) {
  REQUIRE(haloscope({"run", haloscope.file("two.toml", kRuns), "--only", "single"}).status == 0);
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &database) == SQLITE_OK);
  sqlite3_stmt* update = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, "UPDATE experiment SET text = ?", -1, &update, nullptr) == SQLITE_OK);
  const std::string text = kRuns + published;
  sqlite3_bind_text(update, 1, text.c_str(), -1, SQLITE_TRANSIENT);
  CHECK(sqlite3_step(update) == SQLITE_DONE);
  sqlite3_finalize(update);
  sqlite3_close(database);
}

}  // namespace

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
  const std::string shown = haloscope({"compare", "1", "2", "3"}).out;
  for (const char* part :
       {"Beside the published figures: 1 came out · 1 order only · 1 did not come out · 1 not comparable\n",
        "ours ÷ published", "what counts", "Table 1: few parts touch on so small a graph",
        "Table 2: band: a whole number"}) {
    CAPTURE(part, shown);
    CHECK(holds(shown, part));
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

namespace {

const char* const kBuffers = R"(schema = 1
name = "buffers"
[model]
order = "aggregate-first"
[[simulate]]
device.name = "spu"
device.buffering = ["double", "single"]
[[simulate]]
device.name = "hygcn-mixgcn"
device.buffering = ["double", "single"]
device.edge_bytes = [4, 16]
[sweep]
"simulate.graph" = ["reddit", "orkut"]
)";

std::string speedup(const std::string& graph, const std::string& assuming) {
  return "[[published]]\nwhere = \"Figure 12, " + graph +
         ", HyGCN\"\nmetric = \"simulated_seconds\"\nvalue = 1.8\nof = { \"simulate.device\" = "
         "\"hygcn-mixgcn\", \"simulate.graph\" = \"" +
         graph +
         "\" }\nover = { \"simulate.device\" = \"spu\" }\nlow = 1.32\nhigh = 2.6\ndiffers = "
         "[\"graph\"]\nbecause = "
         "\"b\"\nassuming = " +
         assuming + "\n";
}

}  // namespace

TEST_CASE("compare holds ours against a figure with each set of assumptions that the file leaves open",
          "[app][published]") {
  const Program haloscope;
  const std::string assuming = R"({ "device.buffering" = "double", "device.edge_bytes" = 4 })";
  const std::string file =
      haloscope.file("two.toml", kBuffers + speedup("reddit", assuming) + speedup("orkut", assuming));
  REQUIRE(haloscope({"run", file}).status == 0);
  std::vector<std::string> words = {"compare"};
  for (int run = 1; run <= 12; ++run) words.push_back(std::to_string(run));
  const std::string shown = haloscope(words).out;
  words.emplace_back("--json");
  const auto comparison = comparisonOf(haloscope(words).out);
  std::map<std::string, std::map<std::pair<std::string, std::string>, nlohmann::json>> sets;
  for (const auto& figure : publishedOf(comparison)) {
    const auto& assumed = figure.at("assuming");
    sets[figure.at("published")][{assumed.at("device.buffering"), assumed.at("device.edge_bytes")}] = figure;
  }
  REQUIRE(sets.size() == 2);
  std::map<std::string, int> reached;
  for (const auto& [where, of] : sets) {
    CHECK(of.size() == 4);  // the SPU's buffers are as HyGCN's
    for (const auto& [assumed, line] : of) reached[where] += line.at("reproduced") == "yes";
    const double halves = of.at({"double", "16"}).at("ours"), wholes = of.at({"single", "16"}).at("ours");
    CHECK(halves > of.at({"double", "4"}).at("ours").get<double>());
    CHECK(halves != wholes);
  }
  for (const std::string& part :
       {std::string("by ") + std::to_string(reached["Figure 12, orkut, HyGCN"]) + " of 4 sets",
        std::string("2 are with several sets of assumptions, counted by the declared set; a bound: "),
        std::string("With each set of assumptions, simulated: time (ratio): Figure 12, …, HyGCN\n"),
        std::string("device.buffering      device.edge_bytes"), std::string("counts as reproduced"),
        std::string("reached by")}) {
    CAPTURE(part, shown);
    CHECK(holds(shown, part));
  }
  // the set that the file declares counts and comes first, also where the runs are named in another
  // order
  const auto afterHead = [](const std::string& text) {
    return text.substr(text.find("\n", text.find("\n", text.find("With each set")) + 1) + 1);
  };
  CHECK(holds(afterHead(shown).substr(0, afterHead(shown).find('\n')), ", counts"));
  CHECK(afterHead(shown).starts_with("double"));
  int bounds = 0;
  for (const auto& figure : publishedOf(comparison)) bounds += figure.contains("bound") ? 1 : 0;
  CHECK(bounds == 6);
  CHECK_FALSE(sets["Figure 12, reddit, HyGCN"].at({"double", "4"}).contains("bound"));
  words.pop_back();
  std::ranges::reverse(words.begin() + 1, words.end());
  const std::string turned = haloscope(words).out;
  CHECK(turned.substr(turned.find("Beside the published")) ==
        shown.substr(shown.find("Beside the published")));
}

TEST_CASE("which set of assumptions counts is what the file declares, whichever runs are compared",
          "[app][published]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "two.toml",
      kBuffers + speedup("reddit", R"({ "device.buffering" = "double", "device.edge_bytes" = 4 })"));
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto comparison = [&](const std::vector<std::string>& runs, bool json) {
    std::vector<std::string> words = {"compare"};
    words.insert(words.end(), runs.begin(), runs.end());
    if (json) words.emplace_back("--json");
    return haloscope(words).out;
  };
  const auto counting = [&](const std::vector<std::string>& runs) {
    std::string sets;
    for (const auto& figure : publishedOf(comparisonOf(comparison(runs, true))))
      if (!figure.contains("bound"))
        sets += figure.at("assuming").at("device.buffering").get<std::string>() + " " +
                figure.at("assuming").at("device.edge_bytes").get<std::string>() + "; ";
    return sets;
  };
  // on reddit 1 and 2 are of the SPU, 5 to 8 of HyGCN, of which 5 has halves and 4 bytes
  std::vector<std::string> all;
  for (int run = 1; run <= 12; ++run) all.push_back(std::to_string(run));
  const std::vector<std::string> without = {"1", "2", "6", "7", "8"};
  CHECK(counting(all) == "double 4; ");
  CHECK(counting(without).empty());
  const std::string shown = comparison(without, false);
  CAPTURE(shown);
  CHECK(holds(shown, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
  CHECK(holds(shown, "counted set not compared; by "));
  CHECK(holds(shown,
              "the set of assumptions that counts (device.buffering = double, device.edge_bytes = 4) is not "
              "compared here: Figure 12, reddit, HyGCN\n"));
  CHECK_FALSE(holds(shown, ", counts"));
  const auto told = comparisonOf(comparison(without, true)).at("published");
  CHECK(told.at("without_counted_set") == nlohmann::json{"Figure 12, reddit, HyGCN"});
  CHECK(told.at("counts").at("not_comparable") == 1);
}

TEST_CASE("a recording of a version whose files declared no set that counts says so", "[app][published]") {
  const Program haloscope;
  recordAs(haloscope,
           "[[published]]\nwhere = \"Table 1\"\nmetric = \"epochs\"\nvalue = 2\nlow = 1.5\nhigh = 2.5\n"
           "because = \"b\"\ndiffers = [\"graph\"]\nassuming = [\"model.hidden\"]\nof = { method = "
           "\"single\" }\n");
  const std::string shown = haloscope({"compare", "1"}).out;
  CAPTURE(shown);
  CHECK(holds(shown, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
  CHECK(holds(shown, "no set of assumptions is declared to count"));
}

TEST_CASE("a recorded band that breaks the rules of today gives no verdict", "[app][published]") {
  const Program haloscope;
  recordAs(haloscope,
           "[[published]]\nwhere = \"Table 1\"\nmetric = \"epochs\"\nvalue = 2\nlow = 1\nof = { method = "
           "\"single\" }\n");
  const std::string shown = haloscope({"compare", "1"}).out;
  CAPTURE(shown);
  CHECK(holds(shown, "no valid band"));
  CHECK(holds(shown, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
}

TEST_CASE("assumptions must tell the runs apart, be keys, and stand on both sides", "[app][published]") {
  const Program haloscope;
  const auto refusal = [&](const std::string& simulations, const std::string& assuming) {
    const Ended ran = haloscope(
        {"run", haloscope.file("two.toml", simulations + speedup("reddit", assuming)), "--dry-run"});
    CHECK(ran.status == 2);
    return ran.error;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(
      refusal(kBuffers, R"({ "device.buffering" = "double" })"),
      Contains("published.of: 2 runs of this file fit; name what tells them apart: device.edge_bytes"));
  CHECK_THAT(refusal(kBuffers, R"({ "device.buffering" = "double", "device.edge_byte" = 4 })"),
             Contains("published.assuming.device.edge_byte: unknown key; did you mean 'device.edge_bytes'?"));
  CHECK_THAT(refusal(kBuffers, R"("device.buffering")"),
             Contains("published.assuming: 'device.buffering' cannot be used; a table like { "
                      "\"device.edge_bytes\" = 8 }"));
  CHECK_THAT(
      refusal(kBuffers, R"(["device.buffering", "device.edge_bytes"])"),
      Contains("published.assuming: does not say which set counts; a table with a value for each key"));
  CHECK_THAT(refusal(kBuffers, R"({ "device.buffering" = "double", "device.edge_bytes" = 8 })"),
             Contains("published.assuming.device.edge_bytes: no run of this file has '8'; they have 16 4"));
  CHECK_THAT(
      refusal(kBuffers + speedup("orkut", R"({ "device.buffering" = "double", "device.edge_bytes" = 16 })"),
              R"({ "device.buffering" = "double", "device.edge_bytes" = 4 })"),
      Contains("4 counts here, and 16 in a figure before; one set counts for all figures of a paper"));
  std::string one = kBuffers;
  one.replace(one.find(R"(["double", "single"])"), 20, R"("double")");
  CHECK_THAT(
      refusal(one, R"({ "device.buffering" = "double", "device.edge_bytes" = 4 })"),
      Contains("published.assuming: no run of over assumes what this run of of does: device.buffering = "
               "single device.edge_bytes = 16"));
}
