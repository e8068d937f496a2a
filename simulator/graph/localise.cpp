#include "simulator/graph/localise.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "datasets/graph/asking.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo::sim {
namespace {

constexpr std::uint64_t kStreams = std::uint64_t{1} << 40;  // of generators' own
constexpr int kTries = 16;
constexpr std::int64_t kAskedEvery = 1 << 14;  // arcs

/// Draws sources of one row after the other.
class Draws {
 public:
  Draws(const Csr& arcs, Index reach) : n_(arcs.cols), reach_(reach), upTo_(at(n_ + 1)), rowOf_(at(n_), -1) {
    for (const Vertex v : arcs.columns) ++upTo_[at(v) + 1];
    for (Index v = 0; v < n_; ++v) upTo_[at(v) + 1] += upTo_[at(v)];
  }

  void begin(Index row) { row_ = row; }
  bool take(Index source) {
    if (rowOf_[at(source)] == row_) return false;
    rowOf_[at(source)] = row_;
    return true;
  }

  /// A source in reach of the row that it does not have yet; none where it has all.
  std::optional<Index> near(PhiloxStream& random) {
    const Index low = std::max<Index>(0, row_ - reach_), high = std::min(n_, row_ + reach_ + 1);
    const Index first = upTo_[at(low)], weight = upTo_[at(high)] - first;
    for (int attempt = 0; weight > 0 && attempt < kTries; ++attempt) {
      const Index drawn = first + static_cast<Index>(random.below(static_cast<std::uint64_t>(weight)));
      const Index source = std::upper_bound(upTo_.begin(), upTo_.end(), drawn) - upTo_.begin() - 1;
      if (source != row_ && take(source)) return source;
    }
    const Index places = high - low,
                from = static_cast<Index>(random.below(static_cast<std::uint64_t>(places)));
    for (Index i = 0; i < places; ++i)
      if (const Index source = low + (from + i) % places; source != row_ && take(source)) return source;
    return std::nullopt;
  }

 private:
  Index n_, reach_, row_ = -1;
  std::vector<Index> upTo_;   // arcs whose source is below
  std::vector<Index> rowOf_;  // the last row that has the source
};

}  // namespace

Csr localised(const Csr& arcs, Index reach, double share, std::uint64_t seed, const AskStop& askStop) {
  StopAsks asks(askStop, kAskedEvery);
  Draws draws(arcs, reach);
  std::vector<Arc> localArcs;
  localArcs.reserve(at(arcs.nonzeros()));
  for (Index r = 0; r < arcs.rows(); ++r) {
    PhiloxStream random(seed, Purpose::generate, kStreams + static_cast<std::uint64_t>(r));
    draws.begin(r);
    asks.step(arcs.degree(r));
    Index moved = 0;
    for (const Vertex v : arcs.row(r)) {
      if (random.uniform() < share)
        ++moved;
      else if (draws.take(v))
        localArcs.push_back({v, static_cast<Vertex>(r)});
    }
    for (; moved > 0; --moved)
      if (const auto source = draws.near(random))
        localArcs.push_back({static_cast<Vertex>(*source), static_cast<Vertex>(r)});
  }
  return buildCsr(arcs.rows(), localArcs, false, askStop);
}

}  // namespace halo::sim
