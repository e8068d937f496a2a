#include "views/timeline/timeline_marks.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"
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
  if (isMixed(layout.order()) && blocks.size() > 1) {
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

namespace {

constexpr double kSign = 9;               // pixels: of a decision
constexpr double kLeastBatch = 3;         // of a span, to have a hue
constexpr double kLeastBetween = 3;       // of two decisions, for lines through the lanes
constexpr std::size_t kMostSigns = 2000;  // in view; more are a haze
constexpr int kLine = 90, kLeastLane = 9;
constexpr std::array kHues = {2, 3, 5, 6, 7};  // of causes, none of which a kind of these lanes has

/// The lanes of the first block that are of an actor, by rank.
struct ActorLane {
  std::int64_t rank = 0;
  QRectF box;
};

std::vector<ActorLane> lanesOf(const TimelineLayout& layout, const NodeMarks& marks) {
  std::vector<ActorLane> lanes;
  const QRect all = layout.lanes();
  for (const RowPlace& place : layout.visible()) {
    const RowId row = layout.entryOf(place).id;
    if (row.block != 0 || row.lane == Lane::phase || row.sub > 1 || !marks.batches.contains(row.rank))
      continue;
    const auto box = layout.boxOf(row);
    if (box) lanes.push_back({row.rank, QRectF(all.left(), box->top, all.width(), box->height)});
  }
  return lanes;
}

/// Of sorted things with a begin, those in view; the one before that may reach into it is the first.
template <class Things, class BeginOf>
auto inView(const Things& items, TimeRange range, BeginOf beginOf) {
  auto first = std::ranges::lower_bound(items, range.beginNs, {}, beginOf);
  if (first != items.begin()) --first;
  const auto last = std::ranges::lower_bound(items, range.endNs, {}, beginOf);
  return std::ranges::subrange(first, std::max(first, last));
}

QColor decisionColor(bool kept, const Palette& colors) {
  return QColor::fromRgb(kept ? colors.text : colors.textWeak);
}

/// ▲ filled, or ▽ hollow, below `top`.
void paintTriangle(QPainter& painter, QPointF top, bool kept, const Palette& colors) {
  const double tip = top.y() + (kept ? 1 : kSign), base = top.y() + (kept ? kSign : 1);
  const QColor lane = QColor::fromRgb(colors.lane), color = decisionColor(kept, colors);
  const QPolygonF triangle{{top.x(), tip}, {top.x() - kSign / 2, base}, {top.x() + kSign / 2, base}};
  painter.setPen(QPen(lane, 4));  // stands out from spans
  painter.drawPolygon(triangle);
  painter.setPen(QPen(color, 1.5));
  painter.setBrush(kept ? color : lane);
  painter.drawPolygon(triangle);
  painter.setBrush(Qt::NoBrush);
}

class NodePainter {
 public:
  NodePainter(QPainter& painter, const TimelineLayout& layout, const NodeMarks& marks,
              const TimelineStyle& style)
      : painter_(painter), layout_(layout), marks_(marks), style_(style), range_(layout.grid().range()) {}

  void hues(const ActorLane& lane) {
    painter_.setPen(Qt::NoPen);
    const double height = std::clamp(lane.box.height() / 5, 2.0, 4.0);
    for (const NodeMarks::Batch& batch :
         inView(marks_.batches.at(lane.rank), range_, &NodeMarks::Batch::beginNs)) {
      const double left = std::max(layout_.xOf(batch.beginNs), lane.box.left());
      const double right = std::min(layout_.xOf(batch.endNs), lane.box.right());
      if (right - left < kLeastBatch) continue;
      const QRectF strip(left, lane.box.top(), right - left, height);
      painter_.fillRect(strip.adjusted(0, 0, 0, 1), QColor::fromRgb(style_.colors->lane));  // from the span
      painter_.fillRect(strip, QColor::fromRgb(batchHue(batch.number, style_.colors->theme)));
    }
  }

  void queue(const ActorLane& lane) {
    const auto steps = marks_.queues.find(lane.rank);
    if (steps == marks_.queues.end() || marks_.mostQueued == 0 || lane.box.height() < kLeastLane) return;
    const auto visibleSteps = inView(steps->second, range_, &QueueStep::ns);
    if (static_cast<double>(std::ranges::distance(visibleSteps)) > lane.box.width()) return;  // a bar of ink
    const double unit = lane.box.height() / 3 / static_cast<double>(marks_.mostQueued);
    const auto yOf = [&](std::int64_t queued) {
      return lane.box.bottom() - 1 - unit * static_cast<double>(queued);
    };
    QPolygonF line;
    for (const QueueStep& step : visibleSteps) {
      const double x = std::clamp(layout_.xOf(step.ns), lane.box.left(), lane.box.right());
      if (!line.isEmpty()) line << QPointF(x, line.back().y());
      line << QPointF(x, yOf(step.queued));
    }
    if (line.isEmpty()) return;
    line << QPointF(lane.box.right(), line.back().y());
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(QColor::fromRgb(style_.colors->lane), 2));  // stands out from spans
    painter_.drawPolyline(line);
    painter_.setPen(QPen(QColor::fromRgb(style_.colors->text), 1));
    painter_.drawPolyline(line);
  }

  void decisions(double top, double bottom) {
    const auto visibleDecisions = inView(marks_.decisions, range_, &NodeMarks::Decision::ns);
    const auto count = at(std::ranges::distance(visibleDecisions));
    if (count == 0 || count > kMostSigns) return;
    const bool lines = layout_.lanes().width() / static_cast<double>(count) >= kLeastBetween;
    for (const NodeMarks::Decision& decision : visibleDecisions) {
      const double x = layout_.xOf(decision.ns);
      if (x < layout_.lanes().left() || x > layout_.lanes().right()) continue;
      if (lines) {
        painter_.setPen(QPen(withAlpha(decisionColor(decision.kept, *style_.colors).rgb(), kLine), 1));
        painter_.drawLine(QPointF(x, top), QPointF(x, bottom));
      }
      paintTriangle(painter_, {x, top}, decision.kept, *style_.colors);
    }
  }

 private:
  QPainter& painter_;
  const TimelineLayout& layout_;
  const NodeMarks& marks_;
  const TimelineStyle& style_;
  TimeRange range_;
};

/// Where the signs stand: at the upper edge of the first lane of an actor in view.
std::optional<std::pair<double, double>> heightsOf(const TimelineLayout& layout, const NodeMarks& marks) {
  const std::vector<ActorLane> lanes = lanesOf(layout, marks);
  if (lanes.empty()) return std::nullopt;
  double top = lanes.front().box.top(), bottom = lanes.front().box.bottom();
  for (const ActorLane& lane : lanes) {
    top = std::min(top, lane.box.top());
    bottom = std::max(bottom, lane.box.bottom());
  }
  return std::pair(std::max(top, static_cast<double>(layout.lanes().top())), bottom);
}

constexpr int kFlagWide = 14, kFlagHigh = 10, kMostFlag = 140;  // without its words, and with them

/// Where the flag of a note stands; nothing where its rank or moment is not in view.
std::optional<QRectF> flagOf(const TimelineLayout& layout, const LaneNote& note) {
  const QRect lanes = layout.lanes();
  const double x = layout.xOf(note.ns);
  if (x < lanes.left() || x >= lanes.right()) return std::nullopt;
  for (const RowPlace& place : layout.places()) {
    const RowId& id = layout.entryOf(place).id;
    if (id.block != note.lane.block || id.rank != note.lane.rank) continue;
    const TimelineLayout::RowBox box = layout.boxOf(place);
    if (box.top + box.height <= lanes.top() || box.top >= lanes.bottom()) return std::nullopt;
    return QRectF(x, box.top, kFlagWide, std::max(kFlagHigh, box.height));
  }
  return std::nullopt;
}

}  // namespace

void paintNotes(QPainter& painter, const TimelineLayout& layout, const std::vector<LaneNote>& notes,
                const TimelineStyle& style) {
  const Palette& colors = *style.colors;
  const QFontMetrics metrics(style.font);
  painter.save();
  painter.setFont(style.font);
  for (const LaneNote& note : notes) {
    const auto flag = flagOf(layout, note);
    if (!flag) continue;
    const bool worded = flag->height() >= metrics.height();
    const QString words = worded ? metrics.elidedText(note.text, Qt::ElideRight, kMostFlag) : QString();
    const double wide = worded ? metrics.horizontalAdvance(words) + 8 : kFlagWide;
    const QRectF cloth(flag->left(), flag->top(), wide, worded ? metrics.height() : kFlagHigh);
    painter.fillRect(cloth, QColor::fromRgb(colors.header));
    painter.setPen(QPen(QColor::fromRgb(colors.accent), 1));
    painter.drawRect(cloth);
    painter.setPen(QPen(QColor::fromRgb(colors.accent), 2));
    painter.drawLine(flag->topLeft(), flag->bottomLeft());
    painter.setPen(QColor::fromRgb(colors.text));
    painter.drawText(cloth, Qt::AlignCenter, words);
  }
  painter.restore();
}

std::optional<LaneNote> noteAt(const TimelineLayout& layout, const std::vector<LaneNote>& notes, QPoint at) {
  for (auto note = notes.rbegin(); note != notes.rend(); ++note)
    if (const auto flag = flagOf(layout, *note); flag && flag->adjusted(-2, 0, 0, 0).contains(at))
      return *note;
  return std::nullopt;
}

QRgb batchHue(std::int64_t number, Theme theme) {
  return seriesColor(theme, kCauseColors + kHues[at(number) % kHues.size()]);
}

void paintNodeSign(QPainter& painter, const QRect& box, NodeSign sign, const Palette& colors) {
  constexpr int kShown = 3;  // hues
  painter.save();
  painter.fillRect(box, QColor::fromRgb(colors.lane));
  switch (sign) {
    case NodeSign::batch:
      for (int i = 0; i < kShown; ++i)
        painter.fillRect(QRectF(box.left() + i * box.width() / double{kShown}, box.top() + 1,
                                box.width() / double{kShown}, box.height() / 3.0),
                         QColor::fromRgb(batchHue(i, colors.theme)));
      break;
    case NodeSign::queue: {
      const QRectF line = QRectF(box).adjusted(0.5, 2.5, -0.5, -1.5);
      const double middle = line.center().x();
      painter.setPen(QColor::fromRgb(colors.text));
      painter.drawPolyline(
          QPolygonF{line.bottomLeft(), {middle, line.bottom()}, {middle, line.top()}, line.topRight()});
      break;
    }
    case NodeSign::kept:
    case NodeSign::undone:
      painter.setRenderHint(QPainter::Antialiasing);
      paintTriangle(painter, {QRectF(box).center().x(), QRectF(box).center().y() - kSign / 2},
                    sign == NodeSign::kept, colors);
      break;
  }
  painter.restore();
}

void paintNodeMarks(QPainter& painter, const TimelineLayout& layout, const NodeMarks& marks,
                    const TimelineStyle& style) {
  const auto heights = marks.empty() ? std::nullopt : heightsOf(layout, marks);
  if (!heights) return;
  painter.save();
  NodePainter node(painter, layout, marks, style);
  for (const ActorLane& lane : lanesOf(layout, marks)) {
    node.hues(lane);
    node.queue(lane);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  node.decisions(heights->first, heights->second);
  painter.restore();
}

QString decisionTooltip(const TimelineLayout& layout, const NodeMarks& marks, QPoint at) {
  const auto heights = marks.decisions.empty() ? std::nullopt : heightsOf(layout, marks);
  if (!heights || at.y() < heights->first || at.y() > heights->first + kSign + 1) return {};
  QString text;
  const TimeRange near{layout.nsAt(at.x() - kSign / 2), layout.nsAt(at.x() + kSign / 2)};
  for (const NodeMarks::Decision& decision : inView(marks.decisions, near, &NodeMarks::Decision::ns))
    if (std::abs(layout.xOf(decision.ns) - at.x()) <= kSign / 2)
      text += (text.isEmpty() ? "" : "\n") + decision.text;
  return text;
}

QString batchText(const TimelineLayout& layout, const NodeMarks& marks, QPoint at) {
  const auto row = layout.rowAt(at.y());
  const auto batches = row && row->block == 0 ? marks.batches.find(row->rank) : marks.batches.end();
  if (batches == marks.batches.end()) return {};
  const std::int64_t ns = layout.nsAt(at.x());
  for (const NodeMarks::Batch& batch : inView(batches->second, {ns, ns + 1}, &NodeMarks::Batch::beginNs))
    if (batch.beginNs <= ns && ns < batch.endNs)
      return QString("batch %1: epoch %2, iteration %3")
          .arg(batch.number)
          .arg(batch.epoch)
          .arg(batch.iteration);
  return {};
}

}  // namespace halo
