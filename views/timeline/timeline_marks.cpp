#include "views/timeline/timeline_marks.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr double kLeastEpoch = 24;  // pixels

/// Lines of the widget that a shade covers.
struct Heights {
  int top = 0, bottom = 0;
};

void paintRange(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style, TimeRange range,
                const QString& label, QRgb color, Heights heights) {
  const int header = layout.frame().headerWidth, ruler = layout.frame().rulerHeight;
  const int width = layout.frame().size.width();
  const double left = std::max(layout.xOf(range.beginNs), header - 2.0);
  const double right = std::min(layout.xOf(range.endNs), width + 2.0);
  if (right < left) return;
  const QRectF shade(left, heights.top, right - left, heights.bottom - heights.top);
  painter.fillRect(shade, withAlpha(color, 46));
  painter.setPen(QPen(QColor::fromRgb(color), 1));
  painter.drawRect(QRectF(left, heights.top, right - left, heights.bottom - heights.top - 1));
  if (label.isEmpty()) return;
  const QFontMetrics metrics(style.font);
  const int wide = metrics.horizontalAdvance(label) + 10;
  const double middle = std::clamp((left + right) / 2, header + wide / 2.0 + 2, width - wide / 2.0 - 2);
  const QRectF box(middle - wide / 2.0, std::max(heights.top, ruler) + 3, wide, metrics.height() + 2);
  painter.setBrush(QColor::fromRgb(style.colors->header));
  painter.drawRoundedRect(box, 3, 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QColor::fromRgb(style.colors->text));
  painter.drawText(box, Qt::AlignCenter, label);
}

/// From the first to the last of the rows, or all lanes.
Heights heightsOf(const TimelineLayout& layout, const std::set<RowId>& rows) {
  const int first = layout.frame().rulerHeight, last = layout.frame().size.height();
  Heights heights{last, first};
  for (const RowId& row : rows)
    if (const auto at = layout.boxOf(row)) {
      heights.top = std::min(heights.top, at->top);
      heights.bottom = std::max(heights.bottom, at->top + at->height);
    }
  return heights.bottom > heights.top ? heights : Heights{first, last};
}

void paintSpan(QPainter& painter, const TimelineLayout& layout, const TimelineSelection& selection,
               const SpanId& span, const Palette& colors) {
  const SpanRow* spans = selection.spansOf(span.row);
  const auto at = layout.boxOf(span.row);
  if (spans == nullptr || !at || span.index >= spans->size()) return;
  const double left = std::max(layout.xOf(spans->beginNs(span.index)), layout.frame().headerWidth - 4.0);
  const double right = std::min(layout.xOf(spans->endNs(span.index)), layout.frame().size.width() + 4.0);
  if (right < left) return;
  painter.save();
  if (!layout.isPinned(span.row)) painter.setClipRect(layout.scrolledLanes(), Qt::IntersectClip);
  const QRectF frame(left - 1, at->top - 1, std::max(3.0, right - left + 1), at->height + 1);
  painter.setPen(QPen(QColor::fromRgb(colors.lane), 4));
  painter.drawRect(frame);
  painter.setPen(QPen(QColor::fromRgb(colors.accent), 2));
  painter.drawRect(frame);
  painter.restore();
}

}  // namespace

namespace {

void paintEpochsOf(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style,
                   const TimelineModel& model, Heights heights) {
  const auto& epochs = model.epochs();
  if (epochs.empty()) return;
  const PixelGrid grid = layout.grid();
  const double perEpoch =
      static_cast<double>(epochs.back().beginNs + epochs.back().wallNs - epochs.front().beginNs) /
      static_cast<double>(epochs.size()) / grid.nsPerColumn / style.pixelRatio;
  if (perEpoch < kLeastEpoch) return;
  painter.setPen(QPen(withAlpha(style.colors->textWeak, 110), 1, Qt::DashLine));
  const TimeRange range = grid.range();
  for (std::size_t i = model.epochAt(range.beginNs).value_or(0); i < epochs.size(); ++i) {
    if (epochs[i].beginNs >= range.endNs) break;
    const int x = static_cast<int>(std::lround(layout.xOf(epochs[i].beginNs)));
    painter.drawLine(x, heights.top, x, heights.bottom);
  }
}

}  // namespace

void paintEpochs(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style) {
  const auto& blocks = layout.blocks();
  const int first = layout.scrolledLanes().top(), last = layout.frame().size.height();
  const auto row = [&](const RowPlace& place, int least) {
    const int top = layout.frame().rulerHeight + static_cast<int>(place.top / style.pixelRatio);
    const int bottom = top + static_cast<int>(place.height / style.pixelRatio);
    paintEpochsOf(painter, layout, style, layout.modelOf(place), {std::max(top, least), bottom});
  };
  for (const RowPlace& place : layout.visiblePinned()) row(place, 0);
  if (layout.order() == LaneOrder::ranks && blocks.size() > 1) {
    for (const RowPlace& place : layout.visibleScrolled()) row(place, first);
    return;
  }
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const TimelineLayout::BlockBox box = layout.blockBox(block);
    const bool lone = blocks.size() == 1;
    paintEpochsOf(painter, layout, style, *blocks[block],
                  {std::max(first, lone ? first : box.rows), lone ? last : box.bottom});
  }
}

void paintSelection(QPainter& painter, const TimelineLayout& layout, TimeRange area,
                    const TimelineSelection& selection, const TimelineStyle& style) {
  const Heights lanes = heightsOf(layout, {});
  const auto delta = [](TimeRange range) { return QStringLiteral("Δ ") + formatNs(range.lengthNs()); };
  if (!area.empty())
    paintRange(painter, layout, style, area, delta(area), style.colors->accent,
               heightsOf(layout, selection.areaRows()));
  if (const auto zoom = selection.zoomRange())
    paintRange(painter, layout, style, *zoom, formatNs(zoom->lengthNs()), style.colors->accent,
               {0, lanes.bottom});
  if (const auto measured = selection.measured())
    paintRange(painter, layout, style, *measured, delta(*measured), style.colors->warning, lanes);
  for (const SpanId& span : selection.spans()) paintSpan(painter, layout, selection, span, *style.colors);
}

}  // namespace halo
