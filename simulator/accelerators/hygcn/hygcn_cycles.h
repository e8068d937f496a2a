#pragma once

// HyGCN cycle by cycle: what level `tile` takes as shares is counted here (hygcn.cpp says what is modelled).

#include <optional>
#include <vector>

#include "simulator/accelerators/hygcn/hygcn_shards.h"
#include "simulator/graph/block_edges.h"
#include "simulator/memory/bank_dram.h"

namespace halo::sim::hygcn {

/// What share of its peak an engine reaches while it has work, and what it was counted in.
struct Shares {
  double banks = 1;  // of the input buffer
  /// Where shards tell the edges at their busiest bank: cycles of an edge beyond those, in the mean.
  std::optional<double> conflicts;
  double memory = 1;     // of DRAM whose streams are not coordinated
  double rowsAByte = 0;  // of DRAM opened, where they are not
  double writing = 1;    // as `memory`, of what is written while nothing is read
  std::int64_t shards = 0, nonzeros = 0;
};

/// Share of the input buffer's banks that random rows keep busy, in closed form (balls in bins).
///   Source: resources/design/simulator.md, Networks and banks
double closedBanks(const HyGcn& device, std::int64_t width);

/// Cycles of the input buffer's banks for sources as they stream, as many asked for a cycle as there are
/// cores for.
std::int64_t gatherCycles(const HyGcn& device, std::int64_t width, std::span<const std::int64_t> sources);
/// The same in the mean of samples, of `edges` edges of a shard.
std::int64_t expectedGatherCycles(const HyGcn& device, std::int64_t width, const Shares& shares,
                                  const Shard& shard, std::int64_t edges);
/// Cycles of the cores. Edges go one after the other, each on as many cores as its features need. What has no
/// room in a cycle goes on in the next.
std::int64_t coreCycles(const HyGcn& device, std::int64_t width, std::int64_t nonzeros);

/// Counted in sampled blocks of the graph, and in a mix of streams as this pass has them.
Shares sampleShares(const HyGcn& device, const SlicePass& pass, const Graph& graph);

/// Bytes that are asked of DRAM together: edges, rows (as bursts), weights, and what is written.
struct Batch {
  std::int64_t edgeBytes = 0, weightBytes = 0, writtenBytes = 0;
  std::span<const std::uint64_t> rows;
};

/// DRAM with the state of every bank, and where the streams lie in it. Coordinated: one stream after the
/// other, edges, rows, weights, results; channels and banks by the lowest bits of an address. Not: streams
/// side by side, each as fast as it is long, channels and banks by the device's uncoordinated_map.
class StreamedDram {
 public:
  explicit StreamedDram(const HyGcn& device);
  /// ns from `nowNs` on until all of it has moved.
  double serve(double nowNs, const Batch& batch);
  const BankTotals& totals() const { return dram_.totals(); }

 private:
  const HyGcn& device_;
  BankDram dram_;  // whole channels; where the bandwidth is not, they are slower by
  double speed_;
  std::uint64_t edgesAt_ = 0, weightsAt_ = 0, writtenAt_ = 0;
};

/// Counts what shards of one pass take. Called in the order in which a pass works.
class CycleModel {
 public:
  CycleModel(const HyGcn& device, const SlicePass& pass, const Graph& graph);

  void beginInterval(const Interval& interval);
  /// Of edges [from, to) of a shard of the interval: cycles of cores and of the input buffer.
  std::array<std::int64_t, 2> compute(std::size_t shard, std::int64_t from, std::int64_t to) const;
  /// Bursts that bring its rows.
  std::vector<std::uint64_t> rowBursts(const Shard& shard, std::size_t index) const;
  std::int64_t rowsOpened() const { return dram_.totals().activates; }
  /// Cycles from `cycle` on until DRAM has moved all of it.
  std::int64_t memory(std::int64_t cycle, const Batch& batch);

 private:
  const HyGcn& device_;
  const SlicePass& pass_;
  CsrRows matrix_;
  std::vector<BlockEdges> blocks_;
  StreamedDram dram_;
};

}  // namespace halo::sim::hygcn
