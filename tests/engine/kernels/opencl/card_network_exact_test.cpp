#include "engine/kernels/opencl/card_network.h"

#include "engine/kernels/dense/activation.h"
#include "engine/model/layer.h"
#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using namespace halo::kernel_test;

namespace {

constexpr Index kWidths[] = {37, 24, 5};
constexpr Index kVertices[] = {420, 90, 33};  // V⁰, V¹, V²

struct Kind {
  std::string name;
  bool learnEpsilon = false;
};

/// A batch of two blocks: each level's vertices are the first of the level below.
struct Batch {
  std::vector<Csr> edges, transposed;
  Matrix X, dU;

  explicit Batch(bool weighted, std::uint64_t seed = 1, Index share = 1) {
    for (std::size_t l = 0; l < 2; ++l) {
      edges.push_back(drawnBlock(kVertices[l + 1] / share, kVertices[l] / share, 300, weighted, seed + l));
      transposed.push_back(transpose(edges.back()));
    }
    X = randomMatrix(kVertices[0] / share, kWidths[0], seed + 2);
    dU = randomMatrix(kVertices[2] / share, kWidths[2], seed + 3);
  }
  std::vector<CardNetwork::Block> blocks() const {
    return {{edges[0], transposed[0]}, {edges[1], transposed[1]}};
  }
};

std::vector<std::unique_ptr<Layer>> hostLayers(const Kind& kind) {
  std::vector<std::unique_ptr<Layer>> layers;
  for (int l = 0; l < 2; ++l) {
    layers.push_back(layerKind(kind.name).make({.in = kWidths[l],
                                                .out = kWidths[l + 1],
                                                .seed = 3,
                                                .number = l,
                                                .learnEpsilon = kind.learnEpsilon}));
    std::uint64_t seed = 50;
    for (Weight& w : layers.back()->weights())  // biases and ε begin at 0, which would hide a mistake
      if (w.value.rows() == 1) w.value = randomMatrix(1, w.value.cols(), seed++);
  }
  return layers;
}

/// The step by the host's layers, as trainers compose them; outputs.
Matrix hostStep(std::vector<std::unique_ptr<Layer>>& layers, const Batch& batch) {
  std::vector<Matrix> A(3), Z(2), U(2);
  A[0] = batch.X;
  for (std::size_t l = 0; l < 2; ++l) {
    spmm(batch.edges[l], layers[l]->prepare(A[l]), Z[l]);
    layers[l]->finish(A[l], Z[l], U[l]);
    relu(U[l], A[l + 1]);
  }
  Matrix dU = batch.dU, dZ, dY, dH;
  for (std::size_t l = 2; l-- > 0;) {
    layers[l]->backwardFinish(A[l], Z[l], dU, l > 0, dZ, dH);
    if (l == 0) break;
    dH.extend(A[l].rows());
    spmm(batch.transposed[l], dZ, dY);
    layers[l]->backwardPrepare(A[l], dY, true, dH);
    reluBackward(A[l], dH);
    std::swap(dU, dH);
  }
  return U[1];
}

/// The same by a card; gradients by layer and weight.
Matrix cardStep(CardNetwork& card, std::vector<std::unique_ptr<Layer>>& layers, const Batch& batch,
                std::vector<std::vector<Matrix>>& gradients) {
  for (int l = 0; l < 2; ++l) {
    std::vector<const Matrix*> weights;
    for (const Weight& w : layers[at(l)]->weights()) weights.push_back(&w.value);
    card.setWeights(l, weights);
  }
  Matrix outputs;
  card.forward(batch.blocks(), batch.X, outputs);
  card.backward(batch.dU);
  gradients.resize(2);
  for (int l = 0; l < 2; ++l) {
    gradients[at(l)].resize(card.layer(l).weightCount());
    std::vector<Matrix*> places;
    for (Matrix& gradient : gradients[at(l)]) places.push_back(&gradient);
    card.takeGradients(l, places);
  }
  return outputs;
}

std::int64_t bytesOf(const Csr& A) {
  std::int64_t hubs = 0;
  for (Index row = 0; row < A.rows(); ++row) hubs += A.degree(row) > CardTiles::kHub ? 1 : 0;
  const auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
  return 4 * (A.rows() + 1) + 4 * A.nonzeros() + scalar * static_cast<std::int64_t>(A.values.size()) +
         4 * hubs;
}

}  // namespace

TEST_CASE("a step of two layers on a card is the host's, for every kind of layer", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const Kind kind = GENERATE(Kind{"gcn"}, Kind{"graphsage-gcn"}, Kind{"graphsage"}, Kind{"graphsage-self"},
                             Kind{"gin"}, Kind{"gin", true});
  CAPTURE(kind.name, kind.learnEpsilon);
  const Batch batch(kind.name != "gin");
  auto layers = hostLayers(kind);
  CardNetwork network(device, kind.name, kWidths, kind.learnEpsilon);
  const Matrix outputs = hostStep(layers, batch);
  std::vector<std::vector<Matrix>> gradients;
  CHECK(relativeDifference(outputs, cardStep(network, layers, batch, gradients)) <= kCardTolerance);
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t w = 0; w < gradients[l].size(); ++w) {
      const Weight& weight = layers[l]->weights()[w];
      CAPTURE(l, weight.name);
      CHECK(relativeDifference(weight.gradient, gradients[l][w]) <= kCardTolerance);
    }
}

TEST_CASE("a card allocates for the largest batch, and then no more", "[opencl]") {
  HALO_NEEDS_CARD(device);
  auto layers = hostLayers({"graphsage"});
  CardNetwork network(device, "graphsage", kWidths);
  std::vector<std::vector<Matrix>> gradients;
  cardStep(network, layers, Batch(true, 1), gradients);
  cardStep(network, layers, Batch(true, 1), gradients);  // gradients change places from layer to layer
  const std::int64_t before = device.allocations();
  for (const Index share : {1, 2, 5, 1}) cardStep(network, layers, Batch(true, 1, share), gradients);
  CHECK(device.allocations() == before);
}

TEST_CASE("bytes to a card and back are those of weights, blocks, rows and gradients", "[opencl]") {
  HALO_NEEDS_CARD(device);
  auto layers = hostLayers({"gcn"});
  CardNetwork network(device, "gcn", kWidths);
  const Batch batch(true);
  std::vector<std::vector<Matrix>> gradients;
  const CardTraffic before = device.traffic();
  cardStep(network, layers, batch, gradients);
  const auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t weights = scalar * (37 * 24 + 24 + 24 * 5 + 5), seeds = scalar * 33 * 5;
  CHECK(device.traffic().bytesUp - before.bytesUp ==
        weights + bytesOf(batch.edges[0]) + bytesOf(batch.edges[1]) + bytesOf(batch.transposed[1]) +
            scalar * 420 * 37 + seeds);
  CHECK(device.traffic().bytesDown - before.bytesDown == weights + seeds);
}

TEST_CASE("a card takes a batch without seeds", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Kind& kind : {Kind{"gcn"}, Kind{"graphsage"}, Kind{"gin", true}}) {
    auto layers = hostLayers(kind);
    CardNetwork network(device, kind.name, kWidths, kind.learnEpsilon);
    std::vector<std::vector<Matrix>> gradients;
    const Matrix outputs = cardStep(network, layers, Batch(true, 1, 1000), gradients);
    CHECK(outputs.rows() == 0);
    for (const auto& ofLayer : gradients)
      for (const Matrix& gradient : ofLayer)
        CHECK(std::ranges::count(gradient.values(), 0) == gradient.size());
  }
}

TEST_CASE("a layer without kernels of OpenCL is refused with those that have some", "[opencl]") {
  CHECK_THROWS_WITH(
      makeCardLayer("gat", 3, 4),
      "model.kind: 'gat' has no kernels of OpenCL; gcn, graphsage-gcn, graphsage, graphsage-self "
      "and gin have");
}
