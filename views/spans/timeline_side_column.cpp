#include "views/spans/timeline_side_column.h"

#include <algorithm>
#include <array>

#include "engine/base/check.h"

namespace halo {
namespace {

std::size_t widthFor(std::uint64_t range) {
  return (static_cast<std::size_t>(std::bit_width(range)) + 7) / 8;
}

}  // namespace

void SideColumn::append(std::span<const std::int64_t> values) {
  if (!values.empty()) open();
  while (!values.empty()) {
    const std::size_t take = std::min(values.size(), kGroup - open_.size());
    open_.insert(open_.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(take));
    if (open_.size() == kGroup) seal();
    values = values.subspan(take);
  }
}

void SideColumn::append(std::span<const std::int64_t> values, std::span<const std::uint32_t> indices) {
  if (!indices.empty()) open();
  for (const std::uint32_t index : indices) {
    open_.push_back(values[index]);
    if (open_.size() == kGroup) seal();
  }
}

std::int64_t SideColumn::listed(const Group& group, std::size_t in) const {
  const std::size_t code = packed_[group.offset + static_cast<std::size_t>(group.base) * 8 + in];
  return static_cast<std::int64_t>(get(group.offset + code * 8, 8));
}

void SideColumn::truncate(std::size_t size) {
  HALO_CHECK(size <= this->size());
  if (size == this->size()) return;
  const std::size_t sealed = size / kGroup;
  if (sealed >= groups_.size()) return open_.resize(size - sealed * kGroup);
  groups_.resize(sealed + 1);
  unpackLast(size - sealed * kGroup);
}

/// The first `size` values of the last group become the open one.
void SideColumn::unpackLast(std::size_t size) {
  const std::size_t first = (groups_.size() - 1) * kGroup;
  std::vector<std::int64_t> opened(size);
  for (std::size_t i = 0; i < size; ++i) opened[i] = at(first + i);
  packed_.resize(groups_.back().offset);
  groups_.pop_back();
  open_ = std::move(opened);
  packedPart_ = 0;
}

std::size_t SideColumn::bytes() const {
  return groups_.capacity() * sizeof(Group) + packed_.capacity() + open_.capacity() * sizeof(std::int64_t);
}

void SideColumn::releaseSpare() {
  if (const std::size_t part = open_.size(); part > 0) {
    seal();
    packedPart_ = part;
  }
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
    put(open_, group.base, width);
  }
  groups_.push_back(group);
  open_.clear();
}

bool SideColumn::sealListed(Group& group) {
  // values that differ in this differ: most groups that do not fit show it without sorting
  std::array<bool, kGroup> marked{};
  std::size_t marks = 0;
  for (const std::int64_t value : open_) {
    bool& mark = marked[static_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15U >> 56];
    marks += mark ? 0 : 1;
    mark = true;
  }
  if (marks > std::min(kMostListed, open_.size() / 4)) return false;
  std::vector<std::int64_t> values = open_;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > std::min(kMostListed, open_.size() / 4)) return false;
  group.width = kListed;
  group.base = std::ssize(values);
  put(values, 0, 8);
  for (std::int64_t& value : open_)
    value = std::lower_bound(values.begin(), values.end(), value) - values.begin();
  put(open_, 0, 1);
  return true;
}

/// Packs each value less `base` into `width` bytes.
void SideColumn::put(std::span<const std::int64_t> values, std::int64_t base, std::size_t width) {
  if (width == 0) return;
  const std::size_t at = packed_.size();
  packed_.resize(at + values.size() * width + sizeof(std::int64_t));  // each is written whole
  unsigned char* to = packed_.data() + at;
  for (const std::int64_t value : values) {
    const std::uint64_t above = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(base);
    std::memcpy(to, &above, sizeof above);
    to += width;
  }
  packed_.resize(at + values.size() * width);
}

}  // namespace halo
