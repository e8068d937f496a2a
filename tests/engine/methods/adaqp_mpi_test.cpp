// AdaQP. That 32 bits train as one worker does stands among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

using Setting = std::pair<std::string, Value>;

RunSettings settingsOf(const std::vector<Setting>& parameters, double dropout = 0.5) {
  RunSettings run = settingsFor("adaqp", "graphsage", 3, 7, dropout);
  run.parameters.insert_or_assign("cycle", Value(std::int64_t{2}));
  run.parameters.insert_or_assign("group", Value(std::int64_t{3}));
  for (const auto& [key, value] : parameters) run.parameters.insert_or_assign(key, value);
  return run;
}

Setting bits(const std::string& word) { return {"bits", Value(word)}; }
Setting tradeOff(double weight) { return {"trade_off", Value(weight)}; }

std::vector<double> lossesOf(const Dataset& set, const RunSettings& run, int epochs) {
  Trained trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  std::vector<double> losses;
  for (int epoch = 0; epoch < epochs; ++epoch) losses.push_back(trained.method->runEpoch(epoch));
  return losses;
}

/// Messages and bytes that all ranks sent to one another.
std::pair<std::int64_t, std::int64_t> sentBy(Trained& t, const Flows& flows) {
  std::int64_t messages = 0, bytes = 0;
  for (const auto& [key, flow] : flows) {
    if (std::get<2>(key) < 0) continue;  // the gradients' all-reduce
    messages += flow.first;
    bytes += flow.second;
  }
  return {t.comm.sum(messages), t.comm.sum(bytes)};
}

}  // namespace

TEST_CASE("codes of one width send what the closed form says, before and after a choice", "[adaqp][volume]") {
  for (const Dataset& set : hardGraphs())
    for (const auto& parameters : std::vector<std::vector<Setting>>{
             {bits("8")}, {bits("4")}, {bits("2")}, {tradeOff(0)}, {tradeOff(1)}})
      for (const bool cache : {false, true}) {
        RunSettings run = settingsOf(parameters);
        run.parameters.insert_or_assign("layer0_cache", Value(cache));
        CAPTURE(set.name, parameters[0].first, toText(parameters[0].second), cache);
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (int epoch = 0; epoch < 4; ++epoch) {
          many.method->runEpoch(epoch);
          many.method->evaluate();
          CHECK(measuredOf(many) == predictedIn(many, epoch));
        }
      }
}

TEST_CASE("chosen widths send what the closed form says of the choice, never more than 8 bits",
          "[adaqp][volume]") {
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    const Owners owners = scatteredOwners(set, worldSize());
    const Trained before(MPI_COMM_WORLD, set, settingsOf({tradeOff(0.5)}), owners);
    Trained many(MPI_COMM_WORLD, set, settingsOf({tradeOff(0.5)}), owners);
    for (int epoch = 0; epoch < 6; ++epoch) {
      CAPTURE(epoch);
      many.method->runEpoch(epoch);
      const Flows sent = measuredOf(many);
      CHECK(sent == predictedIn(many, epoch));
      const auto [messages, bytes] = sentBy(many, sent);
      const auto [expected, atMost] = sentBy(many, predictedIn(before, epoch));
      const auto metrics = many.method->metrics();
      CHECK(messages == expected);
      CHECK(bytes <= atMost);
      REQUIRE(metrics.empty() == (epoch < 2));
      if (metrics.empty()) continue;
      CHECK(metrics.at("assigned_bytes") == static_cast<double>(bytes));
      if (bytes == 0) continue;
      CHECK(metrics.at("mean_bits") >= 2);
      CHECK(metrics.at("mean_bits") <= 8);
    }
  }
}

TEST_CASE("a choice between the ends has widths between theirs", "[adaqp]") {
  if (worldSize() == 1) return;
  const Dataset set = hardGraphs()[1];
  double before = 2;
  for (const double weight : {0.0, 0.3, 0.7, 1.0}) {
    Trained many(MPI_COMM_WORLD, set, settingsOf({tradeOff(weight)}, 0), scatteredOwners(set, worldSize()));
    for (int epoch = 0; epoch < 3; ++epoch) many.method->runEpoch(epoch);
    const double mean = many.method->metrics().at("mean_bits");
    CAPTURE(weight, mean);
    if (weight == 0) CHECK(mean == 2);
    if (weight == 1) CHECK(mean == 8);
    if (weight == 0.7) CHECK((mean > 2 && mean < 8));
    CHECK(mean >= before);
    before = mean;
  }
}

TEST_CASE("what is summed while rows travel changes nothing", "[adaqp]") {
  const Dataset set = hardGraphs()[0];
  for (const std::string width : {"adaptive", "32"}) {
    const auto with = [&](const std::string& overlap) {
      return lossesOf(set, settingsOf({bits(width), {"overlap", Value(overlap)}}), 5);
    };
    CAPTURE(width);
    CHECK(with("central") == with("none"));
    CHECK(with("local-first") == with("none"));
  }
}

TEST_CASE("32 bits train bit for bit as vanilla does, and all the weight on variance as 8 bits", "[adaqp]") {
  for (const Dataset& set : {hardGraphs()[0], hardGraphs()[1]}) {
    RunSettings vanilla = settingsOf({});
    vanilla.method = "vanilla";
    vanilla.model.order = "aggregate-first";  // adaqp's own
    vanilla.parameters = fallbacks(find<MethodEntry>("vanilla")->declaration.parameters);
    CHECK(lossesOf(set, settingsOf({bits("32")}), 4) == lossesOf(set, vanilla, 4));
    CHECK(lossesOf(set, settingsOf({tradeOff(1)}), 5) == lossesOf(set, settingsOf({bits("8")}), 5));
    if (worldSize() > 1)
      CHECK(lossesOf(set, settingsOf({tradeOff(0)}), 5) != lossesOf(set, settingsOf({bits("8")}), 5));
  }
}

TEST_CASE("with frozen weights the mean of outputs of chosen widths is that of full rows", "[adaqp]") {
  if (worldSize() == 1) return;
  const Dataset set = hardGraphs()[1];
  const Owners owners = scatteredOwners(set, worldSize());
  const auto frozen = [&](const std::string& width) {
    RunSettings run = settingsOf({bits(width), tradeOff(0.5)}, 0);
    run.model.layers = 1;
    run.model.order = "aggregate-first";
    run.training.learningRate = 0;
    return run;
  };
  Trained full(MPI_COMM_WORLD, set, frozen("32"), owners),
      coded(MPI_COMM_WORLD, set, frozen("adaptive"), owners);
  full.method->runEpoch(0);
  constexpr int kEpochs = 400;
  const std::vector<double> mean = meanLogits(coded, kEpochs);
  // logits are means over neighbours of rows within ±0.5 times weights below 1: a step is at most 1/3
  for (std::size_t i = 0; i < mean.size(); ++i)
    CHECK(
        mean[i] ==
        Approx(static_cast<double>(full.method->logits()->values()[i])).margin(5.0 / 3 / std::sqrt(kEpochs)));
}

TEST_CASE("constant rows and empty messages choose widths without a number that is none", "[adaqp]") {
  for (Dataset set : hardGraphs()) {
    set.features.fill(Scalar{0.25});
    CAPTURE(set.name);
    for (const double loss : lossesOf(set, settingsOf({tradeOff(0.5)}), 5)) CHECK(std::isfinite(loss));
  }
}
