// HyGCN: a SIMD engine that aggregates and a systolic one that combines, with the aggregation buffer between
// them (Yan et al., HPCA 2020).
//
//   for each interval of destinations          (their sums stay in half of the aggregation buffer)
//     for each shard of sources                (a window of rows comes to half of the input buffer)
//       bring its edges (as many at a time as half the edge buffer holds), then the rows they need;
//       add each edge's row to its sum, on all cores
//     the halves change hands: the sums are combined (or, as here by default, leave) during the next interval
//
// Windows of sources are loaded in one of three ways. With `fit` they are loaded whole. With `shrink`, the
// paper's way, they slide to the first needed row and shrink to the last; what lies between is loaded all the
// same. With `gather` they hold lines with a needed row. Streams of HBM are coordinated, or compete
// (`coordination`).
// Level `analytic` is a bound: every byte once, nothing waits for anything else. Level `tile` is one event a
// shard: HBM brings the next one's edges and rows while the cores work on this one. An interval lasts as long
// as its shards, or as the combination of the one before. One event a shard is finer than the paper's own
// pipeline, whose stage is an interval. Not modelled: widths of the engines' links, conflicts between edges
// of one destination.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "simulator/accelerators/hygcn/hygcn_pass.h"
#include "simulator/accelerators/hygcn/hygcn_refuse.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/dram_energy.h"

namespace halo::sim::hygcn {
namespace {

constexpr std::string_view kWindows[] = {"fit", "shrink", "gather"};
constexpr std::string_view kBuffering[] = {"double", "single"};
constexpr std::string_view kSwitch[] = {"off", "on"};
constexpr std::string_view kMasks[] = {"fused", "separate"};
constexpr std::string_view kModes[] = {"latency-aware", "energy-aware"};
constexpr std::string_view kEfficiencies[] = {"cycle-model", "closed-form", "figures"};
constexpr Level kLevels[] = {Level::analytic, Level::tile, Level::cycle};

constexpr Parameter kParameters[] = {
    kClock,
    {"simd_cores", "cores of the aggregation engine", Integer{32, 1, 1 << 20}},
    {"simd_width", "lanes of a core, each an adder of 32 bits", Integer{16, 1, 1 << 12}},
    {"systolic_modules", "systolic arrays of the combination engine", Integer{8, 1, 1 << 16}},
    {"module_rows", "rows of multipliers of an array: vertices", Integer{4, 1, 1 << 12}},
    {"module_columns", "columns of an array: of the result", Integer{128, 1, 1 << 12}},
    {"input_buffer_mb", "rows of sources, 10^6 bytes", Real{0.128, 1e-6, 1e6}},
    {"edge_buffer_mb", "edges, 10^6 bytes", Real{2, 1e-6, 1e6}},
    {"weight_buffer_mb", "weights of the update, 10^6 bytes", Real{2, 1e-6, 1e6}},
    {"output_buffer_mb", "results of the update, 10^6 bytes", Real{4, 1e-6, 1e6}},
    {"aggregation_buffer_mb", "sums of destinations, 10^6 bytes", Real{16, 1e-6, 1e6}},
    peakOf("hbm_gbps"),
    kMemory,
    kMemoryModel,
    {"line_bytes", "least that is fetched of a row of features by window = gather", Integer{64, 4, 4096}},
    kEdgeBytes,
    {"window",
     "rows of sources that are brought: fit, all; shrink, first to last needed; gather, lines needed",
     Choice{"shrink", kWindows}},
    {"input_buffer_bytes_per_cycle", "that the banks give when none is asked twice",
     Integer{2048, 1, 1 << 28}},
    {"buffering", "double: a half of each buffer fills while the other is used; single: one after the other",
     Choice{"double", kBuffering}},
    {"coordination", "on: a stream after the other, channels by low bits of addresses; off: all at once",
     Choice{"on", kSwitch}},
    {"uncoordinated_map",
     "addresses without coordination, from high bits: r row b bank g group c column h channel",
     Text{"crbgh"}},
    {"efficiencies",
     "of level tile; cycle-model: counted cycle by cycle in samples; figures: the next two; closed-form: "
     "banks of "
     "random rows, memory as figures",
     Choice{"cycle-model", kEfficiencies}},
    {"bank_efficiency", "share of the input buffer's banks that random rows keep busy", Real{1, 0.001, 1}},
    {"uncoordinated_share", "share of its peak that HBM reaches without coordination", Real{0.249, 0.001, 1}},
    {"mask",
     "of outputs: fused, applied as sums leave; separate: sums are read, masked and written once more",
     Choice{"fused", kMasks}},
    {"combination", "on: sums are combined (updated) here, too", Choice{"off", kSwitch}},
    {"combination_columns", "columns of an update's result", Integer{128, 1, 1 << 20}},
    {"pipeline", "on: an interval is combined while the next is aggregated; off: when all are",
     Choice{"on", kSwitch}},
    {"mode",
     "of the combination; latency-aware: a group an array; energy-aware: an interval, weights read once",
     Choice{"latency-aware", kModes}},
    kTechnology,
    kBufferMacro,
    {"chip_power_w", "of the chip without HBM", Real{6.7, 0, 1e4}},
    {"aggregation_buffer_percent", "of that power: edge and input buffer", Real{2.37, 0, 100}},
    {"aggregation_compute_percent", "of that power: SIMD cores", Real{3.85, 0, 100}},
    {"aggregation_control_percent", "of that power: edge scheduler, sparsity eliminator", Real{0.48, 0, 100}},
    {"combination_buffer_percent", "of that power: weight and output buffer", Real{14.4, 0, 100}},
    {"combination_compute_percent", "of that power: systolic arrays", Real{60.52, 0, 100}},
    {"combination_control_percent", "of that power: their control", Real{0.31, 0, 100}},
    {"coordinator_buffer_percent", "of that power: aggregation buffer", Real{17.66, 0, 100}},
    {"coordinator_control_percent", "of that power: its control", Real{0.41, 0, 100}},
    kLeakage,
    kChipEnergy,
    kHbmEnergy,
};

/// Percent of the chip's power that each engine draws; HBM is not on the chip.
std::array<double, kEngines> powerShares(const Values& f) {
  std::array<double, kEngines> shares{};
  shares[kScheduler] = f.real("aggregation_control_percent");
  shares[kInputBuffer] = f.real("aggregation_buffer_percent");
  shares[kCores] = f.real("aggregation_compute_percent");
  shares[kAggregationBuffer] = f.real("coordinator_buffer_percent") + f.real("coordinator_control_percent");
  shares[kSystolic] = f.real("combination_compute_percent") + f.real("combination_control_percent");
  shares[kOutputBuffer] = f.real("combination_buffer_percent");
  return shares;
}

/// What the engines on the chip take by counts, pJ.
std::array<double, kEngines> countedPj(const DeviceTask& task, const DeviceResult& result,
                                       const Result& sums) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double add = table.operationPj("int32_add", node),
               multiply = table.operationPj("fp32_multiply", node);
  const auto bytes = [&](std::size_t e) { return static_cast<double>(result.components[e].bytes); };
  const auto stream = [&](std::size_t s) { return static_cast<double>(result.streams[s].value); };
  std::array<double, kEngines> pj{};
  pj[kScheduler] = 2 * stream(kEdgeStream) * sram;  // into the buffer and out
  pj[kInputBuffer] = (stream(kRowStream) + bytes(kInputBuffer)) * sram;
  pj[kCores] = static_cast<double>(result.operations) * add;
  pj[kAggregationBuffer] =
      (2 * bytes(kAggregationBuffer) + bytes(kOutputBuffer)) * sram;  // read, written; out
  // each of its three operands is held in a register from one cycle to the next
  pj[kSystolic] = static_cast<double>(sums.multiplications) *
                  (multiply + add + 3 * table.operationPj("register_32bit", node));
  const bool combines = task.figures.text("combination") == "on";
  pj[kOutputBuffer] = (stream(kWeightStream) + static_cast<double>(sums.weightReads) * kFeatureBytes +
                       (combines ? 2 * stream(kResultStream) : 0)) *
                      sram;
  return pj;
}

/// Energy of every component: by counts, or its published share of the chip's power times time.
void account(const HyGcn& device, const DeviceTask& task, const Result& sums, DeviceResult& result) {
  result.components[kHbm].energyPj =
      dramPj(device.dram, task.library.energies, task.figures.text("memory"),
             task.figures.text("hbm_energy") == "split",
             {static_cast<double>(result.dramBytes()), sums.rowsOpened, result.ns}, result.factors);
  const std::array<double, kEngines> counted = countedPj(task, result, sums);
  const std::array<double, kEngines> shares = powerShares(task.figures);
  const double chip = task.figures.real("chip_power_w") * result.ns * 1e3;  // W · ns
  result.perOpPj = result.chipPowerPj = result.components[kHbm].energyPj;
  const bool byPower = task.figures.text("energy_mode") == "chip-power";
  const double leaked = task.figures.real("leakage_w") * result.ns * 1e3;
  double all = 0;
  for (std::size_t e = kScheduler; e < kEngines; ++e) all += counted[e];
  for (std::size_t e = kScheduler; e < kEngines; ++e) {
    const double byCount = all > 0 ? counted[e] * (1 + leaked / all) : 0;
    result.perOpPj += byCount;
    result.chipPowerPj += chip * shares[e] / 100;
    result.components[e].energyPj = byPower ? chip * shares[e] / 100 : byCount;
  }
}

std::vector<Factor> factorsOf(const HyGcn& device, const DeviceTask& task) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  return {
      {"hbm_stream_share", device.dram.streamShare(), "derived: refreshes of " + task.figures.text("memory")},
      {"hbm_random_share", device.dram.randomShare(),
       "derived: four-activate window and row cycle of the same"},
      {"hbm_pj_per_byte", table.dramPjPerByte(), table.source("hbm_byte")},
      {"int32_add_pj", table.operationPj("int32_add", node), table.scaledSource("int32_add", node)},
      {"sram_pj_per_byte", table.sramPjPerByte(task.figures.real("sram_macro_kb"), node),
       table.scaledSource("sram_1mb_64bit", node)},
  };
}

void addShares(const HyGcn& device, std::int64_t width, const Shares& shares, bool closed,
               std::vector<Factor>& factors) {
  const std::string from =
      shares.shards == 0 ? closed ? "derived: balls in bins, random rows" : "assumed: figures of the device"
                         : "cycle model: " + std::to_string(shares.nonzeros) + " nonzeros in " +
                               std::to_string(shares.shards) + " sampled shards";
  const std::string suffix = "_width_" + std::to_string(width);
  factors.push_back({"bank_efficiency" + suffix, shares.banks, from});
  if (shares.conflicts)
    factors.push_back({"bank_conflict_cycles_an_edge" + suffix, *shares.conflicts,
                       from + ", beyond those of a shard's busiest bank"});
  factors.push_back(
      {"lane_efficiency" + suffix, device.laneShare(width), "derived: an edge takes whole cores"});
  if (device.coordinated) return;
  factors.push_back({"uncoordinated_share" + suffix, shares.memory,
                     shares.shards == 0
                         ? "assumed: figures of the device"
                         : "cycle model: streams side by side, addresses " + device.uncoordinatedMap});
  factors.push_back({"uncoordinated_write_share" + suffix, shares.writing,
                     shares.shards == 0
                         ? "assumed: figures of the device"
                         : "cycle model: results alone, addresses " + device.uncoordinatedMap});
}

Shares sharesFor(const HyGcn& device, const DeviceTask& task, const SlicePass& pass) {
  if (task.figures.text("efficiencies") == "cycle-model") return sampleShares(device, pass, task.graph);
  const double banks = task.figures.text("efficiencies") == "closed-form"
                           ? closedBanks(device, pass.width)
                           : task.figures.real("bank_efficiency");
  // every burst of DRAM that is not coordinated opens its row
  const double share = task.figures.real("uncoordinated_share");
  return {banks, {}, share, 1 / static_cast<double>(device.dram.table().burstBytes), share, 0, 0};
}

Result passResult(const HyGcn& device, const DeviceTask& task, const SlicePass& pass,
                  std::vector<Factor>& factors) {
  const Systolic systolic(task.figures);
  if (task.level == Level::analytic) return boundOf(device, systolic, pass, task.graph);
  if (task.level == Level::cycle) return cyclePass(device, systolic, pass, task.graph);
  const Shares shares = sharesFor(device, task, pass);
  addShares(device, pass.width, shares, task.figures.text("efficiencies") == "closed-form", factors);
  return tilePass(device, systolic, pass, task.graph, shares);
}

DeviceResult simulateHyGcn(const DeviceTask& task) {
  refuseTaskOfHyGcn(task);
  const HyGcn device(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  result.factors = factorsOf(device, task);
  Result sums;                                                  // of what the components do not hold
  std::map<std::pair<std::int64_t, bool>, Result> resultOfKey;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.vertices == 0) continue;
    const std::pair key(pass.width, pass.masked);
    auto entry = resultOfKey.find(key);
    if (entry == resultOfKey.end())
      entry = resultOfKey.emplace(key, passResult(device, task, pass, result.factors)).first;
    const Result& keyResult = entry->second;
    append(keyResult, kNames, pass, result);
    sums.rowsOpened += keyResult.rowsOpened;
    sums.multiplications += keyResult.multiplications;
    sums.weightReads += keyResult.weightReads;
  }
  result.ns = static_cast<double>(result.cycles) / device.hz * 1e9;
  account(device, task, sums, result);
  return result;
}

Matrix executeHyGcn(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                    std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const HyGcn device(figures, library);
  const Graph graph{A.rows(), A.nonzeros(), 1, A};
  forEachInterval(graph, device.shape(H.cols()), device.window, 1, [&](const Interval& interval) {
    std::vector<std::int64_t> begins;
    for (const Shard& shard : interval.shards) begins.push_back(shard.first);
    begins.push_back(A.cols);
    const auto blocks = edgesOf(A, begins, interval.first, interval.first + interval.rows);
    for (std::size_t s = 0; s < blocks.size(); ++s) {
      auto source = blocks[s].sources.begin();
      for (std::size_t i = 0; i < blocks[s].destinations.size(); ++i)
        for (const auto end = source + blocks[s].lengths[i]; source != end; ++source) {
          HALO_CHECK(*source < interval.shards[s].rows);  // its row was brought
          for (Index c = 0; c < H.cols(); ++c)
            sums(blocks[s].destinations[i], c) += H(begins[s] + *source, c);
        }
    }
  });
  keepWanted(mask, sums);
  return sums;
}

Values scaledHyGcn(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"input_buffer_mb", "edge_buffer_mb", "weight_buffer_mb", "output_buffer_mb",
                          "aggregation_buffer_mb", "hbm_gbps", "chip_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  for (const char* key : {"simd_cores", "systolic_modules", "input_buffer_bytes_per_cycle"})
    scaled.find(key)->second =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(figures.integer(key)) * share));
  return scaled;
}

Roof roofOfHyGcn(const Values& figures) {
  return {static_cast<double>(figures.integer("simd_cores") * figures.integer("simd_width")) *
              figures.real("freq_mhz") * 1e6,
          figures.real("hbm_gbps") * 1e9};
}

std::int64_t updatePsOfHyGcn(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  const auto cycles = static_cast<double>(Systolic(figures).cycles(rows, in, out));
  return std::llround(cycles * 1e6 / figures.real("freq_mhz"));
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"hygcn", "HyGCN: SIMD cores aggregate over sliding windows, systolic arrays combine",
                     "Yan et al., HPCA 2020", kParameters},
     .levels = kLevels,
     .refuse = refuseHyGcn,
     .refuseTask = refuseTaskOfHyGcn,
     .scaled = scaledHyGcn,
     .execute = executeHyGcn,
     .simulate = simulateHyGcn,
     .roof = roofOfHyGcn,
     .updatePs = updatePsOfHyGcn}};

}  // namespace
}  // namespace halo::sim::hygcn
