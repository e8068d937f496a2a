#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "datasets/load.h"
#include "engine/kernels/dense/loss.h"
#include "engine/model/optimizer.h"
#include "tests/datasets/own_cache.h"
#include "tests/engine/model/local_training.h"
#include "tests/support/shared_data.h"

namespace halo {
namespace {

/// The training loss before each update.
std::vector<double> train(const Dataset& cora, Model& model, const TrainingSettings& settings) {
  std::vector<std::uint8_t> chosen;
  for (const Split part : cora.split) chosen.push_back(part == Split::train);
  const auto count = static_cast<double>(cora.count(Split::train));
  LocalTraining training(model, cora.arcs);
  Optimizer optimizer(settings);
  std::vector<Weight*> weights;
  for (const auto& [name, weight] : model.weights()) weights.push_back(weight);
  std::vector<double> losses;
  Matrix dU;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    losses.push_back(softmaxLoss(training.forward(cora.features), cora.labels, chosen, 1 / count, dU) /
                     count);
    training.backward(dU);
    optimizer.step(weights);
  }
  return losses;
}

}  // namespace

TEST_CASE("the model alone follows the losses of an independent implementation on Cora", "[model][golden]") {
  const auto folder = sharedData("golden"), data = sharedData("data/cora");
  if (folder.empty() || data.empty()) return;
  // the two orders are held against each other by the tests of layers, for every kind
  const auto [kind, order] = GENERATE(table<std::string, std::string>({{"gcn", "update-first"},
                                                                       {"gcn", "aggregate-first"},
                                                                       {"graphsage", "update-first"},
                                                                       {"gin", "update-first"}}));
  CAPTURE(kind, order);
  const OwnCache cache;
  DatasetRequest request;
  request.name = data.string();
  const Dataset cora = loadDataset(request);
  REQUIRE(cora.arcs.nonzeros() == 2 * 5278);

  ModelSettings settings;
  settings.kind = kind;
  settings.layers = 3;
  settings.hidden = 32;
  settings.order = order;
  TrainingSettings training;
  training.epochs = 20;
  training.learningRate = kind == "gin" ? 0.001 : 0.01;
  Model model(settings, layerWidths(settings, 1433, 7), /*seed=*/1, /*layer0Cached=*/false);
  const auto golden = folder / ("cora-" + kind);
  model.load(golden / "weights.npz");
  const auto losses = train(cora, model, training);

  std::ifstream file(golden / "losses.json");
  const auto expected = nlohmann::json::parse(file);
  REQUIRE(expected.size() == losses.size());
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
    const double loss = expected[epoch]["loss"];
    CAPTURE(epoch, loss, losses[epoch]);
    // what the golden data asks of an engine in float
    CHECK(std::abs(losses[epoch] - loss) <= (loss < 0.05 ? 1e-5 : 1e-4 * loss));
  }
}

}  // namespace halo
