#include "datasets/graph/csr.h"

#include <algorithm>
#include <vector>

#include "datasets/graph/asking.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"

namespace halo {
namespace {

/// Counts become starts: counts[i + 1] holds the number of row i, afterwards the end of row i.
void accumulate(Buffer<Index>& counts) {
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

Buffer<Index> zeros(Index count) { return Buffer<Index>(at(count), Index{0}); }

/// The arcs kept, bucketed by source: the targets of source u stand at offsets[u] … offsets[u + 1].
Buffer<Vertex> bucketBySource(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops,
                              Buffer<Index>& offsets, StopAsks& asks) {
  offsets = zeros(vertices + 1);
  for (const Arc arc : arcs) {
    asks.step();
    HALO_CHECK(arc.source >= 0 && arc.source < vertices && arc.target >= 0 && arc.target < vertices);
    if (keepSelfLoops || arc.source != arc.target) ++offsets[at(arc.source) + 1];
  }
  accumulate(offsets);
  Buffer<Vertex> targets(at(offsets.back()));
  Buffer<Index> next(offsets.begin(), offsets.end());
  for (const Arc arc : arcs) {
    asks.step();
    if (keepSelfLoops || arc.source != arc.target) targets[at(next[at(arc.source)]++)] = arc.target;
  }
  return targets;
}

/// Drops repeated columns of every (ascending) row.
void mergeDuplicates(Csr& A, StopAsks& asks) {
  Index written = 0;
  for (Index row = 0; row < A.rows(); ++row) {
    const Index begin = A.offsets[at(row)], end = A.offsets[at(row) + 1];
    const Index rowStart = written;
    asks.step(end - begin);
    // the start of this row may move only after its old border has been read
    A.offsets[at(row)] = rowStart;
    for (Index e = begin; e < end; ++e) {
      const Vertex column = A.columns[at(e)];
      if (written > rowStart && A.columns[at(written - 1)] == column) continue;
      A.columns[at(written++)] = column;
    }
  }
  A.offsets.back() = written;
  A.columns.resize(at(written));
  if (A.columns.capacity() > A.columns.size() + A.columns.size() / 8) A.columns.shrink_to_fit();
}

constexpr Index kRowsPerBlock = 4096;
constexpr std::int64_t kAskedEvery = 1 << 16;  // arcs

}  // namespace

Csr buildCsr(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops) {
  return buildCsr(vertices, arcs, keepSelfLoops, {});
}

Csr buildCsr(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops, const AskStop& askStop) {
  StopAsks asks(askStop, kAskedEvery);
  Buffer<Index> sourceStart;
  const Buffer<Vertex> targets = bucketBySource(vertices, arcs, keepSelfLoops, sourceStart, asks);
  Csr A;
  A.cols = vertices;
  A.offsets = zeros(vertices + 1);
  for (const Vertex target : targets) {
    asks.step();
    ++A.offsets[at(target) + 1];
  }
  accumulate(A.offsets);
  A.columns.resize(targets.size());
  Buffer<Index> next(A.offsets.begin(), A.offsets.end());
  // sources come in ascending order, so every row is filled in ascending order
  for (Index source = 0; source < vertices; ++source) {
    asks.step(sourceStart[at(source) + 1] - sourceStart[at(source)]);
    for (Index e = sourceStart[at(source)]; e < sourceStart[at(source) + 1]; ++e)
      A.columns[at(next[at(targets[at(e)])]++)] = static_cast<Vertex>(source);
  }
  mergeDuplicates(A, asks);
  return A;
}

Csr transpose(const Csr& A) { return transpose(A, {}); }

Csr transpose(const Csr& A, const AskStop& askStop) {
  StopAsks asks(askStop, kAskedEvery);
  Csr T;
  T.cols = A.rows();
  T.offsets = zeros(A.cols + 1);
  for (Index row = 0; row < A.rows(); ++row) {
    asks.step(A.degree(row));
    for (const Vertex column : A.row(row)) ++T.offsets[at(column) + 1];
  }
  accumulate(T.offsets);
  T.columns.resize(A.columns.size());
  T.values.resize(A.values.size());
  Buffer<Index> next(T.offsets.begin(), T.offsets.end());
  for (Index row = 0; row < A.rows(); ++row) {
    asks.step(A.degree(row));
    for (Index e = A.offsets[at(row)]; e < A.offsets[at(row) + 1]; ++e) {
      const Index place = next[at(A.columns[at(e)])]++;
      T.columns[at(place)] = static_cast<Vertex>(row);
      if (A.weighted()) T.values[at(place)] = A.values[at(e)];
    }
  }
  return T;
}

Csr symmetrised(const Csr& A) { return symmetrised(A, {}); }

Csr symmetrised(const Csr& A, const AskStop& askStop) {
  HALO_CHECK(A.rows() == A.cols);
  const Csr T = transpose(A, askStop);
  Csr S;
  S.cols = A.cols;
  S.offsets = zeros(A.rows() + 1);
  const auto eachRow = [&](auto work) {
    const auto rows = [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) work(row, A.row(row), T.row(row));
    };
    parallelBlocks(A.rows(), kRowsPerBlock, rows, 0, askStop);
  };
  eachRow([&](Index row, auto a, auto t) {
    Index common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < t.size();) {
      common += a[i] == t[j];
      const bool advanceA = a[i] <= t[j], advanceT = t[j] <= a[i];
      i += advanceA;
      j += advanceT;
    }
    S.offsets[at(row) + 1] = static_cast<Index>(a.size() + t.size()) - common;
  });
  accumulate(S.offsets);
  S.columns.resize(at(S.offsets.back()));
  eachRow([&](Index row, auto a, auto t) {
    std::set_union(a.begin(), a.end(), t.begin(), t.end(), S.columns.begin() + S.offsets[at(row)]);
  });
  return S;
}

bool isSymmetric(const Csr& A) { return isSymmetric(A, {}); }

bool isSymmetric(const Csr& A, const AskStop& askStop) {
  if (A.rows() != A.cols) return false;
  const Csr T = transpose(A, askStop);
  return T.offsets == A.offsets && T.columns == A.columns;
}

Index selfLoops(const Csr& A) {
  Index loops = 0;
  for (Index row = 0; row < A.rows(); ++row) {
    const auto columns = A.row(row);
    loops += std::binary_search(columns.begin(), columns.end(), static_cast<Vertex>(row));
  }
  return loops;
}

Csr permuted(const Csr& A, std::span<const Vertex> order) { return permuted(A, order, {}); }

Csr permuted(const Csr& A, std::span<const Vertex> order, const AskStop& askStop) {
  HALO_CHECK(A.rows() == A.cols && static_cast<Index>(order.size()) == A.rows());
  std::vector<Vertex> place(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    HALO_CHECK(order[i] >= 0 && order[i] < A.rows() && place[at(order[i])] < 0);
    place[at(order[i])] = static_cast<Vertex>(i);
  }
  const Csr T = transpose(A, askStop);
  StopAsks asks(askStop, kAskedEvery);
  Csr B;
  B.cols = A.cols;
  B.offsets = zeros(A.rows() + 1);
  for (Index i = 0; i < A.rows(); ++i) B.offsets[at(i) + 1] = A.degree(order[at(i)]);
  accumulate(B.offsets);
  B.columns.resize(A.columns.size());
  B.values.resize(A.values.size());
  Buffer<Index> next(B.offsets.begin(), B.offsets.end());
  // new columns in ascending order, each scattered to its rows: every row is filled in ascending order
  for (Index j = 0; j < B.cols; ++j) {
    const Vertex from = order[at(j)];
    asks.step(T.degree(from));
    for (Index e = T.offsets[at(from)]; e < T.offsets[at(from) + 1]; ++e) {
      const Index to = next[at(place[at(T.columns[at(e)])])]++;
      B.columns[at(to)] = static_cast<Vertex>(j);
      if (A.weighted()) B.values[at(to)] = T.values[at(e)];
    }
  }
  return B;
}

}  // namespace halo
