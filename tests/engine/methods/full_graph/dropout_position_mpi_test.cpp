// Dropout on what a layer aggregated (model.dropout_position): its gradients by finite differences. That all
// methods do the same stands among the identity tests.
#include <catch2/catch.hpp>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("gradients of dropout after aggregation agree with finite differences", "[identity][dropout]") {
  if (sizeof(Scalar) == 4) return;  // differences need the exactness build
  for (const std::string kind : {"gcn", "graphsage", "gin"}) {
    CAPTURE(kind);
    RunSettings run = settingsFor("single", kind, 3, 4, 0.5);
    run.model.dropoutPosition = "after-aggregation";
    run.model.norm = "layer";
    run.training.learningRate = 0;
    const Dataset set = hardGraphs()[0];
    Trained t(MPI_COMM_SELF, set, run, Owners(60, 0));
    CHECK(t.settings.model.order == "aggregate-first");
    // a vertex whose whole row is dropped would stand where relu has no gradient while vectors are zero
    for (const auto& [name, weight] : t.model->weights())
      for (std::size_t i = 0; weight->isVector && i < weight->value.values().size(); ++i)
        weight->value.values()[i] += static_cast<Scalar>(0.07 * static_cast<double>(i + 1));
    t.method->runEpoch(3);
    std::vector<Matrix> gradients;
    for (const auto& [name, weight] : t.model->weights()) gradients.push_back(weight->gradient);
    std::size_t index = 0;
    for (const auto& [name, weight] : t.model->weights()) {
      CAPTURE(name);
      const Matrix& gradient = gradients[index++];
      Scalar& w = weight->value.values()[0];
      const Scalar was = w, h = Scalar(1e-5);
      w = was + h;
      const double above = t.method->runEpoch(3);
      w = was - h;
      const double below = t.method->runEpoch(3);
      w = was;
      CHECK((above - below) / (2 * h) == Approx(gradient.values()[0]).epsilon(1e-5).margin(1e-8));
    }
  }
}

TEST_CASE("dropout after aggregation is refused where the update comes first", "[dropout]") {
  RunSettings run;
  run.method = "vanilla";
  run.model.dropoutPosition = "after-aggregation";
  const MethodEntry& vanilla = *find<MethodEntry>("vanilla");
  CHECK(refusals(vanilla, run).empty());
  CHECK(modelFor(vanilla, run.model).order == "aggregate-first");
  run.model.order = "update-first";
  REQUIRE(refusals(vanilla, run).size() == 1);
  CHECK(refusals(vanilla, run)[0].key == "model.dropout_position");
  CHECK_THROWS_AS(modelFor(vanilla, run.model), InputError);
}
