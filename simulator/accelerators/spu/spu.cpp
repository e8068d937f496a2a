// MixGCN's sparse processing unit (SPU), MixGCN 3.2.1: S-SpMM, sums of neighbours' rows of a binary matrix
// under a mask of wanted outputs. Adders only: D^-1/2 is applied by the dense side before and after.
//
//   bring the rows of the sources with the most nonzeros  [pinned_mb of the node buffer, for the whole pass]
//   for each tile of destinations          (their sums stay in the output buffer)
//     for each window of sources           (their rows come to the node buffer; only lines that are needed)
//       stream the block's column numbers; fetch rows; add                      [skipped if it has none]
//     write the tile's sums
//
// The paper gives no loop order; this one is ours. Level `analytic` is a bound: every byte once, nothing
// waits for anything else. Level `tile` is one event a block. While the adders work on a block, HBM brings
// its column numbers and, with buffering = "double", the next block's rows. They take as long as the
// longer of the two. HBM is one resource: what streams of it add up to is what it takes.
// Sources' rows pass a distribution tree (network.h) from the node buffer to the adders' leaves; what a mask
// skips is dropped before it.
// Not modelled: which ways they take in it, other loop orders.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "engine/experiment/figure_file.h"
#include "simulator/accelerators/spu/spu_cycles.h"
#include "simulator/device/accounting.h"
#include "simulator/device/component.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/dram_energy.h"

namespace halo::sim::spu {
namespace {

constexpr double kMostBlocks = 2e8;

constexpr std::string_view kBuffering[] = {"double", "single", "best"};
constexpr std::string_view kMaskSkips[] = {"none", "adds", "adds-and-writes"};
constexpr std::string_view kEfficiencies[] = {"cycle-model", "closed-form", "figures"};
constexpr Level kSpuLevels[] = {Level::analytic, Level::tile, Level::cycle};

constexpr Parameter kParameters[] = {
    kClock,
    {"adders", "FP32 adders of the reduction tree", wholeFigure(1, 1 << 24)},
    {"node_buffer_mb", "rows of sources, 10^6 bytes", realFigure(1e-6, 1e6)},
    {"pinned_mb",
     "of the node buffer, for the rows of the sources with the most nonzeros, which stay for a whole pass; "
     "0: "
     "none stay",
     realFigure(0, 1e6)},
    {"output_buffer_mb", "sums of destinations, 10^6 bytes", realFigure(1e-6, 1e6)},
    {"mask_buffer_mb", "one bit an output, 10^6 bytes", realFigure(1e-6, 1e6)},
    peakOf("hbm_gbps"),
    kMemory,
    kMemoryModel,
    kLineBytes,
    kIndexBytes,
    {"row_count_bytes", "of one row's count in a block", wholeFigure(0, 16)},
    {"decoder_edges_per_cycle", "column numbers decoded", wholeFigure(1, 1 << 24)},
    {"node_buffer_bytes_per_cycle", "that the banks give when none is asked twice", wholeFigure(1, 1 << 28)},
    {"tree_words_per_cycle",
     "that each level of the distribution tree carries; one that several adders take counts "
     "once",
     wholeFigure(1, 1 << 28)},
    {"efficiencies",
     "of level tile; cycle-model: counted cycle by cycle in sampled blocks; closed-form: of random rows, "
     "sums as "
     "the next figure has them; figures: the next three",
     wordFigure(kEfficiencies)},
    {"reduction_efficiency", "share of the adders that sums of several rows keep busy", realFigure(0.001, 1)},
    {"tree_efficiency", "rows that the tree brings over those that fit in if each came by itself",
     realFigure(0.001, 1e6)},
    {"bank_efficiency", "share of the banks that random rows keep busy", realFigure(0.001, 1)},
    {"buffering",
     "double: a half of each buffer fills while the other is used; best: the faster, pass by pass",
     wordFigure(kBuffering)},
    {"mask_skips", "what masked outputs save", wordFigure(kMaskSkips)},
    {"mask_density", "share of outputs that are wanted", realFigure(0, 1)},
    kTechnology,
    kBufferMacro,
    {"chip_power_w", "of the chip without HBM", realFigure(0, 1e4)},
    kLeakage,
    kChipEnergy,
    kHbmEnergy,
};

Shares sharesFor(const Spu& spu, const DeviceTask& task, const SlicePass& pass, bool twice) {
  if (task.figures.text("efficiencies") == "cycle-model") return sampleShares(spu, pass, task.graph, twice);
  const double reduction = task.figures.real("reduction_efficiency");
  if (task.figures.text("efficiencies") == "closed-form")
    return closedShares(spu, pass, task.graph, twice, reduction);
  return {reduction, task.figures.real("bank_efficiency"), task.figures.real("tree_efficiency"), 0, 0};
}

/// The pass, and what shares it was made with.
std::pair<Result, Shares> passResult(const Spu& spu, const DeviceTask& task, const SlicePass& pass) {
  const HotRows pinned = pinnedFor(spu, pass, task.graph);
  if (task.level == Level::analytic) return {boundOf(spu, pass, task.graph, pinned), {}};
  const auto buffered = [&](bool twice) -> std::pair<Result, Shares> {
    if (task.level == Level::cycle) return {cyclePass(spu, pass, task.graph, twice, pinned), {}};
    const Shares shares = sharesFor(spu, task, pass, twice);
    return {tilePass(spu, pass, task.graph, twice, shares, pinned), shares};
  };
  const std::string& buffering = task.figures.text("buffering");
  if (buffering != "best") return buffered(buffering == "double");
  auto twice = buffered(true), once = buffered(false);
  return once.first.cycles() < twice.first.cycles() ? std::move(once) : std::move(twice);
}

/// Energy of every component by counts; with chip power, what is on the chip shares P·T in that proportion.
void account(const Spu& spu, const DeviceTask& task, double rowsOpened, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const auto bytes = [&](std::size_t e) { return static_cast<double>(result.components[e].bytes); };
  const auto stream = [&](std::size_t s) { return static_cast<double>(result.streams[s].value); };
  auto& components = result.components;
  components[kHbm].energyPj =
      dramPj(spu.dram, table, task.figures.text("memory"), task.figures.text("hbm_energy") == "split",
             {static_cast<double>(result.dramBytes()), rowsOpened, result.ns}, result.factors);
  components[kDecoder].energyPj = 2 * stream(kIndexStream) * sram;  // into the buffer and out
  components[kNodeBuffer].energyPj = (stream(kRowStream) + stream(kPinnedStream) + bytes(kNodeBuffer)) * sram;
  components[kAdders].energyPj = static_cast<double>(result.operations) * table.operationPj("fp32_add", node);
  components[kOutputBuffer].energyPj =  // sums are read, added to and written; the mask is written and read
      (2 * bytes(kOutputBuffer) + stream(kSumStream) + 2 * stream(kMaskStream)) * sram;
  accountEnergy(result, {task.figures.real("chip_power_w"), false}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "chip-power");
}

std::vector<Factor> factorsOf(const Spu& spu, const DeviceTask& task) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  return {
      {"hbm_stream_share", spu.dram.streamShare(), "derived: refreshes of " + task.figures.text("memory")},
      {"hbm_random_share", spu.dram.randomShare(), "derived: four-activate window and row cycle of the same"},
      {"hbm_pj_per_byte", table.dramPjPerByte(), table.source("hbm_byte")},
      {"fp32_add_pj", table.operationPj("fp32_add", node), table.scaledSource("fp32_add", node)},
      {"sram_pj_per_byte", table.sramPjPerByte(task.figures.real("sram_macro_kb"), node),
       table.scaledSource("sram_1mb_64bit", node)},
  };
}

void addShares(const SlicePass& pass, const Shares& shares, bool closed, std::vector<Factor>& factors) {
  const std::string figureSource = "assumed: figures of the device";
  const std::string from = closed ? "derived: balls in bins, random rows"
                           : shares.blocks == 0
                               ? figureSource
                               : "cycle model: " + std::to_string(shares.nonzeros) + " nonzeros in " +
                                     std::to_string(shares.blocks) + " sampled blocks";
  const std::string suffix = "_width_" + std::to_string(pass.width);
  factors.push_back({"reduction_efficiency" + suffix, shares.reduction, closed ? figureSource : from});
  factors.push_back({"tree_efficiency" + suffix, shares.tree, from});
  factors.push_back({"bank_efficiency" + suffix, shares.banks, from});
}

/// Level `cycle` counts in a graph, a small one.
void refuseUncountable(const DeviceTask& task) {
  if (task.level != Level::cycle || task.graph.nonzeros == 0) return;
  const DramTable& memory = task.library.memories.at(task.figures.text("memory"));
  if (task.figures.integer("line_bytes") % memory.burstBytes != 0)
    throw InputError({.key = "device.line_bytes",
                      .message = "level 'cycle' moves bursts of " + std::to_string(memory.burstBytes) +
                                 " bytes; a line is one or several of them"});
  refuseLongCounting(task);
}

/// The bound is generous: nothing overlaps, every row comes alone from the worst page.
void refuseLarge(const Spu& spu, const DeviceTask& task) {
  constexpr double kWorstPage = 8;
  double bytes = 0, cycles = 0;
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    const auto width = static_cast<double>(pass.width), nonzeros = static_cast<double>(task.graph.nonzeros);
    const double row = width * kFeatureBytes + static_cast<double>(spu.line);
    const double moved =
        nonzeros * (static_cast<double>(spu.indexBytes) + row) +
        static_cast<double>(task.graph.vertices) * (3 * row + static_cast<double>(spu.countBytes));
    bytes += moved;
    cycles +=
        kWorstPage * moved / spu.peakBytesPerCycle +
        nonzeros * (1 / spu.decode + row / spu.port + 1 / rowsATurn(spu, pass.width) + width / spu.adders);
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.hbm_gbps");
}

/// A level that looks at every block must be able to.
void refuseManyBlocks(const Spu& spu, const DeviceTask& task) {
  if (task.level == Level::analytic) return;
  const bool twice = task.figures.text("buffering") != "single";
  for (const SlicePass& pass : task.passes)
    if (pass.width > 0 && blocksOf(task.graph, spu.shape(pass.width, twice)) > kMostBlocks)
      throw InputError(Problem{
          .key = "device.node_buffer_mb",
          .message = "with device.output_buffer_mb cuts this graph into more than 200 million blocks; larger "
                     "buffers, more slices, or level = \"analytic\""});
}

void refuseTaskOfSpu(const DeviceTask& task) {
  const Spu spu(task.figures, task.library);
  refuseUncountable(task);
  refuseLarge(spu, task);
  refuseManyBlocks(spu, task);
}

DeviceResult simulateSpu(const DeviceTask& task) {
  refuseTaskOfSpu(task);
  const Spu spu(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  result.factors = factorsOf(spu, task);
  double rowsOpened = 0;
  std::map<std::pair<std::int64_t, bool>, Result> resultOfKey;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.vertices == 0) continue;
    const std::pair key(pass.width, pass.masked);
    auto entry = resultOfKey.find(key);
    if (entry == resultOfKey.end()) {
      auto [keyResult, shares] = passResult(spu, task, pass);
      if (task.level == Level::tile)
        addShares(pass, shares, task.figures.text("efficiencies") == "closed-form", result.factors);
      entry = resultOfKey.emplace(key, std::move(keyResult)).first;
    }
    append(entry->second, kNames, pass, result);
    rowsOpened += entry->second.rowsOpened;
  }
  result.ns = static_cast<double>(result.cycles) / spu.hz * 1e9;
  account(spu, task, rowsOpened, result);
  return result;
}

std::vector<Problem> refuseSpu(const Values& figures, const Library& library,
                               std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  const Spu spu(figures, library);
  const std::int64_t widest = widestOf(passes);
  if (widest == 0) return problems;
  const bool twice = figures.text("buffering") != "single";
  const TileShape shape = spu.shape(widest, twice);
  const std::string needs = "holds less than one row of " + std::to_string(widest) + " columns" +
                            (twice ? " in each half" : "") + "; more bytes, or more slices";
  if (shape.windowRows < 1 && spu.pinnedBytes > 0)
    wrong("pinned_mb", "leaves of node_buffer_mb less than one row of " + std::to_string(widest) +
                           " columns" + (twice ? " in each half" : "") + "; fewer bytes, or more slices");
  else if (shape.windowRows < 1)
    wrong("node_buffer_mb", needs);
  if (shape.tileRows < 1)
    wrong(spu.outputBytes <= spu.maskBytes * 32 ? "output_buffer_mb" : "mask_buffer_mb", needs);
  return problems;
}

Matrix executeSpu(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                  std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const TileShape shape = Spu(figures, library).shape(H.cols(), figures.text("buffering") != "single");
  const std::vector<std::int64_t> begins = partBegins(A.cols, partsOf(A.cols, shape.windowRows));
  forEachTile({A.rows(), A.nonzeros(), 1, A}, shape, [&](const Tile& tile) {
    const std::vector<BlockEdges> blocks = edgesOf(A, begins, tile.first, tile.first + tile.rows);
    for (std::size_t w = 0; w < blocks.size(); ++w) {
      const std::int64_t begin = begins[w];
      auto source = blocks[w].sources.begin();
      for (std::size_t i = 0; i < blocks[w].destinations.size(); ++i)
        for (const auto end = source + blocks[w].lengths[i]; source != end; ++source)
          for (Index c = 0; c < H.cols(); ++c) sums(blocks[w].destinations[i], c) += H(begin + *source, c);
    }
  });
  keepWanted(mask, sums);
  return sums;
}

Values scaledSpu(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"node_buffer_mb", "pinned_mb", "output_buffer_mb", "mask_buffer_mb", "hbm_gbps",
                          "chip_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  for (const char* key :
       {"adders", "decoder_edges_per_cycle", "node_buffer_bytes_per_cycle", "tree_words_per_cycle"})
    scaled.find(key)->second =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(figures.integer(key)) * share));
  return scaled;
}

Roof roofOfSpu(const Values& figures) {
  return {static_cast<double>(figures.integer("adders")) * figures.real("freq_mhz") * 1e6,
          figures.real("hbm_gbps") * 1e9};
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"spu", "MixGCN's sparse processing unit: sums of neighbours' rows under an output mask",
                     "MixGCN 3.2.1, 4.1", kParameters},
     .levels = kSpuLevels,
     .refuse = refuseSpu,
     .refuseTask = refuseTaskOfSpu,
     .scaled = scaledSpu,
     .execute = executeSpu,
     .simulate = simulateSpu,
     .roof = roofOfSpu}};

}  // namespace
}  // namespace halo::sim::spu
