#include "views/spans/timeline_colors.h"

#include <algorithm>

namespace halo {
namespace {

constexpr std::uint32_t kFull = 65535;
constexpr std::uint32_t kPure = kFull * 97 / 100;
constexpr std::uint32_t kLeastVisible = kFull * 15 / 100;

}  // namespace

TaggedColor blend(const Shares& shares, const Palette& colors) {
  std::uint32_t busy = 0;
  std::uint32_t tag = kMixedTag;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    busy += shares[k];
    if (shares[k] >= kPure) tag = pureTag(k);
  }
  if (busy == 0) return colors.lane & 0x00FFFFFF;
  // in 65536ths of the whole, so that a shift divides
  const std::uint64_t scale = busy < kLeastVisible ? (std::uint64_t{kLeastVisible} << 16) / busy
                              : busy > kFull       ? (std::uint64_t{kFull} << 16) / busy
                                                   : std::uint64_t{1} << 16;
  std::uint32_t red = 0, green = 0, blue = 0, used = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto weight = static_cast<std::uint32_t>((shares[k] * scale) >> 16);
    const QRgb color = colors.kind[k];
    red += weight * static_cast<std::uint32_t>(qRed(color));
    green += weight * static_cast<std::uint32_t>(qGreen(color));
    blue += weight * static_cast<std::uint32_t>(qBlue(color));
    used += weight;
  }
  const std::uint32_t rest = kFull - std::min(used, kFull);
  red += rest * static_cast<std::uint32_t>(qRed(colors.lane));
  green += rest * static_cast<std::uint32_t>(qGreen(colors.lane));
  blue += rest * static_cast<std::uint32_t>(qBlue(colors.lane));
  const auto channel = [](std::uint32_t sum) {
    return std::min<std::uint32_t>(255, (sum + kFull / 2) / kFull);
  };
  return tag << 24 | channel(red) << 16 | channel(green) << 8 | channel(blue);
}

TaggedColor average(TaggedColor a, TaggedColor b) {
  if (a == b) return a;
  const std::uint32_t rgb = (a & b & 0xFFFFFF) + (((a ^ b) & 0xFEFEFE) >> 1);
  const std::uint32_t tag = tagOf(a) == tagOf(b) ? tagOf(a) : kMixedTag;
  return tag << 24 | rgb;
}

void ColorPyramid::invalidate(const Pyramid& pyramid, std::int64_t ns) {
  if (ns == INT64_MIN || levels_.size() > pyramid.levels().size()) {
    levels_.clear();
    return;
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Pyramid::Level& level = pyramid.levels()[l];
    const std::int64_t bucket = std::max<std::int64_t>(0, (ns >> level.shift) - level.first);
    const auto first = static_cast<std::size_t>(bucket) / kTile;
    for (std::size_t t = first; t < levels_[l].size(); ++t) levels_[l][t].reset();
  }
}

std::size_t ColorPyramid::bytes() const {
  std::size_t bytes = 0;
  for (const auto& level : levels_) {
    bytes += level.capacity() * sizeof(level[0]);
    for (const auto& tile : level) bytes += tile ? sizeof(Tile) : 0;
  }
  return bytes;
}

const ColorPyramid::Tile* ColorPyramid::make(const Pyramid& pyramid, const Pyramid::Level& level,
                                             std::size_t index, const Palette& colors) {
  if (theme_ != colors.theme) levels_.clear();
  theme_ = colors.theme;
  const auto l = static_cast<std::size_t>(level.shift - pyramid.finest());
  if (levels_.size() <= l) levels_.resize(l + 1);
  if (levels_[l].size() <= index) levels_[l].resize((level.buckets.size() + kTile - 1) / kTile);
  auto& tile = levels_[l][index];
  if (!tile) {
    tile = std::make_unique<Tile>();
    const std::size_t begin = index * kTile;
    const std::size_t end = std::min(begin + kTile, level.buckets.size());
    for (std::size_t b = begin; b < end; ++b) (*tile)[b - begin] = blend(level.buckets[b], colors);
  }
  return tile.get();
}

}  // namespace halo
