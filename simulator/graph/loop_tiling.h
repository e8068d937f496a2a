#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace halo::sim {

// The generic model of tiles. A sparse matrix A (rows × inner) is multiplied with a dense one H (inner ×
// columns) in three loops over tiles. One tile of each of A, H and the sums is on the chip; a tile is moved
// when the loops come to another one. Sums that are not finished when their tile leaves are read again.

enum class Loop { rows, inner, columns };
constexpr std::size_t kLoops = 3;

struct Product {
  std::int64_t rows = 0, inner = 0, columns = 0, nonzeros = 0;
};

struct LoopTiling {
  std::array<Loop, kLoops> order{Loop::rows, Loop::inner, Loop::columns};  // outermost first
  std::array<std::int64_t, kLoops> tile{1, 1, 1};                          // by Loop: at most so long, ≥ 1
  /// Tiles of each loop.
  std::array<std::int64_t, kLoops> trips(const Product& product) const;
};
/// "rows, inner, columns"
std::string text(const std::array<Loop, kLoops>& order);

struct ElementBytes {
  std::int64_t nonzero = 8;  // row number and value
  std::int64_t pointer = 4;  // begin of one column of a tile of A
  std::int64_t feature = 4;
};

/// Bytes that a tile of each may have.
struct TileRoom {
  double sparse = 0, dense = 0, sums = 0;
};

struct ProductBytes {
  std::int64_t nonzeros = 0, pointers = 0, dense = 0, sumsRead = 0, sumsWritten = 0;
  std::int64_t all() const { return nonzeros + pointers + dense + sumsRead + sumsWritten; }
};

/// What the loops move, in closed form. An operand's tiles are moved once for each turn of some loops. These
/// are the innermost of the operand's own that has more than one tile, and those outside it.
ProductBytes trafficOf(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes);
/// The definition: walks the loops, one tile of each held. Nonzeros are spread evenly over the tiles.
ProductBytes trafficReference(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes);

/// Whether one tile of each has room, the one of A with the mean number of nonzeros.
bool fits(const Product& product, const LoopTiling& tiling, const ElementBytes& bytes, const TileRoom& room);

/// The tile sizes and the order of the loops that move the fewest bytes; of equals the one with the fewest
/// tiles, then the first. All six orders are tried, and all sizes that give different numbers of tiles. Only
/// a tile of A is made as long along `inner` as has room: bytes never grow with the length of a tile. Returns
/// nullopt where not even single elements have room, or bytes are beyond counting (4e18).   Source: GCNAX,
/// HPCA 2021, as an objective without fusion. Cost: O(√rows · √columns · log inner).
std::optional<LoopTiling> searchTiling(const Product& product, const ElementBytes& bytes,
                                       const TileRoom& room);

}  // namespace halo::sim
