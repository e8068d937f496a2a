#include "engine/base/index.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {
namespace {

// Rows of X by their target, in stored order within a target (counting sort), as an unweighted matrix over X.
Csr arcsByTarget(std::span<const Vertex> target, Index targets) {
  Csr S;
  S.cols = static_cast<Index>(target.size());
  S.offsets.assign(at(targets) + 1, 0);
  for (const Vertex t : target) {
    HALO_CHECK(t >= 0 && t < targets);
    ++S.offsets[at(t) + 1];
  }
  for (std::size_t t = 1; t < S.offsets.size(); ++t) S.offsets[t] += S.offsets[t - 1];
  S.columns.resize(target.size());
  std::vector<Index> next(S.offsets.begin(), S.offsets.end() - 1);
  for (std::size_t i = 0; i < target.size(); ++i)
    S.columns[at(next[at(target[i])]++)] = static_cast<Vertex>(i);
  return S;
}

}  // namespace

void indexAdd(const Matrix& X, std::span<const Vertex> target, Matrix& Y) {
  HALO_CHECK(static_cast<Index>(target.size()) == X.rows() && Y.cols() == X.cols());
  spmm(arcsByTarget(target, Y.rows()), X, Y, Write::add);
}

}  // namespace halo
