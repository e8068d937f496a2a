#include "engine/partition/halo/cover.h"

#include <limits>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr Vertex kFree = -1;
constexpr std::int32_t kUnreached = std::numeric_limits<std::int32_t>::max();

/// Which row and column of a bipartite graph are matched with which.
struct Pairs {
  std::vector<Vertex> ofRow, ofColumn;
  Index size = 0;

  void match(Vertex row, Vertex column) {
    ofRow[at(row)] = column;
    ofColumn[at(column)] = row;
  }
};

/// Karp and Sipser 1981. A vertex with one free neighbour left is matched with it, which is never wrong. When
/// there is no such vertex, the next row is matched with its neighbour of fewest choices.
class FirstPairs {
 public:
  FirstPairs(const Csr& edges, Pairs& pairs) : edges_(edges), backward_(transpose(edges)), pairs_(pairs) {
    list(edges_, rowDegree_, rows_);
    list(backward_, columnDegree_, columns_);
  }

  void take() {
    takeSingles();
    for (Vertex row = 0; row < static_cast<Vertex>(pairs_.ofRow.size()); ++row) {
      if (pairs_.ofRow[at(row)] != kFree) continue;
      takeFrom(row);
      takeSingles();
    }
  }

 private:
  static void list(const Csr& A, std::vector<Index>& degree, std::vector<Vertex>& single) {
    degree.resize(at(A.rows()));
    for (std::size_t v = 0; v < degree.size(); ++v) {
      degree[v] = A.degree(static_cast<Index>(v));
      if (degree[v] == 1) single.push_back(static_cast<Vertex>(v));
    }
  }
  void take(Vertex row, Vertex column) {
    pairs_.match(row, column);
    ++pairs_.size;
    for (const Vertex r : backward_.row(column))
      if (--rowDegree_[at(r)] == 1 && pairs_.ofRow[at(r)] == kFree) rows_.push_back(r);
    for (const Vertex c : edges_.row(row))
      if (--columnDegree_[at(c)] == 1 && pairs_.ofColumn[at(c)] == kFree) columns_.push_back(c);
  }
  void takeFrom(Vertex row) {
    Vertex best = kFree;
    for (const Vertex c : edges_.row(row))
      if (pairs_.ofColumn[at(c)] == kFree &&
          (best == kFree || columnDegree_[at(c)] < columnDegree_[at(best)]))
        best = c;
    if (best != kFree) take(row, best);
  }
  void takeFor(Vertex column) {
    for (const Vertex r : backward_.row(column))
      if (pairs_.ofRow[at(r)] == kFree) return take(r, column);
  }
  void takeSingles() {
    while (!rows_.empty() || !columns_.empty()) {
      if (!rows_.empty()) {
        const Vertex row = rows_.back();
        rows_.pop_back();
        if (pairs_.ofRow[at(row)] == kFree) takeFrom(row);
        continue;
      }
      const Vertex column = columns_.back();
      columns_.pop_back();
      if (pairs_.ofColumn[at(column)] == kFree) takeFor(column);
    }
  }

  const Csr& edges_;
  Csr backward_;
  Pairs& pairs_;
  std::vector<Index> rowDegree_, columnDegree_;
  std::vector<Vertex> rows_, columns_;  // with one free neighbour left, when they were put here
};

/// A largest matching between the rows and columns of a bipartite graph, grown by shortest augmenting paths.
class Matching {
 public:
  explicit Matching(const Csr& edges)
      : edges_(edges),
        pairs_{std::vector<Vertex>(at(edges.rows()), kFree), std::vector<Vertex>(at(edges.cols), kFree)},
        level_(pairs_.ofRow.size()),
        next_(pairs_.ofRow.size()) {
    FirstPairs(edges, pairs_).take();
    while (findLevels())
      for (Vertex row = 0; row < static_cast<Vertex>(pairs_.ofRow.size()); ++row)
        if (pairs_.ofRow[at(row)] == kFree) augmentFrom(row);
  }

  Index size() const { return pairs_.size; }
  Vertex ofRow(Vertex row) const { return pairs_.ofRow[at(row)]; }
  Vertex ofColumn(Vertex column) const { return pairs_.ofColumn[at(column)]; }

 private:
  /// Steps over alternating paths from the unmatched rows, up to where the first free column is met; whether
  /// one is.
  bool findLevels() {
    queue_.clear();
    for (Vertex row = 0; row < static_cast<Vertex>(pairs_.ofRow.size()); ++row) {
      const bool starts = pairs_.ofRow[at(row)] == kFree;
      level_[at(row)] = starts ? 0 : kUnreached;
      next_[at(row)] = edges_.offsets[at(row)];
      if (starts) queue_.push_back(row);
    }
    std::int32_t last = kUnreached;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::int32_t level = level_[at(queue_[i])];
      if (level >= last) break;
      for (const Vertex column : edges_.row(queue_[i])) {
        const Vertex row = pairs_.ofColumn[at(column)];
        if (row == kFree) {
          last = level;
        } else if (level_[at(row)] == kUnreached) {
          level_[at(row)] = level + 1;
          queue_.push_back(row);
        }
      }
    }
    return last != kUnreached;
  }

  /// Follows the levels down from a free row to a free column and, if there is one, swaps the path. A stack
  /// of our own: a path may be as long as the graph.
  void augmentFrom(Vertex start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const Vertex row = path_.back();
      Index& edge = next_[at(row)];
      if (edge == edges_.offsets[at(row) + 1]) {
        path_.pop_back();
        if (!path_.empty()) ++next_[at(path_.back())];
        continue;
      }
      const Vertex onward = pairs_.ofColumn[at(edges_.columns[at(edge)])];
      if (onward == kFree) {
        for (const Vertex r : path_) pairs_.match(r, edges_.columns[at(next_[at(r)])]);
        ++pairs_.size;
        for (const Vertex r : path_) ++next_[at(r)];
        return;
      }
      if (level_[at(onward)] == level_[at(row)] + 1)
        path_.push_back(onward);
      else
        ++edge;
    }
  }

  const Csr& edges_;
  Pairs pairs_;
  std::vector<std::int32_t> level_;  // by row
  std::vector<Index> next_;          // by row: the edge to try next
  std::vector<Vertex> queue_, path_;
};

}  // namespace

Cover minimumCover(const Csr& edges) {
  const Matching matching(edges);
  std::vector<std::uint8_t> reached(at(edges.rows()), 0);
  Cover cover;
  cover.columns.assign(at(edges.cols), 0);
  std::vector<Vertex> queue;
  for (Vertex row = 0; row < static_cast<Vertex>(edges.rows()); ++row)
    if (matching.ofRow(row) == kFree) {
      reached[at(row)] = 1;
      queue.push_back(row);
    }
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const Vertex column : edges.row(queue[i])) {
      cover.columns[at(column)] = 1;
      const Vertex back = matching.ofColumn(column);  // never free: the matching could grow otherwise
      if (reached[at(back)] != 0) continue;
      reached[at(back)] = 1;
      queue.push_back(back);
    }
  cover.rows.resize(reached.size());
  for (std::size_t row = 0; row < reached.size(); ++row) cover.rows[row] = reached[row] == 0 ? 1 : 0;
  cover.size = matching.size();
  return cover;
}

}  // namespace halo
