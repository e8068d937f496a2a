#include "simulator/network.h"

#include <algorithm>
#include <bit>
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

}  // namespace

std::int64_t packSegments(std::span<const std::int64_t> lengths, std::int64_t width) {
  HALO_CHECK(width >= 1);
  Rooms rooms(width);
  std::int64_t whole = 0;
  for (const std::int64_t length : lengths) {
    whole += length / width;
    if (length % width > 0) rooms.place(length % width);
  }
  return whole + rooms.cycles();
}

std::int64_t packSegmentsReference(std::span<const std::int64_t> lengths, std::int64_t width) {
  std::vector<std::int64_t> rooms;
  std::int64_t whole = 0;
  for (std::int64_t length : lengths) {
    for (; length >= width; length -= width) ++whole;
    if (length == 0) continue;
    const auto fits = std::ranges::find_if(rooms, [&](std::int64_t room) { return room >= length; });
    if (fits == rooms.end())
      rooms.push_back(width - length);
    else
      *fits -= length;
  }
  return whole + static_cast<std::int64_t>(rooms.size());
}

}  // namespace halo::sim
