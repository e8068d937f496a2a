#pragma once

#include <QImage>
#include <array>
#include <map>

#include "views/timeline/timeline_labels.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

namespace halo {

/// Paints the lanes. Every visible row is one line of pixels, copied to the row's height, then cues, outlines
/// and labels of what is wide enough. Lines are kept from frame to frame, and a pan on the same grid computes
/// only what came into view. Rows are computed on all cores; the caller's thread composes.
class TimelineRaster {
 public:
  /// What of the picture no row covers.
  enum class Between { clear, leave };
  /// Every pixel of `picture` (Format_RGB32, as wide as the grid) is written, or those of the rows alone.
  void draw(QImage& picture, const TimelineModel& model, const std::vector<RowPlace>& places,
            const PixelGrid& grid, const TimelineStyle& style, Between between = Between::clear);

 private:
  struct Kept {
    Line line;
    PixelGrid grid;
    std::uint64_t version = 0;
    Theme theme = Theme::light;
    std::uint64_t frame = 0;  // in which it was last used
  };
  using Exposed = std::vector<std::uint8_t>;  // a column: 1 where the rank's main lane waits in communication

  void update(const TimelineModel& model, const std::vector<RowPlace>& places);
  void updateLine(Kept& rowCache, TimelineRow& row);
  QRgb* lineAt(int y) const { return reinterpret_cast<QRgb*>(bits_ + y * stride_); }
  void preparePatterns();
  const Exposed& exposedOf(const TimelineModel& model, std::int64_t rank);
  void drawLoading(const RowPlace& place, const std::vector<SpanBlockInfo>& blocks);
  void drawRow(const RowPlace& place, const Line& line, const Exposed* exposed, bool phase);
  void drawCues(int top, int bottom, const Line& line, const Exposed* exposed, bool phase);
  void drawStipple(int bottom, const Line& line);
  /// Hatched from `high` down to `bottom`.
  void drawWaits(int top, int high, int bottom, const SpanRow& spans);
  void drawOutlines(int top, int bottom, const SpanRow& spans, const Line& line);
  void drawLabel(QImage& picture, int top, int bottom, const SpanRow& spans, const WideSpan& wide, bool link);

  uchar* bits_ = nullptr;  // of the picture being drawn
  qsizetype stride_ = 0;
  int height_ = 0;
  // cues repeat every 12 rows of pixels: whether a column of gaps_[cue][row] shows the lane through the cue
  std::array<std::array<std::vector<std::uint8_t>, 12>, 6> gaps_;
  std::array<std::vector<std::uint8_t>, 2> stipple_;  // of the lowest row of a lane, of the one above
  std::array<QRgb, kKinds> edges_{};                  // outlines
  const Palette* edgesOf_ = nullptr;                  // of which palette
  std::map<RowId, Kept> kept_;
  std::map<std::int64_t, Exposed> exposed_;  // of this frame
  TimelineLabels labels_;
  PixelGrid grid_;
  TimelineStyle style_;
  std::uint64_t version_ = 0;
  std::uint64_t frame_ = 0;
};

}  // namespace halo
