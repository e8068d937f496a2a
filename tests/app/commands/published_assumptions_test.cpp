// [[published]] with what a paper leaves open: which set of assumptions counts.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/commands/published_file.h"

using namespace halo;
using namespace halo::test;

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
  const std::string output = haloscope(words).out;
  words.emplace_back("--json");
  const auto comparison = comparisonOf(haloscope(words).out);
  std::map<std::string, std::map<std::pair<std::string, std::string>, nlohmann::json>> sets;
  for (const auto& figure : publishedOf(comparison)) {
    const auto& assumed = figure.at("assuming");
    sets[figure.at("published")][{assumed.at("device.buffering"), assumed.at("device.edge_bytes")}] = figure;
  }
  REQUIRE(sets.size() == 2);
  std::map<std::string, int> reached;
  for (const auto& [where, lines] : sets) {
    CHECK(lines.size() == 4);  // the SPU's buffers are as HyGCN's
    for (const auto& [assumed, line] : lines) reached[where] += line.at("reproduced") == "yes";
    const double halves = lines.at({"double", "16"}).at("ours"),
                 wholes = lines.at({"single", "16"}).at("ours");
    CHECK(halves > lines.at({"double", "4"}).at("ours").get<double>());
    CHECK(halves != wholes);
  }
  for (const std::string& part :
       {std::string("by ") + std::to_string(reached["Figure 12, orkut, HyGCN"]) + " of 4 sets",
        std::string("2 are with several sets of assumptions, counted by the declared set; a bound: "),
        std::string("With each set of assumptions, simulated: time (ratio): Figure 12, …, HyGCN\n"),
        std::string("device.buffering      device.edge_bytes"), std::string("counts as reproduced"),
        std::string("reached by")}) {
    CAPTURE(part, output);
    CHECK(holds(output, part));
  }
  // the set that the file declares counts and comes first, also where the runs are named in another
  // order
  const auto afterHead = [](const std::string& text) {
    return text.substr(text.find("\n", text.find("\n", text.find("With each set")) + 1) + 1);
  };
  CHECK(holds(afterHead(output).substr(0, afterHead(output).find('\n')), ", counts"));
  CHECK(afterHead(output).starts_with("double"));
  int bounds = 0;
  for (const auto& figure : publishedOf(comparison)) bounds += figure.contains("bound") ? 1 : 0;
  CHECK(bounds == 6);
  CHECK_FALSE(sets["Figure 12, reddit, HyGCN"].at({"double", "4"}).contains("bound"));
  words.pop_back();
  std::ranges::reverse(words.begin() + 1, words.end());
  const std::string turned = haloscope(words).out;
  CHECK(turned.substr(turned.find("Beside the published")) ==
        output.substr(output.find("Beside the published")));
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
  const std::string output = comparison(without, false);
  CAPTURE(output);
  CHECK(holds(output, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
  CHECK(holds(output, "counted set not compared; by "));
  CHECK(holds(output,
              "the set of assumptions that counts (device.buffering = double, device.edge_bytes = 4) is not "
              "compared here: Figure 12, reddit, HyGCN\n"));
  CHECK_FALSE(holds(output, ", counts"));
  const auto published = comparisonOf(comparison(without, true)).at("published");
  CHECK(published.at("without_counted_set") == nlohmann::json{"Figure 12, reddit, HyGCN"});
  CHECK(published.at("counts").at("not_comparable") == 1);
}

TEST_CASE("a recording of a version whose files declared no set that counts says so", "[app][published]") {
  const Program haloscope;
  recordAs(haloscope,
           "[[published]]\nwhere = \"Table 1\"\nmetric = \"epochs\"\nvalue = 2\nlow = 1.5\nhigh = 2.5\n"
           "because = \"b\"\ndiffers = [\"graph\"]\nassuming = [\"model.hidden\"]\nof = { method = "
           "\"single\" }\n");
  const std::string output = haloscope({"compare", "1"}).out;
  CAPTURE(output);
  CHECK(holds(output, "0 came out · 0 order only · 0 did not come out · 1 not comparable"));
  CHECK(holds(output, "no set of assumptions is declared to count"));
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
  std::string buffers = kBuffers;
  buffers.replace(buffers.find(R"(["double", "single"])"), 20, R"("double")");
  CHECK_THAT(
      refusal(buffers, R"({ "device.buffering" = "double", "device.edge_bytes" = 4 })"),
      Contains("published.assuming: no run of over assumes what this run of of does: device.buffering = "
               "single device.edge_bytes = 16"));
}
