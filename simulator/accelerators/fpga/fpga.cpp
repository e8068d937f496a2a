// HyScale's and HP-GNN's kernel on an FPGA. Edges sorted by source go in groups of n through n scatter
// elements and a butterfly to n gather elements. The gather elements hold the sums of a tile of destinations.
// An array of m multiply-accumulate units updates finished sums.
//
//   for each tile of destinations          (their sums stay on the chip)
//     for each source with an edge into it, in order
//       read its row once (feature duplicator); for each of its edges, n at a time: scatter, route, add
//
// The dispatcher deals out the n edges of a group. Rows that are new take beats of the read ports. Each edge
// takes its row's beats at the element of its destination (number mod n). Edges for one element therefore
// wait for each other, and an edge waits for a sum that is still in the adder. Rows are read ahead, groups
// follow each other at the gather elements.
// Level `analytic` is a bound: E f / (n · lanes) cycles or the bytes at DDR's peak (or the design-space
// code's shares of it). Level `tile` is an event a tile, groups as in the mean of sampled ones. Level `cycle`
// takes group after group, and DDR bank by bank.
// Not modelled: the update in the time of a pass (updatePs has it), partial reconfiguration, four dies.
// Source: HyScale IV-C, V; HP-GNN, FPGA 2022
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "simulator/accelerators/fpga/fpga_groups.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/fpga_kernel.h"

namespace halo::sim::fpga {
namespace {

constexpr double kMostTiles = 2e7;
constexpr std::string_view kMemoryModels[] = {"closed-page", "shares"};
constexpr std::string_view kConflictModels[] = {"cycle-model", "closed-form"};
constexpr Level kFpgaLevels[] = {Level::analytic, Level::tile, Level::cycle};

constexpr Parameter kParameters[] = {
    kClock,
    {"elements", "n: scatter and gather elements, a power of two", Integer{8, 1, 64}},
    {"mac_units", "m: multiply-accumulate units of the update's array", Integer{2048, 1, 1 << 20}},
    {"lanes", "FP32 columns that an element takes a cycle", Integer{16, 1, 1024}},
    {"destination_rows", "sums on the chip, at most", Integer{10240, 1, 1 << 30}},
    {"sum_buffer_mb", "memory of these sums, 10^6 bytes", Real{22.6, 1e-6, 1e6}},
    {"dispatched_edges_per_cycle", "edges that the dispatcher deals out", Real{4, 1e-3, 1e6}},
    {"read_ports", "beats of rows that are read a cycle", Integer{4, 1, 1024}},
    {"adder_cycles", "from a number to a sum that can be added to", Integer{8, 0, 1000}},
    {"edge_bytes", "of one edge", Integer{8, 0, 64}},
    {"direct_update", "sums go to the update on the chip and are not written to DDR", Flag{true}},
    peakOf("ddr_gbps"),
    sim::kMemory,
    {"memory_model",
     "closed-page: the busiest of bus, activations, banks; shares: of the peak, by the next two",
     Choice{"closed-page", kMemoryModels}},
    {"first_layer_share", "of DDR's peak that the first layer's rows reach", Real{0.3, 0.001, 1}},
    {"later_share", "that other layers' rows reach", Real{0.9, 0.001, 1}},
    {"conflicts",
     "of level tile; cycle-model: groups counted in sampled tiles; closed-form: n edges at n random elements",
     Choice{"cycle-model", kConflictModels}},
    {"luts", "look-up tables of the board", Integer{1'728'000, 1, 1'000'000'000}},
    {"dsps", "arithmetic blocks of the board", Integer{12'288, 1, 1'000'000'000}},
    {"lut_cap", "share of the look-up tables that can still be routed", Real{0.80, 0.01, 1}},
    {"dsp_cap", "share of the arithmetic blocks that can still be routed", Real{0.92, 0.01, 1}},
    kTechnology,
    sramMacro("one memory block of sums and rows, for energy"),
    kBoardMemoryEnergy,
    kBoardPower,
    kLeakage,
    kBoardEnergy,
};

FpgaKernel kernelOf(const Values& f) {
  return {static_cast<int>(f.integer("elements")), static_cast<int>(f.integer("mac_units"))};
}
FpgaBoard boardOf(const Values& f) {
  return {f.integer("luts"), f.integer("dsps"), f.real("lut_cap"), f.real("dsp_cap")};
}

/// What the design takes of the board, and which one would be the shortest for these passes and the updates
/// between them.
void addDesign(const DeviceTask& task, std::vector<Factor>& factors) {
  const Values& f = task.figures;
  const FpgaBoard board = boardOf(f);
  const FpgaUse use = useOf(kernelOf(f), board);
  const auto within = [](double share, double cap) {
    return share <= cap ? fmt::format("; the cap is {}", cap)
                        : fmt::format("; above the cap of {}: may not be routed", cap);
  };
  const std::string from = "derived: HP-GNN's design-space code";
  factors.push_back({"lut_share", use.lutShare, from + within(use.lutShare, board.lutCap)});
  factors.push_back({"dsp_share", use.dspShare, from + within(use.dspShare, board.dspCap)});
  FpgaWork work{0, 0, f.real("freq_mhz"), static_cast<int>(f.integer("lanes"))};
  for (std::size_t p = 0; p < task.passes.size(); ++p) {
    const auto width = static_cast<double>(task.passes[p].width);
    const auto next = static_cast<double>(task.passes[std::min(p + 1, task.passes.size() - 1)].width);
    work.edgeColumns += static_cast<double>(task.graph.nonzeros) * width;
    work.macs += static_cast<double>(task.graph.vertices) * width * next;
  }
  const std::optional<FpgaDesign> best = bestFpga(work, board);
  if (!best) return;
  factors.push_back(
      {"shortest_elements", static_cast<double>(best->kernel.elements),
       "derived: of all designs under the caps, for these aggregations and the updates between"});
  factors.push_back({"shortest_mac_units", static_cast<double>(best->kernel.macUnits), "derived: the same"});
}

void addGroups(const Fpga& fpga, const SlicePass& pass, const GroupCost& cost, std::vector<Factor>& factors) {
  const std::string suffix = "_width_" + std::to_string(pass.width);
  const std::string from = cost.groups == 0
                               ? fmt::format("derived: {0} edges at {0} random elements", fpga.elements)
                               : fmt::format("cycle model: {} sampled groups", cost.groups);
  factors.push_back({"edges_at_busiest_element" + suffix, cost.rounds, from});
  factors.push_back({"hazard_cycles_a_group" + suffix, cost.hazardCycles, from});
}

void refuseUncountable(const DeviceTask& task) {
  if (task.level != Level::cycle || task.graph.nonzeros == 0) return;
  if (task.figures.text("memory_model") == "shares")
    throw InputError(
        Problem{.key = "device.memory_model",
                .message = "level 'cycle' counts DDR's banks; \"closed-page\", or level \"tile\""});
  const DramTable& memory = task.library.memories.at(task.figures.text("memory"));
  if (task.figures.integer("lanes") * kFeatureBytes % memory.burstBytes != 0)
    throw InputError(
        {.key = "device.lanes",
         .message = fmt::format("level 'cycle' moves bursts of {} bytes; a beat is one or several of them",
                                memory.burstBytes)});
  refuseLongCounting(task);
}

/// The bound is generous: every edge brings its row alone, all go to one element and wait for its adder.
void refuseLarge(const Fpga& fpga, const DeviceTask& task) {
  constexpr double kWorstPage = 8;
  double bytes = 0, cycles = 0;
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    const auto beats = static_cast<double>(fpga.beats(pass.width));
    const double row = beats * static_cast<double>(fpga.beatBytes());
    const auto edges = static_cast<double>(task.graph.nonzeros);
    const double moved =
        edges * (static_cast<double>(fpga.edgeBytes) + row) + static_cast<double>(task.graph.vertices) * row;
    bytes += moved;
    cycles += kWorstPage * moved / (fpga.gbps * 1e9 / fpga.hz * fpga.share(pass)) +
              edges * (beats + static_cast<double>(fpga.adderCycles) + 1 / fpga.dispatched);
    if (task.level != Level::analytic &&
        blocksOf(task.graph, fpga.shape(pass.width, task.graph.vertices)) > kMostTiles)
      throw InputError(Problem{
          .key = "device.sum_buffer_mb",
          .message = "with device.destination_rows cuts this graph into more than 20 million tiles; more "
                     "sums on the chip, or level = \"analytic\""});
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.ddr_gbps");
}

/// What each component counted; then both sums.
void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double add = table.operationPj("fp32_add", node), memory = task.figures.real("memory_pj_per_byte");
  auto& components = result.components;
  const auto bytes = [&](std::size_t e) { return static_cast<double>(components[e].bytes); };
  components[kDdr].energyPj = static_cast<double>(result.dramBytes()) * memory;
  components[kDispatcher].energyPj = 2 * bytes(kDispatcher) * sram;  // into a queue and out
  components[kDuplicator].energyPj = 2 * bytes(kDuplicator) * sram;
  const double crossbars = table.operationPj("crossbar_1to4_32bit", node) *
                           static_cast<double>(crossbarsTo(task.figures.integer("elements")));
  components[kGather].energyPj =  // words come through the butterfly; sums are read, added to and written
      bytes(kGather) / kFeatureBytes * crossbars + 2 * bytes(kGather) * sram +
      static_cast<double>(result.operations) * add;
  accountEnergy(result, {task.figures.real("board_power_w"), true}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "board-power");
  result.factors.push_back({"memory_pj_per_byte", memory, "assumed: figures of the device"});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_32kb_64bit", node)});
  result.factors.push_back({"fp32_add_pj", add, table.scaledSource("fp32_add", node)});
}

GroupCost groupsFor(const Fpga& fpga, const DeviceTask& task, const SlicePass& pass) {
  if (task.figures.text("conflicts") == "cycle-model") return sampleGroups(fpga, pass, task.graph);
  return {expectedRounds(fpga.elements), 0, 0};
}

void refuseTaskOfFpga(const DeviceTask& task) {
  refuseUncountable(task);
  refuseLarge(Fpga(task.figures, task.library), task);
}

DeviceResult simulateFpga(const DeviceTask& task) {
  refuseTaskOfFpga(task);
  const Fpga fpga(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  addDesign(task, result.factors);
  std::map<std::pair<std::int64_t, double>, Result> resultOfKey;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.nonzeros == 0) continue;
    const std::pair key(pass.width, fpga.share(pass));
    auto entry = resultOfKey.find(key);
    if (entry == resultOfKey.end()) {
      Result keyResult;
      if (task.level == Level::analytic) keyResult = boundOf(fpga, pass, task.graph);
      if (task.level == Level::cycle) keyResult = cyclePass(fpga, pass, task.graph);
      if (task.level == Level::tile) {
        const GroupCost cost = groupsFor(fpga, task, pass);
        addGroups(fpga, pass, cost, result.factors);
        keyResult = tilePass(fpga, pass, task.graph, cost);
      }
      entry = resultOfKey.emplace(key, std::move(keyResult)).first;
    }
    append(entry->second, kNames, pass, result);
  }
  result.ns = static_cast<double>(result.cycles) / fpga.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseFpga(const Values& figures, const Library& library,
                                std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  const std::int64_t n = figures.integer("elements");
  if ((n & (n - 1)) != 0) {
    wrong("elements", fmt::format("{} cannot be used; a power of two", n));
    return problems;
  }
  const FpgaBoard board = boardOf(figures);
  const FpgaUse use = useOf(kernelOf(figures), board), least = useOf({static_cast<int>(n), 1}, board);
  const auto over = [&](const char* resource, std::int64_t needed, std::int64_t needsAnyway,
                        std::int64_t has) {
    if (needed > has)  // named is what must be less
      wrong(needsAnyway > has ? "elements" : "mac_units",
            fmt::format("{} elements and {} multiply-accumulate units need {} {} of {}; fewer of them", n,
                        figures.integer("mac_units"), needed, resource, has));
  };
  over("look-up tables", use.luts, least.luts, board.luts);
  over("arithmetic blocks", use.dsps, least.dsps, board.dsps);
  const std::int64_t widest = widestOf(passes);
  if (widest > 0 && Fpga(figures, library).tileRows(widest) < 1)
    wrong("sum_buffer_mb",
          fmt::format("holds less than one sum of {} columns; more bytes, or more slices", widest));
  return problems;
}

Matrix executeFpga(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                   std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const Fpga fpga(figures, library);
  forEachTile({A.rows(), A.nonzeros(), 1, A}, fpga.shape(H.cols(), A.cols), [&](const Tile& tile) {
    for (const TileEdge& edge : edgesBySource(A, tile.first, tile.first + tile.rows))
      for (Index c = 0; c < H.cols(); ++c) sums(tile.first + edge.row, c) += H(edge.source, c);
  });
  keepWanted(mask, sums);
  return sums;
}

/// Elements are few, so the clock is scaled in their place, and with it all that is counted by the cycle. A
/// sum is hit again as much sooner as there are fewer of them: the adder's cycles go with their number.
Values scaledFpga(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"freq_mhz", "ddr_gbps", "sum_buffer_mb", "board_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  scaled.find("destination_rows")->second = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(figures.integer("destination_rows")) * share));
  scaled.find("adder_cycles")->second =
      std::llround(static_cast<double>(figures.integer("adder_cycles")) * share);
  return scaled;
}

Roof roofOfFpga(const Values& figures) {
  return {static_cast<double>(figures.integer("elements") * figures.integer("lanes")) *
              figures.real("freq_mhz") * 1e6,
          figures.real("ddr_gbps") * 1e9};
}

/// The array is m / lanes columns of outputs, each `lanes` inputs deep: they are filled once.
std::int64_t updatePsOfFpga(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  if (rows == 0 || in == 0 || out == 0) return 0;
  const auto units = static_cast<double>(figures.integer("mac_units"));
  const auto lanes = static_cast<double>(figures.integer("lanes"));
  const double products = static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
  const double cycles = std::ceil(products / units) + lanes + std::ceil(units / lanes);
  return updatePsOf(cycles / (figures.real("freq_mhz") * 1e6) * 1e9, "freq_mhz");
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"fpga", "HyScale's kernel: scatter and gather elements, and an array that updates",
                     "HyScale IV-C, V; HP-GNN", kParameters},
     .levels = kFpgaLevels,
     .refuse = refuseFpga,
     .refuseTask = refuseTaskOfFpga,
     .scaled = scaledFpga,
     .execute = executeFpga,
     .simulate = simulateFpga,
     .roof = roofOfFpga,
     .updatePs = updatePsOfFpga}};

}  // namespace
}  // namespace halo::sim::fpga
