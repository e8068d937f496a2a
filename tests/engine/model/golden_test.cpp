#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "datasets/npz.h"
#include "engine/kernels/loss.h"
#include "engine/model/optimizer.h"
#include "tests/engine/model/local_training.h"

namespace halo {
namespace {

std::filesystem::path sharedFolder() {
  if (const char* folder = std::getenv("HALO_SHARED")) return folder;
  return std::filesystem::path(HALO_SOURCE_DIR) / ".." / "shared";
}

struct Cora {
  Csr arcs;
  Matrix features;
  std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> train;
};

/// The public split is the Planetoid order: vertices 0 to 139 are trained on.
Cora readCora(const std::filesystem::path& file) {
  const auto arrays = readNpz(file);
  const auto integers = [&](const char* name) { return arrays.at(name).integers(name); };
  Cora cora;
  const auto offsets = integers("adj_indptr"), columns = integers("adj_indices");
  const Index n = static_cast<Index>(offsets.size()) - 1;
  std::vector<Arc> arcs;
  for (Index v = 0; v < n; ++v)
    for (auto e = offsets[static_cast<std::size_t>(v)]; e < offsets[static_cast<std::size_t>(v) + 1]; ++e)
      arcs.push_back({static_cast<Vertex>(columns[static_cast<std::size_t>(e)]), static_cast<Vertex>(v)});
  cora.arcs = symmetrised(buildCsr(n, arcs, false));

  const auto rows = integers("attr_indptr"), words = integers("attr_indices");
  const auto values = arrays.at("attr_data").reals("attr_data");
  cora.features.setZero(n, integers("attr_shape").at(1));
  for (Index v = 0; v < n; ++v)
    for (auto e = rows[static_cast<std::size_t>(v)]; e < rows[static_cast<std::size_t>(v) + 1]; ++e)
      cora.features(v, words[static_cast<std::size_t>(e)]) =
          static_cast<Scalar>(values[static_cast<std::size_t>(e)]);
  for (const auto label : integers("labels")) cora.labels.push_back(static_cast<std::int32_t>(label));
  cora.train.assign(static_cast<std::size_t>(n), 0);
  std::fill_n(cora.train.begin(), 140, std::uint8_t{1});
  return cora;
}

/// The training loss before each update.
std::vector<double> train(const Cora& cora, Model& model, const TrainingSettings& settings) {
  LocalTraining training(model, cora.arcs);
  Optimizer optimizer(settings);
  std::vector<Weight*> weights;
  for (const auto& [name, weight] : model.weights()) weights.push_back(weight);
  std::vector<double> losses;
  Matrix dU;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    losses.push_back(softmaxLoss(training.forward(cora.features), cora.labels, cora.train, 1.0 / 140, dU) /
                     140);
    training.backward(dU);
    optimizer.step(weights);
  }
  return losses;
}

}  // namespace

TEST_CASE("the model alone follows the losses of an independent implementation on Cora", "[model][golden]") {
  const auto shared = sharedFolder();
  if (!std::filesystem::exists(shared / "golden") || !std::filesystem::exists(shared / "data" / "cora")) {
    WARN("SKIPPED: no golden weights or no Cora under " << shared);
    return;
  }
  const std::string kind = GENERATE("gcn", "graphsage", "gin");
  const std::string order = GENERATE("aggregate-first", "update-first");
  CAPTURE(kind, order);
  const Cora cora = readCora(shared / "data" / "cora" / "cora_planetoid.npz");
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
  const auto golden = shared / "golden" / ("cora-" + kind);
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
