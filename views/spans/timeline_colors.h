#pragma once

#include <array>
#include <memory>
#include <vector>

#include "views/look/palette.h"
#include "views/spans/pyramid.h"

namespace halo {

/// A pixel of a lane: its colour, and in the top byte which kind it stands for.
using TaggedColor = std::uint32_t;
constexpr std::uint8_t kEmptyTag = 0;           // no span at all
constexpr std::uint8_t kMixedTag = kKinds + 1;  // several kinds, or one in part
constexpr std::uint8_t pureTag(std::size_t kind) {
  return static_cast<std::uint8_t>(kind + 1);
}  // filled by one
inline std::uint8_t tagOf(TaggedColor color) { return static_cast<std::uint8_t>(color >> 24); }
inline QRgb rgbOf(TaggedColor color) { return color | 0xFF000000; }

/// The kinds' colours in proportion to their shares over the lane's. Less than 15 % busy is drawn as 15 %: a
/// short span in a long pixel must be seen, the tooltip says how little it is.
TaggedColor blend(const Shares& shares, const Palette& colors);
/// Half of each.
TaggedColor average(TaggedColor a, TaggedColor b);

/// Colours of a pyramid's buckets for one palette, made in tiles when first looked at. Reading 4 bytes a
/// bucket instead of blending 12 is what makes panning cheap. A cache: losing it costs only time.
class ColorPyramid {
 public:
  TaggedColor at(const Pyramid& pyramid, const Pyramid::Level& level, std::int64_t bucket,
                 const Palette& colors) {
    const auto offset = static_cast<std::size_t>(bucket - level.first);
    return (*tile(pyramid, level, offset / kTile, colors))[offset % kTile];
  }
  /// What begins at or after `ns` may have changed; INT64_MIN: the levels too.
  void invalidate(const Pyramid& pyramid, std::int64_t ns);
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kTile = 512;
  using Tile = std::array<TaggedColor, kTile>;

  const Tile* tile(const Pyramid& pyramid, const Pyramid::Level& level, std::size_t index,
                   const Palette& colors) {
    if (theme_ == colors.theme) {
      const auto l = static_cast<std::size_t>(level.shift - pyramid.finest());
      if (l < levels_.size() && index < levels_[l].size() && levels_[l][index])
        return levels_[l][index].get();
    }
    return make(pyramid, level, index, colors);
  }
  const Tile* make(const Pyramid& pyramid, const Pyramid::Level& level, std::size_t index,
                   const Palette& colors);

  std::vector<std::vector<std::unique_ptr<Tile>>> levels_;
  Theme theme_ = Theme::light;
};

}  // namespace halo
