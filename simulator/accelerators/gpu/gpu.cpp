// A GPU: aggregation as a sparse product of rows in order (SpMM), update as a dense one (GEMM).
//
// Level `analytic` is a bound: every byte once at the peak of the memory. Level `tile` adds the launch of a
// kernel and works in 128 stretches of rows. The memory moves column numbers, sums and, by whole sectors,
// rows that the L2 does not hold. It does so at the share of its peak that kernels reach. The cores add. A
// stretch is as long as the slower of the two. What is gathered goes through the L2, which bounds nothing
// unless `l2_bound` says so.
// Which rows the L2 holds is counted by a pass of least recently used replacement. The pass goes over the
// matrix in its order, or over a sample of it. Where there are figures only, every row is taken to be as
// likely as any other.
// Not modelled: warps, shared memory, and imbalance between multiprocessors (a hub's row is split like
// others). Nor are the order in which multiprocessors take rows, and what column numbers and sums displace in
// the L2. Source: data sheets
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "simulator/accelerators/gpu/gpu_pass.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"

namespace halo::sim::gpu {
namespace {

constexpr std::string_view kHitRates[] = {"exact", "sampled", "figures"};
constexpr std::string_view kTransfers[] = {"none", "pinned", "pageable"};
constexpr Level kGpuLevels[] = {Level::analytic, Level::tile};

constexpr Parameter kParameters[] = {
    {"freq_mhz", "clock of the cores", Real{1695, 1, 1e5}},
    {"cores", "FP32 units, each a multiply-add a cycle", Integer{8192, 1, 1 << 24}},
    {"multiprocessors", "that share the tiles of a GEMM", Integer{64, 1, 1 << 20}},
    {"memory_gb", "of the board, 10^9 bytes", Real{24, 1e-6, 1e6}},
    {"memory_gbps", "peak, 10^9 bytes a second", Real{768, 1e-3, 1e6}},
    {"memory_efficiency", "share of the peak that kernels reach", Real{0.85, 0.001, 1}},
    {"sector_bytes", "least that is fetched of a row of features", Integer{32, 4, 4096}},
    {"l2_mb", "last level cache, 10^6 bytes", Real{6.291456, 1e-6, 1e6}},
    {"l2_gbps", "that the L2 delivers, 10^9 bytes a second", Real{2400, 1e-3, 1e7}},
    {"l2_bound", "whether a product waits for l2_gbps too", Flag{false}},
    kIndexBytes,
    {"launch_us", "to start a kernel", Real{4, 0, 1e6}},
    {"hit_rates",
     "of the L2; exact: every nonzero in its order; sampled: those of one of sample_one_of blocks of rows; "
     "figures: hit_rate",
     Choice{"exact", kHitRates}},
    {"sample_one_of", "blocks of rows, a power of two", Integer{16, 1, 65536}},
    {"hit_rate", "for hit_rates = figures", Real{0.5, 0, 1}},
    {"gemm_efficiency", "share of the peak that a GEMM of whole tiles reaches", Real{0.8, 0.001, 1}},
    {"gemm_tile_rows", "of the output that a multiprocessor works on at once", Integer{128, 1, 1 << 16}},
    {"gemm_tile_columns", "of the same", Integer{64, 1, 1 << 16}},
    {"transfers",
     "none: rows and sums stay on the board; pinned, pageable: they come from the host's memory and go back "
     "each pass",
     Choice{"none", kTransfers}},
    {"pcie_us", "before a transfer's first byte", Real{10, 0, 1e6}},
    {"pcie_pinned_gbps", "from and to pinned host memory", Real{24, 1e-3, 1e6}},
    {"pcie_pageable_gbps", "from and to pageable host memory", Real{6, 1e-3, 1e6}},
    kTechnology,
    sramMacro("one macro of the L2, for energy"),
    kBoardMemoryEnergy,
    kBoardPower,
    kLeakage,
    kBoardEnergy,
};

Hits hitsOf(const Values& figures) {
  const std::string& from = figures.text("hit_rates");
  return {from == "exact"     ? Hits::From::exact
          : from == "sampled" ? Hits::From::sampled
                              : Hits::From::figures,
          figures.integer("sample_one_of"), figures.real("hit_rate")};
}

Factor missFactor(const DeviceTask& task, const SlicePass& pass, double share) {
  const std::string& from = task.figures.text("hit_rates");
  std::string source = "assumed: figures of the device";
  if (from != "figures" && task.graph.matrix == nullptr)
    source = "assumed: every row in reach as likely as any other";
  else if (from == "exact")
    source = fmt::format("derived: least recently used, {} nonzeros in their order", task.graph.nonzeros);
  else if (from == "sampled")
    source = fmt::format("derived: least recently used, one of {} blocks of rows, in their order",
                         task.figures.integer("sample_one_of"));
  return {"l2_miss_share_width_" + std::to_string(pass.width), share, source};
}

/// Matrix, rows and sums of the widest pass lie in the board's memory.
void refuseLarge(const Gpu& gpu, const DeviceTask& task) {
  double bytes = 0, cycles = 0;
  std::int64_t widest = 0;
  const auto nonzeros = static_cast<double>(task.graph.nonzeros);
  const auto vertices = static_cast<double>(task.graph.vertices);
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    widest = std::max(widest, pass.width);
    const double row = static_cast<double>(pass.width * kFeatureBytes);
    const double moved =
        nonzeros * static_cast<double>(gpu.indexBytes + gpu.blockBytes(pass.width)) + 2 * vertices * row;
    bytes += moved;
    cycles += moved / (gpu.bytesPerCycle(gpu.memoryGbps) * gpu.efficiency) +
              nonzeros * static_cast<double>(pass.width) / gpu.cores +
              (gpu.launchNs + 2 * gpu.linkNs) * gpu.hz * 1e-9;
    if (gpu.l2Gbps > 0) cycles += nonzeros * row / gpu.bytesPerCycle(gpu.l2Gbps);
    if (gpu.linkGbps > 0) cycles += 2 * vertices * row / gpu.bytesPerCycle(gpu.linkGbps);
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.memory_gbps");
  const double needed = nonzeros * static_cast<double>(gpu.indexBytes) +
                        2 * vertices * static_cast<double>(widest * kFeatureBytes);
  const double capacity = task.figures.real("memory_gb") * 1e9;
  if (widest > 0 && needed > capacity)
    throw InputError(
        {.key = "device.memory_gb",
         .message = fmt::format("holds {:.3g} GB; the graph with rows and sums of {} columns takes {:.3g} "
                                "GB; more slices, or a larger board",
                                capacity * 1e-9, widest, needed * 1e-9)});
}

/// What each component counted; then both sums.
void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double add = table.operationPj("fp32_add", node);
  const double memory = task.figures.real("memory_pj_per_byte");
  auto& components = result.components;
  components[kMemory].energyPj = static_cast<double>(result.dramBytes()) * memory;
  components[kL2].energyPj =
      static_cast<double>(components[kL2].bytes + result.streams[kRowStream].value) * sram;
  components[kCores].energyPj = static_cast<double>(result.operations) * add;
  components[kLink].energyPj = static_cast<double>(components[kLink].bytes) * table.bytePj("pcie_byte");
  accountEnergy(result, {task.figures.real("board_power_w"), true}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "board-power");
  result.factors.push_back({"memory_pj_per_byte", memory, "assumed: figures of the device"});
  if (components[kLink].bytes > 0)
    result.factors.push_back({"pcie_pj_per_byte", table.bytePj("pcie_byte"), table.source("pcie_byte")});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_32kb_64bit", node)});
  result.factors.push_back({"fp32_add_pj", add, table.scaledSource("fp32_add", node)});
}

void refuseTaskOfGpu(const DeviceTask& task) { refuseLarge(Gpu(task.figures), task); }

DeviceResult simulateGpu(const DeviceTask& task) {
  refuseTaskOfGpu(task);
  const Gpu gpu(task.figures);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  std::map<std::int64_t, Result> resultOfWidth;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.nonzeros == 0) continue;
    auto entry = resultOfWidth.find(pass.width);
    if (entry == resultOfWidth.end()) {
      double missShare = 0;
      Result widthResult = task.level == Level::analytic
                               ? boundOf(gpu, pass, task.graph)
                               : tilePass(gpu, pass, task.graph, hitsOf(task.figures), missShare);
      if (task.level == Level::tile) result.factors.push_back(missFactor(task, pass, missShare));
      entry = resultOfWidth.emplace(pass.width, std::move(widthResult)).first;
    }
    append(entry->second, kNames, pass, result);
  }
  result.ns = static_cast<double>(result.cycles) / gpu.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseGpu(const Values& figures, const Library&, std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const Gpu gpu(figures);
  const std::int64_t widest = widestOf(passes);
  if (widest > 0 && gpu.cache(widest).capacityBlocks < 1)
    problems.push_back({.key = "l2_mb",
                        .message = fmt::format(
                            "holds less than one row of {} columns; more bytes, or more slices", widest)});
  const std::int64_t oneOf = figures.integer("sample_one_of");
  if ((oneOf & (oneOf - 1)) != 0)
    problems.push_back(
        {.key = "sample_one_of", .message = fmt::format("{} cannot be used; a power of two", oneOf)});
  return problems;
}

Matrix executeGpu(const Values&, const Library&, const CsrRows& A, const Matrix& H,
                  std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  std::int64_t row = 0;
  for (const std::int64_t end : evenRows(A, kStretches))
    for (; row < end; ++row)
      for (const Vertex v : A.row(row))
        for (Index c = 0; c < H.cols(); ++c) sums(row, c) += H(v, c);
  keepWanted(mask, sums);
  return sums;
}

Values scaledGpu(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"memory_gb", "memory_gbps", "l2_mb", "l2_gbps", "pcie_pinned_gbps",
                          "pcie_pageable_gbps", "board_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  for (const char* key : {"cores", "multiprocessors"})
    scaled.find(key)->second =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(figures.integer(key)) * share));
  return scaled;
}

Roof roofOfGpu(const Values& figures) {
  return {static_cast<double>(figures.integer("cores")) * figures.real("freq_mhz") * 1e6,
          figures.real("memory_gbps") * 1e9};
}

/// Share of the peak: tiles that stand out over the output's edge, and a last wave of few tiles, are lost.
double shapeShare(const Values& figures, double rows, double columns) {
  const auto tileRows = static_cast<double>(figures.integer("gemm_tile_rows"));
  const auto tileColumns = static_cast<double>(figures.integer("gemm_tile_columns"));
  const auto units = static_cast<double>(figures.integer("multiprocessors"));
  const double tiles = std::ceil(rows / tileRows) * std::ceil(columns / tileColumns);
  const double filled = rows * columns / (tiles * tileRows * tileColumns);
  return filled * tiles / (std::ceil(tiles / units) * units);
}

std::int64_t updatePsOfGpu(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  if (rows == 0 || in == 0 || out == 0) return 0;
  const auto n = static_cast<double>(rows), k = static_cast<double>(in), m = static_cast<double>(out);
  const Gpu gpu(figures);
  const double arithmeticNs =
      n * k * m / (gpu.cores * gpu.hz) * 1e9 / (figures.real("gemm_efficiency") * shapeShare(figures, n, m));
  const double memoryNs = kFeatureBytes * (n * k + k * m + n * m) / (gpu.memoryGbps * gpu.efficiency);
  return updatePsOf(gpu.launchNs + std::max(arithmeticNs, memoryNs), "freq_mhz");
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"gpu", "a GPU: sparse products through its L2, dense ones by tiles", "data sheets",
                     kParameters},
     .levels = kGpuLevels,
     .refuse = refuseGpu,
     .refuseTask = refuseTaskOfGpu,
     .scaled = scaledGpu,
     .execute = executeGpu,
     .simulate = simulateGpu,
     .roof = roofOfGpu,
     .updatePs = updatePsOfGpu}};

}  // namespace
}  // namespace halo::sim::gpu
