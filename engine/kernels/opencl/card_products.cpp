#include "engine/kernels/opencl/card_products.h"

#include <algorithm>
#include <bit>

namespace halo {
namespace {

constexpr Index kItems = 256;        // of a group that works row by row or element by element
constexpr Index kGroupColumns = 64;  // at most, of those that work row by row
constexpr Index kMostChunks = 64;    // of a reduction over rows
constexpr Index kLeastProductRows = 1024, kLeastSumRows = 256;  // of a chunk: less is not worth a group

int number(Index count) { return static_cast<int>(count); }
std::size_t groups(Index count, Index size) { return at((count + size - 1) / size); }
int adds(Write write) { return write == Write::add ? 1 : 0; }

/// Rows of a chunk of a reduction: few chunks, and none too small.
Index chunkRows(Index rows, Index least) { return std::max(least, (rows + kMostChunks - 1) / kMostChunks); }

void shape(OpenClDevice& device, CardMatrix& C, Index rows, Index cols, Write write) {
  if (write == Write::overwrite)
    device.resize(C, rows, cols);
  else
    HALO_CHECK(C.rows >= rows && C.cols == cols);
}

/// A work-group that takes so many columns: the power of two above, so that narrow rows share a group.
OpenClDevice::Extent rowItems(Index width) {
  const auto columns = std::bit_ceil(at(std::clamp<Index>(width, 1, kGroupColumns)));
  return {columns, at(kItems) / columns};
}

constexpr OpenClDevice::Extent kProductItems = {at(CardTiles::kEdge), at(CardTiles::kEdge)};

OpenClDevice::Extent productGroups(Index rows, Index cols, Index chunks = 1) {
  return {groups(cols, CardTiles::kSide), groups(rows, CardTiles::kSide), at(chunks)};
}

/// sums = Σ of `chunks` parts in the scratch memory
void sumParts(OpenClDevice& device, Index chunks, CardMatrix& sums) {
  device.launch(CardKernel::sumChunks, {groups(sums.size(), kItems)}, {at(kItems)}, number(sums.size()),
                number(chunks), device.scratch(), sums.elements);
}

void sumColumns(OpenClDevice& device, CardRows X, const CardBuffer* Y, CardMatrix& sums) {
  const Index chunk = chunkRows(X.rows(), kLeastSumRows), chunks = (X.rows() + chunk - 1) / chunk;
  device.resize(sums, 1, X.cols());
  device.reserve(device.scratch(), at(chunks * X.cols()) * sizeof(Scalar));
  const OpenClDevice::Extent items{std::bit_ceil(at(std::clamp<Index>(X.cols(), 1, kGroupColumns)))};
  device.launch(CardKernel::sumColumns, {groups(X.cols(), static_cast<Index>(items.x)), at(chunks)}, items,
                number(X.rows()), number(X.cols()), number(chunk), X.elements(), Y, device.scratch());
  sumParts(device, chunks, sums);
}

}  // namespace

void spmm(OpenClDevice& device, const CardCsr& A, const CardMatrix& Y, CardMatrix& Z, Write write) {
  HALO_CHECK(A.cols == Y.rows);
  shape(device, Z, A.rows, Y.cols, write);
  const CardBuffer* values = A.weighted ? &A.values : nullptr;
  const OpenClDevice::Extent items = rowItems(Y.cols);
  device.launch(CardKernel::aggregateRows,
                {groups(Y.cols, static_cast<Index>(items.x)), groups(A.rows, static_cast<Index>(items.y))},
                items, number(A.rows), number(Y.cols), A.offsets, A.columns, values, Y.elements, adds(write),
                Z.elements);
  device.launch(CardKernel::aggregateHubs, {groups(Y.cols, CardTiles::kHubColumns), at(A.hubs)},
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
  const Index chunk = chunkRows(A.rows(), kLeastProductRows), chunks = (A.rows() + chunk - 1) / chunk;
  device.reserve(device.scratch(), at(chunks * C.size()) * sizeof(Scalar));
  device.launch(CardKernel::multiplyTransposedA, productGroups(C.rows, C.cols, chunks), kProductItems,
                number(C.rows), number(C.cols), number(A.rows()), number(chunk), A.elements(), B.elements,
                device.scratch());
  sumParts(device, chunks, C);
}

void columnSums(OpenClDevice& device, CardRows X, CardMatrix& sums) { sumColumns(device, X, nullptr, sums); }

void columnSums(OpenClDevice& device, CardRows X, const CardMatrix& Y, CardMatrix& sums) {
  HALO_CHECK(Y.rows >= X.rows() && Y.cols == X.cols());
  sumColumns(device, X, &Y.elements, sums);
}

void relu(OpenClDevice& device, CardMatrix& X) {
  device.launch(CardKernel::relu, {groups(X.size(), kItems)}, {at(kItems)}, at(X.size()), X.elements);
}

void reluBackward(OpenClDevice& device, const CardMatrix& Y, CardMatrix& dY) {
  HALO_CHECK(Y.rows == dY.rows && Y.cols == dY.cols);
  device.launch(CardKernel::reluBackward, {groups(dY.size(), kItems)}, {at(kItems)}, at(dY.size()),
                Y.elements, dY.elements);
}

void scaleAdd(OpenClDevice& device, Scalar a, CardRows X, CardMatrix& Y) {
  HALO_CHECK(X.rows() <= Y.rows && X.cols() == Y.cols);
  device.launch(CardKernel::scaleAdd, {groups(X.size(), kItems)}, {at(kItems)}, at(X.size()), a, X.elements(),
                Y.elements);
}

}  // namespace halo
