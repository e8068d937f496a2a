#include "engine/partition/cover.h"

#include <limits>

namespace halo {
namespace {

constexpr Vertex kFree = -1;
constexpr std::int32_t kUnreached = std::numeric_limits<std::int32_t>::max();

std::size_t at(Vertex v) { return static_cast<std::size_t>(v); }

/// A largest matching between the rows and columns of a bipartite graph, grown by shortest augmenting paths.
class Matching {
 public:
  explicit Matching(const Csr& edges)
      : edges_(edges),
        ofRow_(static_cast<std::size_t>(edges.rows()), kFree),
        ofColumn_(static_cast<std::size_t>(edges.cols), kFree),
        level_(ofRow_.size()),
        next_(ofRow_.size()) {
    takeWhatIsFree();
    while (findLevels())
      for (Vertex row = 0; row < static_cast<Vertex>(ofRow_.size()); ++row)
        if (ofRow_[at(row)] == kFree) augmentFrom(row);
  }

  Index size() const { return size_; }
  Vertex ofRow(Vertex row) const { return ofRow_[at(row)]; }
  Vertex ofColumn(Vertex column) const { return ofColumn_[at(column)]; }

 private:
  void match(Vertex row, Vertex column) {
    ofRow_[at(row)] = column;
    ofColumn_[at(column)] = row;
  }

  /// Karp and Sipser 1981: a vertex with one free neighbour left is matched with it, which is never wrong;
  /// when there is none, the next row with its neighbour of fewest choices.
  void takeWhatIsFree() {
    const Csr backward = transpose(edges_);
    std::vector<Index> rowDegree(ofRow_.size()), columnDegree(ofColumn_.size());
    std::vector<Vertex> rows, columns;  // with one free neighbour left, when they were put here
    const auto list = [](const Csr& A, std::vector<Index>& degree, std::vector<Vertex>& single) {
      for (std::size_t v = 0; v < degree.size(); ++v) {
        degree[v] = A.degree(static_cast<Index>(v));
        if (degree[v] == 1) single.push_back(static_cast<Vertex>(v));
      }
    };
    list(edges_, rowDegree, rows);
    list(backward, columnDegree, columns);
    const auto take = [&](Vertex row, Vertex column) {
      match(row, column);
      ++size_;
      for (const Vertex r : backward.row(column))
        if (--rowDegree[at(r)] == 1 && ofRow_[at(r)] == kFree) rows.push_back(r);
      for (const Vertex c : edges_.row(row))
        if (--columnDegree[at(c)] == 1 && ofColumn_[at(c)] == kFree) columns.push_back(c);
    };
    const auto takeFrom = [&](Vertex row) {
      Vertex best = kFree;
      for (const Vertex c : edges_.row(row))
        if (ofColumn_[at(c)] == kFree && (best == kFree || columnDegree[at(c)] < columnDegree[at(best)]))
          best = c;
      if (best != kFree) take(row, best);
    };
    const auto takeSingles = [&] {
      while (!rows.empty() || !columns.empty()) {
        if (!rows.empty()) {
          const Vertex row = rows.back();
          rows.pop_back();
          if (ofRow_[at(row)] == kFree) takeFrom(row);
          continue;
        }
        const Vertex column = columns.back();
        columns.pop_back();
        if (ofColumn_[at(column)] != kFree) continue;
        for (const Vertex r : backward.row(column))
          if (ofRow_[at(r)] == kFree) {
            take(r, column);
            break;
          }
      }
    };
    takeSingles();
    for (Vertex row = 0; row < static_cast<Vertex>(ofRow_.size()); ++row) {
      if (ofRow_[at(row)] != kFree) continue;
      takeFrom(row);
      takeSingles();
    }
  }

  /// Steps over alternating paths from the unmatched rows, up to where the first free column is met; whether
  /// one is.
  bool findLevels() {
    queue_.clear();
    for (Vertex row = 0; row < static_cast<Vertex>(ofRow_.size()); ++row) {
      const bool starts = ofRow_[at(row)] == kFree;
      level_[at(row)] = starts ? 0 : kUnreached;
      next_[at(row)] = edges_.offsets[at(row)];
      if (starts) queue_.push_back(row);
    }
    std::int32_t last = kUnreached;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::int32_t level = level_[at(queue_[i])];
      if (level >= last) break;
      for (const Vertex column : edges_.row(queue_[i])) {
        const Vertex row = ofColumn_[at(column)];
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
      const Vertex onward = ofColumn_[at(edges_.columns[static_cast<std::size_t>(edge)])];
      if (onward == kFree) {
        for (const Vertex r : path_) match(r, edges_.columns[static_cast<std::size_t>(next_[at(r)])]);
        ++size_;
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
  std::vector<Vertex> ofRow_, ofColumn_;
  std::vector<std::int32_t> level_;  // by row
  std::vector<Index> next_;          // by row: the edge to try next
  std::vector<Vertex> queue_, path_;
  Index size_ = 0;
};

}  // namespace

Cover minimumCover(const Csr& edges) {
  const Matching matching(edges);
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(edges.rows()), 0);
  Cover cover;
  cover.columns.assign(static_cast<std::size_t>(edges.cols), 0);
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
