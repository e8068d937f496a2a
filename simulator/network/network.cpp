#include "simulator/network/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "engine/base/check.h"

namespace halo::sim {
namespace {

/// Room of cycles; finds the first with enough of it. A tree of maxima that grows by doubling.
class Rooms {
 public:
  explicit Rooms(std::int64_t width) : width_(width) {}

  void place(std::int64_t length) {
    if (leaves_ == 0 || most_[1] < length) return append(length);
    std::size_t at = 1;
    while (at < leaves_) at = most_[2 * at] >= length ? 2 * at : 2 * at + 1;
    set(at, most_[at] - length);
  }
  std::int64_t cycles() const { return used_; }

 private:
  void append(std::int64_t length) {
    const auto next = static_cast<std::size_t>(used_);
    if (next == leaves_) grow();
    ++used_;
    set(leaves_ + next, width_ - length);
  }

  void grow() {
    std::vector<std::int64_t> rooms;
    for (std::size_t i = 0; i < leaves_; ++i) rooms.push_back(most_[leaves_ + i]);
    leaves_ = leaves_ == 0 ? 1 : 2 * leaves_;
    most_.assign(2 * leaves_, -1);  // a cycle that has not begun has no room yet
    std::ranges::copy(rooms, most_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t at = leaves_ - 1; at >= 1; --at) most_[at] = std::max(most_[2 * at], most_[2 * at + 1]);
  }

  void set(std::size_t at, std::int64_t room) {
    most_[at] = room;
    for (at /= 2; at >= 1; at /= 2) most_[at] = std::max(most_[2 * at], most_[2 * at + 1]);
  }

  std::int64_t width_, used_ = 0;
  std::size_t leaves_ = 0;
  std::vector<std::int64_t> most_;  // node i: of nodes 2i and 2i + 1; leaves: room of one cycle
};

/// Of a tree whose leaves are what there is least of: it does not matter who takes which row.
std::int64_t leafCycles(std::span<const std::int64_t> widths, std::int64_t leaves) {
  std::int64_t cycles = 0, left = 0;  // leaves, in this cycle
  for (const std::int64_t width : widths) {
    if (width > leaves) {
      cycles += (width - 1) / leaves + 1;
      left = 0;
    } else if (width > 0) {
      if (left < width) ++cycles, left = leaves;
      left -= width;
    }
  }
  return cycles;
}

}  // namespace

std::int64_t packSegments(std::span<const std::int64_t> lengths, std::int64_t width) {
  HALO_CHECK(width >= 1);
  Rooms rooms(width);
  std::int64_t fullCycles = 0;
  for (const std::int64_t length : lengths) {
    fullCycles += length / width;
    if (length % width > 0) rooms.place(length % width);
  }
  return fullCycles + rooms.cycles();
}

std::int64_t packSegmentsReference(std::span<const std::int64_t> lengths, std::int64_t width) {
  std::vector<std::int64_t> rooms;
  std::int64_t fullCycles = 0;
  for (std::int64_t length : lengths) {
    for (; length >= width; length -= width) ++fullCycles;
    if (length == 0) continue;
    const auto fits = std::ranges::find_if(rooms, [&](std::int64_t room) { return room >= length; });
    if (fits == rooms.end())
      rooms.push_back(width - length);
    else
      *fits -= length;
  }
  return fullCycles + static_cast<std::int64_t>(rooms.size());
}

std::int64_t distributeCycles(std::span<const std::int64_t> sources, std::span<const std::int64_t> widths,
                              const DistributionTree& tree) {
  HALO_CHECK(sources.size() == widths.size() && tree.leaves >= 1 && tree.words >= 1);
  if (tree.words >= tree.leaves) return leafCycles(widths, tree.leaves);
  const std::int64_t most = std::min(tree.leaves, tree.words);
  struct Carried {
    std::int64_t cycle = 0, words = 0;
  };
  std::unordered_map<std::int64_t, Carried> carried;  // of each source: last in which cycle, and how many
  std::int64_t cycles = 0, leaves = 0, words = 0;     // left in this cycle
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t width = widths[i];
    if (width == 0) continue;
    Carried& before = carried[sources[i]];
    const std::int64_t fresh =
        before.cycle == cycles ? std::max<std::int64_t>(0, width - before.words) : width;
    if (width > most) {
      cycles += (width - 1) / most + 1;
      leaves = words = 0;
      continue;
    }
    if (leaves < width || words < fresh) {
      ++cycles;
      leaves = tree.leaves;
      words = tree.words;
    }
    const bool again = before.cycle == cycles;
    words -= again ? fresh : width;
    before = {cycles, again ? std::max(before.words, width) : width};
    leaves -= width;
  }
  return cycles;
}

double distributedRows(double population, std::int64_t width, const DistributionTree& tree) {
  const auto wholeRows = [&](std::int64_t capacity) { return static_cast<double>(capacity / width); };
  const double byLeaves = wholeRows(tree.leaves), different = wholeRows(tree.words);
  if (different >= population || byLeaves <= different || population <= 1) return byLeaves;
  // m of N at random are N (1 − (1 − 1/N)^m) different ones
  const double rows = std::log1p(-different / population) / std::log1p(-1 / population);
  return std::min(byLeaves, rows);
}

}  // namespace halo::sim
