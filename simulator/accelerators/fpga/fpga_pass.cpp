#include "simulator/accelerators/fpga/fpga_pass.h"

#include <algorithm>
#include <bit>

#include "simulator/accelerators/fpga/fpga_groups.h"

namespace halo::sim::fpga {
namespace {

std::int64_t up(double cycles) { return static_cast<std::int64_t>(std::ceil(cycles - 1e-9)); }

/// Cycles and bytes of each engine for one tile.
struct TileCost {
  std::array<std::int64_t, kEngines> busy{}, bytes{};
  std::int64_t hazard = 0;
};

/// sums: bytes of the last tile's, which leave all through this one.
TileCost costOf(const Fpga& fpga, const SlicePass& pass, const Graph& graph, const GroupCost& group,
                std::int64_t sums, const Block& block) {
  const std::int64_t beats = fpga.beats(pass.width), beatBytes = fpga.beatBytes();
  const std::int64_t edges = block.nonzeros * fpga.edgeBytes;
  const double groups = std::ceil(static_cast<double>(block.nonzeros) / static_cast<double>(fpga.elements));
  const auto wide = static_cast<double>(beats);
  TileCost cost;
  cost.bytes = {edges + sums + block.lines * beats * beatBytes, edges, block.lines * beats * beatBytes,
                block.nonzeros * beats * beatBytes, block.nonzeros * beats * beatBytes};
  cost.busy = {up(fpga.memoryCycles(pass, edges + sums, block.lines, graph.vertices)),
               up(static_cast<double>(block.nonzeros) / fpga.dispatched),
               up(static_cast<double>(block.lines) * wide / static_cast<double>(fpga.readPorts)),
               up(groups * wide), up(groups * wide * group.rounds)};
  cost.hazard = up(groups * group.hazardCycles);
  return cost;
}

/// What the others wait for: the slowest engine.
Cause limitOf(const TileCost& cost) {
  const std::int64_t gather = cost.busy[kGather] + cost.hazard;
  const std::int64_t most =
      std::max({cost.busy[kDdr], cost.busy[kDispatcher], cost.busy[kDuplicator], gather});
  if (most == cost.busy[kDdr]) return kMemory;
  if (most == gather) return cost.hazard > cost.busy[kGather] ? kHazard : kConflicts;
  return most == cost.busy[kDuplicator] ? kReading : kDispatching;
}

/// Nothing else goes on while the first rows come, the last edge passes through, the last sums leave.
void addAlone(std::int64_t cycles, bool ddr, std::int64_t bytes, Result& to) {
  Interval<kEngines, kCauses> now;
  now.cycles = cycles;
  now.bytes[kDdr] = bytes;
  for (std::size_t e = 0; e < kEngines; ++e) {
    if (ddr && e == kDdr)
      now.busy[e] = cycles;
    else
      now.stalled[e][ddr ? kMemory : kFilling] = cycles;
  }
  to.log.add(now);
}

void addTile(const TileCost& cost, std::int64_t led, Result& to) {
  Interval<kEngines, kCauses> now;
  const std::int64_t ddr = std::max<std::int64_t>(0, cost.busy[kDdr] - led);
  now.cycles =
      std::max({ddr, cost.busy[kDispatcher], cost.busy[kDuplicator], cost.busy[kGather] + cost.hazard});
  now.busy = cost.busy;
  now.busy[kDdr] = ddr;
  now.bytes = cost.bytes;
  now.stalled[kGather][kHazard] = cost.hazard;
  const Cause limit = limitOf(cost);
  for (std::size_t e = 0; e < kEngines; ++e)
    now.stalled[e][limit] += now.cycles - now.busy[e] - (e == kGather ? cost.hazard : 0);
  to.log.add(now);
}

}  // namespace

Fpga::Fpga(const Values& f, const Library& library)
    : hz(f.real("freq_mhz") * 1e6),
      elements(f.integer("elements")),
      lanes(f.integer("lanes")),
      destinationRows(f.integer("destination_rows")),
      readPorts(f.integer("read_ports")),
      adderCycles(f.integer("adder_cycles")),
      edgeBytes(f.integer("edge_bytes")),
      accumulatorBytes(f.real("sum_buffer_mb") * kMega),
      dispatched(f.real("dispatched_edges_per_cycle")),
      gbps(f.real("ddr_gbps")),
      byShares(f.text("memory_model") == "shares"),
      directUpdate(f.flag("direct_update")),
      firstLayerShare(f.real("first_layer_share")),
      laterShare(f.real("later_share")),
      fill(std::countr_zero(static_cast<std::uint64_t>(elements)) + adderCycles),
      dram(library.memories.at(f.text("memory")), gbps, lanes * kFeatureBytes, DramModel::closedPage) {}

std::int64_t Fpga::tileRows(std::int64_t width) const {
  const double rows = accumulatorBytes / static_cast<double>(beats(width) * beatBytes());
  return std::min(destinationRows, static_cast<std::int64_t>(std::min(rows, 4e9)));
}

TileShape Fpga::shape(std::int64_t width, std::int64_t vertices) const {
  return {tileRows(width), std::max<std::int64_t>(1, vertices), 1, 1};
}

Traffic Fpga::traffic(const SlicePass& pass, std::int64_t streamBytes, std::int64_t sources,
                      std::int64_t vertices) const {
  const std::int64_t wide = beats(pass.width), bytes = sources * wide * beatBytes();
  if (sources == vertices) return {streamBytes + bytes, 0, 0};
  return {streamBytes, bytes, dram.rowsOpened(sources, vertices, wide)};
}

double Fpga::memoryCycles(const SlicePass& pass, std::int64_t streamBytes, std::int64_t sources,
                          std::int64_t vertices) const {
  const Traffic all = traffic(pass, streamBytes, sources, vertices);
  const double ns = byShares
                        ? static_cast<double>(all.streamBytes + all.scatteredBytes) / (gbps * share(pass))
                        : dram.ns(all);
  return ns * hz * 1e-9;
}

Result tilePass(const Fpga& fpga, const SlicePass& pass, const Graph& graph, const GroupCost& group) {
  Result result;
  std::int64_t led = -1, toWrite = 0;
  forEachTile(graph, fpga.shape(pass.width, graph.vertices), [&](const Tile& tile) {
    const Block& block = tile.blocks.front();
    if (block.nonzeros == 0) return;
    const TileCost cost = costOf(fpga, pass, graph, group, toWrite, block);
    std::int64_t already = 0;
    if (led < 0) {
      const double share = std::min(
          1.0, static_cast<double>(kChunkGroups * fpga.elements) / static_cast<double>(block.nonzeros));
      already = up(share * static_cast<double>(cost.busy[kDdr]));
      led = already + up(fpga.dram.latencyNs() * fpga.hz * 1e-9);
      addAlone(led, true, 0, result);
    }
    addTile(cost, already, result);
    result.bytes[kEdgeStream] += cost.bytes[kDispatcher];
    result.bytes[kRowStream] += cost.bytes[kDuplicator];
    toWrite = fpga.sumBytes(pass, tile.rows);
    result.bytes[kSumStream] += toWrite;
  });
  if (toWrite > 0) addAlone(up(fpga.memoryCycles(pass, toWrite, 0, graph.vertices)), true, toWrite, result);
  if (led >= 0) addAlone(fpga.fill, false, 0, result);
  result.additions = graph.nonzeros * pass.width;
  return result;
}

Result boundOf(const Fpga& fpga, const SlicePass& pass, const Graph& graph) {
  Result result;
  const double edges = static_cast<double>(graph.nonzeros), width = static_cast<double>(pass.width);
  const std::int64_t rowBytes = pass.width * kFeatureBytes;
  result.bytes[kEdgeStream] = graph.nonzeros * fpga.edgeBytes;
  result.bytes[kRowStream] = sourcesUsed(graph) * rowBytes;
  result.bytes[kSumStream] = fpga.directUpdate ? 0 : rowsUsed(graph) * rowBytes;
  result.additions = graph.nonzeros * pass.width;
  const double perCycle = fpga.gbps * 1e9 / fpga.hz * fpga.share(pass);
  TileCost cost;
  cost.busy[kDdr] = static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / perCycle);
  cost.busy[kScatter] = cost.busy[kGather] =
      static_cast<std::int64_t>(edges * width / static_cast<double>(fpga.elements * fpga.lanes));
  cost.bytes = {result.dramBytes(), result.bytes[kEdgeStream], result.bytes[kRowStream],
                graph.nonzeros * rowBytes, graph.nonzeros * rowBytes};
  addTile(cost, 0, result);
  return result;
}

}  // namespace halo::sim::fpga
