#include "engine/kernels/opencl/card_products.h"

#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/opencl/card_activation.h"
#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using namespace halo::kernel_test;

namespace {

constexpr Index kWidths[] = {1, 3, 16, 47, 100, 256, 602};

void requireSameSums(OpenClDevice& device, const Csr& A, Index width) {
  CAPTURE(A.rows(), A.cols, A.nonzeros(), A.weighted(), width);
  const Matrix Y = randomMatrix(A.cols, width, 5), before = randomMatrix(A.rows(), width, 6);
  const CardCsr cardA = onCard(device, A);
  const CardMatrix cardY = onCard(device, Y);
  Matrix Z;
  CardMatrix cardZ;
  spmm(A, Y, Z);
  spmm(device, cardA, cardY, cardZ);
  REQUIRE(relativeDifference(Z, fromCard(device, cardZ)) <= kCardTolerance);
  Z = before;
  cardZ = onCard(device, before);
  spmm(A, Y, Z, Write::add);
  spmm(device, cardA, cardY, cardZ, Write::add);
  REQUIRE(relativeDifference(Z, fromCard(device, cardZ)) <= kCardTolerance);
}

void requireSameProducts(OpenClDevice& device, Index rows, Index in, Index out) {
  CAPTURE(rows, in, out);
  const Matrix X = randomMatrix(rows, in, 1), W = randomMatrix(in, out, 2), dU = randomMatrix(rows, out, 3);
  const CardMatrix cardX = onCard(device, X), cardW = onCard(device, W), cardDU = onCard(device, dU);
  Matrix host;
  CardMatrix result;

  multiply(X, W, host);
  multiply(device, cardX, cardW, result);
  REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);
  multiply(X, W, host, Write::add);
  multiply(device, cardX, cardW, result, Write::add);
  REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);

  multiplyTransposedA(X, dU, host);
  multiplyTransposedA(device, cardX, cardDU, result);
  REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);

  multiplyTransposedB(dU, W, host);
  multiplyTransposedB(device, cardDU, cardW, result);
  REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);
  multiplyTransposedB(dU, W, host, Write::add);
  multiplyTransposedB(device, cardDU, cardW, result, Write::add);
  REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);
}

}  // namespace

TEST_CASE("a card sums neighbours as the host does, at every width", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const Index hub = GENERATE(Index{0}, CardTiles::kHub, CardTiles::kHub + 1, Index{1500});
  const bool weighted = GENERATE(false, true);
  const Csr block = drawnBlock(150, 400, hub, weighted, 1);
  for (const Index width : kWidths) {
    requireSameSums(device, block, width);
    requireSameSums(device, transpose(block), width);  // as gradients go back
  }
}

TEST_CASE("a card sums blocks of any shape", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index width : {1, 33, 64, 65}) {
    requireSameSums(device, drawnBlock(0, 50, 0, true, 2), width);  // a trainer without seeds
    requireSameSums(device, drawnBlock(70, 0, 0, true, 2), width);  // no sources, so no arcs
    requireSameSums(device, drawnBlock(1, 1, 0, false, 2), width);
    requireSameSums(device, randomGraph(3000, 5000, 10, true, 3), width);
    requireSameSums(device, randomGraph(257, 90, 300, false, 4), width);  // hubs only
  }
  requireSameSums(device, drawnBlock(20, 20, 200, true, 5), 0);
}

TEST_CASE("a card multiplies as the host does, at widths that are no multiple of a tile", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index in : kWidths)
    for (const Index out : {1, 3, 47, 64, 100}) requireSameProducts(device, 130, in, out);
  requireSameProducts(device, 333, 602, 256);
}

TEST_CASE("a card multiplies matrices without rows, with few and with many", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index rows : {0, 1, 15, 16, 17, 63, 64, 65, 1024, 1025})
    requireSameProducts(device, rows, 65, 17);
  requireSameProducts(device, 70001, 16, 7);  // gradients of weights are sums over all chunks of rows
  requireSameProducts(device, 20, 0, 5);
  requireSameProducts(device, 20, 5, 0);
}

TEST_CASE("gradients of weights keep their precision over many rows", "[opencl]") {
  HALO_NEEDS_CARD(device);
  // positive, so that no sums cancel and a long sum in single precision would lose digits
  Matrix X = randomMatrix(200000, 3, 8), dU = randomMatrix(200000, 2, 9), exact;
  for (Matrix* M : {&X, &dU})
    for (Scalar& x : M->values()) x = std::abs(x);
  multiplyReference(X, true, dU, false, exact);
  CardMatrix result;
  multiplyTransposedA(device, onCard(device, X), onCard(device, dU), result);
  CHECK(relativeDifference(exact, fromCard(device, result)) <= kCardTolerance);
  Matrix sums(1, 3);
  columnSums(X, sums.row(0));
  columnSums(device, onCard(device, X), result);
  CHECK(relativeDifference(sums, fromCard(device, result)) <= kCardTolerance);
}

TEST_CASE("a card adds a bias to each row of a product", "[opencl]") {
  HALO_NEEDS_CARD(device);
  for (const Index out : kWidths) {
    const Matrix X = randomMatrix(90, 20, 1), W = randomMatrix(20, out, 2), bias = randomMatrix(1, out, 3);
    Matrix host;
    multiply(X, W, host);
    addBias(host, bias.values());
    CardMatrix result;
    const CardMatrix cardBias = onCard(device, bias);
    multiply(device, onCard(device, X), onCard(device, W), result, Write::overwrite, &cardBias);
    REQUIRE(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);
  }
}

TEST_CASE("a card multiplies the first rows alone, and adds to the first rows alone", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const Matrix H = randomMatrix(100, 30, 1), W = randomMatrix(30, 8, 2), dU = randomMatrix(40, 8, 3);
  const CardMatrix cardH = onCard(device, H), cardW = onCard(device, W), cardDU = onCard(device, dU);
  Matrix host, first = H;
  CardMatrix result;
  multiply(FirstRows(H, 40), W, host);
  multiply(device, {cardH, 40}, cardW, result);
  CHECK(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);
  multiplyTransposedA(FirstRows(H, 40), dU, host);
  multiplyTransposedA(device, {cardH, 40}, cardDU, result);
  CHECK(relativeDifference(host, fromCard(device, result)) <= kCardTolerance);

  multiplyTransposedB(dU, W, host);
  scaleAdd(1, host, first);
  result = onCard(device, H);
  multiplyTransposedB(device, cardDU, cardW, result, Write::add);
  CHECK(relativeDifference(first, fromCard(device, result)) <= kCardTolerance);
  scaleAdd(Scalar(0.5), FirstRows(H, 40), first);
  scaleAdd(device, Scalar(0.5), {cardH, 40}, result);
  CHECK(relativeDifference(first, fromCard(device, result)) <= kCardTolerance);
}

TEST_CASE("a card gives the same bits each time", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const Csr block = drawnBlock(500, 900, 2000, true, 7);
  const CardCsr cardA = onCard(device, block);
  const CardMatrix cardY = onCard(device, randomMatrix(900, 100, 1));
  CardMatrix Z, W;
  const auto compute = [&] {
    spmm(device, cardA, cardY, Z);
    multiplyTransposedA(device, Z, Z, W);
    return fromCard(device, W);
  };
  const Matrix first = compute();
  for (int again = 0; again < 5; ++again) CHECK(sameBits(first, compute()));
}
