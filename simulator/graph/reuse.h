#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/csr_rows.h"
#include "engine/base/stop_asks.h"

namespace halo::sim {

/// Caches of a processor: the first two of each core, the third of all cores together.
struct CacheBytes {
  double first = 0, second = 0, third = 0;
};

/// What is read and written while rows are summed.
struct RowAccess {
  std::int64_t strideBytes = 64;  // from row to row of X; rows begin on a line where it is whole lines
  std::int64_t lineBytes = 64;
  std::int64_t indexBytes = 4;  // that stream by with each nonzero
  std::int64_t sumBytes = 0;    // that are written for each row of the matrix
  /// That came by since the first use of a row in this pass followed the last of the pass before.
  double passBytes = 0;
  /// Lines that a row lies on, in the mean over where it may begin.
  double linesARow() const;
  /// What is kept and found again as one: a row, or a line where several rows share it.
  std::int64_t unitOf(std::int64_t row) const {
    return strideBytes < lineBytes ? row * strideBytes / lineBytes : row;
  }
  double unitBytes() const;
};

enum Found : std::size_t { kInFirst, kInSecond, kInThird, kInMemory, kLevels };

/// Nonzeros of the blocks that cores work on side by side, by where their row of X is found.
struct Wave {
  std::int64_t rows = 0, nonzeros = 0;
  std::array<double, kLevels> byLevel{};  // their sum is `nonzeros`
};

/// Borders of `parts` blocks of consecutive rows with about equally many rows and nonzeros together, as
/// engine/kernels/sparse/spmm cuts them; parts + 1 numbers from 0 to the rows.
std::vector<Index> blockBorders(const CsrRows& matrix, std::int64_t parts);

/// Where the rows of X are found when `cores` cores sum the rows of the matrix. Core c works on blocks c,
/// c + cores, …; the cores take 16 nonzeros each in turn. A row is in a cache if no more bytes came by since
/// its last use than the cache holds. These are rows of X of its own core (third level: of all cores), column
/// numbers and sums. The first time, they are `passBytes` of all cores. So least recently used goes first,
/// caches keep lines anywhere, and each level holds what the levels before it hold.
/// `sampled` is the share of the units that are followed; 1: all of them, exact. With less, units are drawn
/// by a hash of their number, and their distances stand for `1 / sampled` as many. That is SHARDS
/// (Waldspurger et al., FAST 2015). What the draw has too few or too many of is counted as first-level hits.
/// Cost: about 3 ns a nonzero, and 0.2 µs one that is followed. Memory: 4 bytes a unit, 16 a followed unit
/// and core.
std::vector<Wave> reuse(const CsrRows& matrix, std::span<const Index> borders, std::int64_t cores,
                        const RowAccess& access, const CacheBytes& caches, double sampled,
                        const AskStop& askStop = {});

/// The definition: looks back for every nonzero. The tests hold `reuse` against it.
std::vector<Wave> reuseReference(const CsrRows& matrix, std::span<const Index> borders, std::int64_t cores,
                                 const RowAccess& access, const CacheBytes& caches);

/// A share to sample so that a pass takes about 20 ns a nonzero at most: 1 for small matrices.
double sampledShare(const CsrRows& matrix, const RowAccess& access);

/// The same expected from counts alone. Each of so many rows of X is equally likely to be the next that a
/// core (that any core) reads. `touched` rows are read at all, each for the first time once. Assumes that
/// there are no hubs and no communities.
std::array<double, kLevels> expectedReuse(double nonzeros, double touched, double rowsOfCore,
                                          double rowsOfAll, const RowAccess& access,
                                          const CacheBytes& caches);

}  // namespace halo::sim
