// What masked label propagation refuses before it trains, and that what it refuses would learn nothing.
#include <catch2/catch.hpp>
#include <set>

#include "engine/base/index.h"
#include "tests/engine/methods/full_graph/shown_labels.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("label propagation refuses what leaves it nothing to do", "[labels]") {
  const MethodEntry& entry = *find<MethodEntry>("supergcn");
  const auto keys = [&](const RunSettings& run) {
    std::vector<std::string> problemKeys;
    for (const Problem& problem : refusals(entry, run)) problemKeys.push_back(problem.key);
    return problemKeys;
  };
  CHECK(keys(labelSettings("graphsage", 0.5)).empty());
  CHECK(keys(labelSettings("graphsage", 0.5, 1)) == std::vector<std::string>{"run.label_propagation"});
  CHECK(keys(with(labelSettings("graphsage", 0.5), "layer0_cache", Value(true))) ==
        std::vector<std::string>{"run.layer0_cache"});
}

TEST_CASE("a share that leaves less than one training vertex to be expected in all epochs is refused",
          "[supergcn]") {
  const MethodEntry& entry = *find<MethodEntry>("supergcn");
  const std::vector<Index> widths = {3, 8, 8, 4};
  const auto problems = [&](double share, std::int64_t epochs, std::size_t trainVertices) {
    RunSettings run = labelSettings("gcn", 0, share);
    run.training.epochs = epochs;
    run.training.seed = 3;  // which draws some to learn from, where they are to be expected
    return entry.refuseData(run, {widths, [=] { return std::vector<Split>(trainVertices, Split::train); }});
  };
  const auto refused = problems(0.875, 1, 7);  // 7/8 of a vertex
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].key == "run.label_propagation");
  CHECK_THAT(refused[0].message,
             Catch::Contains("of the 7 training vertices that in 1 epochs less than one"));
  CHECK(problems(0.875, 1, 8).empty());
  CHECK(problems(0.875, 2, 7).empty());  // another draw
  CHECK(problems(0, 5, 1).empty());
  CHECK(problems(0.875, 1, 0).empty());  // who reads the split refuses that
  CHECK(entry.refuseData(labelSettings("gcn", 0, 0.999), {widths}).empty());  // nobody knows the split
}

TEST_CASE("labels of all training vertices by what the seed draws are refused", "[labels][supergcn]") {
  const MethodEntry& entry = *find<MethodEntry>("supergcn");
  const Dataset set = hardGraphs().back();  // five train
  const std::vector<Index> widths = {3, 8, 8, 4};
  constexpr double kMost = 0.79;
  constexpr std::int64_t kEpochs = 3;
  std::set<std::pair<bool, bool>> cases;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const std::int64_t redraw : {0, 1, 2}) {
      RunSettings run = with(labelSettings("graphsage", 0, kMost), "label_redraw", Value(redraw));
      run.training.seed = seed;
      run.training.epochs = kEpochs;
      CAPTURE(seed, redraw);
      bool learns = false;
      for (std::uint32_t epoch = 0; epoch < kEpochs; ++epoch)
        for (Index v = 0; v < set.vertices(); ++v)
          learns = learns ||
                   (set.split[at(v)] == Split::train &&
                    !shown(set, v, seed, redraw > 0 ? epoch / static_cast<std::uint32_t>(redraw) : 0, kMost));
      const auto refused = entry.refuseData(run, {widths, [&] { return set.split; }});
      CHECK(refused.empty() == learns);
      if (!refused.empty()) {
        CHECK(refused[0].key == "run.label_propagation");
        CHECK_THAT(refused[0].message,
                   Catch::Contains("in all 3 epochs as training.seed = " + std::to_string(seed)));
      }
      cases.emplace(learns, redraw > 0);
      if (learns || worldSize() > 2) continue;
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      for (int epoch = 0; epoch < kEpochs; ++epoch) CHECK(many.method->runEpoch(epoch) == 0);
    }
  }
  CHECK(cases.contains({true, false}));
  CHECK(cases.contains({false, false}));
}
