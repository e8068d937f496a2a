#include "views/timeline/timeline_labels.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace halo {
namespace {

std::uint32_t keyOf(Name name, int layer) {
  return static_cast<std::uint32_t>(name) << 16 | static_cast<std::uint16_t>(layer);
}

QRgb blended(QRgb under, QRgb over, int alpha) {
  const auto channel = [&](int a, int b) { return a + ((b - a) * alpha + 127) / 255; };
  return qRgb(channel(qRed(under), qRed(over)), channel(qGreen(under), qGreen(over)),
              channel(qBlue(under), qBlue(over)));
}

}  // namespace

void TimelineLabels::setFont(const QFont& font, double pixelRatio) {
  if (font == font_ && pixelRatio == pixelRatio_ && height_ > 0) return;
  font_ = font;
  pixelRatio_ = pixelRatio;
  height_ = static_cast<int>(std::ceil(QFontMetrics(font).height() * pixelRatio));
  masks_.clear();
}

const QImage& TimelineLabels::mask(Name name, int layer) {
  const auto mask = masks_.find(keyOf(name, layer));
  if (mask != masks_.end()) return mask->second;
  const QString label = spanLabel(name, layer);
  const int width =
      static_cast<int>(std::ceil(QFontMetrics(font_).horizontalAdvance(label) * pixelRatio_)) + 1;
  QImage image(std::max(1, width), std::max(1, height_), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  {
    QPainter painter(&image);
    painter.scale(pixelRatio_, pixelRatio_);
    painter.setFont(font_);
    painter.setPen(Qt::white);
    painter.drawText(0, QFontMetrics(font_).ascent(), label);
  }
  return masks_.emplace(keyOf(name, layer), image.convertToFormat(QImage::Format_Alpha8)).first->second;
}

void TimelineLabels::draw(QImage& picture, int x, int y, Name name, int layer, QRgb color, int clipLeft,
                          int clipRight) {
  const QImage& image = mask(name, layer);
  const int left = std::max({x, clipLeft, 0});
  const int right = std::min({x + image.width(), clipRight, picture.width()});
  for (int row = std::max(0, -y); row < image.height() && y + row < picture.height(); ++row) {
    const uchar* alpha = image.constScanLine(row);
    auto* pixels = reinterpret_cast<QRgb*>(picture.scanLine(y + row));
    for (int column = left; column < right; ++column)
      if (const int a = alpha[column - x]; a > 0) pixels[column] = blended(pixels[column], color, a);
  }
}

}  // namespace halo
