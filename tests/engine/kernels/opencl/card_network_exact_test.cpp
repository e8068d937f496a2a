#include "engine/kernels/opencl/card_network.h"

#include <thread>

#include "engine/kernels/dense/activation.h"
#include "engine/model/layer.h"
#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using namespace halo::kernel_test;

namespace {

const std::vector<Index> kWidths = {37, 24, 5};
constexpr Index kVertices[] = {420, 90, 33};  // V⁰, V¹, V²
constexpr DropoutKey kKey{3, 11, 0};

/// A model of the host's layers, as cards are told of them.
struct KindModel : CardModel {
  std::string kind;
};

KindModel ofKind(const std::string& kind, bool learnEpsilon = false) {
  const LayerEntry& entry = layerKind(kind);
  return {{.form = {.ownProduct = entry.ownProduct,
                    .secondProduct = entry.secondProduct,
                    .learnEpsilon = learnEpsilon},
           .widths = kWidths},
          kind};
}

/// A batch of two blocks: each level's vertices are the first of the level below.
struct Batch {
  std::vector<Csr> edges, transposed;
  std::vector<CardBatch::Block> blocks;
  std::vector<std::vector<Vertex>> ids;  // of what enters each layer
  Matrix X, dU;

  explicit Batch(bool weighted, Index share = 1) {
    for (std::size_t l = 0; l < 2; ++l) {
      edges.push_back(drawnBlock(kVertices[l + 1] / share, kVertices[l] / share, 300, weighted, 1 + l));
      transposed.push_back(transpose(edges.back()));
      auto& ofLevel = ids.emplace_back();
      for (Index v = 0; v < kVertices[l] / share; ++v) ofLevel.push_back(static_cast<Vertex>(13 * v + 1));
    }
    for (std::size_t l = 0; l < 2; ++l) blocks.push_back({edges[l], transposed[l]});
    X = randomMatrix(kVertices[0] / share, kWidths[0], 3);
    dU = randomMatrix(kVertices[2] / share, kWidths[2], 4);
  }
  CardBatch onHost() const { return {blocks, ids, kKey}; }
};

/// The model of the host, and a step of it as trainers compose that.
struct HostModel {
  KindModel model;
  std::vector<std::unique_ptr<Layer>> layers;
  Weight scale, shift;  // of the norm after layer 0

  explicit HostModel(const KindModel& kindModel) : model(kindModel) {
    std::uint64_t seed = 50;
    for (int l = 0; l < 2; ++l) {
      layers.push_back(layerKind(kindModel.kind)
                           .make({.in = kWidths[at(l)],
                                  .out = kWidths[at(l) + 1],
                                  .seed = 3,
                                  .number = l,
                                  .learnEpsilon = kindModel.form.learnEpsilon}));
      for (Weight& w : layers.back()->weights())  // biases and ε begin at 0, which would hide a mistake
        if (w.value.rows() == 1) w.value = randomMatrix(1, w.value.cols(), seed++);
    }
    for (Weight* w : {&scale, &shift}) {
      w->value = randomMatrix(1, kWidths[1], seed++);
      w->gradient = w->value;
    }
  }
  std::vector<Weight*> weights(std::size_t l) {
    std::vector<Weight*> all;
    for (Weight& w : layers[l]->weights()) all.push_back(&w);
    if (model.norm && l == 0) all.insert(all.end(), {&scale, &shift});
    return all;
  }
  DropoutKey key(std::size_t l) const { return {kKey.seed, kKey.epoch, static_cast<std::uint32_t>(l)}; }

  Matrix step(const Batch& batch) {
    Matrix A[3], H[2], Z[2], U[2], saved;
    A[0] = batch.X;
    for (std::size_t l = 0; l < 2; ++l) {
      dropout(A[l], batch.ids[l], key(l), model.dropout, H[l]);
      spmm(batch.edges[l], layers[l]->prepare(H[l]), Z[l]);
      layers[l]->finish(H[l], Z[l], U[l]);
      A[l + 1] = U[l];
      if (model.norm && l == 0) layerNorm(U[0], scale.value.values(), shift.value.values(), A[1], saved);
      relu(A[l + 1], A[l + 1]);
    }
    Matrix dU = batch.dU, dZ, dY, dH;
    for (std::size_t l = 2; l-- > 0;) {
      layers[l]->backwardFinish(H[l], Z[l], dU, l > 0, dZ, dH);
      if (l == 0) break;
      dH.extend(H[l].rows());
      spmm(batch.transposed[l], dZ, dY);
      layers[l]->backwardPrepare(H[l], dY, true, dH);
      dropout(dH, batch.ids[l], key(l), model.dropout, dH);
      reluBackward(A[l], dH);
      if (model.norm)
        layerNormBackward(U[0], saved, scale.value.values(), dH, dH, scale.gradient.values(),
                          shift.gradient.values());
      std::swap(dU, dH);
    }
    return U[1];
  }
};

using Gradients = std::vector<std::vector<Matrix>>;  // by layer and weight

/// Forward and backward on a card.
void pass(CardNetwork& card, const Batch& batch, CardMatrix& X, Matrix& outputs) {
  card.begin(batch.onHost(), X);
  for (int l = 0; l < card.layers(); ++l) card.forwardLayer(l);
  card.takeOutputs(outputs);
  card.startBackward(batch.dU);
  for (int l = card.layers() - 1; l >= 0; --l) card.backwardLayer(l);
}

/// The step by a card.
Matrix cardStep(OpenClDevice& device, CardNetwork& card, HostModel& host, const Batch& batch,
                Gradients& gradients) {
  for (int l = 0; l < 2; ++l) {
    std::vector<const Matrix*> weights;
    for (const Weight* w : host.weights(at(l))) weights.push_back(&w->value);
    card.setWeights(l, weights);
  }
  Matrix outputs;
  static CardMatrix X;  // kept, as whoever copies keeps it
  device.up(batch.X, X);
  pass(card, batch, X, outputs);
  gradients.resize(2);
  for (int l = 0; l < 2; ++l) {
    gradients[at(l)].resize(card.weightCount(l));
    std::vector<Matrix*> places;
    for (Matrix& gradient : gradients[at(l)]) places.push_back(&gradient);
    card.takeGradients(l, places);
  }
  return outputs;
}

void requireSameStep(OpenClDevice& device, const KindModel& model) {
  CAPTURE(model.kind, model.form.learnEpsilon, model.norm, model.dropout);
  const Batch batch(!model.form.secondProduct);
  HostModel host(model);
  CardNetwork network(device, model);
  const Matrix outputs = host.step(batch);
  Gradients gradients;
  REQUIRE(relativeDifference(outputs, cardStep(device, network, host, batch, gradients)) <= kCardTolerance);
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t w = 0; w < gradients[l].size(); ++w) {
      CAPTURE(l, w);
      REQUIRE(relativeDifference(host.weights(l)[w]->gradient, gradients[l][w]) <= kCardTolerance);
    }
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
  const KindModel model = GENERATE(ofKind("gcn"), ofKind("graphsage-gcn"), ofKind("graphsage"),
                                   ofKind("graphsage-self"), ofKind("gin"), ofKind("gin", true));
  for (const bool norm : {false, true})
    for (const double rate : {0.0, 0.4}) {
      KindModel variant = model;
      variant.norm = norm;
      variant.dropout = rate;
      requireSameStep(device, variant);
    }
}

TEST_CASE("a card allocates for the largest batch, and then no more", "[opencl]") {
  HALO_NEEDS_CARD(device);
  KindModel model = ofKind("graphsage");
  model.norm = true;
  model.dropout = 0.5;
  HostModel host(model);
  CardNetwork network(device, model);
  Gradients gradients;
  for (int again = 0; again < 2; ++again)  // gradients of activations change places from layer to layer
    cardStep(device, network, host, Batch(true), gradients);
  const std::int64_t before = device.allocations();
  for (const Index share : {1, 2, 5, 1}) cardStep(device, network, host, Batch(true, share), gradients);
  CHECK(device.allocations() == before);
}

TEST_CASE("bytes to a card and back are those of weights, blocks, rows and gradients", "[opencl]") {
  HALO_NEEDS_CARD(device);
  KindModel model = ofKind("gcn");
  model.dropout = GENERATE(0.0, 0.5);
  HostModel host(model);
  CardNetwork network(device, model);
  const Batch batch(true);
  Gradients gradients;
  const CardTraffic before = device.traffic();
  cardStep(device, network, host, batch, gradients);
  const auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t weights = scalar * (37 * 24 + 24 + 24 * 5 + 5), seeds = scalar * 33 * 5;
  const std::int64_t vertices = model.dropout > 0 ? 4 * (420 + 90) : 0;
  CHECK(device.traffic().bytesUp - before.bytesUp ==
        weights + bytesOf(batch.edges[0]) + bytesOf(batch.edges[1]) + bytesOf(batch.transposed[1]) +
            scalar * 420 * 37 + vertices + seeds);
  CHECK(device.traffic().bytesDown - before.bytesDown == weights + seeds);
}

TEST_CASE("a card takes a batch without seeds", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (KindModel model : {ofKind("gcn"), ofKind("graphsage"), ofKind("gin", true)}) {
    model.norm = true;
    HostModel host(model);
    CardNetwork network(device, model);
    Gradients gradients;
    const Matrix outputs = cardStep(device, network, host, Batch(true, 1000), gradients);
    CHECK(outputs.rows() == 0);
    for (const auto& ofLayer : gradients)
      for (const Matrix& gradient : ofLayer)
        CHECK(std::ranges::count(gradient.values(), 0) == gradient.size());
  }
}

TEST_CASE("a thread copies the rows of later batches to a card while another trains there", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const KindModel model = ofKind("graphsage");
  HostModel host(model);
  CardNetwork network(device, model);
  const Batch batch(true);
  Gradients first, again;
  const Matrix outputs = cardStep(device, network, host, batch, first);
  CardMatrix rows, next;
  CardLink link(device);
  link.up(batch.X, rows);
  for (int t = 0; t < 10; ++t) {
    std::thread copies([&] { link.up(batch.X, next); });
    Matrix outputsAgain;
    pass(network, batch, rows, outputsAgain);
    again = first;
    for (int l = 0; l < 2; ++l) {
      std::vector<Matrix*> places;
      for (Matrix& gradient : again[at(l)]) places.push_back(&gradient);
      network.takeGradients(l, places);
    }
    copies.join();
    REQUIRE(sameBits(outputs, outputsAgain));
    REQUIRE(sameBits(first[0][0], again[0][0]));
    std::swap(rows, next);
  }
  CHECK(link.traffic().bytesUp == 11 * static_cast<std::int64_t>(batch.X.bytes()));
  CHECK(link.traffic().copies == 11);
}

TEST_CASE("a layer of a form without kernels of OpenCL is refused", "[opencl]") {
  CHECK_THROWS_WITH(makeCardLayer({.ownProduct = true, .secondProduct = true}, 3, 4),
                    "model.kind: a layer with a product of its own rows and a second one of its outputs has "
                    "no kernels of OpenCL; a kind with one of these");
}
