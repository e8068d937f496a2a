#pragma once

#include <QFont>
#include <QImage>
#include <unordered_map>

#include "views/spans/span_label.h"

namespace halo {

/// Labels rendered once and then copied: drawing two thousand of them with a painter would take longer than
/// the whole frame.
class TimelineLabels {
 public:
  /// In device pixels.
  void setFont(const QFont& font, double pixelRatio);
  int height() const { return height_; }
  int width(Name name, int layer) { return mask(name, layer).width(); }
  /// Blends the label in `color` into the picture; nothing outside [clipLeft, clipRight) changes.
  void draw(QImage& picture, int x, int y, Name name, int layer, QRgb color, int clipLeft, int clipRight);

 private:
  const QImage& mask(Name name, int layer);

  QFont font_;
  double pixelRatio_ = 1;
  int height_ = 0;
  std::unordered_map<std::uint32_t, QImage> masks_;
};

}  // namespace halo
