#pragma once

// One aggregation on HyScale's and HP-GNN's FPGA kernel (fpga.cpp says what is modelled).

#include <cmath>
#include <cstdint>

#include "simulator/device/pass_result.h"
#include "simulator/graph/tiling.h"
#include "simulator/memory/memory.h"

namespace halo::sim::fpga {

constexpr std::int64_t kFeatureBytes = 4;  // FP32
constexpr double kMega = 1e6;
constexpr std::int64_t kChunkGroups = 128;  // whose rows are fetched while others are worked on

/// The figures, in units that cycles are counted with.
struct Fpga {
  Fpga(const Values& figures, const Library& library);

  /// A row of `width` columns is as many beats of all lanes.
  std::int64_t beats(std::int64_t width) const { return (width + lanes - 1) / lanes; }
  std::int64_t beatBytes() const { return lanes * kFeatureBytes; }
  /// Destinations whose sums are on the chip at once; 0 where none fits.
  std::int64_t tileRows(std::int64_t width) const;
  /// The whole source side is one window, a line a row: lines that a tile touches are its sources.
  TileShape shape(std::int64_t width, std::int64_t vertices) const;
  /// Share of DDR's peak where the memory is modelled by shares, else 1.
  double share(const SlicePass& pass) const {
    return !byShares ? 1 : pass.layer == 0 ? firstLayerShare : laterShare;
  }
  /// Cycles, not rounded, of a tile's edges and rows of `sources` of `vertices`, and of its sums.
  double memoryCycles(const SlicePass& pass, std::int64_t streamBytes, std::int64_t sources,
                      std::int64_t vertices) const;
  std::int64_t sumBytes(const SlicePass& pass, std::int64_t rows) const {
    return directUpdate ? 0 : rows * beats(pass.width) * beatBytes();
  }

  double hz;
  std::int64_t elements, lanes, destinationRows, readPorts, adderCycles, edgeBytes;
  double accumulatorBytes, dispatched, gbps;
  bool byShares, directUpdate;
  double firstLayerShare, laterShare;
  std::int64_t fill;  // cycles through scatter, butterfly and adder
  Dram dram;

 private:
  Traffic traffic(const SlicePass& pass, std::int64_t streamBytes, std::int64_t sources,
                  std::int64_t vertices) const;
};

enum Engine : std::size_t { kDdr, kDispatcher, kDuplicator, kScatter, kGather, kEngines };
enum Cause : std::size_t { kMemory, kDispatching, kReading, kConflicts, kHazard, kFilling, kCauses };
enum Stream : std::size_t { kEdgeStream, kRowStream, kSumStream, kStreams };
inline constexpr const char* kEngineNames[] = {"ddr", "edge dispatcher", "feature duplicator", "scatter",
                                               "gather"};
inline constexpr const char* kCauseNames[] = {
    "ddr", "edge dispatcher", "read ports", "butterfly conflicts", "accumulate hazard", "filling"};
inline constexpr const char* kStreamNames[] = {"edges", "rows of sources", "sums"};
inline constexpr Name kWorking[] = {Name::stream, Name::decodeIndex, Name::gather, Name::send, Name::reduce};
inline constexpr Name kWaiting[] = {Name::awaitRows,  Name::awaitDecoder, Name::awaitBanks,
                                    Name::awaitBanks, Name::awaitAdders,  Name::awaitFill};
inline constexpr EngineNames kNames{kEngineNames, kCauseNames, kWorking, kWaiting};

using Result = PassResult<kEngines, kCauses, kStreams>;

/// What a group of edges takes at its gather elements in the mean, and what it was counted in.
struct GroupCost {
  double rounds = 1;        // edges at the busiest element
  double hazardCycles = 0;  // waiting for sums that are still in the adder
  std::int64_t groups = 0;  // that were counted; 0: the closed form
};

/// Level `tile`.
Result tilePass(const Fpga& fpga, const SlicePass& pass, const Graph& graph, const GroupCost& cost);
/// Level `cycle`: group by group, with the state of every bank of DDR. Needs graph.matrix.
Result cyclePass(const Fpga& fpga, const SlicePass& pass, const Graph& graph);
/// Level `analytic`: E f / (n · lanes) cycles, or the bytes at the share of DDR's peak, whichever is longer.
Result boundOf(const Fpga& fpga, const SlicePass& pass, const Graph& graph);

}  // namespace halo::sim::fpga
