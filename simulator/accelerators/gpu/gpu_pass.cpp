#include "simulator/accelerators/gpu/gpu_pass.h"

#include <algorithm>

#include "engine/base/index.h"
#include "simulator/graph/tiling.h"

namespace halo::sim::gpu {
namespace {

/// Rows that are worked on at about the same time.
struct Stretch {
  std::int64_t rows = 0, nonzeros = 0, misses = 0;  // misses: blocks of the L2
};

std::int64_t cyclesOf(double amount, double perCycle) {
  return static_cast<std::int64_t>(std::ceil(amount / perCycle - 1e-9));
}

/// Blocks that every order of fetches must bring at least once.
std::int64_t compulsory(const RowCache& cache, const Graph& graph) {
  return (sourcesUsed(graph) + cache.rowsPerBlock - 1) / cache.rowsPerBlock;
}

std::vector<Stretch> counted(const RowCache& cache, const CsrRows& matrix, const Hits& hits) {
  const std::vector<std::int64_t> rowEnds = evenRows(matrix, kStretches);
  std::vector<std::int64_t> ends;
  for (const std::int64_t row : rowEnds) ends.push_back(matrix.offsets[at(row)]);
  const std::vector<std::int64_t> misses = hits.from == Hits::From::sampled
                                               ? sampledLruMisses(matrix, cache, ends, hits.oneOf)
                                               : lruMisses(matrix, cache, ends);
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < ends.size(); ++i)
    stretches.push_back(
        {rowEnds[i] - (i > 0 ? rowEnds[i - 1] : 0), ends[i] - (i > 0 ? ends[i - 1] : 0), misses[i]});
  return stretches;
}

/// With figures alone every row is as likely as any other in reach.
std::int64_t missesOf(const RowCache& cache, const Graph& graph, const Hits& hits) {
  const auto blocks = static_cast<double>(graph.vertices) / static_cast<double>(cache.rowsPerBlock);
  if (hits.from == Hits::From::figures)
    return std::llround(static_cast<double>(graph.nonzeros) * (1 - hits.rate));
  const auto capacity = static_cast<double>(cache.capacityBlocks);
  if (graph.band >= 1) return expectedMisses(graph.nonzeros, blocks, capacity);
  // rows in reach: 2 band n of them, and they move on with the row that is summed
  const double reach = std::max(1.0, std::min(1.0, 2 * graph.band) * blocks);
  const double share = std::clamp(1 - capacity / reach, 0.0, 1.0);
  const auto near = std::llround(graph.locality * static_cast<double>(graph.nonzeros));
  // as if near and far rows had a cache each
  return std::max(expectedMisses(graph.nonzeros, blocks, blocks),
                  static_cast<std::int64_t>(share * static_cast<double>(near)) +
                      expectedMisses(graph.nonzeros - near, blocks, capacity));
}

std::vector<Stretch> stretchesOf(const RowCache& cache, const Graph& graph, const Hits& hits) {
  std::vector<Stretch> stretches;
  if (graph.matrix != nullptr && hits.from != Hits::From::figures)
    stretches = counted(cache, *graph.matrix, hits);
  else
    stretches = {{graph.vertices, graph.nonzeros, missesOf(cache, graph, hits)}};
  // what is estimated may fall short of what must be
  std::int64_t missing =
      hits.from == Hits::From::exact && graph.matrix != nullptr ? 0 : compulsory(cache, graph);
  for (const Stretch& stretch : stretches) missing -= stretch.misses;
  for (Stretch& stretch : stretches) {
    const std::int64_t more = std::clamp<std::int64_t>(missing, 0, stretch.nonzeros - stretch.misses);
    stretch.misses += more;
    missing -= more;
  }
  return stretches;
}

/// Everything waits for `engine`, which is busy for as long as `cycles`.
void addAlone(std::int64_t cycles, std::int64_t bytes, std::size_t engine, Cause cause, Result& to) {
  Interval<kEngines, kCauses> now;
  now.cycles = cycles;
  for (std::size_t e = 0; e < kEngines; ++e) {
    if (e == engine)
      now.busy[e] = cycles;
    else if (e == kLink)
      now.idle[e] = cycles;
    else
      now.stalled[e][cause] = cycles;
  }
  if (engine < kEngines) now.bytes[engine] = bytes;
  to.log.add(now);
}

void addWork(const Gpu& gpu, const std::array<std::int64_t, kEngines>& busy,
             const std::array<std::int64_t, kEngines>& bytes, Result& to) {
  auto now = sideBySide<kCauses>(busy, bytes, {kMemoryBound, kL2Bound, kCoresBound, kTransfer});
  for (const std::size_t e : {kL2, kLink}) {
    if (e == kL2 && gpu.l2Gbps > 0) continue;
    now.stalled[e] = {};
    now.idle[e] = now.cycles;  // its time is not modelled
  }
  to.log.add(now);
}

/// `rows` rows over the host link, one way.
void transfer(const Gpu& gpu, std::int64_t rows, std::int64_t width, Result& to) {
  if (gpu.linkGbps <= 0) return;
  const std::int64_t bytes = rows * width * kFeatureBytes;
  const double ns = gpu.linkNs + static_cast<double>(bytes) / gpu.linkGbps;
  addAlone(cyclesOf(ns * gpu.hz, 1e9), bytes, kLink, kTransfer, to);
}

}  // namespace

Gpu::Gpu(const Values& f)
    : hz(f.real("freq_mhz") * 1e6),
      cores(static_cast<double>(f.integer("cores"))),
      memoryGbps(f.real("memory_gbps")),
      efficiency(f.real("memory_efficiency")),
      l2Gbps(f.flag("l2_bound") ? f.real("l2_gbps") : 0),
      l2Bytes(f.real("l2_mb") * kMega),
      sector(f.integer("sector_bytes")),
      indexBytes(f.integer("index_bytes")),
      launchNs(f.real("launch_us") * 1e3),
      linkNs(f.real("pcie_us") * 1e3),
      linkGbps(f.text("transfers") == "none"     ? 0
               : f.text("transfers") == "pinned" ? f.real("pcie_pinned_gbps")
                                                 : f.real("pcie_pageable_gbps")) {}

RowCache Gpu::cache(std::int64_t width) const {
  return {std::max<std::int64_t>(1, sector / (width * kFeatureBytes)),
          static_cast<std::int64_t>(l2Bytes / static_cast<double>(blockBytes(width)))};
}

std::int64_t Gpu::l2Cycles(std::int64_t bytes) const {
  return l2Gbps > 0 ? cyclesOf(static_cast<double>(bytes), bytesPerCycle(l2Gbps)) : 0;
}

std::int64_t Gpu::blockBytes(std::int64_t width) const {
  const std::int64_t row = width * kFeatureBytes;
  return (row + sector - 1) / sector * sector;
}

Result tilePass(const Gpu& gpu, const SlicePass& pass, const Graph& graph, const Hits& hits,
                double& missShare) {
  Result result;
  const RowCache cache = gpu.cache(pass.width);
  const std::int64_t rowBytes = pass.width * kFeatureBytes, blockBytes = gpu.blockBytes(pass.width);
  const double perCycle = gpu.bytesPerCycle(gpu.memoryGbps) * gpu.efficiency;
  transfer(gpu, graph.vertices, pass.width, result);
  addAlone(cyclesOf(gpu.launchNs * gpu.hz, 1e9), 0, kEngines, kLaunch, result);
  std::int64_t misses = 0;
  for (const Stretch& stretch : stretchesOf(cache, graph, hits)) {
    const std::int64_t index = gpu.indexBytes * stretch.nonzeros, fetched = stretch.misses * blockBytes;
    const std::int64_t sums = stretch.rows * rowBytes, gathered = stretch.nonzeros * rowBytes;
    const std::int64_t moved = index + fetched + sums;
    if (moved == 0) continue;
    addWork(gpu,
            {cyclesOf(static_cast<double>(moved), perCycle), gpu.l2Cycles(gathered),
             cyclesOf(static_cast<double>(stretch.nonzeros) * static_cast<double>(pass.width), gpu.cores), 0},
            {moved, gathered, 0, 0}, result);
    result.bytes[kIndexStream] += index;
    result.bytes[kRowStream] += fetched;
    result.bytes[kSumStream] += sums;
    misses += stretch.misses;
  }
  transfer(gpu, graph.vertices, pass.width, result);
  missShare = static_cast<double>(misses) / static_cast<double>(graph.nonzeros);
  result.additions = graph.nonzeros * pass.width;
  return result;
}

Result boundOf(const Gpu& gpu, const SlicePass& pass, const Graph& graph) {
  Result result;
  const std::int64_t rowBytes = pass.width * kFeatureBytes;
  result.bytes[kIndexStream] = gpu.indexBytes * graph.nonzeros;
  result.bytes[kRowStream] = sourcesUsed(graph) * rowBytes;
  result.bytes[kSumStream] = graph.vertices * rowBytes;
  const std::int64_t gathered = graph.nonzeros * rowBytes;
  result.additions = graph.nonzeros * pass.width;
  addWork(
      gpu,
      {static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / gpu.bytesPerCycle(gpu.memoryGbps)),
       gpu.l2Gbps > 0
           ? static_cast<std::int64_t>(static_cast<double>(gathered) / gpu.bytesPerCycle(gpu.l2Gbps))
           : 0,
       static_cast<std::int64_t>(static_cast<double>(result.additions) / gpu.cores), 0},
      {result.dramBytes(), gathered, 0, 0}, result);
  return result;
}

}  // namespace halo::sim::gpu
