#pragma once

// AWB-GCN's workload rebalancing: rows on processing elements (PEs), moved round by round until the loads are
// even. A round is one column of the dense operand; after the last one the best found is kept.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/graph/workload.h"

namespace halo::sim::awb {

/// Work of one row, or one of `parts` equal shares of it: of the row's nonzeros, numbers part, part + parts,
/// …
struct Piece {
  std::int64_t row = 0;
  std::int64_t part = 0, parts = 1;
  std::int64_t load = 0;  // nonzeros
};

struct Assignment {
  std::vector<std::vector<Piece>> ofPe;
  std::vector<std::int64_t> loads() const;
};

struct BalanceFigures {
  std::int64_t pes = 1;
  std::int64_t hops = 0;       // local smoothing: neighbours on each side that may take a PE's work
  std::int64_t pairs = 0;      // remote switching: pairs of PEs that exchange rows in a round
  std::int64_t splitRows = 0;  // rows above the mean load that are split in a round
  double step = 1;             // share of half the difference that a pair exchanges
  std::int64_t rounds = 0;     // then frozen
  bool splits(std::int64_t load, std::int64_t mean) const { return splitRows > 0 && load > mean; }
};

/// The largest load that remains when every PE's work may also be done by its neighbours up to `hops` away.
/// No division reaches less. Cost: O(PEs · log load).
std::int64_t smoothedMost(std::span<const std::int64_t> loads, std::int64_t hops);
/// The definition, by Hall's theorem. A stretch of PEs has itself and its neighbours to work for it. The
/// stretch with the most work for each of these decides.
std::int64_t smoothedMostReference(std::span<const std::int64_t> loads, std::int64_t hops);

/// Row r on PE r mod PEs.
Assignment dealt(std::span<const std::int64_t> rowLoads, std::int64_t pes);
/// One round. Rows above the mean load are split, and the parts go to the least loaded PEs. Then the most and
/// the least loaded PE, the next ones, … exchange rows of about half their difference. No work is lost or
/// made. Returns false where nothing was moved, and nothing would be in later rounds.
bool rebalance(Assignment& assignment, const BalanceFigures& figures);

/// What a round works with; round 0 is the rows as dealt.
using SeeRound = std::function<void(std::int64_t round, const Assignment& assignment)>;
/// Goes through rounds 0 … figures.rounds, or until one moves nothing; returns the best of them, which is
/// kept for all later columns.
Assignment balanceRounds(std::span<const std::int64_t> rowLoads, const BalanceFigures& figures,
                         const SeeRound& see);

/// Row loads of a graph of which only counts are known, in at most `mostItems` items. Where graph.exponent is
/// known, loads are degrees at the quantiles of that power law. The largest rows are items one by one, the
/// rest in bundles. Else arcs go to random rows. The items are in random order; their sum is `nonzeros`.
std::vector<std::int64_t> expectedLoads(const Graph& graph, std::int64_t rows, std::int64_t nonzeros,
                                        std::int64_t mostItems);

}  // namespace halo::sim::awb
