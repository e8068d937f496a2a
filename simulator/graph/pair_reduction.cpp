#include "simulator/graph/pair_reduction.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "datasets/graph/asking.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

struct Common {
  std::int64_t rows = 0;  // in which both stand
  Vertex first = 0, second = 0;
};

/// Pairs of columns that stand together in at least `least` rows, the most common first.
std::vector<Common> commonPairs(const Csr& matrix, std::int64_t least, const AskStop& askStop) {
  constexpr std::int64_t kAskedEvery = 1 << 22;  // pairs of nonzeros of a row
  StopAsks asks(askStop, kAskedEvery);
  const Csr rowsOf = transpose(matrix, askStop);
  std::vector<std::int64_t> count(at(matrix.cols), 0);
  std::vector<Vertex> met;
  std::vector<Common> common;
  for (Index u = 0; u < rowsOf.rows(); ++u) {
    if (rowsOf.degree(u) < least) continue;
    for (const Vertex r : rowsOf.row(u)) {
      const auto row = matrix.row(r);
      asks.step(std::ssize(row));
      for (auto v = std::ranges::upper_bound(row, static_cast<Vertex>(u)); v != row.end(); ++v)
        if (count[at(*v)]++ == 0) met.push_back(*v);
    }
    for (const Vertex v : met) {
      std::int64_t& rows = count[at(v)];
      if (rows >= least) common.push_back({rows, static_cast<Vertex>(u), v});
      rows = 0;
    }
    met.clear();
  }
  std::ranges::sort(common, {},
                    [](const Common& pair) { return std::tuple(-pair.rows, pair.first, pair.second); });
  return common;
}

/// Of each column what it is paired with, or −1, and the column that stands for both.
struct Matching {
  std::vector<Vertex> mate, standIn;
};

Matching match(const std::vector<Common>& common, Index columns,
               std::vector<std::pair<Vertex, Vertex>>& pairs) {
  Matching matching{std::vector<Vertex>(at(columns), -1), std::vector<Vertex>(at(columns), -1)};
  Index next = columns;
  for (const Common& pair : common) {
    const auto a = at(pair.first), b = at(pair.second);
    if (matching.mate[a] >= 0 || matching.mate[b] >= 0) continue;
    if (next > std::numeric_limits<Vertex>::max())
      throw InputError(Problem{.key = "device.rounds",
                               .message = "makes more columns than can be numbered; fewer rounds"});
    matching.mate[a] = pair.second;
    matching.mate[b] = pair.first;
    matching.standIn[a] = matching.standIn[b] = static_cast<Vertex>(next++);
    pairs.emplace_back(pair.first, pair.second);
  }
  return matching;
}

Csr replaced(const Csr& matrix, const Matching& matching, Index columns) {
  Csr result;
  result.cols = columns;
  std::vector<Vertex> row, paired;
  for (Index r = 0; r < matrix.rows(); ++r) {
    row.clear();
    paired.clear();
    for (const Vertex v : matrix.row(r)) {
      const Vertex mate = matching.mate[at(v)];
      if (mate < 0 || !std::ranges::binary_search(matrix.row(r), mate))
        row.push_back(v);
      else if (v < mate)
        paired.push_back(matching.standIn[at(v)]);
    }
    std::ranges::sort(paired);  // all behind the columns there were
    row.insert(row.end(), paired.begin(), paired.end());
    result.columns.insert(result.columns.end(), row.begin(), row.end());
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

}  // namespace

std::int64_t PairReduction::additions() const {
  return std::ssize(pairs) + rowAdditions(matrix, 0, matrix.rows());
}

PairReduction reducePairs(const CsrRows& matrix, int rounds, std::int64_t least, const AskStop& askStop) {
  PairReduction reduction{{matrix.cols,
                           {matrix.offsets.begin(), matrix.offsets.end()},
                           {matrix.columns.begin(), matrix.columns.end()},
                           {}},
                          {}};
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Common> common = commonPairs(reduction.matrix, least, askStop);
    if (common.empty()) break;
    const Matching matching = match(common, reduction.matrix.cols, reduction.pairs);
    reduction.matrix = replaced(reduction.matrix, matching, matrix.cols + std::ssize(reduction.pairs));
  }
  return reduction;
}

double pairSteps(const CsrRows& matrix) {
  double steps = 0;
  for (Index r = 0; r < matrix.rows(); ++r)
    steps += static_cast<double>(matrix.degree(r)) * static_cast<double>(matrix.degree(r));
  return steps;
}

std::int64_t rowAdditions(const CsrRows& matrix, std::int64_t first, std::int64_t last) {
  std::int64_t sum = 0;
  for (std::int64_t r = first; r < last; ++r) sum += std::max<std::int64_t>(0, matrix.degree(r) - 1);
  return sum;
}

}  // namespace halo::sim
