#include "engine/kernels/opencl/card_activation.h"

#include <cmath>

#include "engine/base/philox.h"
#include "engine/kernels/opencl/card_launch.h"

namespace halo {
namespace {

using namespace card;

constexpr Index kLeastRows = 256;  // of a chunk of column sums
constexpr Index kDraws = 4;        // numbers of a Philox block, which an item drops as many columns by

void sumColumns(OpenClDevice& device, CardRows X, const CardBuffer* Y, CardMatrix& sums) {
  const Chunks chunks(X.rows(), kLeastRows);
  device.resize(sums, 1, X.cols());
  device.reserve(device.scratch(), at(chunks.count * X.cols()) * sizeof(Scalar));
  const Index across = columnItems(X.cols());
  device.launch(CardKernel::sumColumns, {groups(X.cols(), across), at(chunks.count)}, {at(across)},
                number(X.rows()), number(X.cols()), number(chunks.rowsEach), X.elements(), Y,
                device.scratch());
  sumParts(device, chunks.count, sums);
}

}  // namespace

void columnSums(OpenClDevice& device, CardRows X, CardMatrix& sums) { sumColumns(device, X, nullptr, sums); }

void columnSums(OpenClDevice& device, CardRows X, const CardMatrix& Y, CardMatrix& sums) {
  HALO_CHECK(Y.rows >= X.rows() && Y.cols == X.cols());
  sumColumns(device, X, &Y.elements, sums);
}

void relu(OpenClDevice& device, CardMatrix& X) {
  launchElements(device, CardKernel::relu, X.size(), X.elements);
}

void reluBackward(OpenClDevice& device, const CardMatrix& Y, CardMatrix& dY) {
  HALO_CHECK(Y.rows == dY.rows && Y.cols == dY.cols);
  launchElements(device, CardKernel::reluBackward, dY.size(), Y.elements, dY.elements);
}

void scaleAdd(OpenClDevice& device, Scalar a, CardRows X, CardMatrix& Y) {
  HALO_CHECK(X.rows() <= Y.rows && X.cols() == Y.cols);
  launchElements(device, CardKernel::scaleAdd, X.size(), a, X.elements(), Y.elements);
}

void dropout(OpenClDevice& device, const CardBuffer& ids, DropoutKey key, double rate, CardMatrix& X) {
  HALO_CHECK(rate >= 0 && rate < 1);
  const double firstKept = std::ceil(rate * 0x1p32);  // as on the host: a draw w is kept from rate · 2³² on
  if (firstKept == 0) return;
  const Index blocks = (X.cols + kDraws - 1) / kDraws, across = columnItems(blocks), down = kItems / across;
  const std::uint32_t key0 = static_cast<std::uint32_t>(key.seed),
                      key1 = static_cast<std::uint32_t>(key.seed >> 32) ^
                             (static_cast<std::uint32_t>(Purpose::dropout) * 0x9E3779B9U);
  device.launch(CardKernel::dropout, {groups(X.rows, down, blocks, across)}, {at(across), at(down)},
                number(X.rows), number(X.cols), ids, key0, key1, key.epoch, key.layer << 16,
                static_cast<std::uint32_t>(firstKept - 1), static_cast<Scalar>(1.0 / (1.0 - rate)),
                X.elements);
}

void layerNorm(OpenClDevice& device, CardMatrix& X, const CardMatrix& scale, const CardMatrix& shift,
               CardMatrix& Y, CardMatrix& inverse) {
  HALO_CHECK(scale.size() == X.cols && shift.size() == X.cols);
  device.resize(Y, X.rows, X.cols);
  device.resize(inverse, X.rows, 1);
  device.launch(CardKernel::normalise, {at(X.rows)}, {at(CardTiles::kNormItems)}, number(X.cols),
                scale.elements, shift.elements, X.elements, Y.elements, inverse.elements);
}

void layerNormBackward(OpenClDevice& device, const CardMatrix& X, const CardMatrix& inverse,
                       const CardMatrix& scale, CardMatrix& dY, CardMatrix& dScale, CardMatrix& dShift) {
  HALO_CHECK(X.rows == dY.rows && X.cols == dY.cols && inverse.rows == X.rows && scale.size() == X.cols);
  columnSums(device, dY, X, dScale);
  columnSums(device, dY, dShift);
  device.launch(CardKernel::normaliseBackward, {at(X.rows)}, {at(CardTiles::kNormItems)}, number(X.cols),
                scale.elements, X.elements, inverse.elements, dY.elements);
}

}  // namespace halo
