#include "simulator/accelerators/hygcn/hygcn_cycles.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "simulator/device/balls_in_bins.h"
#include "simulator/memory/sram.h"

namespace halo::sim::hygcn {
namespace {

constexpr std::int64_t kSampledCycles = 256;
constexpr std::int64_t kMostSampled = 200'000;
constexpr std::int64_t kSampledBursts = 2048;  // of each channel: several refreshes
constexpr std::string_view kCoordinatedMap = "rbcgh";
// Where streams lie: far apart and never in one row; with channels in the highest bits each in its own.
constexpr std::uint64_t kEdgeRegion = (1ULL << 44) + (1ULL << 29) + (37ULL << 20);
constexpr std::uint64_t kWeightRegion = (1ULL << 46) + (3ULL << 29) + (101ULL << 20);
constexpr std::uint64_t kWriteRegion = (1ULL << 45) + (2ULL << 29) + (73ULL << 20);

std::string_view mapOf(const HyGcn& device) {
  return device.coordinated ? kCoordinatedMap : std::string_view(device.uncoordinatedMap);
}

/// Streams side by side: the next burst is that of the stream that is least far.
std::vector<BurstRequest> sideBySide(std::span<const std::vector<BurstRequest>> streams) {
  std::vector<std::size_t> positions(streams.size(), 0);
  std::vector<BurstRequest> all;
  const auto far = [&](std::size_t s) {
    return (static_cast<double>(positions[s]) + 0.5) / static_cast<double>(streams[s].size());
  };
  while (true) {
    std::size_t next = streams.size();
    for (std::size_t s = 0; s < streams.size(); ++s)
      if (positions[s] < streams[s].size() && (next == streams.size() || far(s) < far(next))) next = s;
    if (next == streams.size()) return all;
    all.push_back(streams[next][positions[next]++]);
  }
}

/// What a pass moves in the mean of its intervals, as far as counts tell.
struct Mix {
  double edges = 0, rows = 0;
  double written = 0;  // while others are read: the last interval's results leave alone
  double chance = 1;   // that a line between the first and the last is brought
  double all() const { return edges + rows + written; }
};

Mix mixOf(const HyGcn& device, const SlicePass& pass, const Graph& graph) {
  Mix mix;
  double lines = 0, lineSpan = 0, last = 0;
  const std::int64_t rowBytes = pass.width * kFeatureBytes;
  forEachInterval(graph, device.shape(pass.width), device.window, 1, [&](const Interval& interval) {
    for (const Shard& shard : interval.shards) {
      mix.edges += static_cast<double>(shard.nonzeros * device.edgeBytes);
      mix.rows += static_cast<double>(shard.bytes);
      lines += static_cast<double>(shard.lines);
      lineSpan += static_cast<double>(shard.lineSpan);
    }
    mix.written += last;
    last = static_cast<double>(interval.rows * rowBytes);
  });
  mix.chance = lineSpan > 0 ? lines / lineSpan : 1;
  return mix;
}

struct Served {
  double share = 1, rowsAByte = 0;
};

/// Serves a mix of streams: what share of the peak it gets, and the rows of DRAM it opens.
Served serveSample(const HyGcn& device, const Mix& mix) {
  StreamedDram dram(device);
  const auto burst = static_cast<double>(device.dram.table().burstBytes);
  const double all = mix.all();
  const double bytes =
      std::min(all, static_cast<double>(kSampledBursts) * std::ceil(device.dram.channels()) * burst);
  const auto part = [&](double stream) { return static_cast<std::int64_t>(stream / all * bytes); };
  std::vector<std::uint64_t> rows;
  for (double at = 0; static_cast<double>(rows.size()) * burst < mix.rows / all * bytes; at += 1 / mix.chance)
    rows.push_back(static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(burst));
  const double ns = dram.serve(0, {part(mix.edges), 0, part(mix.written), rows});
  const double moved = static_cast<double>(dram.totals().bursts) * burst;
  if (ns <= 0 || moved <= 0) return {};
  return {moved / ns / (device.peakBytesPerCycle * device.hz * 1e-9),
          static_cast<double>(dram.totals().activates) / moved};
}

/// Edges that are asked for a cycle, at most.
std::int64_t issueOf(const HyGcn& device, std::int64_t width) {
  return std::max<std::int64_t>(1, device.cores / device.coresFor(width));
}

/// And read, if no two lie in one bank.
std::int64_t portsOf(const HyGcn& device, std::int64_t width) {
  return std::min(issueOf(device, width), device.banksFor(width));
}

/// What banks read for the stretches of one block, taken together. In each stretch alone, communities and
/// hubs of its rows would make a bank seem busier than it is over the whole shard.
struct BlockReads {
  double weight = 0, nonzeros = 0, cycles = 0;
  std::vector<std::int64_t> atBank;

  void add(const BlockSample& sample, std::int64_t readCycles, std::int64_t banks) {
    atBank.resize(static_cast<std::size_t>(banks), 0);
    for (const std::int64_t source : sample.edges.sources) ++atBank[static_cast<std::size_t>(source % banks)];
    weight += sample.weight;
    nonzeros += static_cast<double>(sample.edges.sources.size());
    cycles += static_cast<double>(readCycles);
  }
  /// Cycles of a nonzero beyond those that the busiest bank, or the ports, take anyway.
  double conflicts(double ports) const {
    const auto busiest = static_cast<double>(std::ranges::max(atBank));
    return std::max(0.0, cycles - std::max(busiest, nonzeros / ports)) / nonzeros;
  }
};

}  // namespace

std::int64_t gatherCycles(const HyGcn& device, std::int64_t width, std::span<const std::int64_t> sources) {
  return bankCycles(sources, device.banksFor(width), issueOf(device, width), kBankQueue) *
         device.beatsFor(width);
}

std::int64_t expectedGatherCycles(const HyGcn& device, std::int64_t width, const Shares& shares,
                                  const Shard& shard, std::int64_t edges) {
  const auto count = static_cast<double>(edges), beats = static_cast<double>(device.beatsFor(width));
  const auto ports = static_cast<double>(portsOf(device, width));
  if (!shares.conflicts || edges == 0) return cyclesFor(count * beats, ports * shares.banks);
  const double busiest = static_cast<double>(shard.busiest) * count / static_cast<double>(shard.nonzeros);
  return cyclesFor((std::max(busiest, count / ports) + count * *shares.conflicts) * beats, 1);
}

std::int64_t coreCycles(const HyGcn& device, std::int64_t width, std::int64_t nonzeros) {
  if (nonzeros == 0) return 0;
  return (nonzeros * device.coresFor(width) - 1) / device.cores + 1;
}

double closedBanks(const HyGcn& device, std::int64_t width) {
  return randomBankShare(device.banksFor(width), issueOf(device, width), kBankQueue);
}

Shares sampleShares(const HyGcn& device, const SlicePass& pass, const Graph& graph) {
  Shares shares;
  if (graph.nonzeros == 0) return shares;
  const std::int64_t edges = std::min(kSampledCycles * issueOf(device, pass.width) + 1, kMostSampled);
  const auto ports = static_cast<double>(portsOf(device, pass.width));
  double read = 0, cycles = 0, conflicts = 0;
  std::map<std::size_t, BlockReads> blocks;
  for (const BlockSample& sample : sampleBlocks(graph, device.shape(pass.width), edges)) {
    const std::vector<std::int64_t>& sources = sample.edges.sources;
    const std::int64_t readCycles = gatherCycles(device, pass.width, sources) / device.beatsFor(pass.width);
    blocks[sample.block].add(sample, readCycles, device.banksFor(pass.width));
    read += sample.weight;
    cycles += sample.weight * static_cast<double>(readCycles) / static_cast<double>(sources.size());
    shares.nonzeros += std::ssize(sources);
    ++shares.shards;
  }
  for (const auto& [block, reads] : blocks) conflicts += reads.weight * reads.conflicts(ports);
  // as many as banks and cores allow are the whole
  if (cycles > 0) shares.banks = std::min(1.0, read / (cycles * ports));
  if (cycles > 0 && graph.matrix != nullptr && device.window == Window::shrink)
    shares.conflicts = conflicts / read;
  if (device.coordinated) return shares;
  const Mix mix = mixOf(device, pass, graph);
  const Served together = serveSample(device, mix);
  shares.memory = together.share;
  shares.rowsAByte = together.rowsAByte;
  shares.writing = serveSample(device, {.edges = 0, .rows = 0, .written = mix.all(), .chance = 1}).share;
  return shares;
}

StreamedDram::StreamedDram(const HyGcn& device)
    : device_(device),
      dram_(device.dram.table(), static_cast<int>(std::ceil(device.dram.channels())), PagePolicy::open,
            mapOf(device)),
      speed_(device.dram.channels() / std::ceil(device.dram.channels())) {}

double StreamedDram::serve(double nowNs, const Batch& batch) {
  const double now = nowNs * speed_;  // on the memory's clock
  const auto burst = static_cast<std::uint64_t>(device_.dram.table().burstBytes);
  const auto stream = [&](std::uint64_t& at, std::int64_t bytes, std::uint64_t region, bool write) {
    std::vector<BurstRequest> bursts;
    const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
    for (std::uint64_t b = (at + burst - 1) / burst; b * burst < end; ++b)
      bursts.push_back({region + b * burst, now, write});
    at = end;
    return bursts;
  };
  std::vector<BurstRequest> rows;
  for (const std::uint64_t address : batch.rows) rows.push_back({address, now, false});
  const std::vector<BurstRequest> streams[] = {stream(edgesAt_, batch.edgeBytes, kEdgeRegion, false),
                                               std::move(rows),
                                               stream(weightsAt_, batch.weightBytes, kWeightRegion, false),
                                               stream(writtenAt_, batch.writtenBytes, kWriteRegion, true)};
  std::vector<BurstRequest> requests;
  if (device_.coordinated)
    for (const auto& bursts : streams) requests.insert(requests.end(), bursts.begin(), bursts.end());
  else
    requests = sideBySide(streams);
  return requests.empty() ? 0 : (dram_.serve(requests) - now) / speed_;
}

CycleModel::CycleModel(const HyGcn& device, const SlicePass& pass, const Graph& graph)
    : device_(device), pass_(pass), matrix_(*graph.matrix), dram_(device) {}

void CycleModel::beginInterval(const Interval& interval) {
  std::vector<std::int64_t> begins;
  for (const Shard& shard : interval.shards) begins.push_back(shard.first);
  begins.push_back(matrix_.cols);
  blocks_ = edgesOf(matrix_, begins, interval.first, interval.first + interval.rows);
}

std::array<std::int64_t, 2> CycleModel::compute(std::size_t shard, std::int64_t from, std::int64_t to) const {
  const std::span<const std::int64_t> sources(blocks_[shard].sources);
  return {coreCycles(device_, pass_.width, to - from),
          gatherCycles(device_, pass_.width,
                       sources.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)))};
}

std::vector<std::uint64_t> CycleModel::rowBursts(const Shard& shard, std::size_t index) const {
  const std::int64_t rowBytes = pass_.width * kFeatureBytes, burst = device_.dram.table().burstBytes;
  std::vector<std::uint64_t> bursts;
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin / burst; b * burst < end; ++b)
      bursts.push_back(static_cast<std::uint64_t>(b * burst));
  };
  // a window begins on a line of its own where rows are fetched by lines
  const std::int64_t begin = shard.first * rowBytes;
  if (!shard.scattered()) {
    range(begin, begin + shard.rows * rowBytes);
    return bursts;
  }
  const std::int64_t base = (begin / device_.line + static_cast<std::int64_t>(index)) * device_.line;
  std::vector<bool> line(static_cast<std::size_t>(shard.lineSpan));
  for (const std::int64_t source : blocks_[index].sources)
    for (std::int64_t l = source * rowBytes / device_.line; l * device_.line < (source + 1) * rowBytes; ++l)
      line[static_cast<std::size_t>(l)] = true;
  for (std::size_t l = 0; l < line.size(); ++l)
    if (line[l]) {
      const std::int64_t at = base + static_cast<std::int64_t>(l) * device_.line;
      range(at, at + device_.line);
    }
  return bursts;
}

std::int64_t CycleModel::memory(std::int64_t cycle, const Batch& batch) {
  return device_.cyclesOf(dram_.serve(static_cast<double>(cycle) * 1e9 / device_.hz, batch));
}

}  // namespace halo::sim::hygcn
