// What runs and simulations are called, and what a kind says that reads no section.
#include <catch2/catch.hpp>

#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr Parameter kCrowd[] = {{"cluster", "machine", Text{""}}, {"method", "what runs", Text{"vanilla"}}};
constexpr Parameter kReplay[] = {{"replay", "run", Text{"last", true}}};

/// A kind of methods, and one that reads no section.
Known withKinds() {
  Known all = test::known();
  SimulationKind crowd{{"cluster", "", "", kCrowd}, {"dataset", "model", "partition", "training"}};
  crowd.ofMethods = true;
  all.simulations = {crowd, SimulationKind{{"replay", "", "", kReplay}, {}}};
  return all;
}

std::vector<std::string> namesIn(const std::string& text) {
  const Experiment e = parseExperiment("schema = 1\n" + text, "a.toml", withKinds());
  std::vector<std::string> names;
  for (const RunSettings& run : e.runs) names.push_back(run.name);
  for (const SimulateSettings& simulation : e.simulations) names.push_back(simulation.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a run's name says of which section a key is where its last part would not tell", "[experiment]") {
  CHECK(namesIn("[[run]]\nmethod = \"vanilla\"\n[sweep]\npartition.method = [\"metis\", \"random\"]\n") ==
        Names{"a / vanilla / partition.method=metis", "a / vanilla / partition.method=random"});
  CHECK(namesIn("[[simulate]]\ncluster = \"big\"\nmethod = \"vanilla\"\npartition.method = \"random\"\n") ==
        Names{"a / big / partition.method=random / method=vanilla"});
  // of another graph, where a seed alone is of initial weights
  CHECK(namesIn("[[run]]\nmethod = \"vanilla\"\ndataset.seed = 2\ntraining.seed = 3\n") ==
        Names{"a / vanilla / dataset.seed=2 / seed=3"});
  CHECK(namesIn("[training]\nrepeat = 2\n[[run]]\nmethod = \"vanilla\"\ndataset.seed = 2\n") ==
        Names{"a / vanilla / dataset.seed=2 / seed=1", "a / vanilla / dataset.seed=2 / seed=2"});
  // nothing is added where nothing is ambiguous
  CHECK(namesIn("[[run]]\nmethod = \"vanilla\"\nmodel.kind = \"gin\"\ncluster.workers = 2\n") ==
        Names{"a / vanilla / workers=2 / kind=gin"});
}

TEST_CASE("a kind of simulation that reads no section says so", "[experiment]") {
  try {
    (void)namesIn("[[simulate]]\nreplay = \"2\"\nmodel.hidden = 3\n");
    FAIL("was read");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "a.toml:4:7: simulate.model.hidden: a simulation of kind 'replay' reads no section, its own keys "
          "alone: replay");
  }
}
