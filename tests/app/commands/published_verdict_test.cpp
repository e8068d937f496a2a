// What of a paper's figures counts as reproduced, and by which runs.
#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

// in groups of two, dgcl sends two workers' rows as vanilla does
const char* const kTied = R"(
[training]
epochs = 2
[cluster]
workers = 2
[[run]]
method = "vanilla"
[[run]]
method = "dgcl"
)";

std::string tied(const std::string& name, const std::string& published) {
  return "schema = 1\nname = \"" + name + "\"" + kTied + published;
}

std::string bytesOrder(const std::string& where, const std::string& band) {
  return "[[published]]\nwhere = \"" + where +
         "\"\nmetric = \"layer_bytes_per_epoch\"\ncounts = \"order\"\nof = { method = \"dgcl\" }\nover = { "
         "method = \"vanilla\" }\n" +
         band + "\nbecause = \"no figures are printed\"\n";
}

/// A band of half the value to either side, and the reason for it.
const char* const kHalf = "differs = [\"graph\"]\nbecause = \"another graph\"\n";

/// "reproduced" by "published".
std::map<std::string, std::string> verdicts(const Program& haloscope, std::vector<std::string> words) {
  words.insert(words.begin(), "compare");
  words.emplace_back("--json");
  std::map<std::string, std::string> verdictByFigure;
  for (const auto& figure : publishedOf(comparisonOf(haloscope(words).out)))
    verdictByFigure[figure.at("published")] = figure.at("reproduced");
  return verdictByFigure;
}

void setStatus(const Program& haloscope, int run, const std::string& status) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &database) == SQLITE_OK);
  const std::string words = "UPDATE run SET status = '" + status + "' WHERE id = " + std::to_string(run);
  CHECK(sqlite3_exec(database, words.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("a tie is no order, and what is over 0 no ratio", "[app][published]") {
  const Program haloscope;
  const std::string zero =
      "[[published]]\nwhere = \"zero\"\nmetric = \"staleness_features\"\nvalue = 1\nof = { "
      "method = \"dgcl\" }\nover = { method = \"vanilla\" }\nlow = 0.5\nhigh = 1.5\n" +
      std::string(kHalf);
  const std::string file = haloscope.file(
      "tie.toml", tied("tie", bytesOrder("less", "high = 1") + bytesOrder("more", "low = 1") + zero));
  REQUIRE(haloscope({"run", file}).status == 0);
  CHECK(verdicts(haloscope, {"1", "2"}) ==
        std::map<std::string, std::string>{{"less", "tie"}, {"more", "tie"}, {"zero", "no ratio over 0"}});
  CHECK(holds(haloscope({"compare", "1", "2"}).out,
              "0 came out · 0 order only · 3 did not come out (2 of them orders) · 0 not comparable"));
}

TEST_CASE("figures of two files with equal runs are each held against their own file's", "[app][published]") {
  const Program haloscope;
  for (const std::string name : {"one", "two"}) {
    const std::string figure =
        "[[published]]\nwhere = \"" + name +
        "\"\nmetric = \"epochs\"\nvalue = 2\nlow = 1\nhigh = 3\nof = { method = \"dgcl\" }\n" + kHalf;
    REQUIRE(haloscope({"run", haloscope.file(name + ".toml", tied(name, figure))}).status == 0);
  }
  const auto verdictByFigure = verdicts(haloscope, {"1", "2", "3", "4"});
  CHECK(verdictByFigure.count("one") == 1);
  CHECK(verdictByFigure.count("two") == 1);
  CHECK(verdicts(haloscope, {"3", "4"}).count("one") == 0);
  // equal runs are still one column of the table
  CHECK(comparisonOf(haloscope({"compare", "1", "2", "3", "4", "--json"}).out).at("columns").size() == 2);
}

TEST_CASE("a run that did not complete reproduces nothing, unless a repeat of it did", "[app][published]") {
  const Program haloscope;
  const std::string figure =
      std::string("[[published]]\nwhere = \"length\"\nmetric = \"epochs\"\nvalue = 2\n") +
      "low = 1\nhigh = 3\nof = { method = \"dgcl\" }\n" + kHalf;
  const std::string file = haloscope.file("fail.toml", tied("fail", figure));
  REQUIRE(haloscope({"run", file}).status == 0);
  CHECK(verdicts(haloscope, {"1", "2"}).at("length") == "yes");
  setStatus(haloscope, 2, "failed");
  CHECK(verdicts(haloscope, {"1", "2"}).at("length") == "run not completed");
  const std::string output = haloscope({"compare", "1", "2"}).out;
  CHECK(holds(output, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
  REQUIRE(haloscope({"run", file}).status == 0);
  CHECK(verdicts(haloscope, {"1", "2", "4"}).at("length") == "yes");
}

TEST_CASE("a figure over the very run it is of is refused", "[app][published]") {
  const Program haloscope;
  const auto dryRun = [&](const std::string& numerator, const std::string& over, const std::string& value) {
    return haloscope(
        {"run",
         haloscope.file("self.toml", tied("self",
                                          "[[published]]\nmetric = \"loss\"\ncounts = "
                                          "\"order\"\nhigh = 1\nbecause = \"b\"\n" +
                                              value + "of = " + numerator + "\nover = " + over + "\n")),
         "--dry-run"});
  };
  const std::string dgcl = "{ method = \"dgcl\" }", vanilla = "{ method = \"vanilla\" }";
  const Ended self = dryRun(dgcl, dgcl, "");
  CHECK(self.status == 2);
  CHECK(holds(self.error, "published.over: is the very run that of names"));
  const Ended named = dryRun(dgcl, "{ \"cluster.workers\" = 2 }", "");
  CHECK(holds(named.error, "published.over: is the very run that of names"));
  CHECK(dryRun(dgcl, vanilla, "").status == 0);
  CHECK(holds(
      dryRun(dgcl, vanilla, "value = 1\n").error,
      "published.counts: 1 is printed, and a printed number keeps its band; leave counts = \"order\" out"));
}

TEST_CASE("what over does not name is as in of, its method's parameters too", "[app][published]") {
  const Program haloscope;
  std::string runs = "schema = 1\nname = \"slow\"\n[training]\nepochs = 2\n";
  for (const char* slowness : {"2", "4"})
    for (const char* workers : {"2", "3"})
      runs += std::string("[[run]]\nmethod = \"dgcl\"\nslowness = ") + slowness +
              "\ncluster.workers = " + workers + "\n";
  const std::string published =
      "[[published]]\nwhere = \"slow\"\nmetric = \"epochs\"\nvalue = 1\nlow = 0.5\nhigh = 1.5\nbecause = "
      "\"b\"\nof = { method "
      "= \"dgcl\", \"run.slowness\" = 4, \"cluster.workers\" = 3 }\nover = { method = "
      "\"dgcl\", \"cluster.workers\" = 2 }\n";
  const Ended ran = haloscope({"run", haloscope.file("slow.toml", runs + published), "--dry-run"});
  CAPTURE(ran.error);
  CHECK(ran.status == 0);
}

TEST_CASE("where a figure does not come out, compare says what its file notes and who shared cores",
          "[app][published]") {
  const Program haloscope;
  const auto half = [](const std::string& where, const std::string& metric, const std::string& band) {
    return "[[published]]\nwhere = \"" + where + "\"\nmetric = \"" + metric + "\"\n" + band +
           "of = { method = \"dgcl\" }\n" + kHalf;
  };
  const std::string tiny = "value = 1e-9\nlow = 0.5e-9\nhigh = 1.5e-9\n";
  const auto compared = [&](const std::string& name, const std::string& published) {
    const std::string notes = "notes = \"\"\"\nTwo epochs on\nso small a graph.\"\"\"\n";
    const std::string file =
        haloscope.file(name + ".toml", "schema = 1\nname = \"" + name + "\"\n" + notes +
                                           "[cluster]\nworkers = 2\nthreads = 64\n[training]\nepochs = 2\n"
                                           "[[run]]\nmethod = \"dgcl\"\n" +
                                           published);
    REQUIRE(haloscope({"run", file}).status == 0);
    return haloscope({"compare", "last"}).out;
  };
  const std::string missed =
      compared("missed", half("time", "epoch_seconds", tiny) + half("bytes", "bytes_per_epoch", tiny));
  CAPTURE(missed);
  CHECK(holds(missed, "Not all come out. Notes of missed: Two epochs on so small a graph."));
  CHECK(holds(missed, "Of these, one is made of times of workers that shared cores"));
  CHECK(holds(missed, "for who waits for them: time\n"));
  const std::string met = compared("met", half("length", "epochs", "value = 2\nlow = 1\nhigh = 3\n"));
  CAPTURE(met);
  CHECK(!holds(met, "Notes of"));
  CHECK(!holds(met, "shared cores"));
}

TEST_CASE("misses stand first, what was calibrated to is marked and counted, and a band has its reason",
          "[app][published]") {
  const Program haloscope;
  const auto length = [](const std::string& where, const std::string& band) {
    return "[[published]]\nwhere = \"" + where + "\"\nmetric = \"epochs\"\nof = { method = \"dgcl\" }\n" +
           band + kHalf;
  };
  const std::string file = haloscope.file(
      "four.toml", tied("four", bytesOrder("An order", "high = 1") +
                                    length("A success", "value = 2\nlow = 1.5\nhigh = 2.5\n") +
                                    length("A setting", "value = 2\nlow = 1\nhigh = 3\ncalibrated = true\n") +
                                    length("A miss", "value = 200\nlow = 150\nhigh = 250\n")));
  REQUIRE(haloscope({"run", file}).status == 0);
  const std::string output = haloscope({"compare", "1", "2"}).out;
  CAPTURE(output);
  CHECK(holds(output,
              "Beside the published figures: 2 came out (1 of them calibrated) · 0 order only · 2 did "
              "not come out (1 of them orders) · 0 not comparable\n"));
  const auto place = [&](const char* where) { return output.find(std::string("\n") + where + " "); };
  CHECK(place("An order") < place("A miss"));
  CHECK(place("A miss") < place("A success"));
  CHECK(place("A success") < place("A setting"));
  CHECK(holds(output, "yes, calibrated"));
  CHECK(holds(output, "A success; A setting; A miss: band: another graph\n"));
  CHECK(verdicts(haloscope, {"1", "2"}).at("A setting") == "yes, calibrated");
  const auto comparison = comparisonOf(haloscope({"compare", "1", "2", "--json"}).out);
  CHECK(comparison.at("published").at("counts") == nlohmann::json{{"came_out", 2},
                                                                  {"calibrated", 1},
                                                                  {"derived", 0},
                                                                  {"order_only", 0},
                                                                  {"did_not_come_out", 2},
                                                                  {"not_comparable", 0},
                                                                  {"bounds", 0}});
}

TEST_CASE("a derived value says so, with how, and a bound that another file counts is counted apart",
          "[app][published]") {
  const Program haloscope;
  const auto length = [](const std::string& where, const std::string& rest) {
    return "[[published]]\nwhere = \"" + where + "\"\nmetric = \"epochs\"\nof = { method = \"dgcl\" }\n" +
           "value = 2\nlow = 1.5\nhigh = 2.5\n" + rest + kHalf;
  };
  const std::string file = haloscope.file(
      "derived.toml", tied("derived", length("Printed", "") + length("Computed", "derived = \"1 + 1\"\n") +
                                          length("Elsewhere", "counts = \"bound\"\n")));
  REQUIRE(haloscope({"run", file}).status == 0);
  const std::string output = haloscope({"compare", "1", "2"}).out;
  CAPTURE(output);
  CHECK(holds(output,
              "Beside the published figures: 2 came out (1 of them derived) · 0 order only · 0 did not come "
              "out · 0 not comparable · 1 bound, counted elsewhere\n"));
  CHECK(holds(output, "Computed: value derived: 1 + 1\n"));
  CHECK(holds(output, " (derived) "));
  const auto figures =
      comparisonOf(haloscope({"compare", "1", "2", "--json"}).out).at("published").at("figures");
  REQUIRE(figures.size() == 3);
  CHECK_FALSE(figures[0].contains("derived"));
  CHECK(figures[1].at("derived") == "1 + 1");
  CHECK(figures[2].at("bound") == true);
}
