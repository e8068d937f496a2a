// A processor's cores sum neighbours' rows as this project's own kernel does (engine/kernels/sparse/spmm),
// block by block:
//
//   blocks of consecutive rows, about equally many rows and nonzeros each, go to whichever core is free
//     T = max( T_index, T_gather, T_add )
//     T_index   column numbers and sums, at the core's share of the memory's bandwidth
//     T_gather  each row of X, by where it is found: first line and lines more, of L1, L2, L3, memory
//     T_add     nonzeros times columns, at the rate of the vector units
//   the cores together take no less than the memory needs for what goes through it
//
// Where rows are found follows from stack distances of the actual order, of a sample of the rows or of all.
// With counts alone it follows from arcs at random places (simulator/graph/reuse.h). Rows that are used often
// enough are first copied together, some columns at a time, and gathered from there. Level `analytic` is a
// bound. Not modelled: sets of the caches, prefetchers but for what they do to the measured costs, pages,
// several sockets.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "simulator/accelerators/cpu/cpu_pass.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"

namespace halo::sim::cpu {
namespace {

constexpr std::string_view kHitRates[] = {"sampled", "exact"};
constexpr std::string_view kEnergyModes[] = {"power", "per-op"};
constexpr Level kCpuLevels[] = {Level::analytic, Level::tile};

constexpr Parameter kParameters[] = {
    {"cores", "that share the work", Integer{8, 1, 4096}},
    {"freq_mhz", "clock, for counting in cycles", Real{2800, 1, 1e5}},
    {"l1_kib", "first-level data cache of a core, 2^10 bytes", Real{48, 1e-3, 1e6}},
    {"l2_kib", "second-level cache of a core, 2^10 bytes", Real{2048, 1e-3, 1e7}},
    {"l3_mib", "last-level cache of all cores together, 2^20 bytes", Real{15, 1e-6, 1e6}},
    {"line_bytes", "of a cache line", Integer{64, 4, 4096}},
    {"index_bytes", "of one column number", Integer{4, 1, 16}},
    {"stream_gbps", "of the memory, all cores together, 10^9 bytes a second", Real{61, 1e-3, 1e6}},
    {"add_gops", "elements that the vector units of a core add, 10^9 a second", Real{45, 1e-3, 1e6}},
    {"row_ns", "of a sum, whatever it sums", Real{2, 0, 1e6}},
    {"turn_ns", "more where it sums not as many rows as the one before: a branch not foreseen",
     Real{8, 0, 1e6}},
    {"l1_short_ns", "of a row of X found in L1: shorter than a line", Real{1.2, 1e-4, 1e6}},
    {"l1_first_ns", "its first line, of a longer one", Real{0.9, 1e-4, 1e6}},
    {"l1_next_ns", "each line more, up to eight", Real{0.6, 0, 1e6}},
    {"l1_more_ns", "each line beyond", Real{0.6, 0, 1e6}},
    {"l2_short_ns", "of a row of X found in L2: shorter than a line", Real{1.5, 1e-4, 1e6}},
    {"l2_first_ns", "its first line, of a longer one", Real{1, 1e-4, 1e6}},
    {"l2_next_ns", "each line more, up to eight", Real{0.8, 0, 1e6}},
    {"l2_more_ns", "each line beyond", Real{0.8, 0, 1e6}},
    {"l3_short_ns", "of a row of X found in L3: shorter than a line", Real{8, 1e-4, 1e6}},
    {"l3_first_ns", "its first line, of a longer one", Real{2, 1e-4, 1e6}},
    {"l3_next_ns", "each line more, up to eight", Real{1, 0, 1e6}},
    {"l3_more_ns", "each line beyond", Real{1, 0, 1e6}},
    {"memory_short_ns", "of a row of X found in memory: shorter than a line", Real{15, 1e-4, 1e6}},
    {"memory_first_ns", "its first line, of a longer one", Real{14, 1e-4, 1e6}},
    {"memory_next_ns", "each line more, up to eight", Real{9, 0, 1e6}},
    {"memory_more_ns", "each line beyond", Real{9, 0, 1e6}},
    {"far_short_ns", "of a row of X found in memory that is far: shorter than a line", Real{25, 1e-4, 1e6}},
    {"far_first_ns", "its first line, of a longer one", Real{18, 1e-4, 1e6}},
    {"far_next_ns", "each line more, up to eight", Real{10, 0, 1e6}},
    {"far_more_ns", "each line beyond", Real{10, 0, 1e6}},
    {"reach_mib", "of X, beyond which memory is far: pages whose place is not at hand, 2^20 bytes",
     Real{1024, 1e-6, 1e9}},
    {"panel_columns", "that are copied together and summed in one sweep; 0: never", Integer{32, 0, 1 << 20}},
    {"panel_degree", "nonzeros a row and column from which that is done", Integer{12, 0, 1 << 30}},
    {"pack_near_ns", "of columns copied together, a line that is found in L3", Real{2, 0, 1e6}},
    {"pack_far_ns", "a line that is not", Real{8, 0, 1e6}},
    {"panel_limit_mib", "largest panel, 2^20 bytes", Real{256, 0, 1e7}},
    {"hit_rates", "where rows are found: for a sample of the rows, or for all", Choice{"sampled", kHitRates}},
    {"dense_gflops", "of products with weights, all cores together, 10^9 a second", Real{1000, 1e-3, 1e7}},
    {"dense_lanes", "columns that products work on at a time", Integer{16, 1, 4096}},
    {"dense_in_ns", "of products, an element read", Real{0.01, 0, 1e6}},
    {"dense_out_ns", "of products, an element written", Real{0.01, 0, 1e6}},
    {"dense_memory_ns", "of products, an element either way where they do not fit L3", Real{0.066, 0, 1e6}},
    {"start_us", "of a kernel, until all cores are at work", Real{5, 0, 1e6}},
    {"idle_w", "of the package with nothing to do", Real{25, 0, 1e5}},
    {"core_w", "more for each core at work", Real{6.25, 0, 1e4}},
    kLeakage,
    {"energy_mode", "of the components: the package's power times time, or counts of operations",
     Choice{"power", kEnergyModes}},
    {"dram_pj_per_byte", "of the memory, beside the package", Real{140, 0, 1e6}},
    {"technology_nm", "process, for energy by counts", Real{10, 1, 1000}},
};

/// Energy of every component by counts; with power, what is in the package shares P·T in that proportion.
void account(const Cpu& cpu, const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const Values& figures = task.figures;
  const double node = figures.real("technology_nm");
  auto& components = result.components;
  const auto moved = [&](Engine e, double bytesOfCache) {
    components[e].energyPj =
        static_cast<double>(components[e].bytes) * table.sramPjPerByte(bytesOfCache / 1000, node);
  };
  components[kMemory].energyPj =
      static_cast<double>(components[kMemory].bytes) * figures.real("dram_pj_per_byte");
  moved(kThird, cpu.caches.third);
  moved(kSecond, cpu.caches.second);
  moved(kFirst, cpu.caches.first);
  components[kCores].energyPj = static_cast<double>(result.operations) * table.operationPj("fp32_add", node);
  const double watts = figures.real("idle_w") + figures.real("core_w") * static_cast<double>(cpu.cores);
  accountEnergy(result, {watts, false}, figures.real("leakage_w"), figures.text("energy_mode") == "power");
}

/// Where the rows of a pass were found, as shares of its nonzeros.
void addShares(const SlicePass& pass, const Result& result, DeviceResult& to) {
  double all = 0;
  for (const double nonzeros : result.byLevel) all += nonzeros;
  if (all <= 0) return;
  const std::string suffix = "_share_width_" + std::to_string(pass.width);
  std::string from = "derived: stack distances of every row";
  if (result.sampled == 0)
    from = "assumed: arcs at random places";
  else if (result.sampled < 1)
    from = "derived: stack distances of one row in " + std::to_string(std::llround(1 / result.sampled));
  constexpr const char* kPlaces[] = {"l1", "l2", "l3", "memory"};
  for (std::size_t l = 0; l < kLevels; ++l)
    to.factors.push_back({kPlaces[l] + suffix, result.byLevel[l] / all, from});
}

/// The bound is generous: no row is found in a cache, nothing overlaps, all is done by one core.
void refuseLarge(const Cpu& cpu, const DeviceTask& task) {
  double bytes = 0, cycles = 0;
  for (const SlicePass& pass : task.passes) {
    const auto width = static_cast<double>(pass.width), n = static_cast<double>(task.graph.vertices);
    const double row = width * kFeatureBytes + static_cast<double>(cpu.line);
    const double lines = row / static_cast<double>(cpu.line);
    const double nonzeros = static_cast<double>(task.graph.nonzeros);
    const double moved =
        nonzeros * (static_cast<double>(cpu.indexBytes) * width + row) + 4 * n * (row + width * 8);
    double slowest = 0;
    for (std::size_t c = 0; c < kCosts; ++c)
      slowest = std::max(slowest,
                         (cpu.shortNs[c] + cpu.firstNs[c]) * width + lines * (cpu.nextNs[c] + cpu.moreNs[c]));
    bytes += moved;
    cycles +=
        cpu.hz * 1e-9 *
        (moved * (static_cast<double>(cpu.cores) / cpu.streamBytesPerNs + cpu.packNearNs + cpu.packFarNs) +
         nonzeros * (slowest + width / cpu.addsPerNs) + n * width * (cpu.rowNs + cpu.turnNs));
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.stream_gbps");
}

void refuseTaskOfCpu(const DeviceTask& task) { refuseLarge(Cpu(task.figures), task); }

DeviceResult simulateCpu(const DeviceTask& task) {
  refuseTaskOfCpu(task);
  const Cpu cpu(task.figures);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  result.factors = {
      {"fp32_add_pj", table.operationPj("fp32_add", node), table.scaledSource("fp32_add", node)}};
  std::map<std::int64_t, Result> resultOfWidth;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.vertices == 0) continue;
    auto entry = resultOfWidth.find(pass.width);
    if (entry == resultOfWidth.end()) {
      entry = resultOfWidth
                  .emplace(pass.width, task.level == Level::analytic ? boundOf(cpu, pass, task.graph)
                                                                     : tilePass(cpu, pass, task.graph))
                  .first;
      addShares(pass, entry->second, result);
    }
    append(entry->second, kNames, pass, result);
  }
  result.ns = static_cast<double>(result.cycles) / cpu.hz * 1e9;
  account(cpu, task, result);
  return result;
}

std::vector<Problem> refuseCpu(const Values& figures, const Library& /*library*/,
                               std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const Cpu cpu(figures);
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  // a cache takes rows line by line; of rows shorter than a line one is enough
  const std::int64_t widest = widestOf(passes), piece = std::min(cpu.line, widest * kFeatureBytes);
  const auto holds = [&](const char* key, double bytes) {
    if (bytes < static_cast<double>(piece))
      wrong(key, "holds less than one line of a row of " + std::to_string(widest) + " columns, " +
                     std::to_string(piece) + " bytes; more bytes");
  };
  holds("l1_kib", cpu.caches.first);
  holds("l2_kib", cpu.caches.second);
  holds("l3_mib", cpu.caches.third);
  if (cpu.caches.second < cpu.caches.first)
    wrong("l2_kib", "is less than l1_kib; each level holds what the one before it holds");
  if (cpu.caches.third < cpu.caches.second)
    wrong("l3_mib", "is less than l2_kib; each level holds what the one before it holds");
  return problems;
}

Matrix executeCpu(const Values& figures, const Library& /*library*/, const CsrRows& A, const Matrix& H,
                  std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  const Cpu cpu(figures);
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const std::vector<Index> borders = blockBorders(A, kBlocksACore * cpu.cores);
  Index first = 0;  // column of the sweep
  for (const Sweep& sweep : sweepsOf(cpu, {A.rows(), A.nonzeros(), 1, A}, H.cols()))
    for (std::int64_t i = 0; i < sweep.times; ++i, first += sweep.width)
      for (std::size_t b = 0; b + 1 < borders.size(); ++b)
        for (Index r = borders[b]; r < borders[b + 1]; ++r)
          for (const Vertex v : A.row(r))
            for (Index c = first; c < first + sweep.width; ++c) sums(r, c) += H(v, c);
  keepWanted(mask, sums);
  return sums;
}

Values scaledCpu(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"l1_kib", "l2_kib", "l3_mib", "stream_gbps", "add_gops", "dense_gflops",
                          "panel_limit_mib", "reach_mib", "idle_w", "core_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  for (const char* key :
       {"row_ns", "turn_ns", "pack_near_ns", "pack_far_ns", "dense_in_ns", "dense_out_ns", "dense_memory_ns"})
    scaled.find(key)->second = figures.real(key) / share;
  for (const char* level : {"l1", "l2", "l3", "memory", "far"})
    for (const char* part : {"_short_ns", "_first_ns", "_next_ns", "_more_ns"}) {
      const std::string key = std::string(level) + part;
      scaled.find(key)->second = figures.real(key) / share;
    }
  return scaled;
}

Roof roofOfCpu(const Values& figures) {
  return {static_cast<double>(figures.integer("cores")) * figures.real("add_gops") * 1e9,
          figures.real("stream_gbps") * 1e9};
}

std::int64_t updatePsOfCpu(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  if (rows == 0 || out == 0) return 0;
  const ProductTerms terms(figures, rows, in, out);
  const double ns = figures.real("start_us") * 1e3 + terms.operations / figures.real("dense_gflops") +
                    terms.read * figures.real("dense_in_ns") + terms.written * figures.real("dense_out_ns") +
                    terms.moved * figures.real("dense_memory_ns");
  constexpr double kMostPs = 9e15;
  return static_cast<std::int64_t>(std::min(ns * 1e3, kMostPs));
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"cpu", "cores of a processor, with the project's own kernels", "MixGCN 4.1",
                     kParameters},
     .levels = kCpuLevels,
     .refuse = refuseCpu,
     .refuseTask = refuseTaskOfCpu,
     .scaled = scaledCpu,
     .execute = executeCpu,
     .simulate = simulateCpu,
     .roof = roofOfCpu,
     .updatePs = updatePsOfCpu}};

}  // namespace
}  // namespace halo::sim::cpu
