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
  const std::size_t position = ran.error.find(kOrders);
  REQUIRE(position != std::string::npos);
  CHECK(ran.error.find(kOrders, position + 1) == std::string::npos);
  CHECK_FALSE(holds(haloscope({"run", "--dry-run", "--quiet", file}).error, kOrders));
  const std::string below = std::string(kWidths) + "; `haloscope compare` has the values\n";
  CHECK(holds(ran.out, below));
  CHECK(holds(haloscope({"list"}).out, below));
  CHECK_FALSE(holds(haloscope({"list", "--json"}).out, kWidths));
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
  CHECK_FALSE(holds(ran.out, "runs differ"));
  const Ended compared = haloscope({"compare", "1", "2"});
  CHECK_FALSE(holds(compared.out + compared.error, kWidths));
  const std::string wrong = haloscope.file("wrong.toml", unlike("fair = 1\n"));
  const Ended refused = haloscope({"run", wrong});
  CHECK(refused.status == 2);
  CHECK(holds(refused.error, "wrong.toml:3:8: fair: 1 cannot be used; true or false"));
}

TEST_CASE("a published ratio names in what its runs differ besides", "[app][published]") {
  const Program haloscope;
  const std::string figures = R"(
[[run]]
method = "vanilla"
model.hidden = 4
[[published]]
where = "Table 1"
metric = "bytes_per_epoch"
value = 2.0
of = { method = "pipegcn" }
over = { method = "vanilla", "model.hidden" = 2 }
low = 1.5
high = 2.5
because = "a quarter to either side"
[[published]]
where = "Table 2"
metric = "bytes_per_epoch"
value = 2.0
of = { method = "vanilla", "model.hidden" = 4 }
over = { method = "vanilla", "model.hidden" = 2 }
low = 1.5
high = 2.5
because = "a quarter to either side"
)";
  const std::string file = haloscope.file("paper.toml", unlike() + "training.evaluate_every = 2\n" + figures);
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto published =
      halo::test::publishedOf(halo::test::comparisonOf(haloscope({"compare", "1", "2", "3", "--json"}).out));
  REQUIRE(published.size() == 2);
  REQUIRE(published[0].contains("runs_differ_in"));
  const auto& differ = published[0].at("runs_differ_in");
  CHECK(differ.size() == 2);
  CHECK(differ.at("training.evaluate_every") == nlohmann::json{"2", "1"});
  CHECK(differ.contains("the order of layers and the width of rows that travel"));
  CHECK_FALSE(published[1].contains("runs_differ_in"));
  const std::string output = haloscope({"compare", "1", "2", "3"}).out;
  CAPTURE(output);
  CHECK(holds(output,
              "Table 1: our runs differ in the order of layers and the width of rows that travel, "
              "training.evaluate_every\n"));
  CHECK(holds(output, "; runs differ\n"));
  CHECK_FALSE(holds(output, "Table 2: our runs differ"));
}

TEST_CASE("simulated methods are made alike, too, and named where they are not", "[app][cluster]") {
  const Program haloscope;
  const auto simulated = [](const std::string& top) {
    std::string text = "schema = 1\nname = \"unlike\"\n" + top + "[model]\nhidden = 2\n";
    for (const char* method : {"vanilla", "pipegcn"})
      text += "[[simulate]]\ncluster = \"emulated-10gbe\"\nworkers = 2\nmethod = \"" + std::string(method) +
              "\"\n";
    return text;
  };
  const Ended ran = haloscope({"run", haloscope.file("unlike.toml", simulated(""))});
  CHECK(ran.status == 0);
  CHECK(holds(ran.error, std::string("of its simulations, ") + kOrders));
  const Ended compared = haloscope({"compare", "1", "2"});
  CHECK(holds(compared.out + compared.error, kWidths));
  const Ended fair = haloscope({"run", haloscope.file("fair.toml", simulated("fair = true\n"))});
  CHECK(fair.status == 0);
  CHECK_FALSE(holds(fair.error, kOrders));
  const Ended alike = haloscope({"compare", "3", "4"});
  CHECK_FALSE(holds(alike.out + alike.error, kWidths));
}

TEST_CASE("runs before and after a change of the split file are no repeats, and compare names it", "[app]") {
  const Program haloscope;
  const auto split = [&](int training) {
    std::string lines;
    for (int vertex = 0; vertex < 34; ++vertex) lines += vertex < training ? "train\n" : "test\n";
    haloscope.file("split.txt", lines);
  };
  const std::string file = haloscope.file("split.toml",
                                          "schema = 1\nname = \"split\"\n[dataset]\nname = \"karate\"\nsplit "
                                          "= \"split.txt\"\n[training]\nepochs = "
                                          "2\n[[run]]\nmethod = \"single\"\n");
  for (const auto& [training, seed] : {std::pair(10, "1"), std::pair(10, "2"), std::pair(20, "3")}) {
    split(training);
    REQUIRE(haloscope({"run", file, "--set", std::string("training.seed=") + seed}).status == 0);
  }
  const auto columns = [&](const std::vector<std::string>& runs) {
    std::vector<std::string> words = {"compare", "--json"};
    words.insert(words.end(), runs.begin(), runs.end());
    return halo::test::comparisonOf(haloscope(words).out).at("columns").size();
  };
  CHECK(columns({"1", "2"}) == 1);
  CHECK(columns({"1", "3"}) == 2);
  const Ended compared = haloscope({"compare", "1", "3"});
  CHECK(holds(compared.out + compared.error, "runs differ in the contents of the data set"));
  CHECK_FALSE(holds(haloscope({"compare", "1", "2"}).out, "contents of the data set"));
}
