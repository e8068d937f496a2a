#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halo {

/// Integers appended one by one and read at random, for what most spans share with their neighbours (epoch,
/// layer, peer, bytes). Groups of 1,024 are packed when full. A constant takes nothing, and others take 1, 2,
/// 4 or 8 bytes over the smallest. Where values are few and far apart each takes 1 byte into a list of them.
/// The open group is kept as it is.
class SideColumn {
 public:
  void append(std::int64_t value) {
    open_.push_back(value);
    if (open_.size() == kGroup) seal();
  }
  void append(std::span<const std::int64_t> values);
  std::int64_t at(std::size_t index) const;
  /// Keeps the first `size`.
  void truncate(std::size_t size);
  std::size_t size() const { return groups_.size() * kGroup + open_.size(); }
  std::size_t bytes() const;
  void releaseSpare();

 private:
  static constexpr std::size_t kGroup = 1024;
  static constexpr std::size_t kMostListed = 128;

  struct Group {
    std::int64_t base = 0;
    std::uint64_t offset : 56 = 0;  // into packed_
    std::uint64_t width : 8 =
        0;  // bytes a value; kListed: one byte into a list of 8-byte values before the codes
  };
  static constexpr std::uint64_t kListed = 255, kMostOffset = (std::uint64_t{1} << 56) - 1;

  void seal();
  bool sealListed(Group& group);
  /// Packs each value less `base` into sizeof(Stored) bytes.
  template <class Stored>
  void put(std::span<const std::int64_t> values, std::int64_t base);
  std::uint64_t get(std::size_t offset, std::size_t width) const;

  std::vector<Group> groups_;
  std::vector<unsigned char> packed_;
  std::vector<std::int64_t> open_;
};

}  // namespace halo
