#include "views/timeline/timeline_header.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

namespace halo {
namespace {

constexpr int kStrip = 4;  // in the colour of a run

/// Paints all names once, from the top.
class Names {
 public:
  Names(QPainter& painter, const TimelineLayout& layout, const TimelineBlocks& blocks,
        const LaneBadges& badges, const TimelineStyle& style)
      : painter_(painter),
        layout_(layout),
        blocks_(blocks),
        badges_(badges),
        style_(style),
        metrics_(style.font),
        bold_(style.font) {
    bold_.setBold(true);
  }

  void paint(std::optional<RowId> current) {
    const TimelineLayout::Frame& frame = layout_.frame();
    const QRect area(0, frame.rulerHeight, wide_, layout_.viewHeight());
    painter_.setClipRect(area);
    painter_.fillRect(area, QColor::fromRgb(style_.colors->header));
    const int pinnedTo = layout_.scrolledLanes().top();
    for (const RowPlace& place : layout_.visiblePinned()) row(place, /*mixed=*/true, current);
    rankTo_ = nameTo_ = 0;
    painter_.setClipRect(area.adjusted(0, pinnedTo - frame.rulerHeight, 0, 0));
    for (const RowPlace& place : layout_.visibleScrolled()) row(place, isMixed(layout_.order()), current);
    painter_.setClipping(false);
    painter_.setPen(QColor::fromRgb(style_.colors->frame));
    if (layout_.pinnedHeight() > 0) painter_.drawLine(0, pinnedTo - 1, wide_, pinnedTo - 1);
    painter_.drawLine(wide_ - 1, 0, wide_ - 1, frame.size.height());
  }

 private:
  /// `mixed`: lanes of other runs may stand beside it.
  void row(const RowPlace& place, bool mixed, std::optional<RowId> current) {
    const RowEntry& entry = layout_.entryOf(place);
    const TimelineLayout::Frame& frame = layout_.frame();
    top_ = frame.rulerHeight + static_cast<int>(place.top / frame.ratio);
    tall_ = static_cast<int>(place.height / frame.ratio);
    const TimelineBlock* block = mixed && blocks_.several() ? &blocks_.all()[place.block] : nullptr;
    if (block != nullptr)
      painter_.fillRect(QRect(0, top_, kStrip, tall_),
                        QColor::fromRgb(seriesColor(style_.colors->theme, block->color)));
    if (entry.firstOfRank) rank(place, block);
    if (current == entry.id)
      painter_.fillRect(QRect(wide_ - 3, top_, 3, tall_), QColor::fromRgb(style_.colors->accent));
    if (!named(place)) lane(place);
  }

  /// Whether the rank's name stands in the place of the lane's.
  bool named(const RowPlace& place) const {
    const RowEntry& entry = layout_.entryOf(place);
    return entry.firstOfRank && layout_.modelOf(place).hasRole(entry.id.rank);
  }

  /// `block`: whose letter stands before the name; null: none does.
  void rank(const RowPlace& place, const TimelineBlock* block) {
    const TimelineModel& model = layout_.modelOf(place);
    const RowId id = layout_.entryOf(place).id;
    painter_.setPen(QColor::fromRgb(style_.colors->frame));
    const int between = top_ - TimelineLayout::kRankGap / 2;
    if (place.entry > 0 || place.block > 0) painter_.drawLine(kStrip, between, wide_, between);
    if (top_ < rankTo_) return;
    const bool badge = place.block == 0 && badges_.has(id.rank);
    painter_.setPen(QColor::fromRgb(badge ? style_.colors->failure : style_.colors->text));
    painter_.setFont(bold_);
    QString fold = model.collapsed(id.rank) ? QStringLiteral("▸") : QStringLiteral("▾");
    if (block != nullptr) fold += ' ' + block->name.section(' ', 0, 0);
    if (badge) fold += QStringLiteral(" ✗");
    const int lane = named(place) ? 0 : metrics_.horizontalAdvance(laneText(id.lane)) + 7;
    painter_.drawText(QRect(6, top_, wide_, std::max(tall_, metrics_.height())),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(bold_).elidedText(fold + ' ' + model.rankName(id.rank), Qt::ElideRight,
                                                     wide_ - 12 - lane));
    painter_.setFont(style_.font);
    rankTo_ = top_ + metrics_.height();
  }

  void lane(const RowPlace& place) {
    const int high = metrics_.height();
    if (top_ + (tall_ - high) / 2 < nameTo_ || tall_ < high * 2 / 3) return;
    painter_.setPen(QColor::fromRgb(style_.colors->textWeak));
    painter_.drawText(QRect(0, top_, wide_ - 7, tall_), Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                      nameOf(place));
    nameTo_ = top_ + (tall_ + high) / 2 - 2;
  }

  /// A lone row of transfers is the link, whoever sends.
  QString nameOf(const RowPlace& place) const {
    const TimelineModel& model = layout_.modelOf(place);
    const RowEntry& entry = layout_.entryOf(place);
    const RowId id = entry.id;
    // apart from the names of layers
    if (layout_.isPinned(id) && id.lane == Lane::main && id.layer != kEveryLayer) return layerText(id.layer);
    const QString name = laneText(id.lane);
    if (entry.inFlight) return (model.linkOpen(id.rank) ? QStringLiteral("▾ ") : QStringLiteral("▸ ")) + name;
    if (id.lane == Lane::link) return model.linkOpen(id.rank) ? peerText(id.sub) : name;
    return id.sub > 0 ? name + QStringLiteral(" %1").arg(id.sub + 1) : name;
  }

  QPainter& painter_;
  const TimelineLayout& layout_;
  const TimelineBlocks& blocks_;
  const LaneBadges& badges_;
  const TimelineStyle& style_;
  const QFontMetrics metrics_;
  QFont bold_;
  const int wide_ = layout_.frame().headerWidth;
  int top_ = 0, tall_ = 0;  // of the row
  int rankTo_ = 0;          // where the last rank's name ends
  int nameTo_ = 0;          // where the last lane's name ends
};

}  // namespace

int headerWidthFor(const QFont& font) {
  QFont bold = font;
  bold.setBold(true);
  return std::max(QFontMetrics(font).horizontalAdvance(QStringLiteral("▾ A rank 000  phase 2")),
                  QFontMetrics(bold).horizontalAdvance(QStringLiteral("▾ 00 processors train"))) +
         12;
}

void TimelineHeader::paint(QPainter& painter, const TimelineLayout& layout, const TimelineBlocks& blocks,
                           std::optional<RowId> current, const LaneBadges& badges,
                           const TimelineStyle& style) {
  const TimelineLayout::Frame& frame = layout.frame();
  const double ratio = style.pixelRatio;
  Shown content{{}, frame, layout.scroll(), layout.rowHeight(), layout.placing(), {}, current, badges, style};
  for (const TimelineModel* block : layout.blocks()) content.versions.push_back(block->version());
  for (const TimelineBlock& block : blocks.all()) content.blockColors.push_back(block.color);
  if (pictured_ != content) {
    picture_ = QPixmap((QSizeF(frame.headerWidth, frame.size.height()) * ratio).toSize());
    picture_.setDevicePixelRatio(ratio);
    QPainter names(&picture_);
    names.setFont(style.font);
    Names(names, layout, blocks, badges, style).paint(current);
    pictured_ = content;
  }
  const double top = frame.rulerHeight * ratio;
  painter.drawPixmap(QPoint(0, frame.rulerHeight), picture_,
                     QRectF(0, top, picture_.width(), picture_.height() - top).toRect());
  painter.setPen(QColor::fromRgb(style.colors->frame));
  painter.drawLine(frame.headerWidth - 1, 0, frame.headerWidth - 1, frame.rulerHeight);
}

}  // namespace halo
