#include "simulator/accelerators/spu/spu_cycles.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/philox.h"
#include "simulator/device/balls_in_bins.h"
#include "simulator/memory/sram.h"
#include "simulator/network/network.h"

namespace halo::sim::spu {
namespace {

constexpr std::int64_t kSampledCycles = 64;  // of the adders, so that the last, half empty one hardly counts
constexpr std::int64_t kMostSampled = 1'000'000;
constexpr std::uint64_t kSeed = 1;
// Where streams lie: far apart, so that they never share a row.
constexpr std::uint64_t kIndexRegion = std::uint64_t{1} << 44, kWriteRegion = std::uint64_t{1} << 45;

bool wanted(const Spu& spu, const SlicePass& pass, std::int64_t row, std::int64_t column) {
  if (!pass.masked || spu.keepAdds >= 1) return true;
  const auto words =
      philox(kSeed, Purpose::dropout, static_cast<std::uint64_t>(row), static_cast<std::uint32_t>(column));
  return unit(words[0]) < spu.keepAdds;
}

}  // namespace

std::int64_t reduceCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block) {
  std::vector<std::int64_t> segments;
  for (std::size_t i = 0; i < block.lengths.size(); ++i)
    for (std::int64_t column = 0; column < pass.width; ++column)
      if (wanted(spu, pass, block.destinations[i], column)) segments.push_back(block.lengths[i]);
  return packSegments(segments, static_cast<std::int64_t>(spu.adders));
}

std::int64_t treeCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block) {
  std::vector<std::int64_t> widths;
  widths.reserve(block.sources.size());
  for (std::size_t i = 0; i < block.lengths.size(); ++i) {
    std::int64_t columns = 0;
    for (std::int64_t column = 0; column < pass.width; ++column)
      columns += wanted(spu, pass, block.destinations[i], column) ? 1 : 0;
    widths.insert(widths.end(), static_cast<std::size_t>(block.lengths[i]), columns);
  }
  return distributeCycles(block.sources, widths, spu.tree);
}

std::int64_t gatherCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block,
                          std::int64_t issue) {
  return bankCycles(block.sources, spu.banksFor(pass.width), issue, kBankQueue) * spu.beatsFor(pass.width);
}

Shares sampleShares(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice) {
  Shares shares;
  if (graph.nonzeros == 0) return shares;
  const TileShape shape = spu.shape(pass.width, twice);
  const auto edges = static_cast<std::int64_t>(
      std::min(static_cast<double>(kSampledCycles) * spu.adders / static_cast<double>(pass.width) + 1.0,
               static_cast<double>(kMostSampled) / static_cast<double>(pass.width) + 1.0));
  const std::int64_t banks = spu.banksFor(pass.width);
  const auto issue = static_cast<std::int64_t>(spu.decode);  // as many are asked for a cycle
  double added = 0, addCycles = 0, read = 0, readCycles = 0, brought = 0;
  for (const BlockSample& sample : sampleBlocks(graph, shape, edges)) {
    const BlockEdges& block = sample.edges;
    const double weight = sample.weight, each = weight / static_cast<double>(block.sources.size());
    added += weight * static_cast<double>(pass.width) * (pass.masked ? spu.keepAdds : 1);
    addCycles += each * static_cast<double>(reduceCycles(spu, pass, block));
    read += weight;
    readCycles +=
        each * static_cast<double>(gatherCycles(spu, pass, block, issue) / spu.beatsFor(pass.width));
    brought += each * static_cast<double>(treeCycles(spu, pass, block));
    shares.nonzeros += static_cast<std::int64_t>(block.sources.size());
    ++shares.blocks;
  }
  if (addCycles > 0) shares.reduction = std::min(1.0, added / (addCycles * spu.adders));
  if (brought > 0)
    shares.tree = read * (pass.masked ? spu.keepAdds : 1) / (brought * rowsATurn(spu, pass.width));
  if (readCycles > 0) shares.banks = std::min(1.0, read / (readCycles * static_cast<double>(banks)));
  return shares;
}

Shares closedShares(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice, double reduction) {
  const std::int64_t banks = spu.banksFor(pass.width);
  const double window =
      static_cast<double>(std::min(graph.vertices, spu.shape(pass.width, twice).windowRows));
  const bool fitsTree = pass.width <= std::min(spu.tree.leaves, spu.tree.words);
  const double rows = fitsTree ? distributedRows(window, pass.width, spu.tree) : rowsATurn(spu, pass.width);
  return {reduction, randomBankShare(banks, banks, kBankQueue), rows / rowsATurn(spu, pass.width), 0, 0};
}

CycleModel::CycleModel(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice,
                       const HotRows& pinned)
    : spu_(spu),
      pass_(pass),
      pinned_(pinned),
      matrix_(*graph.matrix),
      shape_(spu.shape(pass.width, twice)),
      begins_(partBegins(matrix_.cols, partsOf(matrix_.cols, shape_.windowRows))),
      dram_(spu.dram.table(), static_cast<int>(std::ceil(spu.dram.channels())), PagePolicy::open),
      speed_(spu.dram.channels() / std::ceil(spu.dram.channels())) {}

void CycleModel::beginTile(const Tile& tile) {
  blocks_ = edgesOf(matrix_, begins_, tile.first, tile.first + tile.rows);
}

std::array<std::int64_t, kComputing> CycleModel::compute(std::size_t window) const {
  const BlockEdges& block = blocks_[window];
  const auto decode = static_cast<std::int64_t>(spu_.decode);
  const auto nonzeros = static_cast<std::int64_t>(block.sources.size());
  return {(nonzeros + decode - 1) / decode, gatherCycles(spu_, pass_, block, decode),
          treeCycles(spu_, pass_, block), reduceCycles(spu_, pass_, block)};
}

std::vector<std::uint64_t> CycleModel::rowBursts(std::size_t window) const {
  std::vector<std::int64_t> rows;
  for (const std::int64_t source : blocks_[window].sources)
    if (pinned_.rows == 0 || !pinned_.isHot[static_cast<std::size_t>(begins_[window] + source)])
      rows.push_back(source);
  std::vector<std::uint64_t> bursts;
  addBursts(window, rows, bursts);
  return bursts;
}

std::vector<std::uint64_t> CycleModel::pinnedBursts() const {
  std::vector<std::uint64_t> bursts;
  std::vector<std::int64_t> rows;
  for (std::size_t window = 0; window + 1 < begins_.size(); ++window) {
    rows.clear();
    for (std::int64_t v = begins_[window]; v < begins_[window + 1]; ++v)
      if (pinned_.isHot[static_cast<std::size_t>(v)]) rows.push_back(v - begins_[window]);
    addBursts(window, rows, bursts);
  }
  return bursts;
}

void CycleModel::addBursts(std::size_t window, std::span<const std::int64_t> rows,
                           std::vector<std::uint64_t>& to) const {
  const std::int64_t rowBytes = pass_.width * kFeatureBytes, burst = spu_.dram.table().burstBytes;
  const std::int64_t begin = begins_[window], end = begins_[window + 1];
  const auto lineOf = [&](std::int64_t byte) { return byte / spu_.line; };
  std::vector<bool> line(static_cast<std::size_t>(lineOf((end - begin) * rowBytes - 1) + 1));
  for (const std::int64_t row : rows)
    for (std::int64_t l = lineOf(row * rowBytes); l <= lineOf((row + 1) * rowBytes - 1); ++l)
      line[static_cast<std::size_t>(l)] = true;
  // each window begins on a line of its own
  const std::int64_t base = lineOf(begin * rowBytes) + static_cast<std::int64_t>(window);
  for (std::size_t l = 0; l < line.size(); ++l)
    for (std::int64_t byte = 0; line[l] && byte < spu_.line; byte += burst)
      to.push_back(static_cast<std::uint64_t>((base + static_cast<std::int64_t>(l)) * spu_.line + byte));
}

std::int64_t CycleModel::memory(std::int64_t cycle, std::int64_t indexBytes,
                                std::span<const std::uint64_t> rows, std::int64_t writtenBytes) {
  const double now = static_cast<double>(cycle) * 1e9 / spu_.hz * speed_;  // on the memory's clock
  const auto burst = static_cast<std::uint64_t>(spu_.dram.table().burstBytes);
  std::vector<BurstRequest> requests;
  const auto stream = [&](std::uint64_t& at, std::int64_t bytes, std::uint64_t region, bool write) {
    const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
    for (std::uint64_t b = (at + burst - 1) / burst; b * burst < end; ++b)
      requests.push_back({region + b * burst, now, write});
    at = end;
  };
  stream(writeAt_, writtenBytes, kWriteRegion, true);
  stream(indexAt_, indexBytes, kIndexRegion, false);
  for (const std::uint64_t address : rows) requests.push_back({address, now, false});
  if (requests.empty()) return 0;
  return spu_.cyclesOf((dram_.serve(requests) - now) / speed_);
}

}  // namespace halo::sim::spu
