#include "simulator/accelerators/gcnax/gcnax_pass.h"

#include <algorithm>
#include <vector>

#include "engine/base/check.h"
#include "simulator/graph/tiling.h"

namespace halo::sim::gcnax {
namespace {

std::int64_t ceilDiv(std::int64_t amount, std::int64_t by) { return (amount + by - 1) / by; }

/// The nonzeros of one tile of A.
struct SparseTile {
  std::int64_t nonzeros = 0;
  std::int64_t columns = 0;  // with a nonzero
};

/// Tiles of A, row of tiles by row of tiles.
std::vector<SparseTile> sparseTiles(const Graph& graph, const LoopTiling& tiling) {
  std::vector<SparseTile> tiles;
  const TileShape shape{tiling.tile[0], tiling.tile[1], 4, 4};  // a line is a row: lines are columns of A
  forEachTile(graph, shape, [&](const Tile& tile) {
    for (const Block& block : tile.blocks)
      tiles.push_back({block.nonzeros, std::min(block.lines, block.nonzeros)});
  });
  return tiles;
}

class TilePass {
 public:
  TilePass(const Gcnax& gcnax, const SlicePass& pass, const Graph& graph, const LoopTiling& tiling)
      : gcnax_(gcnax),
        product_(productOf(graph, pass.width)),
        tiling_(tiling),
        trips_(tiling.trips(product_)),
        tiles_(sparseTiles(graph, tiling)) {
    HALO_CHECK(std::ssize(tiles_) == trips_[0] * trips_[1]);
  }

  Result run() {
    const auto at = [&](std::size_t loop) { return static_cast<std::size_t>(tiling_.order[loop]); };
    const std::size_t a = at(0), b = at(1), c = at(2);
    for (now_[a] = 0; now_[a] < trips_[a]; ++now_[a])
      for (now_[b] = 0; now_[b] < trips_[b]; ++now_[b])
        for (now_[c] = 0; now_[c] < trips_[c]; ++now_[c]) visit();
    work({0, 0, 0, 0, heldSums_});  // the last tile is worked on, and its sums leave
    result_.additions = product_.nonzeros * product_.columns;
    return std::move(result_);
  }

 private:
  using Bytes = std::array<std::int64_t, kStreams>;
  using Position = std::array<std::int64_t, kLoops>;

  std::int64_t length(Loop loop) const {
    const auto l = static_cast<std::size_t>(loop);
    const std::int64_t count = loop == Loop::rows    ? product_.rows
                               : loop == Loop::inner ? product_.inner
                                                     : product_.columns;
    return partBegin(count, trips_[l], now_[l] + 1) - partBegin(count, trips_[l], now_[l]);
  }

  bool comesTo(Position& position, Loop a, Loop b) const {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (position[i] == now_[i] && position[j] == now_[j]) return false;
    position = now_;
    return true;
  }

  void visit() {
    const SparseTile& tile = tiles_[static_cast<std::size_t>(now_[0] * trips_[1] + now_[1])];
    Bytes moved{};
    const std::int64_t nonzeros = gcnax_.bytes.nonzero * tile.nonzeros;
    if (comesTo(sparse_, Loop::rows, Loop::inner)) {
      moved[kNonzeroStream] = nonzeros;
      moved[kPointerStream] = gcnax_.bytes.pointer * length(Loop::inner);
    } else {  // what had no room comes again
      moved[kNonzeroStream] =
          std::max<std::int64_t>(0, nonzeros - static_cast<std::int64_t>(gcnax_.room.sparse));
    }
    if (comesTo(dense_, Loop::inner, Loop::columns))
      moved[kDenseStream] = gcnax_.bytes.feature * length(Loop::inner) * length(Loop::columns);
    if (comesTo(sums_, Loop::rows, Loop::columns)) {
      moved[kWriteStream] = heldSums_;
      heldSums_ = gcnax_.bytes.feature * length(Loop::rows) * length(Loop::columns);
      if (now_[1] > 0) moved[kReadStream] = heldSums_;
    }
    work(moved);
    const std::int64_t beats = tile.columns * ceilDiv(length(Loop::columns), gcnax_.engineMacs);
    multiply_ =
        std::max(ceilDiv(tile.nonzeros * length(Loop::columns), gcnax_.macs), ceilDiv(beats, gcnax_.engines));
    products_ = tile.nonzeros * length(Loop::columns);
  }

  /// The tile before is multiplied while DRAM moves this.
  void work(const Bytes& moved) {
    std::int64_t all = 0;
    for (const std::int64_t bytes : moved) all += bytes;
    std::int64_t memory = gcnax_.cyclesOf(gcnax_.dram.ns({all, 0, 0}));
    if (!begun_) memory += gcnax_.cyclesOf(gcnax_.dram.latencyNs());
    begun_ = true;
    Interval<kEngines, kCauses> now;
    now.cycles = std::max(memory, multiply_);
    now.busy = {memory, multiply_, multiply_, multiply_};
    now.bytes = {all, 0, 4 * products_, 8 * products_};
    now.stalled[kHbm][kMultiplying] = now.cycles - memory;
    const std::int64_t sparse = moved[kNonzeroStream] + moved[kPointerStream];
    const std::int64_t sums = moved[kReadStream] + moved[kWriteStream];
    const Cause cause = sums > std::max(sparse, moved[kDenseStream]) ? kSums
                        : moved[kDenseStream] > sparse               ? kDense
                                                                     : kSparse;
    now.stalled[kMacs][cause] = now.cycles - multiply_;
    now.idle[kDenseBuffer] = now.idle[kOutputBuffer] = now.cycles - multiply_;
    result_.log.add(now);
    for (std::size_t s = 0; s < kStreams; ++s) result_.bytes[s] += moved[s];
    multiply_ = products_ = 0;
  }

  const Gcnax& gcnax_;
  Product product_;
  const LoopTiling& tiling_;
  std::array<std::int64_t, kLoops> trips_;
  std::vector<SparseTile> tiles_;
  Position now_{}, sparse_{-1, -1, -1}, dense_{-1, -1, -1}, sums_{-1, -1, -1};
  std::int64_t heldSums_ = 0;                 // bytes of the tile of sums on the chip
  std::int64_t multiply_ = 0, products_ = 0;  // of the tile that has come but is not worked on
  bool begun_ = false;
  Result result_;
};

}  // namespace

Gcnax::Gcnax(const Values& f, const Library& library)
    : hz(f.real("freq_mhz") * 1e6),
      macs(f.integer("macs")),
      engineMacs(std::min(macs, f.integer("macs_per_engine"))),
      engines(macs / engineMacs),
      bytes{f.integer("row_number_bytes") + f.integer("value_bytes"), f.integer("column_pointer_bytes"), 4},
      room{f.real("sparse_buffer_mb") * kMega / 2, f.real("dense_buffer_mb") * kMega / 2,
           f.real("output_buffer_mb") * kMega / 2},
      peakBytesPerCycle(f.real("dram_gbps") * 1e9 / hz),
      dram(library.memories.at(f.text("memory")), f.real("dram_gbps"), 64,
           f.text("memory_model") == "efficiency" ? DramModel::efficiency : DramModel::closedPage) {}

Product productOf(const Graph& graph, std::int64_t width) {
  const RowsRef& matrix = graph.matrix;
  return {matrix == nullptr ? graph.vertices : matrix->rows(),
          matrix == nullptr ? graph.vertices : matrix->cols, width, graph.nonzeros};
}

std::optional<LoopTiling> Gcnax::tilingOf(const Graph& graph, std::int64_t width) const {
  return searchTiling(productOf(graph, width), bytes, room);
}

Result tilePass(const Gcnax& gcnax, const SlicePass& pass, const Graph& graph, const LoopTiling& tiling) {
  return TilePass(gcnax, pass, graph, tiling).run();
}

Result boundOf(const Gcnax& gcnax, const SlicePass& pass, const Graph& graph) {
  Result result;
  const Product product = productOf(graph, pass.width);
  result.bytes = {gcnax.bytes.nonzero * product.nonzeros, gcnax.bytes.pointer * product.inner,
                  gcnax.bytes.feature * product.inner * product.columns, 0,
                  gcnax.bytes.feature * product.rows * product.columns};
  result.additions = product.nonzeros * product.columns;
  const std::int64_t bytes = result.dramBytes();
  const auto memory = static_cast<std::int64_t>(static_cast<double>(bytes) / gcnax.peakBytesPerCycle);
  const std::int64_t multiply = ceilDiv(result.additions, gcnax.macs);
  Interval<kEngines, kCauses> now;
  now.cycles = std::max(memory, multiply);
  now.busy = {memory, multiply, multiply, multiply};
  now.bytes = {bytes, 0, 4 * result.additions, 8 * result.additions};
  now.stalled[kHbm][kMultiplying] = now.cycles - memory;
  now.stalled[kMacs][kSparse] = now.cycles - multiply;
  now.idle[kDenseBuffer] = now.idle[kOutputBuffer] = now.cycles - multiply;
  result.log.add(now);
  return result;
}

}  // namespace halo::sim::gcnax
