#pragma once

#include <cstdint>
#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

void addBias(Matrix& X, std::span<const Scalar> bias);     // X row += bias
void columnSums(const Matrix& X, std::span<Scalar> sums);  // overwritten; thread-independent
void relu(const Matrix& X, Matrix& Y);                     // Y may be X
void reluBackward(const Matrix& Y, Matrix& dY);            // dY ⊙ [Y > 0], in place
/// Rows [begin, begin + count) of a matrix.
struct SomeRows {
  Index begin = 0, count = 0;
};
/// The mask of reluBackward, as spmmMasked takes it: a bit for each X > 0, each row padded to a byte.
void positiveBits(const Matrix& X, Buffer<std::uint8_t>& bits);
/// The same of some rows; the bits of the others stay as they are.
void positiveBits(const Matrix& X, SomeRows rows, Buffer<std::uint8_t>& bits);
void add(const Matrix& X, Matrix& Y);             // Y += X
void scaleAdd(Scalar a, FirstRows X, Matrix& Y);  // Y += a X, to the first rows where X has fewer

/// LayerNorm over each row: Y = scale ⊙ (X − mean) / sqrt(var + 1e-5) + shift. `saved` (n × 2) keeps mean and
/// 1/σ.
void layerNorm(const Matrix& X, std::span<const Scalar> scale, std::span<const Scalar> shift, Matrix& Y,
               Matrix& saved);
/// dX from dY (dX may be dY); dScale, dShift overwritten.
void layerNormBackward(const Matrix& X, const Matrix& saved, std::span<const Scalar> scale, const Matrix& dY,
                       Matrix& dX, std::span<Scalar> dScale, std::span<Scalar> dShift);

/// Which numbers a dropout draw depends on: (seed, epoch, layer, global vertex, feature), never the rank or
/// thread.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0, layer = 0;
};
/// Keeps each element with probability 1 − rate and divides it by that. `ids`: global vertex of each row.
/// One Philox block serves four neighbouring features: counter (vertex, epoch, layer << 16 | feature / 4). Y
/// may be X. `firstColumn`: global feature number of column 0 (feature slices).
void dropout(const Matrix& X, std::span<const Vertex> ids, DropoutKey key, double rate, Matrix& Y,
             Index firstColumn = 0);
/// The same of some rows; `ids` and Y's other rows, which stay as they are, are those of all of X.
void dropout(const Matrix& X, SomeRows rows, std::span<const Vertex> ids, DropoutKey key, double rate,
             Matrix& Y, Index firstColumn = 0);

}  // namespace halo
