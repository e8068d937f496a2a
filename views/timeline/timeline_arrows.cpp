#include "views/timeline/timeline_arrows.h"

#include <QFontMetrics>
#include <QLineF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::size_t kMostArrows = 400;  // more are a haze
constexpr double kHead = 6;               // pixels
constexpr double kNear = 3;               // pixels to an arrow that is pointed at
constexpr int kPale = 120, kFull = 235;   // alpha

/// Block, rank, layer of its spans.
using LaneKey = std::tuple<std::int32_t, std::int64_t, std::int16_t>;

/// Middles of the main lanes in the widget.
std::map<LaneKey, double> middlesOf(const TimelineLayout& layout) {
  std::map<LaneKey, double> middles;
  for (const RowPlace& place : layout.places()) {
    const RowId row = layout.entryOf(place).id;
    if (row.lane != Lane::main || row.sub != 0) continue;
    const TimelineLayout::RowBox box = layout.boxOf(place);
    middles[{row.block, row.rank, row.layer}] = box.top + box.height / 2.0;
  }
  return middles;
}

/// From the sender's lane to the receiver's, layer by layer those of its layer; nothing where one is missing.
std::optional<QLineF> lineOf(const MessageArrow& arrow, const TimelineLayout& layout,
                             const std::map<LaneKey, double>& middles) {
  const std::int16_t layer = layout.order() == LaneOrder::layers ? arrow.layer : kEveryLayer;
  const auto from = middles.find({arrow.block, arrow.sender, layer}),
             to = middles.find({arrow.block, arrow.receiver, layer});
  if (from == middles.end() || to == middles.end()) return std::nullopt;
  return QLineF(layout.xOf(arrow.sentNs), from->second, layout.xOf(arrow.usedNs), to->second);
}

Qt::PenStyle penOf(const MessageArrow& arrow) {
  if (arrow.meeting) return Qt::DotLine;
  return arrow.usedEpoch > arrow.sentEpoch ? Qt::DashLine : Qt::SolidLine;
}

double distanceTo(const QLineF& line, QPointF at) {
  const QPointF along = line.p2() - line.p1(), to = at - line.p1();
  const double length = QPointF::dotProduct(along, along);
  const double share = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
  const QPointF away = to - along * share;
  return std::hypot(away.x(), away.y());
}

class Painter {
 public:
  Painter(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style)
      : painter_(painter), layout_(layout), style_(style), middles_(middlesOf(layout)) {}

  void arrow(const MessageArrow& arrow, bool strong, bool pale) {
    const std::optional<QLineF> line = lineOf(arrow, layout_, middles_);
    if (!line) return;
    const QPointF begin = line->p1(), end = line->p2();
    const QRgb rgb = strong ? style_.colors->accent : style_.colors->text;
    const QColor color = withAlpha(rgb, pale ? kPale / 2 : strong ? kFull : kPale);
    painter_.setPen(QPen(color, strong ? 2 : 1, penOf(arrow)));
    painter_.drawLine(begin, end);
    head(begin, end, color);
  }

  /// At the lower left, over the lanes.
  void say(const QString& sentence) {
    const QFontMetrics metrics(style_.font);
    const QRect lanes = layout_.lanes();
    const QRect box(lanes.left() + 6, lanes.bottom() - metrics.height() - 8,
                    metrics.horizontalAdvance(sentence) + 12, metrics.height() + 4);
    painter_.setPen(QColor::fromRgb(style_.colors->frame));
    painter_.setBrush(QColor::fromRgb(style_.colors->header));
    painter_.drawRect(box);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QColor::fromRgb(style_.colors->text));
    painter_.drawText(box, Qt::AlignCenter, sentence);
  }

 private:
  void head(QPointF begin, QPointF end, const QColor& color) {
    const double length = std::hypot(end.x() - begin.x(), end.y() - begin.y());
    if (length < kHead) return;
    const QPointF along = (end - begin) / length, across(-along.y(), along.x());
    const QPointF back = end - along * kHead;
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(color);
    painter_.drawPolygon(QPolygonF{end, back + across * (kHead / 2), back - across * (kHead / 2)});
    painter_.setBrush(Qt::NoBrush);
  }

  QPainter& painter_;
  const TimelineLayout& layout_;
  const TimelineStyle& style_;
  const std::map<LaneKey, double> middles_;
};

/// What is not drawn, and why; empty while they are being read, and where all is.
QString noteOf(const TimelineArrows& arrows, std::size_t drawn) {
  if (!arrows.read) return {};
  if (arrows.tooMany) return QObject::tr("Too many messages for arrows: zoom in");
  if (arrows.arrows.empty()) return QObject::tr("No messages or collectives are recorded here");
  return drawn > 0 ? QString() : QObject::tr("Arrows: zoom in, or choose a lane to see its own");
}

}  // namespace

std::vector<std::size_t> drawnArrows(const TimelineArrows& arrows, const TimelineLayout& layout,
                                     std::optional<RowId> current) {
  const TimeRange visibleRange = layout.shown();
  std::vector<std::size_t> drawn;
  const auto gather = [&](bool ofCurrent) {
    drawn.clear();
    for (std::size_t i = 0; i < arrows.arrows.size(); ++i) {
      const MessageArrow& arrow = arrows.arrows[i];
      if (arrow.usedNs < visibleRange.beginNs || arrow.sentNs >= visibleRange.endNs) continue;
      const bool relevant =
          !ofCurrent || (arrow.block == current->block &&
                         (arrow.sender == current->rank || arrow.receiver == current->rank));
      if (relevant) drawn.push_back(i);
    }
  };
  gather(false);
  if (drawn.size() > kMostArrows && current) gather(true);
  if (drawn.size() > kMostArrows) drawn.clear();
  return drawn;
}

const MessageArrow* arrowAt(const TimelineArrows& arrows, const TimelineLayout& layout,
                            std::optional<RowId> current, QPoint place) {
  if (!arrows.shown || !layout.lanes().contains(place)) return nullptr;
  const std::map<LaneKey, double> middles = middlesOf(layout);
  const MessageArrow* nearest = nullptr;
  double least = kNear;
  for (const std::size_t i : drawnArrows(arrows, layout, current)) {
    const std::optional<QLineF> line = lineOf(arrows.arrows[i], layout, middles);
    const double distance = line ? distanceTo(*line, place) : kNear;
    if (distance >= least) continue;
    least = distance;
    nearest = &arrows.arrows[i];
  }
  return nearest;
}

bool concerns(const MessageArrow& arrow, const RowId& row, const Span& span) {
  if (arrow.block != row.block) return false;
  const auto within = [&](std::int64_t ns) { return ns >= span.beginNs && ns <= span.endNs(); };
  if (row.rank == arrow.sender && within(arrow.sentNs)) return true;
  return row.rank == arrow.receiver && (within(arrow.arrivedNs) || within(arrow.usedNs)) &&
         (span.layer < 0 || span.layer == arrow.layer);
}

void paintArrows(QPainter& painter, const TimelineLayout& layout, const TimelineArrows& arrows,
                 const TimelineSelection& selection, const TimelineStyle& style) {
  if (!arrows.shown) return;
  painter.save();
  painter.setFont(style.font);
  painter.setRenderHint(QPainter::Antialiasing);
  Painter painting(painter, layout, style);
  const std::vector<std::size_t> drawn = drawnArrows(arrows, layout, selection.currentRow());
  const std::optional<SpanId> current = selection.current();
  const SpanRow* spans = current ? selection.spansOf(current->row) : nullptr;
  std::optional<Span> span;
  if (spans != nullptr && current->index < spans->size()) span = spans->at(current->index);
  std::vector<std::size_t> strong;
  if (span)
    std::ranges::copy_if(drawn, std::back_inserter(strong),
                         [&](std::size_t i) { return concerns(arrows.arrows[i], current->row, *span); });
  for (const std::size_t i : drawn)
    if (!std::ranges::binary_search(strong, i)) painting.arrow(arrows.arrows[i], false, !strong.empty());
  for (const std::size_t i : strong) painting.arrow(arrows.arrows[i], true, false);
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (const QString note = noteOf(arrows, drawn.size()); !note.isEmpty()) painting.say(note);
  painter.restore();
}

void paintChain(QPainter& painter, const TimelineLayout& layout, const WaitChain& chain,
                const TimelineStyle& style) {
  if (chain.links.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor::fromRgb(style.colors->accent), 2));
  painter.setBrush(Qt::NoBrush);
  for (const RowPlace& place : layout.places()) {
    const RowId row = layout.entryOf(place).id;
    if (row.lane != Lane::main || row.sub != 0 || row.block != chain.block) continue;
    const TimelineLayout::RowBox box = layout.boxOf(place);
    for (const ChainLink& link : chain.links) {
      const bool passes = link.what == ChainLink::What::way || link.what == ChainLink::What::meeting;
      if (passes || link.rank != row.rank || (row.layer != kEveryLayer && row.layer != link.layer)) continue;
      const double left = std::max(layout.xOf(link.beginNs), -1e4);
      const double right = std::min(layout.xOf(link.endNs), 1e5);
      if (right >= left) painter.drawRect(QRectF(left, box.top + 1, right - left, box.height - 2));
    }
  }
  Painter painting(painter, layout, style);
  for (const MessageArrow& arrow : arrowsOf(chain)) painting.arrow(arrow, true, false);
  painter.restore();
}

}  // namespace halo
