#include "views/timeline/timeline_headings.h"

#include <QFontMetrics>
#include <QPainter>

#include "views/timeline/timeline_ruler.h"

namespace halo {
namespace {

constexpr int kSide = 10;    // of the square
constexpr int kMargin = 6;   // left of it, and between it and the name
constexpr double kMost = 2;  // the name takes one part of so many of the width
constexpr int kClear = 12;   // from the name to the epochs

class Heading {
 public:
  Heading(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style)
      : painter_(painter), layout_(layout), style_(style) {}

  void paint(std::size_t place, const TimelineBlock& block) {
    const TimelineLayout::BlockBox box = layout_.blockBox(place);
    const TimelineLayout::Frame& frame = layout_.frame();
    if (box.rows <= frame.rulerHeight || box.top >= frame.size.height()) return;
    area_ = QRect(0, box.top, frame.size.width(), box.change - box.top);
    painter_.fillRect(area_, QColor::fromRgb(style_.colors->header));
    painter_.setPen(QColor::fromRgb(style_.colors->frame));
    painter_.drawLine(0, area_.top(), area_.right(), area_.top());
    painter_.drawLine(0, area_.bottom(), area_.right(), area_.bottom());
    swatch(block);
    const int end = name(block);
    if (place > 0) epochs(*block.model, end + kClear);  // those of the first stand in the ruler
    if (place != layout_.topmost()) change(box);
  }

  void paintGroup(const GroupPlace& group) {
    const TimelineLayout::Frame& frame = layout_.frame();
    const QRect area(0, group.top, frame.size.width(), frame.headingHeight);
    if (area.bottom() <= frame.rulerHeight || area.top() >= frame.size.height()) return;
    painter_.fillRect(area, QColor::fromRgb(style_.colors->header));
    painter_.setPen(QColor::fromRgb(style_.colors->text));
    painter_.drawText(area.adjusted(kMargin, 0, 0, 0), Qt::AlignVCenter, group.name);
  }

 private:
  void swatch(const TimelineBlock& block) {
    const QColor fill = QColor::fromRgb(seriesColor(style_.colors->theme, block.color));
    painter_.setPen(fill);
    painter_.setBrush(block.modelled ? QBrush(fill, Qt::BDiagPattern) : QBrush(fill));
    painter_.drawRect(kMargin, area_.center().y() - kSide / 2, kSide, kSide);
    painter_.setBrush(Qt::NoBrush);
  }

  /// Where it ends.
  int name(const TimelineBlock& block) {
    const int left = 2 * kMargin + kSide;
    const int room = static_cast<int>(area_.width() / kMost) - left;
    QFont bold(style_.font);
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const QString text = metrics.elidedText(block.name, Qt::ElideRight, room);
    painter_.setFont(bold);
    painter_.setPen(QColor::fromRgb(style_.colors->text));
    painter_.drawText(QRect(left, area_.top(), room, area_.height()), Qt::AlignVCenter, text);
    painter_.setFont(style_.font);
    const int noteLeft = left + metrics.horizontalAdvance(text) + kMargin;
    const QString said = noteOf(block);
    if (said.isEmpty()) return noteLeft;
    const QFontMetrics plain(style_.font);
    const QString note = plain.elidedText(said, Qt::ElideRight, area_.width() - noteLeft - kMargin);
    painter_.setPen(QColor::fromRgb(style_.colors->textWeak));
    painter_.drawText(QRect(noteLeft, area_.top(), area_.width() - noteLeft, area_.height()),
                      Qt::AlignVCenter, note);
    return noteLeft + plain.horizontalAdvance(note);
  }

  /// Where it stands on the axis, and in which time.
  static QString noteOf(const TimelineBlock& block) {
    const QString& time = block.model->time().title;
    if (time.isEmpty() || block.note.isEmpty()) return time + block.note;
    return block.note + QStringLiteral(" · ") + time;
  }

  /// The name of the lane below the heading.
  void change(const TimelineLayout::BlockBox& box) {
    const QRect area(0, box.change, layout_.frame().headerWidth - 1, box.rows - box.change);
    painter_.fillRect(area, QColor::fromRgb(style_.colors->header));
    painter_.setPen(QColor::fromRgb(style_.colors->textWeak));
    painter_.drawText(area.adjusted(0, 0, -kMargin, 0), Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                      QStringLiteral("Δ computing"));
  }

  void epochs(const TimelineModel& model, int from) {
    const PixelGrid grid = layout_.grid();
    const QFontMetrics metrics(style_.font);
    const int left = layout_.lanes().left();
    painter_.setPen(QColor::fromRgb(style_.colors->textWeak));
    for (const RulerWord& word : epochWords(model.epochs(), model.epochAt(grid.range().beginNs).value_or(0),
                                            grid, style_.pixelRatio, metrics)) {
      if (left + word.x < from) continue;
      if (word.begins)
        painter_.drawLine(QPointF(left + word.mark, area_.top()), QPointF(left + word.mark, area_.bottom()));
      painter_.drawText(QRectF(left + word.x, area_.top(), area_.width(), area_.height()), Qt::AlignVCenter,
                        word.text);
    }
  }

  QPainter& painter_;
  const TimelineLayout& layout_;
  const TimelineStyle& style_;
  QRect area_;
};

}  // namespace

int headingHeightFor(const QFont& font) { return QFontMetrics(font).height() + 6; }

void paintHeadings(QPainter& painter, const TimelineLayout& layout, const TimelineBlocks& blocks,
                   const TimelineStyle& style) {
  const std::vector<GroupPlace> groups = layout.groups();
  if (!blocks.several() && groups.empty()) return;
  const QRect lanes = layout.scrolledLanes();
  painter.save();
  painter.setFont(style.font);
  painter.setClipRect(QRect(0, lanes.top(), layout.frame().size.width(), lanes.height()));
  Heading heading(painter, layout, style);
  for (std::size_t place = 0; blocks.several() && place < blocks.all().size(); ++place)
    heading.paint(place, blocks.all()[place]);
  for (const GroupPlace& group : groups) heading.paintGroup(group);
  painter.restore();
}

}  // namespace halo
