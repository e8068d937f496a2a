#include "simulator/accelerators/awb_gcn/awb_rebalance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <queue>

#include "datasets/graph/power_law.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo::sim::awb {
namespace {

constexpr std::uint64_t kSeed = 1;

std::int64_t sumOf(std::span<const std::int64_t> loads) {
  return std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
}

/// Whether PEs with this capacity get everything done: each takes the oldest work it may reach.
bool suffices(std::span<const std::int64_t> loads, std::int64_t hops, std::int64_t capacity) {
  const std::int64_t pes = std::ssize(loads);
  std::int64_t owner = 0, left = loads.empty() ? 0 : loads[0];
  for (std::int64_t pe = 0; pe < pes; ++pe) {
    std::int64_t room = capacity;
    while (owner < pes && owner <= pe + hops) {
      const std::int64_t work = std::min(room, left);
      room -= work;
      left -= work;
      if (left > 0) break;
      if (++owner < pes) left = loads[at(owner)];
    }
    if (owner <= pe - hops) return false;  // none of its neighbours is still to come
  }
  return owner >= pes;
}

/// PEs, least loaded first.
using Coldest = std::priority_queue<std::pair<std::int64_t, std::int64_t>,
                                    std::vector<std::pair<std::int64_t, std::int64_t>>, std::greater<>>;

/// Rows above the mean, the largest first, in parts of at most the mean.
bool splitLargest(Assignment& assignment, std::vector<std::int64_t>& loads, std::int64_t mean,
                  const BalanceFigures& figures) {
  struct PieceOfPe {
    std::int64_t pe;
    Piece piece;
  };
  std::vector<PieceOfPe> largest;
  for (std::int64_t pe = 0; pe < figures.pes; ++pe)
    for (const Piece& piece : assignment.ofPe[at(pe)])
      if (figures.splits(piece.load, mean) && piece.parts == 1) largest.push_back({pe, piece});
  std::ranges::stable_sort(largest, std::greater<>(), [](const PieceOfPe& f) { return f.piece.load; });
  if (std::ssize(largest) > figures.splitRows) largest.resize(at(figures.splitRows));
  if (largest.empty()) return false;
  for (const PieceOfPe& row : largest) {
    std::erase_if(assignment.ofPe[at(row.pe)], [&](const Piece& p) { return p.row == row.piece.row; });
    loads[at(row.pe)] -= row.piece.load;
  }
  Coldest coldest;
  for (std::int64_t pe = 0; pe < figures.pes; ++pe) coldest.emplace(loads[at(pe)], pe);
  for (const PieceOfPe& row : largest) {
    const std::int64_t parts = std::min(figures.pes, (row.piece.load + mean - 1) / mean);
    std::vector<std::int64_t> targets;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t pe = coldest.top().second;
      coldest.pop();
      targets.push_back(pe);
      const std::int64_t load = (row.piece.load - part + parts - 1) / parts;
      assignment.ofPe[at(pe)].push_back({row.piece.row, part, parts, load});
      loads[at(pe)] += load;
    }
    for (const std::int64_t pe : targets) coldest.emplace(loads[at(pe)], pe);
  }
  return true;
}

/// Moves pieces of about `target` nonzeros, and no more, from one PE to another; how many nonzeros it were.
std::int64_t moveRows(std::vector<Piece>& from, std::vector<Piece>& to, std::int64_t target) {
  std::int64_t moved = 0;
  std::size_t remaining = 0;
  for (const Piece& piece : from) {
    if (piece.load > 0 && moved + piece.load <= target) {
      moved += piece.load;
      to.push_back(piece);
    } else {
      from[remaining++] = piece;
    }
  }
  from.resize(remaining);
  return moved;
}

bool switchRows(Assignment& assignment, std::vector<std::int64_t>& loads, const BalanceFigures& figures) {
  std::vector<std::int64_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::int64_t pe) { return loads[at(pe)]; });
  const std::int64_t pairs = std::min(figures.pairs, figures.pes / 2);
  bool any = false;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const std::size_t hot = at(order[at(pair)]), cold = at(order[at(figures.pes - 1 - pair)]);
    const std::int64_t gap = loads[hot] - loads[cold];
    if (gap < 2) break;
    const auto target = static_cast<std::int64_t>(figures.step * static_cast<double>(gap) / 2);
    const std::int64_t moved = moveRows(assignment.ofPe[hot], assignment.ofPe[cold], target);
    loads[hot] -= moved;
    loads[cold] += moved;
    any = any || moved > 0;
  }
  return any;
}

/// Loads of items so that they add up to `nonzeros`: rounded sums, so that none is lost.
std::vector<std::int64_t> roundedTo(std::int64_t nonzeros, std::span<const double> itemLoads) {
  const double sum = std::accumulate(itemLoads.begin(), itemLoads.end(), 0.0);
  std::vector<std::int64_t> loads;
  double reached = 0;
  std::int64_t before = 0;
  for (const double load : itemLoads) {
    reached += load;
    const std::int64_t now = std::llround(static_cast<double>(nonzeros) * std::min(1.0, reached / sum));
    loads.push_back(now - before);
    before = now;
  }
  loads.back() += nonzeros - before;
  return loads;
}

}  // namespace

std::vector<std::int64_t> Assignment::loads() const {
  std::vector<std::int64_t> loads;
  for (const auto& pieces : ofPe) {
    std::int64_t sum = 0;
    for (const Piece& piece : pieces) sum += piece.load;
    loads.push_back(sum);
  }
  return loads;
}

std::int64_t smoothedMost(std::span<const std::int64_t> loads, std::int64_t hops) {
  if (loads.empty()) return 0;
  const std::int64_t sum = sumOf(loads), pes = std::ssize(loads);
  std::int64_t low = (sum + pes - 1) / pes, high = std::ranges::max(loads);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (suffices(loads, hops, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

std::int64_t smoothedMostReference(std::span<const std::int64_t> loads, std::int64_t hops) {
  const std::int64_t pes = std::ssize(loads);
  std::int64_t most = 0;
  for (std::int64_t first = 0; first < pes; ++first) {
    std::int64_t sum = 0;
    for (std::int64_t last = first; last < pes; ++last) {
      sum += loads[at(last)];
      const std::int64_t workers =
          std::min(pes - 1, last + hops) - std::max<std::int64_t>(0, first - hops) + 1;
      most = std::max(most, (sum + workers - 1) / workers);
    }
  }
  return most;
}

Assignment dealt(std::span<const std::int64_t> rowLoads, std::int64_t pes) {
  HALO_CHECK(pes >= 1);
  Assignment assignment;
  assignment.ofPe.resize(at(pes));
  for (std::int64_t row = 0; row < std::ssize(rowLoads); ++row)
    if (rowLoads[at(row)] > 0) assignment.ofPe[at(row % pes)].push_back({row, 0, 1, rowLoads[at(row)]});
  return assignment;
}

bool rebalance(Assignment& assignment, const BalanceFigures& figures) {
  std::vector<std::int64_t> loads = assignment.loads();
  const std::int64_t sum = sumOf(loads);
  if (sum == 0) return false;
  const bool split = splitLargest(assignment, loads, (sum + figures.pes - 1) / figures.pes, figures);
  return switchRows(assignment, loads, figures) || split;
}

Assignment balanceRounds(std::span<const std::int64_t> rowLoads, const BalanceFigures& figures,
                         const SeeRound& see) {
  Assignment now = dealt(rowLoads, figures.pes);
  Assignment best = now;
  std::int64_t least = smoothedMost(now.loads(), figures.hops);
  see(0, now);
  for (std::int64_t round = 1; round <= figures.rounds; ++round) {
    if (!rebalance(now, figures)) break;
    see(round, now);
    const std::int64_t most = smoothedMost(now.loads(), figures.hops);
    if (most >= least) continue;
    least = most;
    best = now;
  }
  return best;
}

std::vector<std::int64_t> expectedLoads(const Graph& graph, std::int64_t rows, std::int64_t nonzeros,
                                        std::int64_t mostItems) {
  if (rows <= 0 || nonzeros <= 0) return {};
  const std::int64_t items = std::min(rows, mostItems);
  const double mean = static_cast<double>(nonzeros) / static_cast<double>(rows);
  const auto most = std::min(static_cast<double>(graph.maxDegree), static_cast<double>(graph.vertices));
  PhiloxStream random(kSeed, Purpose::generate, 31);
  std::vector<double> itemLoads;
  if (graph.exponent > 1 && most > mean) {
    const PowerLaw law(mean, most, graph.exponent);
    const std::int64_t single = items < rows ? items / 2 : items, bundles = items - single;
    const auto degree = [&](double rank) { return law.quantile(1 - rank / static_cast<double>(rows)); };
    for (std::int64_t i = 0; i < single; ++i) itemLoads.push_back(degree(static_cast<double>(i) + 0.5));
    const double each =
        static_cast<double>(rows - single) / static_cast<double>(std::max<std::int64_t>(1, bundles));
    for (std::int64_t b = 0; b < bundles; ++b)
      itemLoads.push_back(each * degree(static_cast<double>(single) + (static_cast<double>(b) + 0.5) * each));
  } else {
    // a Poisson number of arcs each, near enough a normal one
    const double each = mean * static_cast<double>(rows) / static_cast<double>(items);
    for (std::int64_t i = 0; i < items; ++i) {
      const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
      const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
      itemLoads.push_back(std::max(0.0, each + std::sqrt(each) * normal));
    }
    if (std::ranges::all_of(itemLoads, [](double w) { return w <= 0; })) itemLoads[0] = 1;
  }
  for (std::size_t i = itemLoads.size(); i > 1; --i) std::swap(itemLoads[i - 1], itemLoads[random.below(i)]);
  return roundedTo(nonzeros, itemLoads);
}

}  // namespace halo::sim::awb
