#include "simulator/accelerators/spu/spu_pass.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "simulator/accelerators/spu/spu_cycles.h"

namespace halo::sim::spu {
namespace {

/// What one block asks of each engine.
struct BlockCost {
  std::int64_t indexBytes = 0, rowBytes = 0, nonzeros = 0, sums = 0;
  std::int64_t finished = 0;  // bytes of sums and mask that may leave once it is worked on: its tile's last
  double rowsOpened = 0;
  bool scattered = false;
  std::array<std::int64_t, kComputing> compute{};  // decoder, node buffer, tree, adders
  std::vector<std::uint64_t> bursts;               // at level `cycle`: of its rows
  std::int64_t slowest() const { return std::ranges::max(compute); }
};

/// One pass at level `tile`, or with a CycleModel at level `cycle`.
class TilePass {
 public:
  TilePass(const Spu& spu, const SlicePass& pass, bool twice, const Shares& shares, CycleModel* cycles)
      : spu_(spu), pass_(pass), twice_(twice), shares_(shares), cycles_(cycles) {}

  Result run(const Graph& graph, const HotRows& pinned) {
    TileShape shape = spu_.shape(pass_.width, twice_);
    shape.pinned = &pinned;
    pin(pinnedLines(graph, shape));
    forEachTile(graph, shape, [&](const Tile& tile) { take(tile); });
    if (held_) compute(*held_, nullptr);
    finish();
    return std::move(result_);
  }

 private:
  /// Rows that stay come before all others.
  void pin(const PinnedLines& pinned) {
    if (pinned.lines == 0) return;
    BlockCost rows;
    rows.rowBytes = pinned.lines * spu_.line;
    rows.scattered = pinned.lines < pinned.all;
    rows.rowsOpened = spu_.dram.rowsOpened(pinned.lines, pinned.all);
    if (cycles_ != nullptr) rows.bursts = cycles_->pinnedBursts();
    load(rows, kPinnedStream);
  }

  void take(const Tile& tile) {
    const auto has = [](const Block& block) { return block.nonzeros > 0; };
    if (std::ranges::none_of(tile.blocks, has)) return;  // no sum to make, none to write
    if (cycles_ != nullptr) cycles_->beginTile(tile);
    for (std::size_t w = 0; w < tile.blocks.size(); ++w) {
      if (tile.blocks[w].nonzeros == 0) continue;
      BlockCost cost = costOf(tile.blocks[w], tile.rows);
      if (cycles_ != nullptr) {
        cost.compute = cycles_->compute(w);
        cost.bursts = cycles_->rowBursts(w);
      }
      if (!held_)
        load(cost, kRowStream);
      else
        compute(*held_, &cost);
      held_ = std::move(cost);
    }
    // the tile's sums leave while the block after its last one is worked on. Its mask, a thirty-second of
    // their bytes, came before and is counted with them.
    const double writtenShare = pass_.masked ? spu_.keepWrites : 1;
    const auto sums = static_cast<std::int64_t>(
        std::llround(static_cast<double>(tile.rows * pass_.width * kFeatureBytes) * writtenShare));
    const std::int64_t mask = pass_.masked ? (tile.rows * pass_.width + 7) / 8 : 0;
    held_->finished = sums + mask;
    result_.bytes[kSumStream] += sums;
    result_.bytes[kMaskStream] += mask;
  }

  BlockCost costOf(const Block& block, std::int64_t tileRows) const {
    BlockCost cost;
    const double keep = pass_.masked ? spu_.keepAdds : 1;
    const auto edges = static_cast<double>(block.nonzeros), width = static_cast<double>(pass_.width);
    cost.nonzeros = block.nonzeros;
    cost.sums = std::min(block.nonzeros, tileRows);
    cost.indexBytes = spu_.indexBytes * block.nonzeros + spu_.countBytes * tileRows;
    cost.rowBytes = std::min(block.sources * pass_.width * kFeatureBytes, block.lines * spu_.line);
    cost.scattered = block.lines < block.windowLines;
    cost.rowsOpened = spu_.dram.rowsOpened(block.lines, block.windowLines);
    cost.compute = {cyclesFor(edges, spu_.decode),
                    cyclesFor(edges * static_cast<double>(spu_.beatsFor(pass_.width)),
                              static_cast<double>(spu_.banksFor(pass_.width)) * shares_.banks),
                    cyclesFor(edges * keep, rowsATurn(spu_, pass_.width) * shares_.tree),
                    cyclesFor(edges * width * keep, spu_.adders * shares_.reduction)};
    return cost;
  }

  std::int64_t hbmCycles(std::int64_t indexBytes, const BlockCost* rowsOf, std::int64_t written) {
    if (cycles_ != nullptr)
      return cycles_->memory(result_.cycles(), indexBytes,
                             rowsOf == nullptr ? std::span<const std::uint64_t>() : rowsOf->bursts, written);
    Traffic traffic{indexBytes + written, 0, 0};
    if (rowsOf != nullptr && rowsOf->scattered) {
      traffic.scatteredBytes = rowsOf->rowBytes;
      traffic.scatteredRows = rowsOf->rowsOpened;
    } else if (rowsOf != nullptr) {
      traffic.streamBytes += rowsOf->rowBytes;
    }
    result_.rowsOpened += spu_.dram.rowsOpened(traffic);
    return spu_.cyclesOf(spu_.dram.servedNs(traffic));
  }

  /// Rows of sources come before anything can be added.
  void load(const BlockCost& next, Stream stream) {
    Interval<kEngines, kCauses> now;
    now.cycles = hbmCycles(0, &next, 0);
    now.busy[kHbm] = now.cycles;
    now.bytes[kHbm] = next.rowBytes;
    for (std::size_t e = kDecoder; e <= kAdders; ++e) now.stalled[e][kRows] = now.cycles;
    now.idle[kOutputBuffer] = now.cycles;
    result_.bytes[stream] += next.rowBytes;
    result_.log.add(now);
  }

  /// `block` is worked on while the next one's rows come (or, buffered once, come after it).
  void compute(const BlockCost& block, const BlockCost* next) {
    const BlockCost* along = twice_ ? next : nullptr;
    const std::int64_t moved = block.indexBytes + toWrite_ + (along != nullptr ? along->rowBytes : 0);
    const std::int64_t memory = hbmCycles(block.indexBytes, along, toWrite_);
    const std::int64_t slowest = block.slowest(), busy = slowest + spu_.fill;
    Interval<kEngines, kCauses> now;
    now.cycles = std::max(memory, busy);
    now.busy[kHbm] = memory;
    now.bytes[kHbm] = moved;
    const auto at = std::ranges::max_element(block.compute) - block.compute.begin();
    const Cause limit = causeOf(static_cast<std::size_t>(at));
    now.stalled[kHbm][limit] = std::min(now.cycles - memory, slowest);
    now.stalled[kHbm][kFilling] = now.cycles - memory - now.stalled[kHbm][limit];
    const std::int64_t brought = along != nullptr ? along->rowBytes : 0;
    const Cause from = toWrite_ > std::max(block.indexBytes, brought) ? kWrites
                       : brought > block.indexBytes                   ? kRows
                                                                      : kIndex;
    for (std::size_t i = 0; i < kComputing; ++i) {
      const std::size_t e = kDecoder + i;
      now.busy[e] = block.compute[i];
      now.stalled[e][limit] += slowest - block.compute[i];
      now.stalled[e][kFilling] += spu_.fill;
      now.stalled[e][from] += now.cycles - busy;
    }
    now.bytes[kDecoder] = block.indexBytes;
    now.bytes[kNodeBuffer] = now.bytes[kTree] = block.nonzeros * pass_.width * kFeatureBytes;
    now.bytes[kOutputBuffer] = block.sums * pass_.width * kFeatureBytes;
    now.busy[kOutputBuffer] =
        std::min(now.cycles, cyclesFor(static_cast<double>(now.bytes[kOutputBuffer]), spu_.port));
    now.idle[kOutputBuffer] = now.cycles - now.busy[kOutputBuffer];  // nothing waits for it
    result_.log.add(now);
    count(block);
    toWrite_ = block.finished;
    if (next == nullptr) return;
    if (!twice_)
      load(*next, kRowStream);
    else
      result_.bytes[kRowStream] += next->rowBytes;
  }

  void count(const BlockCost& block) {
    result_.bytes[kIndexStream] += block.indexBytes;
    nonzeros_ += block.nonzeros;
  }

  /// The last tile's sums leave when nothing else is left to do.
  void finish() {
    if (toWrite_ > 0) {
      Interval<kEngines, kCauses> now;
      now.cycles = hbmCycles(0, nullptr, toWrite_);
      now.busy[kHbm] = now.cycles;
      now.bytes[kHbm] = toWrite_;
      for (std::size_t e = kDecoder; e < kEngines; ++e) now.idle[e] = now.cycles;
      result_.log.add(now);
    }
    result_.additions =
        std::llround(static_cast<double>(nonzeros_ * pass_.width) * (pass_.masked ? spu_.keepAdds : 1));
    if (cycles_ != nullptr) result_.rowsOpened = static_cast<double>(cycles_->rowsOpened());
  }

  const Spu& spu_;
  const SlicePass& pass_;
  bool twice_;
  Shares shares_;
  CycleModel* cycles_;  // or nullptr
  std::optional<BlockCost> held_;
  std::int64_t nonzeros_ = 0;
  std::int64_t toWrite_ = 0;  // sums and masks of finished tiles that HBM still has to move
  Result result_;
};

}  // namespace

Spu::Spu(const Values& f, const Library& library)
    : hz(f.real("freq_mhz") * 1e6),
      adders(static_cast<double>(f.integer("adders"))),
      nodeBytes(f.real("node_buffer_mb") * kMega),
      pinnedBytes(f.real("pinned_mb") * kMega),
      outputBytes(f.real("output_buffer_mb") * kMega),
      maskBytes(f.real("mask_buffer_mb") * kMega),
      line(f.integer("line_bytes")),
      indexBytes(f.integer("index_bytes")),
      countBytes(f.integer("row_count_bytes")),
      decode(static_cast<double>(f.integer("decoder_edges_per_cycle"))),
      port(static_cast<double>(f.integer("node_buffer_bytes_per_cycle"))),
      keepAdds(f.text("mask_skips") == "none" ? 1 : f.real("mask_density")),
      keepWrites(f.text("mask_skips") == "adds-and-writes" ? f.real("mask_density") : 1),
      tree{f.integer("adders"), f.integer("tree_words_per_cycle")},
      fill(2 * treeLevels(f.integer("adders"))),
      peakBytesPerCycle(f.real("hbm_gbps") * 1e9 / hz),
      dram(library.memories.at(f.text("memory")), f.real("hbm_gbps"), line,
           f.text("memory_model") == "efficiency" ? DramModel::efficiency : DramModel::closedPage) {}

TileShape Spu::shape(std::int64_t width, bool twice) const {
  const double row = static_cast<double>(width * kFeatureBytes), halves = twice ? 2 : 1;
  const double maskRows = maskBytes / halves * 8 / static_cast<double>(width);
  const auto wholeRows = [](double rows) { return static_cast<std::int64_t>(std::min(rows, 4e9)); };
  return {wholeRows(std::min(outputBytes / halves / row, maskRows)),
          wholeRows(std::max(0.0, nodeBytes - pinnedBytes) / halves / row), width * kFeatureBytes, line};
}

double rowsATurn(const Spu& spu, std::int64_t width) {
  const std::int64_t most = std::min(spu.tree.leaves, spu.tree.words);
  return width <= most ? static_cast<double>(most / width) : 1 / static_cast<double>((width - 1) / most + 1);
}

Result tilePass(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice, const Shares& shares,
                const HotRows& pinned) {
  return TilePass(spu, pass, twice, shares, nullptr).run(graph, pinned);
}

Result cyclePass(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice,
                 const HotRows& pinned) {
  CycleModel cycles(spu, pass, graph, twice, pinned);
  return TilePass(spu, pass, twice, {}, &cycles).run(graph, pinned);
}

/// Sources that have to be read. With counts alone those that are not pinned have the fewer nonzeros.
std::int64_t sourcesRead(const Graph& graph, const HotRows& pinned) {
  if (graph.matrix != nullptr || pinned.rows == 0) return sourcesUsed(graph);
  Graph others;
  others.vertices = graph.vertices - pinned.rows;
  others.nonzeros =
      static_cast<std::int64_t>(static_cast<double>(graph.nonzeros) * (1 - pinned.nonzeroShare));
  return pinned.rows + sourcesUsed(others);
}

Result boundOf(const Spu& spu, const SlicePass& pass, const Graph& graph, const HotRows& pinned) {
  Result result;
  const double keepAdds = pass.masked ? spu.keepAdds : 1, keepWrites = pass.masked ? spu.keepWrites : 1;
  const auto edges = static_cast<double>(graph.nonzeros), width = static_cast<double>(pass.width);
  const std::int64_t rowBytes = pass.width * kFeatureBytes, n = rowsUsed(graph);
  result.bytes[kIndexStream] = spu.indexBytes * graph.nonzeros + spu.countBytes * n;
  result.bytes[kPinnedStream] = pinned.rows * rowBytes;
  result.bytes[kRowStream] = (sourcesRead(graph, pinned) - pinned.rows) * rowBytes;
  result.bytes[kSumStream] = static_cast<std::int64_t>(static_cast<double>(n * rowBytes) * keepWrites);
  result.bytes[kMaskStream] = pass.masked ? n * pass.width / 8 : 0;
  result.additions = std::llround(edges * width * keepAdds);
  const auto memory =
      static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / spu.peakBytesPerCycle);
  const std::array<std::int64_t, kComputing> compute = {
      cyclesFor(edges, spu.decode), cyclesFor(edges * width * kFeatureBytes, spu.port),
      cyclesFor(edges * width * keepAdds,
                static_cast<double>(spu.tree.leaves)),  // at the best all by multicast
      cyclesFor(edges * width * keepAdds, spu.adders)};
  const std::int64_t slowest = std::ranges::max(compute);
  result.rowsOpened = spu.dram.rowsOpened(Traffic{result.dramBytes(), 0, 0});
  Interval<kEngines, kCauses> now;
  now.cycles = std::max(memory, slowest);
  now.busy = {memory, compute[0], compute[1], compute[2], compute[3], 0};
  now.bytes = {result.dramBytes(),
               result.bytes[kIndexStream],
               graph.nonzeros * rowBytes,
               graph.nonzeros * rowBytes,
               0,
               std::min(graph.nonzeros, n) * rowBytes};
  const auto at = std::ranges::max_element(compute) - compute.begin();
  const Cause limit = causeOf(static_cast<std::size_t>(at));
  now.stalled[kHbm][limit] = now.cycles - memory;
  now.idle[kOutputBuffer] = now.cycles;
  for (std::size_t i = 0; i < kComputing; ++i) {
    now.stalled[kDecoder + i][limit] = slowest - compute[i];
    now.stalled[kDecoder + i][kIndex] = now.cycles - slowest;
  }
  result.log.add(now);
  return result;
}

}  // namespace halo::sim::spu
