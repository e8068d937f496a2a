#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "datasets/arrays/npz.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/model/model.h"
#include "engine/model/optimizer.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

ModelSettings threeLayers(const std::string& kind, const std::string& norm = "none") {
  ModelSettings settings;
  settings.kind = kind;
  settings.layers = 3;
  settings.hidden = 4;
  settings.norm = norm;
  return settings;
}

std::vector<std::string> names(Model& model) {
  std::vector<std::string> all;
  for (const auto& [name, weight] : model.weights()) all.push_back(name);
  return all;
}

std::vector<std::string> complaints(Model& model, const std::string& bytes) {
  try {
    model.loadBytes(bytes, "w.npz");
  } catch (const InputError& error) {
    std::vector<std::string> texts;
    for (const Problem& problem : error.problems()) texts.push_back(describe(problem));
    return texts;
  }
  return {};
}

double entry(const Csr& P, Index row, Vertex column) {
  for (Index e = P.offsets[at(row)]; e < P.offsets[at(row) + 1]; ++e)
    if (P.columns[at(e)] == column) return P.weighted() ? P.values[at(e)] : 1;
  return 0;
}

}  // namespace

TEST_CASE("propagation matrices are what the layer kinds define", "[model][propagation]") {
  const Csr arcs = GENERATE(randomDirected(30, 70, 1), star(6), edgeless(4), edgeless(0));
  const Index n = arcs.rows();
  const Csr symmetric = propagationMatrix(arcs, Propagation::symmetric);
  const Csr mean = propagationMatrix(arcs, Propagation::mean),
            ownMean = propagationMatrix(arcs, Propagation::ownMean),
            sum = propagationMatrix(arcs, Propagation::sum);
  CHECK(symmetric.nonzeros() == arcs.nonzeros() + n);
  CHECK(selfLoops(symmetric) == n);
  CHECK_FALSE(sum.weighted());
  const Csr outgoing = transpose(arcs);
  for (Index v = 0; v < n; ++v)
    for (Vertex u = 0; u < n; ++u) {
      const double a = entry(arcs, v, u), loop = u == v ? 1 : 0;
      const double in = static_cast<double>(arcs.degree(v)) + 1,
                   out = static_cast<double>(outgoing.degree(u)) + 1;
      const double tolerance = std::numeric_limits<Scalar>::epsilon();  // one rounding of a value at most 1
      CHECK(std::abs(entry(symmetric, v, u) - (a + loop) / std::sqrt(in * out)) <= tolerance);
      CHECK(std::abs(entry(mean, v, u) - (a > 0 ? a / (in - 1) : 0)) <= tolerance);
      CHECK(std::abs(entry(ownMean, v, u) - (a + loop) / in) <= tolerance);
      CHECK(entry(sum, v, u) == a);
    }
}

TEST_CASE("a graph with self loops gets exactly one a vertex for GCN", "[model][propagation]") {
  const std::vector<Arc> arcs{{0, 0}, {1, 0}, {2, 1}, {2, 2}};
  const Csr P = propagationMatrix(buildCsr(3, arcs, true), Propagation::symmetric);
  CHECK(P.nonzeros() == 5);
  CHECK(selfLoops(P) == 3);
}

TEST_CASE("widths run from the features over the hidden layers to the classes", "[model]") {
  ModelSettings settings = threeLayers("gcn");
  CHECK(layerWidths(settings, 10, 3) == std::vector<Index>{10, 4, 4, 3});
  settings.layers = 1;
  CHECK(layerWidths(settings, 10, 3) == std::vector<Index>{10, 3});
}

TEST_CASE("order auto updates first only where that narrows what is propagated", "[model]") {
  ModelSettings settings;
  const std::vector<Index> widths{10, 4, 4, 7};
  const auto orders = [&](bool cached) {
    std::vector<Order> all;
    for (int l = 0; l < 3; ++l) all.push_back(layerOrder(settings, widths, l, cached));
    return all;
  };
  constexpr Order kAggregate = Order::aggregateFirst, kUpdate = Order::updateFirst;
  CHECK(orders(false) == std::vector{kUpdate, kAggregate, kAggregate});
  CHECK(orders(true) == std::vector{kAggregate, kAggregate, kAggregate});
  settings.order = "update-first";
  CHECK(orders(false) == std::vector{kUpdate, kUpdate, kUpdate});
  CHECK(orders(true) == std::vector{kAggregate, kUpdate, kUpdate});
  settings.order = "aggregate-first";
  CHECK(orders(false) == std::vector{kAggregate, kAggregate, kAggregate});
}

TEST_CASE("weights carry the names other implementations know", "[model]") {
  const auto weightNames = [](const ModelSettings& settings) {
    Model model(settings, {5, 4, 3}, 1, true);
    return names(model);
  };
  using Names = std::vector<std::string>;
  CHECK(weightNames(threeLayers("gcn")) ==
        Names{"layer0.weight", "layer0.bias", "layer1.weight", "layer1.bias"});
  CHECK(weightNames(threeLayers("graphsage", "layer")) ==
        Names{"layer0.weight_self", "layer0.weight_neighbour", "layer0.bias", "layer0.norm.scale",
              "layer0.norm.shift", "layer1.weight_self", "layer1.weight_neighbour", "layer1.bias"});
  ModelSettings gin = threeLayers("gin");
  gin.learnEpsilon = true;
  CHECK(weightNames(gin) == Names{"layer0.mlp0.weight", "layer0.mlp0.bias", "layer0.mlp1.weight",
                                  "layer0.mlp1.bias", "layer0.epsilon", "layer1.mlp0.weight",
                                  "layer1.mlp0.bias", "layer1.mlp1.weight", "layer1.mlp1.bias",
                                  "layer1.epsilon"});
}

TEST_CASE("weights start Glorot uniform, by the seed and the layer", "[model]") {
  const auto first = [](std::uint64_t seed, int layer) {
    Matrix W(200, 100);
    initialise(W, 200, 100, seed, layer, 0);
    return W;
  };
  const Matrix W = first(1, 0);
  const double bound = std::sqrt(6.0 / 300);
  double sum = 0, squares = 0;
  for (const Scalar w : W.values()) {
    REQUIRE(std::abs(w) <= bound);
    sum += w;
    squares += static_cast<double>(w) * w;
  }
  CHECK(std::abs(sum / 20000) <= 4 * bound / std::sqrt(3 * 20000.0));  // four standard errors
  CHECK(squares / 20000 == Approx(bound * bound / 3).epsilon(0.03));
  const auto same = [](const Matrix& A, const Matrix& B) {
    return std::ranges::equal(A.values(), B.values());
  };
  CHECK(same(W, first(1, 0)));
  CHECK_FALSE(same(W, first(2, 0)));
  CHECK_FALSE(same(W, first(1, 1)));
}

TEST_CASE("saved weights load into the same model bit by bit", "[model]") {
  const std::string kind = GENERATE("gcn", "graphsage", "graphsage-gcn", "graphsage-self", "gin");
  ModelSettings settings = threeLayers(kind, "layer");
  settings.learnEpsilon = true;
  const std::vector<Index> widths{1, 4, 1, 3};  // matrices of one row and of one column are still matrices
  Model model(settings, widths, 1, false), other(settings, widths, 2, false);
  other.loadBytes(model.saveBytes(), "saved");
  const auto expected = model.weights(), loaded = other.weights();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].first);
    CHECK(std::ranges::equal(expected[i].second->value.values(), loaded[i].second->value.values()));
  }
}

TEST_CASE("weights that are no finite numbers are refused by name", "[model]") {
  Model model(threeLayers("gcn"), {5, 4, 4, 3}, 1, false), other(threeLayers("gcn"), {5, 4, 4, 3}, 2, false);
  model.weights()[2].second->value.data()[1] = std::numeric_limits<Scalar>::quiet_NaN();
  CHECK_THROWS_WITH(other.loadBytes(model.saveBytes(), "w.npz"),
                    "w.npz: layer1.weight: holds what is not a finite number");
}

TEST_CASE("an embedding of labels is a weight like any other", "[model]") {
  Model model(threeLayers("gcn"), {5, 4, 3}, 1, false), same(threeLayers("gcn"), {5, 4, 3}, 2, false);
  const Index without = model.weightCount();
  CHECK(complaints(same, model.saveBytes()).empty());
  model.embedLabels(1);
  same.embedLabels(2);
  CHECK(model.weightCount() == without + 3 * 5);
  const auto [name, embedding] = model.weights().back();
  CHECK(name == "labels.embedding");
  CHECK(embedding->value.rows() == 3);
  for (const Scalar value : embedding->value.values()) CHECK(std::abs(value) <= std::sqrt(6.0 / (3 + 5)));
  CHECK_FALSE(std::ranges::equal(embedding->value.values(), same.labelEmbedding()->value.values()));
  same.loadBytes(model.saveBytes(), "saved");
  CHECK(std::ranges::equal(embedding->value.values(), same.labelEmbedding()->value.values()));
  Model plain(threeLayers("gcn"), {5, 4, 3}, 1, false);
  CHECK(complaints(model, plain.saveBytes()) ==
        std::vector<std::string>{"w.npz: labels.embedding: missing; an array of shape (3, 5)"});
}

TEST_CASE("missing, extra and wrongly shaped arrays are all named", "[model]") {
  const Matrix right(5, 4), turned(3, 4), bias(1, 4);
  const std::string bytes = writeNpz(
      {{"layer0.weight", &right}, {"layer0.bias", &bias}, {"layer1.weight", &turned}, {"extra", &bias}},
      {"layer0.bias", "extra"});
  Model model(threeLayers("gcn"), {5, 4, 3}, 1, true);
  CHECK(complaints(model, bytes) ==
        std::vector<std::string>{"w.npz: layer1.weight: has shape (3, 4); the model needs (4, 3)",
                                 "w.npz: layer1.bias: missing; an array of shape (3,)",
                                 "w.npz: extra: the model has no array of this name; leave it out"});
}

TEST_CASE("a model of an unknown kind is refused with the known ones", "[model]") {
  CHECK_THROWS_WITH(
      Model(threeLayers("gnc"), {2, 2}, 1, true),
      "model.kind: 'gnc' cannot be used; one of gat gcn gin graphsage graphsage-gcn graphsage-self");
}

TEST_CASE("the first Adam step moves every weight by the rate, decay included in the gradient",
          "[model][optimizer]") {
  Weight weight = filled("w", 3, 2);
  weight.gradient.values()[0] = 5;
  weight.gradient.values()[1] = -0.001F;
  weight.gradient.values()[2] = -1;  // cancels against the decay
  TrainingSettings settings;
  settings.learningRate = 0.1;
  settings.weightDecay = 0.5;
  Optimizer optimizer(settings);
  optimizer.step({&weight});
  CHECK(weight.value(0, 0) == Approx(1.9));
  CHECK(weight.value(0, 1) == Approx(1.9));
  CHECK(weight.value(0, 2) == Approx(2.0));
  CHECK(optimizer.bytes() == 2 * 3 * sizeof(Scalar));
}

TEST_CASE("Adam follows its recurrence over several steps", "[model][optimizer]") {
  Weight weight = filled("w", 1, 1);
  Optimizer optimizer(TrainingSettings{});
  double w = 1, m = 0, v = 0;
  for (int t = 1; t <= 30; ++t) {
    const double g = std::sin(t) + w;
    weight.gradient.fill(static_cast<Scalar>(g));
    optimizer.step({&weight});
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
    CHECK(weight.value(0, 0) == Approx(w).epsilon(1e-5));
  }
}

TEST_CASE("SGD subtracts the rate times gradient plus decayed weight", "[model][optimizer]") {
  Weight weight = filled("w", 1, 2);
  weight.gradient.fill(3);
  TrainingSettings settings;
  settings.optimizer = "sgd";
  settings.learningRate = 0.1;
  settings.weightDecay = 0.5;
  Optimizer optimizer(settings);
  optimizer.step({&weight});
  CHECK(weight.value(0, 0) == Approx(2 - 0.1 * (3 + 0.5 * 2)));
  CHECK(optimizer.bytes() == 0);
}

}  // namespace halo
