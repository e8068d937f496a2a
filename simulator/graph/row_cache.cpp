#include "simulator/graph/row_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <list>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kAhead = 24;  // uses that their blocks' entries are fetched ahead of

/// Which block a row lies in; a shift where blocks hold a power of two of them.
class BlockMap {
 public:
  explicit BlockMap(std::int64_t rowsPerBlock) : rows_(static_cast<std::uint32_t>(rowsPerBlock)) {
    HALO_CHECK(rowsPerBlock >= 1);
    if (std::has_single_bit(rows_)) shift_ = std::countr_zero(rows_);
  }
  std::size_t operator()(Vertex v) const {
    const auto row = static_cast<std::uint32_t>(v);
    return shift_ >= 0 ? row >> shift_ : row / rows_;
  }
  std::size_t blocks(Index rows) const {
    return at((rows + static_cast<Index>(rows_) - 1) / static_cast<Index>(rows_));
  }

 private:
  std::uint32_t rows_;
  int shift_ = -1;
};

/// The cache over a list of uses. What it holds are the blocks whose last use is not before `oldest_`.
class Lru {
 public:
  Lru(std::span<const Vertex> uses, BlockMap blockOf, std::size_t blocks, std::int64_t capacity)
      : uses_(uses), blockOf_(blockOf), capacity_(capacity), usedBy_(blocks) {
    std::ranges::fill(usedBy_, 0);
  }

  /// Misses of the uses [begin, end), which follow those asked for before.
  std::int64_t run(std::int64_t begin, std::int64_t end) {
    if (capacity_ <= 0) return end - begin;
    const std::int64_t ahead = std::max(begin, std::min(end, std::ssize(uses_) - kAhead));
    std::int64_t misses = 0;
    for (std::int64_t i = begin; i < ahead; ++i) {
      __builtin_prefetch(&usedBy_[block(i + kAhead)], 1);
      misses += use(i);
    }
    for (std::int64_t i = ahead; i < end; ++i) misses += use(i);
    return misses;
  }

 private:
  std::size_t block(std::int64_t i) const { return blockOf_(uses_[at(i)]); }

  std::int64_t use(std::int64_t i) {
    std::int64_t& usedBy = usedBy_[block(i)];
    const bool miss = usedBy <= oldest_;  // uses count from 1 here: 0 is never
    if (miss) {
      if (held_ == capacity_)
        evict();
      else
        ++held_;
    }
    usedBy = i + 1;
    return miss ? 1 : 0;
  }

  void evict() {
    while (usedBy_[block(oldest_)] != oldest_ + 1) step();  // used again since
    step();
  }

  /// What is looked at next lies as far apart as what is used next.
  void step() {
    ++oldest_;
    __builtin_prefetch(&usedBy_[block(std::min(oldest_ + kAhead, std::ssize(uses_) - 1))]);
  }

  std::span<const Vertex> uses_;
  BlockMap blockOf_;
  std::int64_t capacity_, held_ = 0, oldest_ = 0;
  Buffer<std::int64_t> usedBy_;  // of each block: its last use
};

bool sampled(std::size_t block, std::uint64_t mask) {
  std::uint64_t x = static_cast<std::uint64_t>(block) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
  return ((x >> 32) & mask) == 0;
}

}  // namespace

std::vector<std::int64_t> lruMisses(const CsrRows& matrix, const RowCache& cache,
                                    std::span<const std::int64_t> ends) {
  const BlockMap blockOf(cache.rowsPerBlock);
  Lru lru({matrix.columns.data(), at(matrix.nonzeros())}, blockOf, blockOf.blocks(matrix.cols),
          cache.capacityBlocks);
  std::vector<std::int64_t> misses;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    misses.push_back(lru.run(begin, end));
    begin = end;
  }
  return misses;
}

std::vector<std::int64_t> sampledLruMisses(const CsrRows& matrix, const RowCache& cache,
                                           std::span<const std::int64_t> ends, std::int64_t oneOf) {
  HALO_CHECK(oneOf >= 1 && std::has_single_bit(static_cast<std::uint64_t>(oneOf)));
  if (oneOf == 1) return lruMisses(matrix, cache, ends);
  const BlockMap blockOf(cache.rowsPerBlock);
  const auto mask = static_cast<std::uint64_t>(oneOf - 1);
  const std::size_t blocks = blockOf.blocks(matrix.cols);
  std::vector<bool> taken(blocks);
  for (std::size_t b = 0; b < blocks; ++b) taken[b] = sampled(b, mask);
  std::vector<Vertex> uses;
  std::vector<std::int64_t> sampledEnds;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    for (std::int64_t i = begin; i < end; ++i)
      if (const Vertex v = matrix.columns[at(i)]; taken[blockOf(v)]) uses.push_back(v);
    sampledEnds.push_back(std::ssize(uses));
    begin = end;
  }
  const std::int64_t capacity =
      cache.capacityBlocks == 0 ? 0 : std::max<std::int64_t>(1, cache.capacityBlocks / oneOf);
  Lru lru(uses, blockOf, blocks, capacity);
  std::vector<std::int64_t> misses;
  std::int64_t from = 0;
  begin = 0;
  double share = 1;  // where a stretch has no sampled use: as before it
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const std::int64_t missed = lru.run(from, sampledEnds[s]);
    if (sampledEnds[s] > from)
      share = static_cast<double>(missed) / static_cast<double>(sampledEnds[s] - from);
    misses.push_back(std::llround(share * static_cast<double>(ends[s] - begin)));
    from = sampledEnds[s];
    begin = ends[s];
  }
  return misses;
}

std::int64_t expectedMisses(std::int64_t uses, double blocks, double capacityBlocks) {
  if (uses <= 0 || blocks <= 0) return 0;
  const auto all = static_cast<double>(uses);
  const double cachedShare = std::clamp(capacityBlocks / blocks, 0.0, 1.0);
  const double first = -blocks * std::expm1(-all / blocks);  // every block has a first use
  return std::llround(std::clamp(std::max(first, all * (1 - cachedShare)), 1.0, all));
}

std::vector<std::int64_t> lruMissesReference(const CsrRows& matrix, const RowCache& cache,
                                             std::span<const std::int64_t> ends) {
  std::list<std::int64_t> lruBlocks;
  std::map<std::int64_t, std::list<std::int64_t>::iterator> places;
  std::vector<std::int64_t> misses;
  std::int64_t i = 0;
  for (const std::int64_t end : ends) {
    misses.push_back(0);
    for (; i < end; ++i) {
      const std::int64_t block = matrix.columns[at(i)] / cache.rowsPerBlock;
      if (const auto place = places.find(block); place != places.end()) {
        lruBlocks.splice(lruBlocks.begin(), lruBlocks, place->second);
        continue;
      }
      ++misses.back();
      if (cache.capacityBlocks == 0) continue;
      if (std::ssize(lruBlocks) == cache.capacityBlocks) {
        places.erase(lruBlocks.back());
        lruBlocks.pop_back();
      }
      lruBlocks.push_front(block);
      places[block] = lruBlocks.begin();
    }
  }
  return misses;
}

std::vector<std::int64_t> evenRows(const CsrRows& matrix, std::int64_t count) {
  HALO_CHECK(count >= 1);
  std::vector<std::int64_t> ends;
  const auto begin = matrix.offsets.begin();
  for (std::int64_t i = 1; i < count; ++i) {
    const auto target = static_cast<std::int64_t>(static_cast<__int128>(matrix.nonzeros()) * i / count);
    ends.push_back(std::lower_bound(begin, matrix.offsets.end(), target) - begin);
  }
  ends.push_back(matrix.rows());
  return ends;
}

}  // namespace halo::sim
