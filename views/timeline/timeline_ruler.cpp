#include "views/timeline/timeline_ruler.h"

#include <algorithm>
#include <cmath>

namespace halo {
namespace {

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

}  // namespace halo
