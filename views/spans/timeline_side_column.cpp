#include "views/spans/timeline_side_column.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/check.h"

namespace halo {
namespace {

std::size_t widthFor(std::uint64_t range) {
  if (range == 0) return 0;
  if (range <= 0xFF) return 1;
  if (range <= 0xFFFF) return 2;
  return range <= 0xFFFFFFFF ? 4 : 8;
}

}  // namespace

void SideColumn::append(std::span<const std::int64_t> values) {
  while (!values.empty()) {
    const std::size_t take = std::min(values.size(), kGroup - open_.size());
    open_.insert(open_.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(take));
    if (open_.size() == kGroup) seal();
    values = values.subspan(take);
  }
}

std::int64_t SideColumn::at(std::size_t index) const {
  HALO_CHECK(index < size());
  if (index / kGroup == groups_.size()) return open_[index % kGroup];
  const Group& group = groups_[index / kGroup];
  const std::size_t in = index % kGroup;
  if (group.width == 0) return group.base;
  if (group.width == kListed) {
    const std::size_t listed = static_cast<std::size_t>(group.base);
    const std::size_t code = packed_[group.offset + listed * 8 + in];
    return static_cast<std::int64_t>(get(group.offset + code * 8, 8));
  }
  const std::uint64_t above = get(group.offset + in * group.width, group.width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(group.base) + above);
}

void SideColumn::truncate(std::size_t size) {
  HALO_CHECK(size <= this->size());
  const std::size_t sealed = size / kGroup;
  if (sealed < groups_.size()) {
    std::vector<std::int64_t> opened;
    for (std::size_t i = sealed * kGroup; i < size; ++i) opened.push_back(at(i));
    open_ = std::move(opened);
    packed_.resize(groups_[sealed].offset);
    groups_.resize(sealed);
  }
  open_.resize(size - sealed * kGroup);
}

std::size_t SideColumn::bytes() const {
  return groups_.capacity() * sizeof(Group) + packed_.capacity() + open_.capacity() * sizeof(std::int64_t);
}

void SideColumn::releaseSpare() {
  groups_.shrink_to_fit();
  packed_.shrink_to_fit();
  open_.shrink_to_fit();
}

void SideColumn::seal() {
  std::int64_t low = open_.front(), high = low;  // not minmax_element, which branches at every value
  for (const std::int64_t value : open_) low = std::min(low, value), high = std::max(high, value);
  Group group;
  group.offset = packed_.size() & kMostOffset;
  group.base = low;
  const std::size_t width = widthFor(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  if (width < 4 || !sealListed(group)) {
    group.width = width & kListed;
    if (width == 1) put<std::uint8_t>(open_, group.base);
    if (width == 2) put<std::uint16_t>(open_, group.base);
    if (width == 4) put<std::uint32_t>(open_, group.base);
    if (width == 8) put<std::uint64_t>(open_, group.base);
  }
  groups_.push_back(group);
  open_.clear();
}

bool SideColumn::sealListed(Group& group) {
  std::vector<std::int64_t> values;
  // most groups that do not fit show it within their first values: no sorting of those
  for (std::size_t position = 0; position < open_.size();) {
    const std::size_t more = std::min(open_.size() - position, 2 * kMostListed);
    values.insert(values.end(), open_.begin() + static_cast<std::ptrdiff_t>(position),
                  open_.begin() + static_cast<std::ptrdiff_t>(position + more));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > kMostListed) return false;
    position += more;
  }
  group.width = kListed;
  group.base = static_cast<std::int64_t>(values.size());
  put<std::uint64_t>(values, 0);
  for (std::int64_t& value : open_)
    value = std::lower_bound(values.begin(), values.end(), value) - values.begin();
  put<std::uint8_t>(open_, 0);
  return true;
}

template <class Stored>
void SideColumn::put(std::span<const std::int64_t> values, std::int64_t base) {
  static_assert(std::endian::native == std::endian::little, "the lowest bytes come first");
  const std::size_t at = packed_.size();
  packed_.resize(at + values.size() * sizeof(Stored));
  unsigned char* to = packed_.data() + at;
  for (const std::int64_t value : values) {
    const auto above =
        static_cast<Stored>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(base));
    std::memcpy(to, &above, sizeof(Stored));
    to += sizeof(Stored);
  }
}

std::uint64_t SideColumn::get(std::size_t offset, std::size_t width) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{packed_[offset + i]} << (8 * i);
  return value;
}

}  // namespace halo
