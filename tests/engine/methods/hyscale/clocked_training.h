// Runs of hyscale on a clock, with everything that their iterations tell.
#pragma once

#include <string>
#include <vector>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

namespace halo::clockedtest {

using namespace test;

inline const Dataset& large() {
  static const Dataset set = datasetOf("large", 300, randomArcs(300, 1500, 5), true);
  return set;
}

/// 20 seeds of 100 or so in all, so that the last batch is short.
inline RunSettings settings(const std::string& prefetch, bool manage) {
  RunSettings run = settingsFor("hyscale", "graphsage", 2, 7, 0.5);
  run.parameters["fanouts"] = std::string("4,3");
  run.parameters["global_batch"] = std::int64_t{20};
  run.parameters["cards"] = std::int64_t{2};
  run.parameters["prefetch"] = prefetch;
  run.parameters["manage"] = manage;
  run.parameters["mapping"] = std::string("9/42/42/44");
  return run;
}

struct Kept {
  Iteration iteration;
  std::vector<StageRow> stages;
  std::vector<DecisionRow> decisions;
  std::size_t spans = 0;
};

class Listener final : public IterationListener {
 public:
  void onIteration(const Iteration& iteration) override {
    Kept& record = all.emplace_back();
    record.iteration = iteration;
    record.stages.assign(iteration.stages.begin(), iteration.stages.end());
    record.decisions.assign(iteration.decisions.begin(), iteration.decisions.end());
    for (const ActorSpans& actor : iteration.actors) record.spans += actor.spans.size();
  }
  std::vector<Kept> all;
};

struct Training {
  Trained one;
  Listener listener;
  std::vector<double> losses;
  Training(const RunSettings& run, int epochs)
      : one(MPI_COMM_SELF, large(), run, scatteredOwners(large(), 1)) {
    one.parts->listener = &listener;
    for (int epoch = 0; epoch < epochs; ++epoch) losses.push_back(one.method->runEpoch(epoch));
  }
};

}  // namespace halo::clockedtest
