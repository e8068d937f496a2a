#include "engine/kernels/opencl/card_products.h"

#include "engine/kernels/opencl/card_launch.h"
#include "engine/kernels/threads/work.h"

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

// Counted as the host's kernels count theirs.

void countProduct(Index rows, Index cols, Index depth) { work().dense += 2 * rows * cols * depth; }

void countSums(const CardCsr& A, const CardMatrix& Y, Write write) {
  const auto row = Y.cols * static_cast<Index>(sizeof(Scalar));
  const auto entry = static_cast<Index>(sizeof(Vertex) + (A.weighted ? sizeof(Scalar) : 0));
  const Index stored = (A.rows + 1) * static_cast<Index>(sizeof(std::int32_t)) + A.nonzeros * entry;
  const Index always = stored + (write == Write::add ? 2 : 1) * A.rows * row;
  work().sparse += 2 * A.nonzeros * Y.cols;
  work().sparseLeastBytes += always + std::min(Y.rows, A.nonzeros) * row;
  work().sparseMostBytes += always + A.nonzeros * row;
}

constexpr OpenClDevice::Extent kProductItems = {at(CardTiles::kEdge), at(CardTiles::kEdge)};

OpenClDevice::Extent productGroups(Index rows, Index cols, Index chunks = 1) {
  return {groups(rows, CardTiles::kSide, cols, CardTiles::kSide), at(chunks)};
}

}  // namespace

void spmm(OpenClDevice& device, const CardCsr& A, const CardMatrix& Y, CardMatrix& Z, Write write) {
  HALO_CHECK(A.cols == Y.rows);
  countSums(A, Y, write);
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
  countProduct(A.rows(), B.cols, A.cols());
  shape(device, C, A.rows(), B.cols, write);
  device.launch(CardKernel::multiply, productGroups(A.rows(), B.cols), kProductItems, number(A.rows()),
                number(B.cols), number(A.cols()), A.elements(), B.elements,
                bias == nullptr ? nullptr : &bias->elements, adds(write), C.elements);
}

void multiplyTransposedB(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C, Write write) {
  HALO_CHECK(A.cols() == B.cols);
  countProduct(A.rows(), B.rows, A.cols());
  shape(device, C, A.rows(), B.rows, write);
  device.launch(CardKernel::multiplyTransposedB, productGroups(A.rows(), B.rows), kProductItems,
                number(A.rows()), number(B.rows), number(A.cols()), A.elements(), B.elements, adds(write),
                C.elements);
}

void multiplyTransposedA(OpenClDevice& device, CardRows A, const CardMatrix& B, CardMatrix& C) {
  HALO_CHECK(A.rows() == B.rows);
  countProduct(A.cols(), B.cols, A.rows());
  device.resize(C, A.cols(), B.cols);
  const Chunks chunks(A.rows(), kLeastRows);
  device.reserve(device.scratch(), at(chunks.count * C.size()) * sizeof(Scalar));
  device.launch(CardKernel::multiplyTransposedA, productGroups(C.rows, C.cols, chunks.count), kProductItems,
                number(C.rows), number(C.cols), number(A.rows()), number(chunks.rowsEach), A.elements(),
                B.elements, device.scratch());
  sumParts(device, chunks.count, C);
}

}  // namespace halo
