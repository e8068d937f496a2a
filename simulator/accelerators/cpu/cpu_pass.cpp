#include "simulator/accelerators/cpu/cpu_pass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim::cpu {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// Of `count` rows, those that so many nonzeros at random places meet.
double expectedUsed(double count, double nonzeros) {
  return count <= 0 ? 0 : -count * std::expm1(-nonzeros / count);
}

std::int64_t sourcesOf(const Graph& graph) {
  return graph.matrix == nullptr ? graph.vertices : graph.matrix->cols;
}

/// What one core works on without a break.
struct BlockWork {
  std::int64_t rows = 0, nonzeros = 0, turns = 0;
};

/// Blocks that cores work on side by side.
struct WaveWork {
  Wave wave;
  std::vector<BlockWork> blocks;
};

std::vector<WaveWork> countedWork(const Cpu& cpu, const Graph& graph, const Sweep& sweep, double sampled) {
  const CsrRows& matrix = *graph.matrix;
  const std::vector<Index> borders = blockBorders(matrix, kBlocksACore * cpu.cores);
  std::vector<WaveWork> work;
  std::size_t block = 0;
  for (const Wave& wave :
       reuse(matrix, borders, cpu.cores, sweep.access, cpu.caches, sampled, graph.askStop)) {
    work.push_back({wave, {}});
    for (std::int64_t c = 0; c < cpu.cores && block + 1 < borders.size(); ++c, ++block) {
      const Index begin = borders[block], end = borders[block + 1];
      work.back().blocks.push_back(
          {end - begin, matrix.offsets[at(end)] - matrix.offsets[at(begin)], turnsOf(matrix, begin, end)});
    }
  }
  return work;
}

/// Blocks of equal size, arcs at random places within the band.
std::vector<WaveWork> expectedWork(const Cpu& cpu, const Graph& graph, const Sweep& sweep) {
  const double n = real(graph.vertices), arcs = real(graph.nonzeros);
  const double window = std::min(n, std::max(1.0, 2 * graph.band * n));
  const double inBlock = n / real(kBlocksACore * cpu.cores);  // a core's rows: its window moves with them
  const auto reusedIn = [&](double ofCore) {
    return expectedReuse(arcs, expectedUsed(n, arcs), ofCore, std::min(n, ofCore * real(cpu.cores)),
                         sweep.access, cpu.caches);
  };
  std::array<double, kLevels> levelNonzeros = reusedIn(graph.band < 1 ? std::min(n, window + inBlock) : n);
  if (graph.band < 1 && graph.locality < 1) {  // as if near and far rows had caches each
    const std::array<double, kLevels> far = reusedIn(n);
    for (std::size_t l = 0; l < kLevels; ++l)
      levelNonzeros[l] = graph.locality * levelNonzeros[l] + (1 - graph.locality) * far[l];
  }
  std::vector<WaveWork> work(kBlocksACore);
  const std::int64_t parts = kBlocksACore * cpu.cores;
  const auto part = [parts](std::int64_t all, std::int64_t p) {
    return static_cast<std::int64_t>(static_cast<__int128>(all) * p / parts);
  };
  for (std::int64_t p = 0; p < parts; ++p) {
    WaveWork& in = work[at(p / cpu.cores)];
    in.blocks.push_back({part(graph.vertices, p + 1) - part(graph.vertices, p),
                         part(graph.nonzeros, p + 1) - part(graph.nonzeros, p),
                         part(graph.vertices, p + 1) - part(graph.vertices, p)});  // no two alike
    in.wave.rows += in.blocks.back().rows;
    in.wave.nonzeros += in.blocks.back().nonzeros;
  }
  for (WaveWork& in : work)
    for (std::size_t l = 0; l < kLevels; ++l)
      in.wave.byLevel[l] = arcs > 0 ? levelNonzeros[l] * real(in.wave.nonzeros) / arcs : 0;
  return work;
}

/// One pass at level `tile`.
class TilePass {
 public:
  TilePass(const Cpu& cpu, const SlicePass& pass, const Graph& graph)
      : cpu_(cpu), pass_(pass), graph_(graph), freeAt_(at(cpu.cores), 0) {}

  Result run() {
    if (graph_.nonzeros == 0) return std::move(result_);
    rest(cpu_.startNs);
    const double used = real(sourcesUsed(graph_));
    for (const Sweep& sweep : sweepsOf(cpu_, graph_, pass_.width)) {
      if (graph_.matrix == nullptr)
        result_.sampled = 0;
      else
        result_.sampled = cpu_.exact ? 1 : sampledShare(*graph_.matrix, sweep.access);
      const auto work = graph_.matrix == nullptr ? expectedWork(cpu_, graph_, sweep)
                                                 : countedWork(cpu_, graph_, sweep, result_.sampled);
      for (std::int64_t i = 0; i < sweep.times; ++i) take(sweep, work, used);
    }
    result_.additions = graph_.nonzeros * pass_.width;
    return std::move(result_);
  }

 private:
  void take(const Sweep& sweep, const std::vector<WaveWork>& work, double used) {
    if (sweep.packed) pack(sweep);
    // a sample may miss some first uses: every row that is used comes from memory at least once
    double memoryBytes = 0, worked = 0;
    for (const WaveWork& in : work) memoryBytes += broughtBytes(sweep, in.wave);
    const bool kept = sweep.packed || sweep.access.passBytes <= cpu_.caches.third;
    double missing = kept ? 0 : std::max(0.0, used * real(sweep.width * kFeatureBytes) - memoryBytes);
    const double start = nowNs_;
    std::ranges::fill(freeAt_, start);
    for (const WaveWork& in : work) worked += takeWave(sweep, in, std::exchange(missing, 0));
    rest(std::ranges::max(freeAt_) - start - worked);
  }

  double broughtBytes(const Sweep& sweep, const Wave& wave) const {
    return wave.byLevel[kInMemory] * sweep.access.linesARow() * real(cpu_.line);
  }

  /// Sums over the blocks of a wave, of one core's time each.
  struct CoreTime {
    double index = 0, gather = 0, add = 0, longest = 0;
  };

  /// Hands out the blocks, each to whoever is free first.
  CoreTime handOut(const Sweep& sweep, const WaveWork& in) {
    CoreTime sum;
    for (const BlockWork& block : in.blocks) {
      std::array<double, kLevels> levelNonzeros{};
      for (std::size_t l = 0; l < kLevels && in.wave.nonzeros > 0; ++l)
        levelNonzeros[l] = in.wave.byLevel[l] * real(block.nonzeros) / real(in.wave.nonzeros);
      const double streamed =
          real(indexBytes(block.rows, block.nonzeros) + sumBytes(block.rows, sweep.width));
      const double index = streamed / cpu_.streamBytesPerNs * real(cpu_.cores);
      const double gather = cpu_.gatherNs(cpu_.rowsOf(levelNonzeros, sweep.access, sourcesOf(graph_)),
                                          real(block.rows), real(block.turns));
      const double add = real(block.nonzeros * sweep.width) / cpu_.addsPerNs;
      const double ns = std::max({index, gather, add});
      *std::ranges::min_element(freeAt_) += ns;
      sum.index += index;
      sum.gather += gather;
      sum.add += add;
      sum.longest += ns;
    }
    return sum;
  }

  /// Mean time of the cores.
  double takeWave(const Sweep& sweep, const WaveWork& in, double missing) {
    const Wave& wave = in.wave;
    const double cores = real(cpu_.cores);
    const CoreTime time = handOut(sweep, in);
    const std::array<std::int64_t, kStreams> bytes = {indexBytes(wave.rows, wave.nonzeros),
                                                      std::llround(broughtBytes(sweep, wave) + missing),
                                                      sumBytes(wave.rows, sweep.width), 0};
    const std::int64_t moved = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    const double memory = real(moved) / cpu_.streamBytesPerNs, worked = time.longest / cores;
    Interval<kEngines, kCauses> now;
    now.cycles = until(nowNs_ + std::max(worked, memory));
    now.busy[kMemory] = atMost(now.cycles, memory);
    now.bytes[kMemory] = moved;
    for (const auto& [e, l] : {std::pair{kThird, kInThird}, {kSecond, kInSecond}, {kFirst, kInFirst}}) {
      const Rows rows = cpu_.rowsOf(wave.byLevel, sweep.access, sourcesOf(graph_));
      now.busy[e] = atMost(now.cycles, rows.count[l] * cpu_.rowCostNs(rows, l) / cores);
      now.bytes[e] = std::llround(rows.count[l] * rows.lines * real(cpu_.line));
    }
    now.busy[kCores] = atMost(now.cycles, time.add / cores);
    now.bytes[kCores] = wave.nonzeros * sweep.width * kFeatureBytes;
    const bool streams = bytes[kIndexStream] + bytes[kSumStream] > bytes[kRowStream];
    const Cause waits = memory > worked             ? (streams ? kIndex : kRows)
                        : time.gather >= time.index ? kRows
                                                    : kIndex;
    close(now, waits, time.add >= std::max(time.gather, time.index) ? kAdding : kRows);
    for (std::size_t s = 0; s < kStreams; ++s) result_.bytes[s] += bytes[s];
    for (std::size_t l = 0; l < kLevels; ++l) result_.byLevel[l] += wave.byLevel[l];
    return worked;
  }

  std::int64_t atMost(std::int64_t cycles, double ns) const {
    return std::min<std::int64_t>(cycles, std::llround(ns * cpu_.hz * 1e-9));
  }
  std::int64_t indexBytes(std::int64_t rows, std::int64_t nonzeros) const {
    return cpu_.indexBytes * nonzeros + kOffsetBytes * rows;
  }
  std::int64_t sumBytes(std::int64_t rows, std::int64_t width) const { return rows * width * kFeatureBytes; }

  /// Columns are copied together: X is read, a panel written, both by way of L3 as far as they fit.
  void pack(const Sweep& sweep) {
    const std::int64_t sources = sourcesOf(graph_);
    const double near = packedNear(cpu_, sweep, sources, pass_.width);
    const double copied = real(sources) * real(sweep.width * kFeatureBytes + sweep.access.strideBytes);
    const std::int64_t moved = std::llround((1 - near) * copied);
    const double ns = packedLines(sweep, sources) * (near * cpu_.packNearNs + (1 - near) * cpu_.packFarNs);
    const double memory = real(moved) / cpu_.streamBytesPerNs;
    Interval<kEngines, kCauses> now;
    now.cycles = until(nowNs_ + std::max(ns / real(cpu_.cores), memory));
    now.bytes[kMemory] = moved;
    now.busy[kMemory] = atMost(now.cycles, memory);
    close(now, kRows, kRows);
    result_.bytes[kPackStream] += moved;
  }

  /// Cores that have no block left wait for the last.
  void rest(double ns) {
    Interval<kEngines, kCauses> now;
    now.cycles = until(nowNs_ + std::max(0.0, ns));
    now.idle.fill(now.cycles);
    result_.log.add(now);
  }

  /// Cycles from now to then; rounded so that they add up.
  std::int64_t until(double thenNs) {
    const auto then = static_cast<std::int64_t>(std::ceil(thenNs * cpu_.hz * 1e-9 - 1e-6));
    nowNs_ = thenNs;
    return then - std::exchange(nowCycle_, std::max(nowCycle_, then));
  }

  /// What is left of each engine's time it waits, or has nothing to do.
  void close(Interval<kEngines, kCauses>& now, Cause coresWait, Cause memoryWaits) {
    now.stalled[kCores][coresWait] = now.cycles - now.busy[kCores];
    now.stalled[kMemory][memoryWaits] = now.cycles - now.busy[kMemory];
    for (const Engine e : {kThird, kSecond, kFirst}) now.idle[e] = now.cycles - now.busy[e];
    result_.log.add(now);
  }

  const Cpu& cpu_;
  const SlicePass& pass_;
  const Graph& graph_;
  std::vector<double> freeAt_;  // of each core
  double nowNs_ = 0;
  std::int64_t nowCycle_ = 0;
  Result result_;
};

}  // namespace

Cpu::Cpu(const Values& f)
    : cores(f.integer("cores")),
      line(f.integer("line_bytes")),
      indexBytes(f.integer("index_bytes")),
      hz(f.real("freq_mhz") * 1e6),
      caches{f.real("l1_kib") * 1024, f.real("l2_kib") * 1024, f.real("l3_mib") * 1024 * 1024},
      streamBytesPerNs(f.real("stream_gbps")),
      addsPerNs(f.real("add_gops")),
      startNs(f.real("start_us") * 1e3),
      rowNs(f.real("row_ns")),
      turnNs(f.real("turn_ns")),
      shortNs{f.real("l1_short_ns"), f.real("l2_short_ns"), f.real("l3_short_ns"), f.real("memory_short_ns"),
              f.real("far_short_ns")},
      firstNs{f.real("l1_first_ns"), f.real("l2_first_ns"), f.real("l3_first_ns"), f.real("memory_first_ns"),
              f.real("far_first_ns")},
      nextNs{f.real("l1_next_ns"), f.real("l2_next_ns"), f.real("l3_next_ns"), f.real("memory_next_ns"),
             f.real("far_next_ns")},
      moreNs{f.real("l1_more_ns"), f.real("l2_more_ns"), f.real("l3_more_ns"), f.real("memory_more_ns"),
             f.real("far_more_ns")},
      reachBytes(f.real("reach_mib") * 1024 * 1024),
      packNearNs(f.real("pack_near_ns")),
      packFarNs(f.real("pack_far_ns")),
      panelColumns(f.integer("panel_columns")),
      panelDegree(f.integer("panel_degree")),
      panelBytes(f.real("panel_limit_mib") * 1024 * 1024),
      exact(f.text("hit_rates") == "exact") {}

Rows Cpu::rowsOf(const std::array<double, kLevels>& levelNonzeros, const RowAccess& access,
                 std::int64_t sources) const {
  Rows rows;
  rows.areShort = access.strideBytes < access.lineBytes;
  rows.lines = access.linesARow();
  std::ranges::copy(levelNonzeros, rows.count.begin());
  const double bytes = real(sources) * real(access.strideBytes);
  const double far = bytes <= reachBytes ? 0 : levelNonzeros[kInMemory] * (1 - reachBytes / bytes);
  rows.count[kInMemory] -= far;
  rows.count[kFar] = far;
  return rows;
}

double Cpu::gatherNs(const Rows& rows, double sums, double turns) const {
  double ns = sums * rowNs + turns * turnNs;
  for (std::size_t c = 0; c < kCosts; ++c) ns += rows.count[c] * rowCostNs(rows, c);
  return ns;
}

std::vector<Sweep> sweepsOf(const Cpu& cpu, const Graph& graph, std::int64_t width) {
  const std::int64_t sources = sourcesOf(graph),
                     rows = graph.matrix == nullptr ? sources : graph.matrix->rows();
  const auto sweep = [&](std::int64_t times, std::int64_t columns, bool packed) {
    const std::int64_t rowBytes = columns * kFeatureBytes;
    const std::int64_t stride = packed ? (rowBytes + cpu.line - 1) / cpu.line * cpu.line : rowBytes;
    const double passed = real(sources) * real(stride) + real(graph.nonzeros * cpu.indexBytes) +
                          real(rows) * real(rowBytes + kOffsetBytes);
    return Sweep{times, columns, packed, {stride, cpu.line, cpu.indexBytes, rowBytes + kOffsetBytes, passed}};
  };
  const bool often = cpu.panelColumns > 0 && graph.nonzeros >= cpu.panelDegree * std::max(sources, rows);
  const double all = real(sources) * real(width * kFeatureBytes);
  const double panel = real(sources) * real(cpu.panelColumns * kFeatureBytes);
  if (!often || width <= cpu.panelColumns || panel > cpu.panelBytes || all <= cpu.caches.second / 2)
    return {sweep(1, width, false)};
  const std::int64_t panels = width / cpu.panelColumns;
  std::vector<Sweep> sweeps;
  if (panels > 1) sweeps.push_back(sweep(panels - 1, cpu.panelColumns, true));
  sweeps.push_back(sweep(1, width - (panels - 1) * cpu.panelColumns, true));
  return sweeps;
}

double packedLines(const Sweep& sweep, std::int64_t sources) {
  return real(sources) * real(sweep.access.strideBytes / sweep.access.lineBytes);
}

double packedNear(const Cpu& cpu, const Sweep& sweep, std::int64_t sources, std::int64_t width) {
  const double bytes = real(sources) * real(width * kFeatureBytes + sweep.access.strideBytes);
  return bytes <= cpu.caches.third ? 1 : cpu.caches.third / bytes;
}

Rows rowsAtRandom(const Cpu& cpu, std::int64_t nonzeros, std::int64_t columns, std::int64_t width) {
  RowAccess access;
  access.strideBytes = width * kFeatureBytes;
  access.lineBytes = cpu.line;
  access.passBytes = real(columns) * real(access.strideBytes);
  const double rows = real(columns), uses = real(nonzeros);
  return cpu.rowsOf(expectedReuse(uses, expectedUsed(rows, uses), rows, rows, access, cpu.caches), access,
                    columns);
}

double randomRowsNs(const Cpu& cpu, std::int64_t rows, std::int64_t nonzeros, std::int64_t columns,
                    std::int64_t width) {
  const Rows gatheredRows = rowsAtRandom(cpu, nonzeros, columns, width);
  const double streamed = real(nonzeros * cpu.indexBytes + rows * (kOffsetBytes + width * kFeatureBytes));
  const double memoryBytes =
      (gatheredRows.count[kInMemory] + gatheredRows.count[kFar]) * gatheredRows.lines * real(cpu.line);
  const double gather = cpu.gatherNs(gatheredRows, real(rows), 0) / real(cpu.cores);
  const double add = real(nonzeros * width) / cpu.addsPerNs / real(cpu.cores);
  return cpu.startNs + std::max({gather, add, (streamed + memoryBytes) / cpu.streamBytesPerNs});
}

std::int64_t turnsOf(const CsrRows& matrix, Index begin, Index end) {
  std::int64_t turns = 0;
  for (Index r = std::max<Index>(begin, 1); r < end; ++r)
    turns += matrix.degree(r) == matrix.degree(r - 1) ? 0 : 1;
  return turns;
}

ProductTerms::ProductTerms(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out) {
  const double n = real(rows), d = real(in), h = real(out), lanes = real(figures.integer("dense_lanes"));
  operations = 2 * n * d * std::ceil(h / lanes) * lanes;
  read = n * d;
  written = n * h;
  if ((read + written) * kFeatureBytes > figures.real("l3_mib") * 1024 * 1024) moved = read + written;
}

Result tilePass(const Cpu& cpu, const SlicePass& pass, const Graph& graph) {
  return TilePass(cpu, pass, graph).run();
}

Result boundOf(const Cpu& cpu, const SlicePass& pass, const Graph& graph) {
  Result result;
  if (graph.nonzeros == 0) return result;
  const double used = real(rowsUsed(graph)), nonzeros = real(graph.nonzeros), width = real(pass.width);
  const Sweep sweep = sweepsOf(cpu, graph, pass.width).front();
  const bool kept = sweep.packed || sweep.access.passBytes <= cpu.caches.third;
  result.bytes[kIndexStream] =
      cpu.indexBytes * graph.nonzeros + kOffsetBytes * static_cast<std::int64_t>(used);
  result.bytes[kRowStream] = kept ? 0 : sourcesUsed(graph) * pass.width * kFeatureBytes;
  result.bytes[kSumStream] = static_cast<std::int64_t>(used * width * kFeatureBytes);
  result.additions = graph.nonzeros * pass.width;
  const double moved = real(std::accumulate(result.bytes.begin(), result.bytes.end(), std::int64_t{0}));
  const double cores = real(cpu.cores);
  const double nearest = std::ranges::min(sweep.access.strideBytes < cpu.line ? cpu.shortNs : cpu.firstNs);
  const double gather = (nonzeros * nearest + used * cpu.rowNs) / cores;
  const double add = nonzeros * width / cpu.addsPerNs / cores, memory = moved / cpu.streamBytesPerNs;
  const double ns = std::max({gather, add, memory});
  const auto cyclesOf = [&](double t) { return static_cast<std::int64_t>(t * cpu.hz * 1e-9); };
  Interval<kEngines, kCauses> now;
  now.cycles = cyclesOf(ns);
  now.busy[kMemory] = cyclesOf(memory);
  now.busy[kCores] = cyclesOf(add);
  now.bytes[kMemory] = static_cast<std::int64_t>(moved);
  now.bytes[kCores] = graph.nonzeros * pass.width * kFeatureBytes;
  now.stalled[kMemory][add >= gather ? kAdding : kRows] = now.cycles - now.busy[kMemory];
  now.stalled[kCores][gather >= memory ? kRows : kIndex] = now.cycles - now.busy[kCores];
  for (const Engine e : {kThird, kSecond, kFirst}) now.idle[e] = now.cycles;
  result.log.add(now);
  return result;
}

}  // namespace halo::sim::cpu
