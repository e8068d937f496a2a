// EnGN: rings of processing elements that reduce along edges, and a cache of the rows of vertices with many
// neighbours. Its choice of the narrower order of aggregation and update is model.order = "auto".
//
//   keep the rows of the vertices with the most neighbours in the vertex cache
//   for each batch of destinations, one an element of a ring; a ring a column of features
//     for each `ring_elements` sources with an edge into the batch, in order
//       let their rows go once round the rings; every element adds those of its neighbours
//     write the batch's sums
//
// The paper's details are not verified here: the ring's order, what is cached where and what overlaps are
// ours. A batch's edges, the rows that are not cached and the last batch's sums come and go while rings turn.
// Level `analytic`: E f additions on all elements, every byte once. Level `tile`: an event a batch. With
// figures alone no vertex has more neighbours than others. Not modelled: edges' reordering within a rotation,
// conflicts of the cache's banks, the update in a pass's time. Source: Liang et al., EnGN, IEEE TC 2020;
// resources/manual/reference/simulator/engn.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/hot_rows.h"
#include "simulator/graph/tiling.h"
#include "simulator/memory/memory.h"

namespace halo::sim::engn {
namespace {

constexpr std::int64_t kFeatureBytes = 4;
constexpr double kMega = 1e6, kMostBatches = 2e7;
constexpr Level kLevels[] = {Level::analytic, Level::tile};

constexpr Parameter kParameters[] = {
    kClock,
    {"ring_elements", "of a ring, each with one destination of the batch", Integer{128, 1, 1 << 20}},
    {"rings", "columns of features at once", Integer{16, 1, 1 << 20}},
    {"vertex_cache_mb", "rows of the vertices with the most neighbours, 10^6 bytes; 0: there is none",
     Real{0.064, 0, 1e6}},
    kEdgeBytes,
    peakOf("hbm_gbps"),
    kMemory,
    kLineBytes,
    kTechnology,
    kBufferMacro,
    {"chip_power_w", "of the chip without HBM", Real{2.56, 0, 1e4}},
    kLeakage,
    kChipEnergy,
};

enum Engine : std::size_t { kHbm, kCache, kRings, kEngines };
enum Cause : std::size_t { kForHbm, kForRings, kCauses };
enum Stream : std::size_t { kEdgeStream, kRowStream, kCachedStream, kSumStream, kStreams };
constexpr const char* kEngineNames[] = {"hbm", "vertex cache", "rings"};
constexpr const char* kCauseNames[] = {"hbm", "rings"};
constexpr const char* kStreamNames[] = {"edges", "rows of sources", "cached rows", "sums"};
constexpr Name kWorking[] = {Name::stream, Name::gather, Name::reduce};
constexpr Name kWaiting[] = {Name::awaitRows, Name::awaitAdders};
constexpr EngineNames kNames{kEngineNames, kCauseNames, kWorking, kWaiting};
using Result = PassResult<kEngines, kCauses, kStreams>;

struct Device {
  Device(const Values& f, const Library& library)
      : hz(f.real("freq_mhz") * 1e6),
        gbps(f.real("hbm_gbps")),
        cacheBytes(f.real("vertex_cache_mb") * kMega),
        ring(f.integer("ring_elements")),
        rings(f.integer("rings")),
        edgeBytes(f.integer("edge_bytes")),
        line(f.integer("line_bytes")),
        dram(library.memories.at(f.text("memory")), gbps, line, DramModel::closedPage) {}

  std::int64_t beats(std::int64_t width) const { return (width + rings - 1) / rings; }
  /// Whole lines: rows begin on one.
  std::int64_t rowBytes(std::int64_t width) const { return (width * kFeatureBytes + line - 1) / line * line; }
  std::int64_t cachedRows(std::int64_t width, std::int64_t vertices) const {
    return std::min(vertices, static_cast<std::int64_t>(cacheBytes / static_cast<double>(rowBytes(width))));
  }
  std::int64_t cycles(const Traffic& traffic) const {
    return static_cast<std::int64_t>(std::ceil(dram.ns(traffic) * hz * 1e-9 - 1e-6));
  }

  double hz, gbps, cacheBytes;
  std::int64_t ring, rings, edgeBytes, line;
  Dram dram;
};

/// One batch: its sources, and those of them that are not in the cache.
struct Batch {
  std::int64_t rows = 0, nonzeros = 0, sources = 0, fetched = 0;
};

template <class Use>
void countBatches(const CsrRows& matrix, std::int64_t ring, const std::vector<bool>& cached,
                  const AskStop& askStop, const Use& use) {
  constexpr std::int64_t kAskedEvery = 1 << 18;  // rows and nonzeros
  StopAsks asks(askStop, kAskedEvery);
  std::vector<std::int64_t> seenBy(at(matrix.cols), -1);
  for (std::int64_t first = 0; first < matrix.rows(); first += ring) {
    Batch batch{std::min(ring, matrix.rows() - first), 0, 0, 0};
    for (std::int64_t r = first; r < first + batch.rows; ++r) {
      const auto row = matrix.row(r);
      asks.step(1 + std::ssize(row));
      for (const Vertex v : row) {
        const auto source = at(v);
        ++batch.nonzeros;
        if (seenBy[source] == first) continue;
        seenBy[source] = first;
        ++batch.sources;
        batch.fetched += cached[source] ? 0 : 1;
      }
    }
    use(batch);
  }
}

/// Calls use(batch) for every batch of the graph.
template <class Use>
void forEachBatch(const Device& device, std::int64_t width, const Graph& graph, const Use& use) {
  const std::int64_t cachedRows = device.cachedRows(width, graph.vertices);
  if (graph.matrix != nullptr)
    return countBatches(*graph.matrix, device.ring, hotRows(graph, cachedRows).isHot, graph.askStop, use);
  const double missed = 1 - static_cast<double>(cachedRows) / static_cast<double>(graph.vertices);
  const TileShape shape{device.ring, std::max<std::int64_t>(1, graph.vertices), 1, 1};  // a line a source
  forEachTile(graph, shape, [&](const Tile& tile) {
    const Block& block = tile.blocks.front();
    use(Batch{tile.rows, block.nonzeros, block.lines,
              static_cast<std::int64_t>(std::ceil(missed * static_cast<double>(block.lines)))});
  });
}

Result tilePass(const Device& device, const SlicePass& pass, const Graph& graph) {
  Result result;
  const std::int64_t rowBytes = device.rowBytes(pass.width), beats = device.beats(pass.width);
  const std::int64_t cachedBytes = device.cachedRows(pass.width, graph.vertices) * rowBytes;
  std::int64_t toWrite = 0;
  const auto alone = [&](std::int64_t bytes) {
    const std::int64_t cycles = device.cycles({bytes, 0, 0});
    if (bytes > 0)
      result.log.add(
          sideBySide<kCauses, kEngines>({cycles, 0, 0}, {bytes, 0, 0}, {kForHbm, kForHbm, kForRings}));
  };
  alone(cachedBytes);
  result.bytes[kCachedStream] = cachedBytes;
  forEachBatch(device, pass.width, graph, [&](const Batch& batch) {
    if (batch.nonzeros == 0) return;
    const std::int64_t edges = batch.nonzeros * device.edgeBytes, rows = batch.fetched * rowBytes;
    const std::int64_t lines = rowBytes / device.line;
    const Traffic traffic{edges + toWrite, rows,
                          device.dram.rowsOpened(batch.fetched, graph.vertices, lines)};
    // the ring turns whole: its elements hold as many sources as there are of them
    const std::int64_t turns = (batch.sources + device.ring - 1) / device.ring;
    const std::int64_t turned = turns * device.ring * beats;
    const std::int64_t fromCache = (batch.sources - batch.fetched) * beats;
    result.log.add(
        sideBySide<kCauses, kEngines>({device.cycles(traffic), std::min(fromCache, turned), turned},
                                      {edges + toWrite + rows, (batch.sources - batch.fetched) * rowBytes,
                                       batch.nonzeros * pass.width * kFeatureBytes},
                                      {kForHbm, kForRings, kForRings}));
    result.bytes[kEdgeStream] += edges;
    result.bytes[kRowStream] += rows;
    toWrite = batch.rows * pass.width * kFeatureBytes;
    result.bytes[kSumStream] += toWrite;
  });
  alone(toWrite);
  // the cache's rows came with the first stretch
  result.additions = graph.nonzeros * pass.width;
  return result;
}

Result boundOf(const Device& device, const SlicePass& pass, const Graph& graph) {
  Result result;
  const std::int64_t row = pass.width * kFeatureBytes;
  result.bytes = {graph.nonzeros * device.edgeBytes, sourcesUsed(graph) * row, 0, rowsUsed(graph) * row};
  result.additions = graph.nonzeros * pass.width;
  const auto hbm =
      static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / (device.gbps * 1e9 / device.hz));
  const auto turned = static_cast<std::int64_t>(static_cast<double>(result.additions) /
                                                static_cast<double>(device.ring * device.rings));
  result.log.add(sideBySide<kCauses, kEngines>(
      {hbm, 0, turned}, {result.dramBytes(), 0, graph.nonzeros * row}, {kForHbm, kForRings, kForRings}));
  return result;
}

void refuseLarge(const Device& device, const DeviceTask& task) {
  double bytes = 0, cycles = 0;
  const auto nonzeros = static_cast<double>(task.graph.nonzeros);
  const auto vertices = static_cast<double>(task.graph.vertices);
  for (const SlicePass& pass : task.passes) {
    const auto row = static_cast<double>(device.rowBytes(pass.width));
    const double moved = nonzeros * (static_cast<double>(device.edgeBytes) + row) + 2 * vertices * row;
    bytes += moved;
    cycles += 8 * moved / (device.gbps * 1e9 / device.hz) +
              (nonzeros + vertices) * static_cast<double>(device.ring * device.beats(pass.width));
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.hbm_gbps");
  if (task.level != Level::analytic && vertices / static_cast<double>(device.ring) > kMostBatches)
    throw InputError(
        Problem{.key = "device.ring_elements",
                .message = "cuts this graph into more than 20 million batches; longer rings, or level = "
                           "\"analytic\""});
}

void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double add = table.operationPj("fp32_add", node), hbm = table.dramPjPerByte();
  auto& components = result.components;
  components[kHbm].energyPj = static_cast<double>(result.dramBytes()) * hbm;
  components[kCache].energyPj =
      static_cast<double>(components[kCache].bytes + result.streams[kCachedStream].value) * sram;
  components[kRings].energyPj =  // rows and edges into a buffer and out, sums in registers
      2 * static_cast<double>(result.streams[kEdgeStream].value + result.streams[kRowStream].value) * sram +
      static_cast<double>(result.operations) * (add + 2 * table.operationPj("register_32bit", node));
  accountEnergy(result, {task.figures.real("chip_power_w"), false}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "chip-power");
  result.factors.push_back({"hbm_pj_per_byte", hbm, table.source("hbm_byte")});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_32kb_64bit", node)});
  result.factors.push_back({"fp32_add_pj", add, table.scaledSource("fp32_add", node)});
}

void refuseTaskOfEngn(const DeviceTask& task) { refuseLarge(Device(task.figures, task.library), task); }

DeviceResult simulateEngn(const DeviceTask& task) {
  refuseTaskOfEngn(task);
  const Device device(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  std::map<std::int64_t, Result> resultOfWidth;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.nonzeros == 0) continue;
    auto entry = resultOfWidth.find(pass.width);
    if (entry == resultOfWidth.end()) {
      entry = resultOfWidth
                  .emplace(pass.width, task.level == Level::analytic ? boundOf(device, pass, task.graph)
                                                                     : tilePass(device, pass, task.graph))
                  .first;
      result.factors.push_back({fmt::format("cached_rows_width_{}", pass.width),
                                static_cast<double>(device.cachedRows(pass.width, task.graph.vertices)),
                                task.graph.matrix != nullptr
                                    ? "derived: those with the most neighbours"
                                    : "assumed: all rows as likely, with figures alone"});
    }
    append(entry->second, kNames, pass, result);
  }
  result.ns = static_cast<double>(result.cycles) / device.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseEngn(const Values& figures, const Library& library,
                                std::span<const SlicePass> passes) {
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  const Device device(figures, library);
  const std::int64_t widest = widestOf(passes);
  if (device.cacheBytes <= 0 || device.cacheBytes >= static_cast<double>(device.rowBytes(widest))) return {};
  return {{.key = "vertex_cache_mb",
           .message =
               fmt::format("holds less than one row of {} columns, which takes {} bytes in whole lines; more "
                           "bytes, more slices, or 0 for no cache",
                           widest, device.rowBytes(widest))}};
}

Matrix executeEngn(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                   std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  const Device device(figures, library);
  for (std::int64_t first = 0; first < A.rows(); first += device.ring) {
    // sources go round in order, every element takes those of its row
    std::map<Vertex, std::vector<Index>> into;
    for (Index r = first; r < std::min(A.rows(), first + device.ring); ++r)
      for (const Vertex v : A.row(r)) into[v].push_back(r);
    for (const auto& [source, rows] : into)
      for (const Index r : rows)
        for (Index c = 0; c < H.cols(); ++c) sums(r, c) += H(source, c);
  }
  keepWanted(mask, sums);
  return sums;
}

/// A batch's sources are as many in a replica, so the clock is scaled, not the ring.
Values scaledEngn(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"freq_mhz", "vertex_cache_mb", "hbm_gbps", "chip_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  return scaled;
}

Roof roofOfEngn(const Values& figures) {
  return {static_cast<double>(figures.integer("ring_elements") * figures.integer("rings")) *
              figures.real("freq_mhz") * 1e6,
          figures.real("hbm_gbps") * 1e9};
}

/// Elements multiply as well: a destination's row a ring position, an output column a ring.
std::int64_t updatePsOfEngn(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  if (rows == 0 || in == 0 || out == 0) return 0;
  const auto ring = static_cast<double>(figures.integer("ring_elements"));
  const auto rings = static_cast<double>(figures.integer("rings"));
  const double tiles =
      std::ceil(static_cast<double>(rows) / ring) * std::ceil(static_cast<double>(out) / rings);
  const double cycles =
      tiles * static_cast<double>(in) + ring + rings;  // tiles one behind the other, filled once
  return updatePsOf(cycles / (figures.real("freq_mhz") * 1e6) * 1e9, "freq_mhz");
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"engn",
                     "EnGN: rings that reduce along edges, and a cache for vertices with many neighbours",
                     "EnGN, IEEE TC 2020", kParameters},
     .levels = kLevels,
     .refuse = refuseEngn,
     .refuseTask = refuseTaskOfEngn,
     .scaled = scaledEngn,
     .execute = executeEngn,
     .simulate = simulateEngn,
     .roof = roofOfEngn,
     .updatePs = updatePsOfEngn}};

}  // namespace
}  // namespace halo::sim::engn
