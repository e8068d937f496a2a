#pragma once

#include <array>
#include <span>

#include "engine/base/matrix.h"

namespace halo {

/// A matrix as a product reads it: number (i, j) is data[i · row + j · column], and row or column is 1.
struct Operand {
  const Scalar* data;
  Index row, column;
};

/// Numbers in a line of the caches.
inline constexpr Index kLine = 64 / sizeof(Scalar);

/// Columns of A that are multiplied before the next, so that the rows of A at hand stay in the first cache.
/// Fixed: with another number sums would have other bits.
inline constexpr Index kDepth = 256;

/// C (m × n) = A B or C += A B on the calling thread, of at most kDepth columns of A (m × k).
struct Product {
  Index m, n, k;
  Operand A;
  const Scalar* B;  // as packRight left it
  bool add;
  Scalar* C;
  Index strideC;
  Scalar* room;  // leftRoom() numbers, written to
  /// What the next product will read: fetched to the second cache while this one is multiplied.
  std::array<std::span<const Scalar>, 2> next = {};
};

/// Packs B (k × n, k ≤ kDepth) in panels of columns, row by row, with zeros behind the last column.
void packRight(Operand B, Index k, Index n, Scalar* packed);
/// Whether a row-major matrix of so many columns is a panel as it stands, and packing would copy it.
bool isPanel(Index columns);
/// Numbers that packRight writes, at most: linear in k.
Index packedSize(Index k, Index n);

/// Allocates nothing. Cost 2 · m · n · k FLOP. Sums of one element are made in the order of k, whatever m, n
/// and the alignment; without fused multiply-add they have other bits.
void multiplyTiles(const Product& product);
Index leftRoom();

}  // namespace halo
