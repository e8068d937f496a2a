#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace halo {

/// Integers appended one by one and read at random, for what most spans share with their neighbours (epoch,
/// layer, peer, bytes). Groups of 256 are packed when full, the last one by releaseSpare() too. A constant
/// takes nothing, and others take 1 to 8 bytes over the smallest. Where values are few and far apart each
/// takes 1 byte into a list of them. The open group is kept as it is.
class SideColumn {
 public:
  static constexpr std::size_t kGroup = 256;

  void append(std::int64_t value) {
    open();
    open_.push_back(value);
    if (open_.size() == kGroup) seal();
  }
  void append(std::span<const std::int64_t> values);
  /// Those of `values` at `indices`.
  void append(std::span<const std::int64_t> values, std::span<const std::uint32_t> indices);
  std::int64_t at(std::size_t index) const {
    const std::size_t number = index / kGroup, in = index % kGroup;
    if (number >= groups_.size()) return open_[in];
    const Group& group = groups_[number];
    if (group.width == 0) return group.base;
    if (group.width == kListed) return listed(group, in);
    const std::uint64_t above = get(group.offset + in * group.width, group.width);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(group.base) + above);
  }
  /// Keeps the first `size`.
  void truncate(std::size_t size);
  std::size_t size() const {
    return packedPart_ == 0 ? groups_.size() * kGroup + open_.size()
                            : (groups_.size() - 1) * kGroup + packedPart_;
  }
  std::size_t bytes() const;
  /// Packs the open group too; the next value appended opens it again.
  void releaseSpare();

 private:
  static constexpr std::size_t kMostListed = 64;

  struct Group {
    std::int64_t base = 0;
    std::uint64_t offset : 56 = 0;  // into packed_
    std::uint64_t width : 8 =
        0;  // bytes a value; kListed: one byte into a list of 8-byte values before the codes
  };
  static constexpr std::uint64_t kListed = 255, kMostOffset = (std::uint64_t{1} << 56) - 1;

  void open() {
    if (packedPart_ > 0) unpackLast(packedPart_);
  }
  void unpackLast(std::size_t size);
  void seal();
  bool sealListed(Group& group);
  void put(std::span<const std::int64_t> values, std::int64_t base, std::size_t width);
  std::int64_t listed(const Group& group, std::size_t in) const;
  std::uint64_t get(std::size_t offset, std::size_t width) const {
    static_assert(std::endian::native == std::endian::little, "the lowest bytes come first");
    std::uint64_t value = 0;
    if (offset + 8 <= packed_.size()) {
      std::memcpy(&value, packed_.data() + offset, 8);
      return width == 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
    }
    for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{packed_[offset + i]} << (8 * i);
    return value;
  }

  std::vector<Group> groups_;
  std::vector<unsigned char> packed_;
  std::vector<std::int64_t> open_;
  std::size_t packedPart_ = 0;  // values of the last group where it was packed before it was full, else 0
};

}  // namespace halo
