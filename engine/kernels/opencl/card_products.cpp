#include "engine/kernels/opencl/card_products.h"

#include "engine/kernels/opencl/card_launch.h"

namespace halo {
namespace {

using namespace card;

constexpr Index kLeastRows = 1024;  // of a chunk of a product over rows

int adds(Write write) { return write == Write::add ? 1 : 0; }

void shape(OpenClDevice& device, CardMatrix& C, Index rows, Index cols, Write write) {
  if (write == Write::overwrite)
    device.resize(C, rows, cols);
  else
    HALO_CHECK(C.rows >= rows && C.cols == cols);
}

constexpr OpenClDevice::Extent kProductItems = {at(CardTiles::kEdge), at(CardTiles::kEdge)};

OpenClDevice::Extent productGroups(Index rows, Index cols, Index chunks = 1) {
  return {groups(rows, CardTiles::kSide, cols, CardTiles::kSide), at(chunks)};
}

}  // namespace

void spmm(OpenClDevice& device, const CardCsr& A, const CardMatrix& Y, CardMatrix& Z, Write write) {
  HALO_CHECK(A.cols == Y.rows);
  shape(device, Z, A.rows, Y.cols, write);
  const CardBuffer* values = A.weighted ? &A.values : nullptr;
  const Index across = columnItems(Y.cols), down = kItems / across;
  device.launch(CardKernel::aggregateRows, {groups(A.rows, down, Y.cols, across)}, {at(across), at(down)},
                number(A.rows), number(Y.cols), A.offsets, A.columns, values, Y.elements, adds(write),
                Z.elements);
  device.launch(CardKernel::aggregateHubs, {groups(A.hubs, 1, Y.cols, CardTiles::kHubColumns)},
                {at(CardTiles::kHubColumns), at(CardTiles::kHubLanes)}, number(Y.cols), A.hubRows, A.offsets,
                A.columns, values, Y.elements, adds(write), Z.elements);
}

void multiply(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C, Write write,
              const CardMatrix* bias) {
  HALO_CHECK(A.cols() == B.rows && (bias == nullptr || bias->size() == B.cols));
  shape(device, C, A.rows(), B.cols, write);
  device.launch(CardKernel::multiply, productGroups(A.rows(), B.cols), kProductItems, number(A.rows()),
                number(B.cols), number(A.cols()), A.elements(), B.elements,
                bias == nullptr ? nullptr : &bias->elements, adds(write), C.elements);
}

void multiplyTransposedB(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C, Write write) {
  HALO_CHECK(A.cols() == B.cols);
  shape(device, C, A.rows(), B.rows, write);
  device.launch(CardKernel::multiplyTransposedB, productGroups(A.rows(), B.rows), kProductItems,
                number(A.rows()), number(B.rows), number(A.cols()), A.elements(), B.elements, adds(write),
                C.elements);
}

void multiplyTransposedA(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C) {
  HALO_CHECK(A.rows() == B.rows);
  device.resize(C, A.cols(), B.cols);
  const Chunks chunks(A.rows(), kLeastRows);
  device.reserve(device.scratch(), at(chunks.count * C.size()) * sizeof(Scalar));
  device.launch(CardKernel::multiplyTransposedA, productGroups(C.rows, C.cols, chunks.count), kProductItems,
                number(C.rows), number(C.cols), number(A.rows()), number(chunks.rowsEach), A.elements(),
                B.elements, device.scratch());
  sumParts(device, chunks.count, C);
}

}  // namespace halo
