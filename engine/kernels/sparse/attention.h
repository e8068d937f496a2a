#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

// Attention over in-neighbours (Veličković et al., ICLR 2018), edge by edge and head by head. A row of width
// heads · w is its heads side by side; what a head has one number of is n × heads.
//
//   s(u→v) = leaky(source(u) + target(v))   α = softmax of s over the edges into v   Z(v) = Σ_u α(u→v) Y(u)
//
// The edges into a vertex may come in any number of blocks, each with the rows of its own sources. The
// softmax runs along (largest score and sum so far), so that no block must wait for another. Every row is
// summed by one thread in stored order: results do not depend on the number of threads.

constexpr Index kMostHeads = 256;

/// S (n × heads) = inner product of each head of Y (n × heads·w) with its vector in a (heads × w).
/// Cost 2 · n · heads · w.
void headScores(const Matrix& Y, const Matrix& a, Matrix& S);
/// The same of rows [begin, begin + count) alone; the others of S are undefined.
void headScores(const Matrix& Y, const Matrix& a, Index begin, Index count, Matrix& S);
/// The adjoint: dY += dS ⊗ a, da += Σ_v dS(v) Y(v), for the first rows, as many as dS has.
/// Cost 4 · dS.rows() · heads · w.
void headScoresBackward(const Matrix& Y, const Matrix& a, const Matrix& dS, Matrix& dY, Matrix& da);
/// Its two halves, to the bit, for who has not got room for Y and dY at once: da, then dY. Half the cost
/// each.
void headVectorGradient(const Matrix& Y, const Matrix& dS, Matrix& da);
void addHeadRows(const Matrix& dS, const Matrix& a, Matrix& dY);
/// S (n × heads) = inner products of the heads of A and B, row by row.
void headProducts(const Matrix& A, const Matrix& B, Index heads, Matrix& S);

/// U (n × w) = mean of Z's heads; the adjoint fills every head of dZ with dU / heads.
void meanOfHeads(const Matrix& Z, Index heads, Matrix& U);
void meanOfHeadsBackward(const Matrix& dU, Index heads, Matrix& dZ);

/// What makes the scores of a block's edges.
struct EdgeScores {
  const Matrix& source;  // rows of the block × heads
  const Matrix& target;  // own rows × heads, of which the first are A's rows
  Scalar slope;          // of leaky below zero
};

/// A softmax under way: largest score and Σ e^(score − largest) of the edges so far, own rows × heads.
struct RunningSoftmax {
  Matrix largest, sum;
};

/// Z and the softmax of no edges: Z n × width.
void beginAttention(Index rows, Index width, Index heads, RunningSoftmax& softmax, Matrix& Z);
/// Adds the edges of A (own × block) with the block's rows Y. Cost 2 · nnz · heads · w.
void attend(const Csr& A, const Matrix& Y, const EdgeScores& scores, RunningSoftmax& softmax, Matrix& Z);
/// Divides; logSum = largest + log(sum), with which α = e^(s − logSum). A row without edges is 0.
void finishAttention(const RunningSoftmax& softmax, Matrix& Z, Matrix& logSum);

/// places[k]: where in A the k-th entry of transpose(A) stands.
Buffer<Index> transposedPlaces(const Csr& A);

/// What the backward pass of a block reads of the finished forward pass, own rows.
struct AttentionGradient {
  const Matrix& logSum;    // × heads
  const Matrix& products;  // × heads: headProducts(dZ, Z)
  const Matrix& dZ;
};
/// Gradients through the edges of a block, which overwrite dY, dSource and dEdges. Those of the block's rows
/// through the values go to dY, those of its rows' scores to dSource. `dEdges` (nnz × heads) has the gradient
/// of each edge's score in the order of A; without places, in that of `transposed`. `transposed`, `places`:
/// of A. Cost 4 · nnz · heads · w.
void attendBackward(const Csr& transposed, std::span<const Index> places, const Matrix& Y,
                    const EdgeScores& scores, const AttentionGradient& gradient, Matrix& dY, Matrix& dSource,
                    Matrix& dEdges);
/// The same in two steps, to the bit, the second of which no longer reads Y: its dY may stand in Y's place.
/// Cost 2 · nnz · heads · w each, and the coefficients twice.
void attendBackwardScores(const Csr& transposed, std::span<const Index> places, const Matrix& Y,
                          const EdgeScores& scores, const AttentionGradient& gradient, Matrix& dSource,
                          Matrix& dEdges);
void attendBackwardValues(const Csr& transposed, const EdgeScores& scores, const AttentionGradient& gradient,
                          Matrix& dY);
/// dTarget(v) += Σ of dEdges over the edges of A's row v.
void sumEdges(const Csr& A, const Matrix& dEdges, Matrix& dTarget);
/// The same, to the bit, by whoever has the transpose of A alone, and dEdges in its order. Each thread goes
/// through all rows for columns of its own.
void sumTurnedEdges(const Csr& transposed, const Matrix& dEdges, Matrix& dTarget);

// The definitions, one thread, sums in double, all edges at once.
void attendReference(const Csr& A, const Matrix& Y, const EdgeScores& scores, Matrix& Z);
void attendBackwardReference(const Csr& A, const Matrix& Y, const EdgeScores& scores, const Matrix& dZ,
                             Matrix& dY, Matrix& dSource, Matrix& dTarget);

}  // namespace halo
