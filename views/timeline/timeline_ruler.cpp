#include "views/timeline/timeline_ruler.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace halo {
namespace {

constexpr double kTickSpacing = 96;
constexpr double kBeside = 4;     // from a mark to its word
constexpr double kTickClear = 6;  // between two words
constexpr double kEpochClear = 12;

}  // namespace

std::vector<RulerWord> tickWords(const std::vector<TimeTick>& ticks, const PixelGrid& grid, double ratio,
                                 const QFontMetrics& metrics) {
  std::vector<RulerWord> words;
  const double width = grid.width / ratio;
  double free = 0;
  for (const TimeTick& tick : ticks) {
    if (!tick.major) continue;
    const double mark = std::round(grid.pixelOf(tick.ns) / ratio);
    const double end = mark + kBeside + metrics.horizontalAdvance(tick.label);
    if (mark + kBeside < free || end > width) continue;
    words.push_back({mark + kBeside, tick.label, mark, true});
    free = end + kTickClear;
  }
  return words;
}

std::vector<RulerWord> epochWords(const std::vector<EpochRow>& epochs, std::size_t first,
                                  const PixelGrid& grid, double ratio, const QFontMetrics& metrics) {
  std::vector<RulerWord> words;
  const double width = grid.width / ratio;
  const TimeRange range = grid.range();
  double free = 0;
  for (std::size_t i = first; i < epochs.size() && epochs[i].beginNs < range.endNs; ++i) {
    const double begin = grid.pixelOf(epochs[i].beginNs) / ratio;
    const double x = std::max(begin, 0.0) + kBeside;
    if (x < free) continue;
    const QString text = QStringLiteral("epoch %1").arg(epochs[i].epoch);
    const double end = x + metrics.horizontalAdvance(text);
    if (end > width) continue;
    // an epoch that has begun outside says so only while its name fits into the rest of it
    if (begin < 0 && end + kBeside > grid.pixelOf(epochs[i].beginNs + epochs[i].wallNs) / ratio) continue;
    words.push_back({x, text, begin, begin >= 0});
    free = end + kEpochClear;
  }
  return words;
}

int rulerHeightFor(const QFont& font) { return 2 * QFontMetrics(font).height() + 8; }

namespace {

void paintEpochNames(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style, int top) {
  if (layout.blocks().empty()) return;
  const TimelineModel& model = *layout.blocks().front();
  const PixelGrid grid = layout.grid();
  const QFontMetrics metrics(style.font);
  painter.setPen(QColor::fromRgb(style.colors->textWeak));
  for (const RulerWord& word : epochWords(model.epochs(), model.epochAt(grid.range().beginNs).value_or(0),
                                          grid, style.pixelRatio, metrics)) {
    const double mark = layout.lanes().left() + word.mark;
    if (word.begins) painter.drawLine(QPointF(mark, top), QPointF(mark, layout.frame().rulerHeight));
    painter.drawText(QPointF(layout.lanes().left() + word.x, top + metrics.ascent() + 2), word.text);
  }
}

}  // namespace

void paintRuler(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style) {
  const QFontMetrics metrics(style.font);
  const Palette& colors = *style.colors;
  const int width = layout.frame().size.width(), height = layout.frame().rulerHeight;
  const QRect area(layout.frame().headerWidth, 0, width - layout.frame().headerWidth, height);
  painter.fillRect(QRect(0, 0, width, height), QColor::fromRgb(colors.header));
  painter.setClipRect(area);
  const PixelGrid grid = layout.grid();
  const TimeRange range = grid.range();
  const int middle = metrics.height() + 4;
  const auto ticks = timeTicks(range.beginNs, range.endNs, area.width(), kTickSpacing, grid.zeroNs);
  for (const TimeTick& tick : ticks) {
    const int x = static_cast<int>(std::lround(layout.xOf(tick.ns)));
    painter.setPen(QColor::fromRgb(tick.major ? colors.textWeak : colors.frame));
    painter.drawLine(x, middle - (tick.major ? 6 : 3), x, middle);
  }
  painter.setPen(QColor::fromRgb(colors.text));
  for (const RulerWord& word : tickWords(ticks, grid, style.pixelRatio, metrics))
    painter.drawText(QPointF(area.left() + word.x, metrics.ascent() + 2), word.text);
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(area.left(), middle, area.right(), middle);
  paintEpochNames(painter, layout, style, middle);
  painter.setClipping(false);
  painter.setPen(QColor::fromRgb(colors.frame));
  painter.drawLine(0, height - 1, width, height - 1);
}

}  // namespace halo
