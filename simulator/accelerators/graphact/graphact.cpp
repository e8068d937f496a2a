// GraphACT: sums of neighbours' rows on an FPGA in which pairs of neighbours that stand together in several
// rows are added once. The host finds the pairs (pair_reduction.h); the device sums pairs first, then rows.
//
//   for each pair: add its two rows                         (its sum is a row like others)
//   for each tile of destinations, for each window of rows  (both on the chip)
//     add rows and pairs' sums; write the tile's sums
//
// Work: Σ (degree − 1) of what is left, and one addition a pair, each as many beats as a row has. Where all
// rows and pairs' sums lie in one window, pairs' sums never leave the chip. Else they are written and read
// like rows of features. Level `analytic`: the same additions, every byte once. Level `tile`: an event a
// tile, its memory beside its additions. With figures alone no pairs are known, and none are taken. Not
// modelled: what the host takes to find pairs (GraphACT hides it behind the last batch), conflicts of banks,
// the sampling of subgraphs. Source: Zeng and Prasanna, GraphACT, FPGA 2020
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/pair_reduction.h"
#include "simulator/graph/tiling.h"
#include "simulator/memory/memory.h"

namespace halo::sim::graphact {
namespace {

constexpr std::int64_t kFeatureBytes = 4, kPairBytes = 8;
constexpr double kMega = 1e6, kMostBlocks = 2e8, kMostPairSteps = 1e10;
constexpr Level kLevels[] = {Level::analytic, Level::tile};

constexpr Parameter kParameters[] = {
    kClock,
    {"lanes", "FP32 adders, each for a column of a row", Integer{128, 1, 1 << 20}},
    {"mac_units", "multiply-accumulate units of the update's array", Integer{1024, 1, 1 << 20}},
    {"rounds", "of pairing neighbours; 0: none", Integer{3, 0, 100}},
    {"least_rows", "that two neighbours stand together in, to be a pair", Integer{3, 2, 1 << 30}},
    {"row_buffer_mb", "rows of a window, 10^6 bytes", Real{16, 1e-6, 1e6}},
    {"sum_buffer_mb", "sums of a tile, 10^6 bytes", Real{8, 1e-6, 1e6}},
    kIndexBytes,
    peakOf("ddr_gbps"),
    kMemory,
    kLineBytes,
    kTechnology,
    sramMacro("one memory block of rows and sums, for energy"),
    kBoardMemoryEnergy,
    kBoardPower,
    kLeakage,
    kBoardEnergy,
};

enum Engine : std::size_t { kDdr, kRows, kAdders, kEngines };
enum Cause : std::size_t { kForDdr, kForAdders, kCauses };
enum Stream : std::size_t { kIndexStream, kRowStream, kPairStream, kSumStream, kStreams };
constexpr const char* kEngineNames[] = {"ddr", "row buffer", "adders"};
constexpr const char* kCauseNames[] = {"ddr", "adders"};
constexpr const char* kStreamNames[] = {"column numbers", "rows of sources", "sums of pairs", "sums"};
constexpr Name kWorking[] = {Name::stream, Name::gather, Name::reduce};
constexpr Name kWaiting[] = {Name::awaitRows, Name::awaitAdders};
constexpr EngineNames kNames{kEngineNames, kCauseNames, kWorking, kWaiting};
using Result = PassResult<kEngines, kCauses, kStreams>;

struct Device {
  Device(const Values& f, const Library& library)
      : hz(f.real("freq_mhz") * 1e6),
        rowBuffer(f.real("row_buffer_mb") * kMega),
        sumBuffer(f.real("sum_buffer_mb") * kMega),
        gbps(f.real("ddr_gbps")),
        lanes(f.integer("lanes")),
        indexBytes(f.integer("index_bytes")),
        line(f.integer("line_bytes")),
        dram(library.memories.at(f.text("memory")), gbps, line, DramModel::closedPage) {}

  std::int64_t beats(std::int64_t width) const { return (width + lanes - 1) / lanes; }
  TileShape shape(std::int64_t width) const {
    const double row = static_cast<double>(width * kFeatureBytes);
    const auto wholeRows = [](double rows) { return static_cast<std::int64_t>(std::min(rows, 4e9)); };
    return {wholeRows(sumBuffer / row), wholeRows(rowBuffer / row), width * kFeatureBytes, line};
  }
  std::int64_t cycles(const Traffic& traffic) const {
    return static_cast<std::int64_t>(std::ceil(dram.ns(traffic) * hz * 1e-9 - 1e-6));
  }

  double hz, rowBuffer, sumBuffer, gbps;
  std::int64_t lanes, indexBytes, line;
  Dram dram;
};

/// The graph with its pairs, where it is known.
struct Work {
  Graph graph;  // columns of graph.matrix: the vertices, then the pairs
  std::int64_t pairs = 0, additions = 0;
};

Work workOf(const DeviceTask& task, PairReduction& reduction) {
  const Graph& graph = task.graph;
  if (graph.matrix == nullptr) return {graph, 0, graph.nonzeros - rowsUsed(graph)};
  const auto rounds = static_cast<int>(task.figures.integer("rounds"));
  if (rounds > 0 && pairSteps(*graph.matrix) > kMostPairSteps)
    throw InputError(
        {.key = "device.rounds",
         .message = fmt::format("counting pairs of neighbours takes {:.2g} steps in this graph, at most "
                                "{:.0g}; a sampled subgraph, or rounds = 0",
                                pairSteps(*graph.matrix), kMostPairSteps)});
  reduction = reducePairs(*graph.matrix, rounds, task.figures.integer("least_rows"), graph.askStop);
  Graph reduced{graph.vertices, reduction.matrix.nonzeros(), 1, &reduction.matrix};
  reduced.askStop = graph.askStop;
  return {std::move(reduced), std::ssize(reduction.pairs), reduction.additions()};
}

Interval<kEngines, kCauses> beside(std::int64_t ddr, std::int64_t moved, std::int64_t added,
                                   std::int64_t bytes) {
  // rows leave the buffer as the adders take them
  return sideBySide<kCauses, kEngines>({ddr, added, added}, {moved, bytes, 0},
                                       {kForDdr, kForAdders, kForAdders});
}

/// Pairs' rows come, and their sums are made; they leave where the chip does not hold all rows.
void addPairs(const Device& device, const SlicePass& pass, const Work& work, bool leave, Result& to) {
  if (work.pairs == 0) return;
  const std::int64_t rowBytes = pass.width * kFeatureBytes;
  const std::int64_t index = work.pairs * kPairBytes, sums = leave ? work.pairs * rowBytes : 0;
  const std::int64_t lines = (rowBytes + device.line - 1) / device.line;
  // two rows of each, anywhere; a window that holds all is filled below, and pairs wait for it there
  const std::int64_t fetched = leave ? 2 * work.pairs * lines * device.line : 0;
  const Traffic traffic{index + sums, fetched, static_cast<double>(leave ? 2 * work.pairs : 0)};
  to.log.add(beside(device.cycles(traffic), index + sums + fetched, work.pairs * device.beats(pass.width),
                    2 * work.pairs * rowBytes));
  to.bytes[kIndexStream] += index;
  to.bytes[kRowStream] += fetched;
  to.bytes[kPairStream] += sums;
}

Result tilePass(const Device& device, const SlicePass& pass, const Work& work) {
  Result result;
  const TileShape shape = device.shape(pass.width);
  const Graph& graph = work.graph;
  const std::int64_t columns = graph.vertices + work.pairs, rowBytes = pass.width * kFeatureBytes;
  const bool resident = columns <= shape.windowRows;
  addPairs(device, pass, work, !resident, result);
  bool filled = false;
  forEachTile(graph, shape, [&](const Tile& tile) {
    Traffic traffic;
    std::int64_t nonzeros = 0, rows = 0;
    for (const Block& block : tile.blocks) {
      if (block.nonzeros == 0) continue;
      nonzeros += block.nonzeros;
      if (resident) continue;
      const std::int64_t bytes = std::min(block.sources * rowBytes, block.lines * device.line);
      rows += bytes;
      if (block.lines < block.windowLines) {
        traffic.scatteredBytes += bytes;
        traffic.scatteredRows += device.dram.rowsOpened(block.lines, block.windowLines);
      } else {
        traffic.streamBytes += bytes;
      }
    }
    if (nonzeros == 0) return;
    if (resident && !filled) traffic.streamBytes = rows = graph.vertices * rowBytes;
    filled = true;
    const std::int64_t index = nonzeros * device.indexBytes, sums = tile.rows * rowBytes;
    traffic.streamBytes += index + sums;
    const std::int64_t added =
        graph.matrix != nullptr ? rowAdditions(*graph.matrix, tile.first, tile.first + tile.rows)
                                : static_cast<std::int64_t>(std::ceil(static_cast<double>(work.additions) *
                                                                      static_cast<double>(nonzeros) /
                                                                      static_cast<double>(graph.nonzeros)));
    result.log.add(beside(device.cycles(traffic), index + sums + rows, added * device.beats(pass.width),
                          nonzeros * rowBytes));
    result.bytes[kIndexStream] += index;
    result.bytes[kRowStream] += rows;
    result.bytes[kSumStream] += sums;
  });
  result.additions = work.additions * pass.width;
  return result;
}

Result boundOf(const Device& device, const SlicePass& pass, const Work& work, const Graph& plain) {
  Result result;
  const std::int64_t rowBytes = pass.width * kFeatureBytes;
  result.bytes = {work.graph.nonzeros * device.indexBytes + work.pairs * kPairBytes,
                  sourcesUsed(plain) * rowBytes, 0, rowsUsed(plain) * rowBytes};
  result.additions = work.additions * pass.width;
  const double perCycle = device.gbps * 1e9 / device.hz;
  const auto ddr = static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / perCycle);
  const auto added =
      static_cast<std::int64_t>(static_cast<double>(result.additions) / static_cast<double>(device.lanes));
  result.log.add(beside(ddr, result.dramBytes(), added, (work.graph.nonzeros + 2 * work.pairs) * rowBytes));
  return result;
}

void refuseLarge(const Device& device, const DeviceTask& task) {
  double bytes = 0, cycles = 0;
  const auto nonzeros = static_cast<double>(task.graph.nonzeros);
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    const double row = static_cast<double>(pass.width * kFeatureBytes + 2 * device.line);
    const double moved = nonzeros * (static_cast<double>(device.indexBytes) + 3 * row) +
                         2 * static_cast<double>(task.graph.vertices) * row;
    bytes += moved;
    cycles += 8 * moved / (device.gbps * 1e9 / device.hz) +
              nonzeros * static_cast<double>(device.beats(pass.width));
    if (task.level != Level::analytic && blocksOf(task.graph, device.shape(pass.width)) > kMostBlocks)
      throw InputError(Problem{
          .key = "device.row_buffer_mb",
          .message = "with device.sum_buffer_mb cuts this graph into more than 200 million blocks; larger "
                     "buffers, more slices, or level = \"analytic\""});
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.ddr_gbps");
}

void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double add = table.operationPj("fp32_add", node), memory = task.figures.real("memory_pj_per_byte");
  auto& components = result.components;
  const auto stream = [&](std::size_t s) { return static_cast<double>(result.streams[s].value); };
  components[kDdr].energyPj = static_cast<double>(result.dramBytes()) * memory;
  components[kRows].energyPj =
      (static_cast<double>(components[kRows].bytes) + stream(kRowStream) + stream(kSumStream)) * sram;
  components[kAdders].energyPj = static_cast<double>(result.operations) * add;
  accountEnergy(result, {task.figures.real("board_power_w"), true}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "board-power");
  result.factors.push_back({"memory_pj_per_byte", memory, "assumed: figures of the device"});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_32kb_64bit", node)});
  result.factors.push_back({"fp32_add_pj", add, table.scaledSource("fp32_add", node)});
}

void refuseTaskOfGraphAct(const DeviceTask& task) { refuseLarge(Device(task.figures, task.library), task); }

DeviceResult simulateGraphAct(const DeviceTask& task) {
  refuseTaskOfGraphAct(task);
  const Device device(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  const bool any = std::ranges::any_of(task.passes, [](const SlicePass& pass) { return pass.width > 0; });
  if (any && task.graph.nonzeros > 0) {
    PairReduction reduction;
    const Work work = workOf(task, reduction);
    const std::string from =
        task.graph.matrix != nullptr ? "derived: counted in the graph" : "assumed: none, with figures alone";
    result.factors.push_back({"pairs", static_cast<double>(work.pairs), from});
    const auto plain = static_cast<double>(task.graph.nonzeros - rowsUsed(task.graph));
    result.factors.push_back(
        {"additions_left", plain > 0 ? static_cast<double>(work.additions) / plain : 1, from});
    std::map<std::int64_t, Result> resultOfWidth;  // passes of one width are alike
    for (const SlicePass& pass : task.passes) {
      if (pass.width == 0) continue;
      auto entry = resultOfWidth.find(pass.width);
      if (entry == resultOfWidth.end())
        entry =
            resultOfWidth
                .emplace(pass.width, task.level == Level::analytic ? boundOf(device, pass, work, task.graph)
                                                                   : tilePass(device, pass, work))
                .first;
      append(entry->second, kNames, pass, result);
    }
  }
  result.ns = static_cast<double>(result.cycles) / device.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseGraphAct(const Values& figures, const Library& library,
                                    std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  const std::int64_t widest = widestOf(passes);
  if (widest == 0) return problems;
  const TileShape shape = Device(figures, library).shape(widest);
  const std::string needs =
      fmt::format("holds less than one row of {} columns; more bytes, or more slices", widest);
  if (shape.windowRows < 1) wrong("row_buffer_mb", needs);
  if (shape.tileRows < 1) wrong("sum_buffer_mb", needs);
  return problems;
}

Matrix executeGraphAct(const Values& figures, const Library&, const CsrRows& A, const Matrix& H,
                       std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  const PairReduction reduction =
      reducePairs(A, static_cast<int>(figures.integer("rounds")), figures.integer("least_rows"));
  Matrix rows, sums;
  rows.resize(reduction.matrix.cols, H.cols());
  sums.setZero(A.rows(), H.cols());
  std::ranges::copy(H.values(), rows.values().begin());
  Index pairRow = A.cols;
  for (const auto& [first, second] : reduction.pairs) {
    for (Index c = 0; c < H.cols(); ++c) rows(pairRow, c) = rows(first, c) + rows(second, c);
    ++pairRow;
  }
  for (Index r = 0; r < A.rows(); ++r)
    for (const Vertex v : reduction.matrix.row(r))
      for (Index c = 0; c < H.cols(); ++c) sums(r, c) += rows(v, c);
  keepWanted(mask, sums);
  return sums;
}

/// Lanes are whole columns of a row, so the clock is scaled in their place.
Values scaledGraphAct(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key :
       {"freq_mhz", "ddr_gbps", "row_buffer_mb", "sum_buffer_mb", "board_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  return scaled;
}

Roof roofOfGraphAct(const Values& figures) {
  return {static_cast<double>(figures.integer("lanes")) * figures.real("freq_mhz") * 1e6,
          figures.real("ddr_gbps") * 1e9};
}

std::int64_t updatePsOfGraphAct(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  if (rows == 0 || in == 0 || out == 0) return 0;
  const double products = static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
  const auto units = static_cast<double>(figures.integer("mac_units"));
  const double cycles = std::ceil(products / units) + 2 * std::ceil(std::sqrt(units));  // filling the array
  return updatePsOf(cycles / (figures.real("freq_mhz") * 1e6) * 1e9, "freq_mhz");
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"graphact", "GraphACT: neighbours that stand together in several rows are added once",
                     "GraphACT, FPGA 2020", kParameters},
     .levels = kLevels,
     .refuse = refuseGraphAct,
     .refuseTask = refuseTaskOfGraphAct,
     .scaled = scaledGraphAct,
     .execute = executeGraphAct,
     .simulate = simulateGraphAct,
     .roof = roofOfGraphAct,
     .updatePs = updatePsOfGraphAct}};

}  // namespace
}  // namespace halo::sim::graphact
