#include "datasets/graph/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "datasets/graph/asking.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

constexpr std::int64_t kAskedEvery = 1 << 16;  // arcs, or vertices

/// Breadth-first searches over one symmetric pattern. A vertex counts as seen when its mark equals that of
/// the running search, so nothing is cleared between searches of one component.
class Search {
 public:
  Search(const Csr& A, const AskStop& askStop) : A_(A), mark_(at(A.rows()), 0), asks_(askStop, kAskedEvery) {}

  struct Levels {
    Index depth = 0;      // number of the last level; the start is level 0
    Vertex lightest = 0;  // vertex of least degree (then number) in the last level
  };

  /// Levels of the component of `start`.
  Levels levels(Vertex start) {
    ++current_;
    Levels structure{0, start};
    level_ = {start};
    mark(start);
    while (true) {
      next_.clear();
      for (const Vertex v : level_) {
        asks_.step(A_.degree(v));
        for (const Vertex u : A_.row(v))
          if (take(u)) next_.push_back(u);
      }
      if (next_.empty()) break;
      std::swap(level_, next_);
      ++structure.depth;
    }
    structure.lightest =
        *std::min_element(level_.begin(), level_.end(), [&](Vertex a, Vertex b) { return lighter(a, b); });
    return structure;
  }

  /// A vertex whose distance to the farthest one grows no more by going there (George & Liu).
  Vertex pseudoPeripheral(Vertex start) {
    Levels from = levels(start);
    while (true) {
      const Levels opposite = levels(from.lightest);
      if (opposite.depth <= from.depth) return start;
      start = from.lightest;
      from = opposite;
    }
  }

  /// Appends the component of `start` in Cuthill–McKee order.
  void append(Vertex start, std::vector<Vertex>& order) {
    ++current_;
    std::size_t head = order.size();
    order.push_back(start);
    mark(start);
    for (; head < order.size(); ++head) {
      const std::size_t first = order.size();
      asks_.step(A_.degree(order[head]));
      for (const Vertex u : A_.row(order[head]))
        if (take(u)) order.push_back(u);
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                [&](Vertex a, Vertex b) { return lighter(a, b); });
    }
  }

  bool seen(Vertex v) const { return mark_[at(v)] != 0; }

 private:
  bool lighter(Vertex a, Vertex b) const { return std::pair(A_.degree(a), a) < std::pair(A_.degree(b), b); }
  void mark(Vertex v) { mark_[at(v)] = current_; }
  bool take(Vertex v) {
    if (mark_[at(v)] == current_) return false;
    mark(v);
    return true;
  }

  const Csr& A_;
  std::vector<std::int32_t> mark_;
  std::int32_t current_ = 0;
  std::vector<Vertex> level_, next_;
  StopAsks asks_;
};

std::vector<Vertex> numbers(Index vertices) {
  std::vector<Vertex> order(at(vertices));
  std::iota(order.begin(), order.end(), Vertex{0});
  return order;
}

}  // namespace

std::vector<Vertex> degreeOrder(const Csr& A) {
  std::vector<Vertex> order = numbers(A.rows());
  std::stable_sort(order.begin(), order.end(), [&](Vertex a, Vertex b) { return A.degree(a) > A.degree(b); });
  return order;
}

std::vector<Vertex> rcmOrder(const Csr& A) { return rcmOrder(A, {}); }

std::vector<Vertex> rcmOrder(const Csr& A, const AskStop& askStop) {
  HALO_CHECK(A.rows() == A.cols);
  if (!isSymmetric(A, askStop)) return rcmOrder(symmetrised(A, askStop), askStop);
  Search search(A, askStop);
  std::vector<Vertex> order;
  order.reserve(at(A.rows()));
  for (Vertex v = 0; v < A.rows(); ++v)
    if (!search.seen(v)) search.append(search.pseudoPeripheral(v), order);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Vertex> randomOrder(Index vertices, std::uint64_t seed, std::uint64_t stream,
                                const AskStop& askStop) {
  StopAsks asks(askStop, kAskedEvery);
  std::vector<Vertex> order = numbers(vertices);
  PhiloxStream random(seed, Purpose::shuffle, stream);
  for (std::size_t left = order.size(); left > 1; --left) {
    asks.step();
    std::swap(order[left - 1], order[random.below(left)]);
  }
  return order;
}

Dataset reordered(const Dataset& dataset, const std::vector<Vertex>& order) {
  HALO_CHECK(std::cmp_equal(order.size(), dataset.vertices()));
  Dataset result = dataset;
  result.arcs = permuted(dataset.arcs, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = at(order[i]);
    const auto row = static_cast<Index>(i);
    if (!dataset.labels.empty()) result.labels[i] = dataset.labels[from];
    if (!dataset.split.empty()) result.split[i] = dataset.split[from];
    if (!dataset.features.empty())
      std::ranges::copy(dataset.features.row(order[i]), result.features.row(row).begin());
    if (dataset.multiLabel())
      std::ranges::copy(dataset.multiLabels.row(order[i]), result.multiLabels.row(row).begin());
  }
  result.fingerprint = contentDigest(result);
  return result;
}

Index bandwidth(const Csr& A) {
  Index widest = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    const auto row = A.row(i);
    if (row.empty()) continue;
    widest =
        std::max({widest, i - row.front(), row.back() - i});  // columns ascend: the ends are the farthest
  }
  return widest;
}

}  // namespace halo
