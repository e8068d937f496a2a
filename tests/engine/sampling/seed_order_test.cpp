#include "engine/sampling/seed_order.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/sampling/fanouts.h"
#include "tests/engine/sampling/slow_sampling.h"

using namespace halo;

namespace {

std::vector<Vertex> multiples(Vertex count, Vertex factor) {
  std::vector<Vertex> vertices;
  for (Vertex v = 0; v < count; ++v) vertices.push_back(v * factor);
  return vertices;
}

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> descriptions;
  for (const Problem& problem : problems) descriptions.push_back(describe(problem));
  return descriptions;
}

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("seeds are ordered as the slow twin orders them", "[sampling]") {
  for (const Vertex count : {0, 1, 2, 100, 20'000}) {
    for (const std::uint32_t epoch : {0U, 3U}) {
      std::vector<Vertex> vertices = multiples(count, 3);
      const std::vector<Vertex> expected = slow::seedOrder(vertices, 7, epoch);
      KeyedShuffle()(7, epoch, vertices);
      CHECK(vertices == expected);
    }
  }
}

TEST_CASE("no seed is twice or missing in an epoch", "[sampling]") {
  const std::vector<Vertex> train = multiples(103, 2);
  const bool dropLast = GENERATE(false, true);
  const auto seeds = GENERATE(SeedChoice::own, SeedChoice::global);
  for (const int trainers : {1, 2, 3, 7}) {
    for (const auto& [batch, globalBatch] : {std::pair{10, 0}, {5, 0}, {10, 21}, {103, 103}}) {
      const SeedSettings settings{
          .seed = 3, .seeds = seeds, .batch = batch, .globalBatch = globalBatch, .dropLast = dropLast};
      CAPTURE(trainers, batch, globalBatch, dropLast, seeds == SeedChoice::own);
      // the last trainer owns nothing, the first most
      std::vector<std::vector<Vertex>> own(at(trainers));
      std::vector<std::int32_t> owners;
      for (std::size_t i = 0; i < train.size(); ++i) {
        const int owner = trainers == 1 || i % 2 == 0 ? 0 : static_cast<int>(i) % std::max(1, trainers - 1);
        own[at(owner)].push_back(train[i]);
        owners.push_back(owner);
      }
      std::vector<std::int64_t> counts;
      for (const auto& vertices : own) counts.push_back(std::ssize(vertices));
      std::map<Vertex, int> times;
      std::vector<Index> seedCounts, busy;
      for (int trainer = 0; trainer < trainers; ++trainer) {
        SeedOrder order = seeds == SeedChoice::own
                              ? SeedOrder::own(settings, trainer, own[at(trainer)], counts)
                              : SeedOrder::global(settings, trainer, trainers, train, owners);
        order.begin(4);
        REQUIRE(order.iterations() == iterationsOf(settings, counts));
        seedCounts.resize(at(order.iterations()), 0);
        busy.resize(seedCounts.size(), 0);
        for (Index t = 0; t < order.iterations(); ++t) {
          for (const Vertex v : order.seeds(t)) {
            ++times[v];
            CHECK(std::ranges::binary_search(own[at(trainer)], v));
          }
          seedCounts[at(t)] += std::ssize(order.seeds(t));
          busy[at(t)] += order.seeds(t).empty() ? 0 : 1;
          if (trainer + 1 < trainers) continue;
          CHECK(seedCounts[at(t)] == order.globalSeeds(t));
          CHECK(busy[at(t)] == order.trainersWithSeeds(t));
        }
      }
      for (const auto& [v, count] : times) CHECK(count == 1);
      const auto all = std::accumulate(seedCounts.begin(), seedCounts.end(), Index{0});
      CHECK(static_cast<Index>(times.size()) == all);
      if (!dropLast) CHECK(all == std::ssize(train));
    }
  }
}

TEST_CASE("a global batch does not depend on who owns its seeds", "[sampling]") {
  const std::vector<Vertex> train = multiples(60, 1);
  const SeedSettings settings{.seeds = SeedChoice::global, .globalBatch = 16};
  const auto batchesOf = [&](int trainers) {
    std::vector<std::set<Vertex>> batches(4);
    std::vector<std::int32_t> owners;
    for (const Vertex v : train) owners.push_back(v * v % trainers);
    for (int trainer = 0; trainer < trainers; ++trainer) {
      SeedOrder order = SeedOrder::global(settings, trainer, trainers, train, owners);
      order.begin(1);
      for (Index t = 0; t < 4; ++t) batches[at(t)].insert(order.seeds(t).begin(), order.seeds(t).end());
    }
    return batches;
  };
  const auto once = batchesOf(1);
  CHECK(once[3].size() == 12);  // the short last batch
  for (const int trainers : {2, 3, 4, 7, 8}) CHECK(batchesOf(trainers) == once);
}

TEST_CASE("seeds go by id without a shuffle, and epochs differ with one", "[sampling]") {
  SeedOrder order = SeedOrder::own({.batch = 4, .shuffle = false}, 0, multiples(10, 1), {10});
  order.begin(0);
  CHECK(std::ranges::equal(order.seeds(1), std::vector<Vertex>{4, 5, 6, 7}));
  CHECK(std::ranges::equal(order.seeds(2), std::vector<Vertex>{8, 9}));
  SeedOrder shuffled = SeedOrder::own({.batch = 100}, 0, multiples(100, 1), {100});
  shuffled.begin(0);
  const std::vector<Vertex> first(shuffled.seeds(0).begin(), shuffled.seeds(0).end());
  shuffled.begin(1);
  CHECK_FALSE(std::ranges::equal(shuffled.seeds(0), first));
  const auto bytes = shuffled.heldBytes();
  shuffled.begin(0);
  CHECK(std::ranges::equal(shuffled.seeds(0), first));
  CHECK(shuffled.heldBytes() == bytes);
}

TEST_CASE("a trainer that has no seeds left goes on with empty batches", "[sampling]") {
  const SeedSettings settings{.batch = 4};
  SeedOrder order = SeedOrder::own(settings, 1, multiples(3, 1), {9, 3});
  order.begin(0);
  CHECK(order.iterations() == 3);
  CHECK(order.seeds(0).size() == 3);
  CHECK(order.seeds(1).empty());
  CHECK(order.seeds(2).empty());
  CHECK(order.globalSeeds(0) == 7);
  CHECK(order.globalSeeds(2) == 1);
}

TEST_CASE("fan-outs are read from the inputs to the seeds, and refused by name", "[sampling]") {
  std::vector<Problem> problems;
  CHECK(readFanouts("25,10", 2, "run.fanouts", problems) == Fanouts{25, 10});
  CHECK(readFanouts(" all , 7 ", 2, "run.fanouts", problems) == Fanouts{kAllNeighbours, 7});
  CHECK(readFanouts("1024", 1, "run.fanouts", problems) == Fanouts{1024});
  CHECK(problems.empty());
  const auto refused = [](const char* text, int layers) {
    std::vector<Problem> fanoutProblems;
    readFanouts(text, layers, "run.fanouts", fanoutProblems);
    return texts(fanoutProblems);
  };
  CHECK(refused("25,10", 3) ==
        Said{"run.fanouts: '25,10' has 2 numbers, and the model 3 layers; one each, from "
             "the inputs to the seeds"});
  CHECK(refused("5", 2) ==
        Said{"run.fanouts: '5' has 1 number, and the model 2 layers; one each, from the inputs "
             "to the seeds"});
  CHECK(refused("25,0", 2) == Said{"run.fanouts: '0' of '25,0' cannot be used; 1 to 1024, or all"});
  CHECK(refused("025,10", 2) == Said{"run.fanouts: '025' of '025,10' cannot be used; 1 to 1024, or all"});
  CHECK(refused("", 1) == Said{"run.fanouts: '' of '' cannot be used; 1 to 1024, or all"});
  for (const char* word : {"-1", "1025", "1e2", "+3", "3x", "99999999999999", "ALL"})
    CHECK(refused(word, 1).size() == 1);
  CHECK(refused("x,,5", 2).size() == 3);  // all at once
}

TEST_CASE("batches that cannot be are refused in the design's words", "[sampling]") {
  const auto refused = [](const SeedSettings& settings, const std::vector<std::int64_t>& trained) {
    return texts(seedProblems(settings, trained, "run."));
  };
  CHECK(refused({.batch = 1024}, {100, 40}) ==
        Said{"run.batch: 1024 is more than the 140 training vertices; at most 140"});
  CHECK(refused({.batch = 140}, {100, 40}).empty());
  CHECK(refused({.batch = 0, .globalBatch = 141}, {140}) ==
        Said{"run.batch: 0 cannot be used; 1 or more",
             "run.global_batch: 141 is more than the 140 training vertices; at most 140"});
  CHECK(refused({.batch = 1024, .dropLast = true}, {800, 700}) ==
        Said{"run.drop_last: no iteration is left: no worker has 1024 training vertices; a smaller batch, or "
             "drop_last = false"});
  CHECK(refused({.seeds = SeedChoice::global, .batch = 90, .dropLast = true}, {100, 40}) ==
        Said{"run.drop_last: no iteration is left: the global batch of 180 is more than the 140 training "
             "vertices; a "
             "smaller batch, or drop_last = false"});
  CHECK(
      refused({.seeds = SeedChoice::global, .batch = 1, .dropLast = true}, {2, 1, 0, 0}) ==
      Said{"run.drop_last: no iteration is left: the global batch of 4 is more than the 3 training vertices; "
           "global_batch = 3 or less, or drop_last = false"});
  CHECK(refused({.globalBatch = 3}, {50, 50, 50, 50}).size() == 1);
  CHECK(refused({.seeds = SeedChoice::global, .globalBatch = 3}, {50, 50, 50, 50}).empty());
  CHECK(texts(budgetProblems(20000, 2708, "run.budget")) ==
        Said{"run.budget: 20000 is more than the 2708 vertices; at most 2708"});
  CHECK(budgetProblems(2708, 2708, "run.budget").empty());
  CHECK(stepProblems(1 << 20, 1 << 10, 3, "run.batch").empty());
  CHECK(texts(stepProblems(1 << 20, 1 << 10, 4, "training.epochs")) ==
        Said{"training.epochs: 1024 epochs of 1048576 iterations and 4 layers are more draws than can be "
             "told apart "
             "(2^32); fewer epochs or a larger batch"});
}

TEST_CASE("ordering seeds stops where somebody asks", "[sampling]") {
  std::vector<Vertex> vertices = multiples(1 << 19, 1);
  struct Stopped {};
  CHECK_THROWS_AS(KeyedShuffle()(1, 0, vertices, [] { throw Stopped(); }), Stopped);
}
