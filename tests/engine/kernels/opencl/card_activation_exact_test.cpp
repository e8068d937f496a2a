#include "engine/kernels/opencl/card_activation.h"

#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using namespace halo::kernel_test;

TEST_CASE("a card's ReLU and its gradient are the host's, not-a-number included", "[opencl]") {
  HALO_NEEDS_CARD(device);
  Matrix X = randomMatrix(77, 31, 1), dX = randomMatrix(77, 31, 2);
  X(3, 4) = 0;
  X(5, 6) = std::numeric_limits<Scalar>::quiet_NaN();
  CardMatrix cardX = onCard(device, X), cardDX = onCard(device, dX);
  relu(X, X);
  relu(device, cardX);
  CHECK(sameBits(X, fromCard(device, cardX)));
  reluBackward(X, dX);
  reluBackward(device, cardX, cardDX);
  CHECK(sameBits(dX, fromCard(device, cardDX)));
}

TEST_CASE("a card sums columns, and columns of products", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index rows : {0, 1, 255, 256, 257, 20000}) {
    const Matrix X = randomMatrix(rows, 37, 1), Y = randomMatrix(rows, 37, 2);
    Matrix sums(1, 37), products(1, 37);
    columnSums(X, sums.row(0));
    products.fill(0);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < 37; ++j) products(0, j) += X(i, j) * Y(i, j);
    CardMatrix result;
    columnSums(device, onCard(device, X), result);
    CHECK(relativeDifference(sums, fromCard(device, result)) <= kCardTolerance);
    columnSums(device, onCard(device, X), onCard(device, Y), result);
    CHECK(relativeDifference(products, fromCard(device, result)) <= kCardTolerance);
  }
}

TEST_CASE("a card drops the same elements as the host", "[opencl]") {
  HALO_NEEDS_CARD(device);
  std::vector<Vertex> ids;
  for (Vertex v = 0; v < 90; ++v) ids.push_back(2'000'000'000 - 7 * v);
  CardBuffer cardIds;
  device.up(ids, cardIds);
  const DropoutKey key{0x123456789ABCDEF0U, 77, 2};
  for (const Index width : {1, 3, 4, 5, 100, 603})
    for (const double rate : {0.0, 1e-11, 0.3, 0.5, 0.999}) {
      CAPTURE(width, rate);
      const Matrix X = randomMatrix(90, width, 4);
      Matrix host;
      dropout(X, ids, key, rate, host);
      CardMatrix cardX = onCard(device, X);
      dropout(device, cardIds, key, rate, cardX);
      CHECK(sameBits(host, fromCard(device, cardX)));
    }
}

TEST_CASE("a card normalises rows as the host does, and their gradients", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index rows : {0, 1, 70})
    for (const Index width : {1, 2, 63, 64, 65, 256, 602}) {
      CAPTURE(rows, width);
      const Matrix X = randomMatrix(rows, width, 1), dY = randomMatrix(rows, width, 2);
      const Matrix scale = randomMatrix(1, width, 3), shift = randomMatrix(1, width, 4);
      Matrix Y, saved, dX, dScale(1, width), dShift(1, width);
      layerNorm(X, scale.values(), shift.values(), Y, saved);
      layerNormBackward(X, saved, scale.values(), dY, dX, dScale.values(), dShift.values());

      CardMatrix hat = onCard(device, X), gradient = onCard(device, dY), normalised, inverse, ofScale,
                 ofShift;
      const CardMatrix cardScale = onCard(device, scale), cardShift = onCard(device, shift);
      layerNorm(device, hat, cardScale, cardShift, normalised, inverse);
      layerNormBackward(device, hat, inverse, cardScale, gradient, ofScale, ofShift);
      CHECK(relativeDifference(Y, fromCard(device, normalised)) <= kCardTolerance);
      CHECK(relativeDifference(dScale, fromCard(device, ofScale)) <= kCardTolerance);
      CHECK(relativeDifference(dShift, fromCard(device, ofShift)) <= kCardTolerance);
      // of rows of one element or two the gradient is the difference of equal numbers
      if (width > 2) CHECK(relativeDifference(dX, fromCard(device, gradient)) <= kCardTolerance);
    }
}
