#pragma once

// One pass of AWB-GCN over a graph (awb_gcn.cpp says what is modelled).

#include <array>
#include <cmath>
#include <map>

#include "simulator/accelerators/awb_gcn/awb_rebalance.h"
#include "simulator/device/pass_result.h"
#include "simulator/memory/memory.h"

namespace halo::sim::awb {

constexpr double kMega = 1e6;
constexpr std::int64_t kFeatureBytes = 4;  // FP32

/// How a pass is cut: so many columns of the dense operand at a time, each time over all strips of rows.
struct ColumnPlan {
  std::int64_t columns = 1;  // at a time, at most
  std::int64_t groups = 1;   // of columns
  std::int64_t strips = 1;   // of output rows; 1: whole columns are on the chip
};

/// The figures, in units that cycles are counted with.
struct Awb {
  Awb(const Values& figures, const Library& library);

  std::int64_t cyclesOf(double ns) const {
    return static_cast<std::int64_t>(std::ceil(ns * hz * 1e-9 - 1e-6));
  }
  ColumnPlan plan(const Graph& graph, std::int64_t width) const;
  /// The distributor's output behind which a PE and its neighbours stand.
  std::int64_t outputOf(std::int64_t pe) const { return pe * inputs / balance.pes; }

  double hz, columnBytes;
  std::int64_t elementBytes, pointerBytes;  // of a nonzero (row number and value), of a column's begin
  std::int64_t inputs, lines;               // of the distributor; lines: the next power of two
  std::int64_t routerDepth, queueDepth;
  bool omega, fewestBytes, converged;
  BalanceFigures balance;
  std::int64_t fill;
  double peakBytesPerCycle;
  Dram dram;
};

/// What the busiest take of one column of a strip, in nonzeros.
struct RoundLoads {
  std::int64_t busiest = 0;  // PE, after local smoothing
  std::int64_t output = 0;   // of the distributor
};

/// Rows [first, first + rows) and how their work is spread, round by round.
struct Strip {
  std::int64_t first = 0, rows = 0, nonzeros = 0;
  std::vector<RoundLoads> rounds;       // 0 … rounds, then what is kept for good
  std::vector<Assignment> assignments;  // the same, or the first and the last one only
  const RoundLoads& at(std::int64_t round) const {
    return rounds[static_cast<std::size_t>(std::min(round, std::ssize(rounds) - 1))];
  }
};

struct Balance {
  std::vector<Strip> strips;
  std::string from;  // where the loads come from
  /// Share of the PEs' time that is work, over all strips.
  double utilisation(std::int64_t pes, std::int64_t round) const;
};

/// Counts rows in the graph, or expects them from its degrees. keepsAll: every assignment (level cycle).
Balance balanceOf(const Awb& awb, const Graph& graph, std::int64_t strips, bool keepsAll);

/// What level `tile` takes from counting cycle by cycle.
struct Shares {
  double network = 1;   // of the distributor's inputs that conflicts leave busy
  double together = 1;  // of what the slower of network and PEs would do if the other did not hinder it
};
struct SampledShares {
  Shares first, kept;  // before the first round, after the last one
  std::int64_t nonzeros = 0, strips = 0;
};

enum Engine : std::size_t { kHbm, kDistributor, kPes, kBuffer, kEngines };
enum Cause : std::size_t { kMatrix, kColumns, kWrites, kNetwork, kBusiest, kFilling, kCauses };
enum Stream : std::size_t { kNonzeroStream, kPointerStream, kInputStream, kOutputStream, kStreams };
constexpr const char* kStreamNames[] = {"nonzeros", "column pointers", "input columns", "output columns"};
constexpr const char* kEngineNames[] = {"dram", "task distributor", "processing elements", "column buffer"};
constexpr const char* kCauseNames[] = {"matrix stream", "input columns",   "writing columns",
                                       "network",       "busiest element", "filling"};
constexpr Name kBusy[] = {Name::stream, Name::decodeIndex, Name::reduce, Name::gather};
constexpr Name kWaiting[] = {Name::awaitIndex,   Name::awaitRows,   Name::awaitWrites,
                             Name::awaitDecoder, Name::awaitAdders, Name::awaitFill};
constexpr EngineNames kNames = {kEngineNames, kCauseNames, kBusy, kWaiting};

using Result = PassResult<kEngines, kCauses, kStreams>;

/// Level `analytic`: every byte once at the peak of DRAM, or the slower of distributor and PEs, perfectly
/// even.
Result boundOf(const Awb& awb, const SlicePass& pass, const Graph& graph);
/// Level `tile`; round: how many columns have been worked on before. Level `cycle` with cycles = true: needs
/// graph.matrix and a balance with every assignment.
Result stripPass(const Awb& awb, const SlicePass& pass, const Graph& graph, const Balance& balance,
                 std::int64_t round, const SampledShares& shares, bool cycles);

}  // namespace halo::sim::awb
