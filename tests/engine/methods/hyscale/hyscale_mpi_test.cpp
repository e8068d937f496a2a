// hyscale beside minibatch on one worker with the same global batches: whatever is split, fetched ahead or
// moved, the numbers are the same.
#include <algorithm>

#include "engine/methods/hyscale/start_mapping.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/changed_platform.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneIteration = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

const Dataset& large() {
  static const Dataset set = datasetOf("large", 300, randomArcs(300, 1500, 5), true);
  return set;
}

/// Everything that both are told.
RunSettings runOf(const std::string& method, const std::string& kind, std::int64_t globalBatch,
                  double dropout) {
  RunSettings run = settingsFor(method, kind, 2, 7, dropout);
  run.parameters["fanouts"] = std::string("4,3");
  run.parameters["global_batch"] = globalBatch;
  return run;
}

/// Ways to run hyscale that must not change a number.
std::vector<std::vector<std::pair<std::string, Value>>> ways() {
  return {{},
          {{"cards", std::int64_t{1}}},
          {{"cards", std::int64_t{3}}, {"prefetch", std::string("none")}},
          {{"prefetch", std::string("one")}, {"queue_depth", std::int64_t{3}}},
          {{"cpu_trains", false}},
          {{"cpu_trains", false}, {"prefetch", std::string("none")}, {"cards", std::int64_t{2}}},
          {{"manage", false}, {"mapping", std::string("11/42/42/44")}},
          {{"mapping", std::string("3/2/40/86")}, {"window", std::int64_t{1}}},
          {{"mapping", std::string("best")}, {"queue_depth", std::int64_t{8}}},
          {{"platform", std::string("hyscale-a5000")}, {"window", std::int64_t{2}}},
          {{"host_traffic_factor", std::int64_t{3}}, {"sends_topology", true}}};
}

std::string textOf(const std::vector<std::pair<std::string, Value>>& way) {
  std::string text;
  for (const auto& [key, value] : way) text += key + " = " + toText(value) + "  ";
  return text;
}

std::vector<double> lossesOf(const RunSettings& run, const Dataset& set, int epochs) {
  Trained single(MPI_COMM_SELF, set, run, scatteredOwners(set, 1));
  std::vector<double> losses;
  for (int epoch = 0; epoch < epochs; ++epoch) losses.push_back(single.method->runEpoch(epoch));
  return losses;
}

std::int64_t trainedIn(const Dataset& set) { return std::ranges::count(set.split, Split::train); }

}  // namespace

TEST_CASE("hyscale trains as minibatch on one worker does, however its node is set up", "[hyscale]") {
  if (worldSize() > 1) return;
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const double dropout : {0.0, 0.5})
      for (const std::int64_t batch : {std::int64_t{16}, trainedIn(large())}) {
        const std::vector<double> expected = lossesOf(runOf("minibatch", kind, batch, dropout), large(), 6);
        for (const auto& way : ways()) {
          CAPTURE(kind, dropout, batch, textOf(way));
          RunSettings run = runOf("hyscale", kind, batch, dropout);
          for (const auto& [key, value] : way) run.parameters[key] = value;
          const std::vector<double> losses = lossesOf(run, large(), 6);
          const bool oneBatch = batch == trainedIn(large());
          for (std::size_t epoch = 0; epoch < losses.size(); ++epoch)
            CHECK(losses[epoch] == Approx(expected[epoch])
                                       .epsilon(epoch == 0 && oneBatch ? kOneIteration : kManyEpochs)
                                       .margin(1e-12));
        }
      }
}

TEST_CASE("twenty epochs on any number of cards are those of minibatch", "[hyscale]") {
  if (worldSize() > 1) return;
  const Scratch scratch;
  const std::vector<double> expected = lossesOf(runOf("minibatch", "graphsage", 20, 0.5), large(), 20);
  for (const std::int64_t cards : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(cards);
    RunSettings run = with(runOf("hyscale", "graphsage", 20, 0.5), "window", std::int64_t{1});
    run =
        with(run, "platform", changedPlatform(scratch / "", "cards = 4", "cards = " + std::to_string(cards)));
    const std::vector<double> losses = lossesOf(run, large(), 20);
    for (std::size_t epoch = 0; epoch < losses.size(); ++epoch)
      CHECK(losses[epoch] == Approx(expected[epoch]).epsilon(kManyEpochs).margin(1e-12));
  }
}

TEST_CASE("hyscale trains on the graphs that are hard as minibatch does", "[hyscale]") {
  if (worldSize() > 1) return;
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const bool dropLast : {false, true})
      for (const bool replace : {false, true}) {
        constexpr std::int64_t kBatch = 5;
        if (trainedIn(set) < kBatch) continue;
        CAPTURE(set.name, dropLast, replace);
        const auto losses = [&](const std::string& method) {
          RunSettings run = runOf(method, "graphsage", kBatch, 0.5);
          run = with(with(run, "drop_last", dropLast), "replace", replace);
          return lossesOf(run, set, 20);
        };
        const std::vector<double> expected = losses("minibatch"), actual = losses("hyscale");
        for (std::size_t epoch = 0; epoch < actual.size(); ++epoch)
          CHECK(actual[epoch] == Approx(expected[epoch]).epsilon(kManyEpochs).margin(1e-12));
        ++count;
      }
  CHECK(count > 12);
}

TEST_CASE("the mean of trainers' means is another number where shares differ, and the same where not",
          "[hyscale]") {
  if (worldSize() > 1) return;
  const auto loss = [&](const std::string& mapping, const std::string& average) {
    RunSettings run = runOf("hyscale", "gcn", 20, 0);
    run.parameters["manage"] = false;
    run.parameters["drop_last"] = true;
    run.parameters["mapping"] = mapping;
    run.parameters["average"] = average;
    return lossesOf(run, large(), 2).back();
  };
  CHECK(std::abs(loss("12/42/42/44", "plain") - loss("12/42/42/44", "weighted")) > 1e-6);
  CHECK(loss("4/42/42/44", "plain") == Approx(loss("4/42/42/44", "weighted")).epsilon(kManyEpochs));
}

TEST_CASE("scores and weights of hyscale are those of minibatch", "[hyscale]") {
  if (worldSize() > 1) return;
  const auto trained = [](const std::string& method) {
    Trained single(MPI_COMM_SELF, large(), runOf(method, "gcn", 16, 0.5), scatteredOwners(large(), 1));
    for (int epoch = 0; epoch < 3; ++epoch) single.method->runEpoch(epoch);
    EpochRow row = single.method->evaluate();
    return std::tuple(row.train, row.valid, row.test, single.method->takeWork().size() > 0);
  };
  CHECK(trained("hyscale") == trained("minibatch"));
}

TEST_CASE("what hyscale's batches read is what minibatch's read, in parts", "[hyscale]") {
  if (worldSize() > 1) return;
  const auto sums = [](const std::string& method, std::int64_t cards) {
    RunSettings run = runOf(method, "gcn", 16, 0);
    if (cards > 0) run = with(with(run, "cards", cards), "cpu_trains", false);
    Trained single(MPI_COMM_SELF, large(), run, scatteredOwners(large(), 1));
    single.method->runEpoch(0);
    const std::vector<BlockRow> blocks = single.method->batchSums().blocks;
    return std::tuple(blocks.back().targets, blocks.back().sources, blocks.back().arcs, blocks.front().arcs,
                      single.method->metrics().at("sampled_arcs_per_epoch"), flopOf(single));
  };
  CHECK(sums("hyscale", 1) == sums("minibatch", 0));
  // a vertex that several parts read is read by each
  CHECK(std::get<3>(sums("hyscale", 3)) >= std::get<3>(sums("minibatch", 0)));
  CHECK(std::get<0>(sums("hyscale", 3)) == std::get<0>(sums("minibatch", 0)));
}

TEST_CASE("what hyscale cannot do is refused by key", "[hyscale]") {
  const MethodEntry& entry = *find<MethodEntry>("hyscale");
  const auto refusalOf = [&](const RunSettings& run) {
    std::string all;
    for (const Problem& problem : refusals(entry, run)) all += problem.key + ": " + problem.message + "\n";
    return all;
  };
  const RunSettings run = settingsFor("hyscale", "gcn", 2, 6);
  CHECK(refusalOf(run).empty());
  CHECK(refusalOf(with(run, "cards", std::int64_t{4})).empty());
  CHECK(refusalOf(with(run, "cards", std::int64_t{8})) ==
        "run.cards: 8 cannot be used; platform hyscale-u250 has 4\n");
  CHECK(refusalOf(with(run, "sampler", std::string("uniform"))) ==
        "run.sampler: uniform cannot be used; hyscale takes neighbour alone\n");
  CHECK(refusalOf(with(run, "dilation", 0.5)) ==
        "run.dilation: 0.5 cannot be used; 0, or from 1 to 1000000\n");
  CHECK(refusalOf(with(run, "platform", std::string("none")))
            .find("run.platform: 'none' cannot be used; one of ") == 0);
  RunSettings several = run;
  several.cluster.workers = 2;
  CHECK(refusalOf(several).starts_with("cluster.workers: 2 cannot be used"));
  CHECK(refusalOf(settingsFor("hyscale", "gat", 2, 6)).starts_with("model.kind: "));
  CHECK(
      refusalOf(with(run, "device", std::string("host"))).starts_with("run.clock: 'virtual' cannot be used"));
}

TEST_CASE("what these training vertices do not allow is refused by key", "[hyscale]") {
  const MethodEntry& entry = *find<MethodEntry>("hyscale");
  const auto refusalOf = [&](const RunSettings& run, std::int64_t trained) {
    const std::vector<Index> widths = {7, 6, 3};
    const auto split = [trained] {
      std::vector<Split> all(2000, Split::test);
      std::fill_n(all.begin(), trained, Split::train);
      return all;
    };
    std::string all;
    for (const Problem& problem : entry.refuseData(run, {widths, split}))
      all += problem.key + ": " + problem.message;
    return all;
  };
  const RunSettings run = settingsFor("hyscale", "gcn", 2, 6);
  CHECK(refusalOf(run, 140).empty());
  CHECK(refusalOf(with(run, "batch", std::int64_t{28}), 140).empty());
  CHECK(refusalOf(with(run, "batch", std::int64_t{29}), 140) ==
        "run.batch: 29 of each of 5 trainers are more than the 140 training vertices; at most 28");
  CHECK(refusalOf(with(run, "global_batch", std::int64_t{141}), 140) ==
        "run.global_batch: 141 is more than the 140 training vertices; at most 140");
  CHECK(
      refusalOf(run, 4) ==
      "run.cards: 4 cards and the processors take a training vertex each, and there are 4; fewer cards, or a "
      "larger split");
  CHECK(refusalOf(with(with(run, "batch", std::int64_t{200}), "mapping", std::string("1000/40/40/48")), 1000)
            .starts_with(
                "run.mapping: '1000/40/40/48' cannot be used; seeds up to 996 (one for each of 4 cards) and "
                "threads that make 128"));
  CHECK(refusalOf(with(with(run, "batch", std::int64_t{200}), "mapping", std::string("996/40/40/48")), 1000)
            .empty());
}

TEST_CASE("seeds are dealt as the mapping has them, and short batches in proportion", "[hyscale]") {
  using hyscale::dealSeeds;
  std::vector<std::int64_t> dealt;
  HybridMapping mapping{5120, 2428, 42, 42, 44, 0};
  dealSeeds(mapping, 4, 5120, dealt);
  CHECK(dealt == std::vector<std::int64_t>{2428, 673, 673, 673, 673});
  mapping.cpuSeeds = 2426;
  dealSeeds(mapping, 4, 5120, dealt);
  CHECK(dealt == std::vector<std::int64_t>{2426, 674, 674, 673, 673});
  mapping.cpuSeeds = 0;
  dealSeeds(mapping, 3, 5120, dealt);
  CHECK(dealt == std::vector<std::int64_t>{0, 1707, 1707, 1706});
  const HybridMapping small{10, 4, 1, 1, 1, 0};
  dealSeeds(small, 3, 1, dealt);
  CHECK(dealt == std::vector<std::int64_t>{1, 0, 0, 0});
  dealSeeds(small, 3, 4, dealt);  // 1.6, 0.8, 0.8, 0.8
  CHECK(dealt == std::vector<std::int64_t>{1, 1, 1, 1});
  for (std::int64_t seeds = 1; seeds <= 10; ++seeds) {
    dealSeeds(small, 3, seeds, dealt);
    CHECK(std::accumulate(dealt.begin(), dealt.end(), std::int64_t{0}) == seeds);
  }
  std::vector<double> factors;
  hyscale::weighGradients(std::vector<std::int64_t>{2428, 673, 673, 673, 673}, false, factors);
  CHECK(factors[0] == Approx(0.474219).epsilon(1e-6));
  CHECK(factors[4] == Approx(0.131445).epsilon(1e-5));
  hyscale::weighGradients(std::vector<std::int64_t>{3, 0, 1}, true, factors);
  CHECK(factors == std::vector<double>{0.5, 0, 0.5});
}
