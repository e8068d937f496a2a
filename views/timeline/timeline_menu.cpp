#include "views/timeline/timeline_menu.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeySequence>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/timeline/timeline_labels.h"
#include "views/timeline/timeline_navigation.h"
#include "views/timeline/timeline_tooltip.h"

namespace halo {
namespace {

constexpr std::size_t kMostSelected = 1000;  // every selected span is framed one by one

QString withKey(const QString& text, TimelineAction action) {
  for (const TimelineActionInfo& info : timelineActions())
    if (info.action == action) return text + '\t' + info.keys.first().toString(QKeySequence::NativeText);
  return text;
}

class Filler {
 public:
  Filler(QMenu& menu, TimelineCanvas& canvas, TimelineModel& model, TimeWindow& window)
      : menu_(menu), canvas_(canvas), model_(model), window_(window) {}

  void span(SpanId at, const SpanRow& spans) {
    const Span span = spans.at(at.index);
    const QString name = spanLabel(span.name, span.layer);
    zoom(QObject::tr("Zoom to %1 (%2)").arg(name, formatNs(span.durationNs)), {span.beginNs, span.endNs()});
    const auto same = sameInView(at, spans);
    if (same.size() > 1 && same.size() <= kMostSelected)
      menu_.addAction(QObject::tr("Select the %1 of this name in view").arg(same.size()), &canvas_,
                      [&canvas = canvas_, same] { canvas.selection().selectSpans(same); });
    if (stepName(spans, at.index, 1)) act(QObject::tr("Next of this name"), TimelineAction::nextSame);
    if (stepName(spans, at.index, -1))
      act(QObject::tr("Previous of this name"), TimelineAction::previousSame);
    act(QObject::tr("Make it an area"), TimelineAction::selectArea);
    const QString facts = spanText(spanPlaceOf(model_, at.row, span), span);
    menu_.addAction(QObject::tr("Copy its facts"), &canvas_,
                    [facts] { QGuiApplication::clipboard()->setText(facts); });
    menu_.addSeparator();
  }

  void zoom(const QString& text, TimeRange range) {
    menu_.addAction(text, &window_,
                    [&window = window_, range] { window.setVisible(fitted(range), Move::jump); });
  }

  void act(const QString& text, TimelineAction action) {
    menu_.addAction(withKey(text, action), &canvas_, [&canvas = canvas_, action] { canvas.perform(action); });
  }

  void fold(std::int64_t rank) {
    const bool folded = model_.collapsed(rank);
    menu_.addAction((folded ? QObject::tr("Unfold rank %1") : QObject::tr("Fold rank %1")).arg(rank), &model_,
                    [&model = model_, rank, folded] { model.setCollapsed(rank, !folded); });
  }

  void pin(const RowId& row) {
    const bool pinned = canvas_.places().isPinned(row);
    const QString text =
        pinned ? QObject::tr("Rank %1 no longer on top") : QObject::tr("Keep rank %1 on top");
    menu_.addAction(withKey(text.arg(row.rank), TimelineAction::pin), &canvas_, [&canvas = canvas_, row] {
      canvas.selection().setCurrentRow(row);
      canvas.perform(TimelineAction::pin);
    });
  }

  /// Nothing where there is only one.
  void orders() {
    static constexpr std::pair<LaneOrder, const char*> kOrders[] = {{LaneOrder::runs, "Run by run"},
                                                                    {LaneOrder::ranks, "Rank by rank"},
                                                                    {LaneOrder::nodes, "Host by host"},
                                                                    {LaneOrder::parts, "Part by part"},
                                                                    {LaneOrder::layers, "Layer by layer"}};
    const TimelineLayout& layout = canvas_.places();
    if (std::ranges::count_if(kOrders, [&](const auto& each) { return layout.differs(each.first); }) < 2)
      return;
    QMenu* orders = menu_.addMenu(withKey(QObject::tr("Order of lanes"), TimelineAction::laneOrder));
    for (const auto& [order, text] : kOrders) {
      if (!layout.differs(order)) continue;
      QAction* action = orders->addAction(QObject::tr(text), &canvas_,
                                          [&canvas = canvas_, to = order] { canvas.setOrder(to); });
      action->setCheckable(true);
      action->setChecked(layout.order() == order);
    }
  }

  /// A new note, and those that stand near, to be taken away.
  void notes(const RowId& row, std::int64_t ns) {
    constexpr double kNear = 8;  // pixels
    const LaneChoice lane{row.block, row.rank};
    menu_.addAction(QObject::tr("Add a note here…"), &canvas_,
                    [&canvas = canvas_, lane, ns] { emit canvas.noteWanted(lane, ns); });
    for (const LaneNote& note : canvas_.notes())
      if (note.lane == lane && std::abs(canvas_.xOf(note.ns) - canvas_.xOf(ns)) <= kNear)
        menu_.addAction(QObject::tr("Remove the note “%1”").arg(note.text.left(30)), &canvas_,
                        [&canvas = canvas_, note] { emit canvas.noteUnwanted(note); });
  }

  /// The key is the window's, and asks of the run that all views show.
  void whatIf(std::int32_t block) {
    const QKeySequence key(Qt::CTRL | Qt::Key_I);
    QString text = QObject::tr("What if…");
    if (block == 0) text += '\t' + key.toString(QKeySequence::NativeText);
    menu_.addAction(text, &canvas_, [&canvas = canvas_, block] { emit canvas.whatIfWanted(block); });
  }

  void link(const RowId& row) {
    const RowEntry* entry = model_.find({row.rank, Lane::link, 0, row.block});
    if (entry == nullptr || !entry->inFlight) return;
    const bool open = model_.linkOpen(row.rank);
    const QString text =
        open ? QObject::tr("Transfers of rank %1 together") : QObject::tr("Transfers of rank %1 by sender");
    menu_.addAction(withKey(text.arg(row.rank), TimelineAction::openLink), &model_,
                    [&model = model_, rank = row.rank, open] { model.setLinkOpen(rank, !open); });
  }

 private:
  std::vector<SpanId> sameInView(SpanId at, const SpanRow& spans) const {
    std::vector<SpanId> same;
    const TimeRange visible = window_.visible();
    const auto [first, last] = spans.touching(visible.beginNs, visible.endNs);
    const Name name = spans.name(at.index);
    for (std::size_t i = first; i < last && same.size() <= kMostSelected; ++i)
      if (spans.name(i) == name) same.push_back({at.row, i});
    return same;
  }

  QMenu& menu_;
  TimelineCanvas& canvas_;
  TimelineModel& model_;
  TimeWindow& window_;
};

}  // namespace

void fillTimelineMenu(QMenu& menu, TimelineCanvas& canvas, TimelineBlocks& blocks, TimeWindow& window,
                      const TimelinePlace& place) {
  TimelineModel& model = blocks.modelOf(place.row.value_or(RowId{}));  // the run that the place is of
  Filler filler(menu, canvas, model, window);
  const RowEntry* entry = place.span ? model.find(place.span->row) : nullptr;
  if (entry != nullptr && entry->row != nullptr && place.span->index < entry->row->spans.size())
    filler.span(*place.span, entry->row->spans);
  if (!window.selection().empty()) {
    filler.zoom(QObject::tr("Zoom to the area (%1)").arg(formatNs(window.selection().lengthNs())),
                window.selection());
    filler.act(QObject::tr("Clear the area"), TimelineAction::clear);
  }
  if (const auto index = model.epochAt(place.ns)) {
    const EpochRow& epoch = model.epochs()[*index];
    filler.zoom(QObject::tr("Zoom to epoch %1").arg(epoch.epoch),
                {epoch.beginNs, epoch.beginNs + epoch.wallNs});
  }
  if (place.row) {
    filler.fold(place.row->rank);
    filler.link(*place.row);
    filler.pin(*place.row);
    filler.notes(*place.row, place.ns);
    if (place.row->block == 0 || blocks.all()[at(place.row->block)].replays) filler.whatIf(place.row->block);
    filler.act(blocks.allCollapsed() ? QObject::tr("Unfold all") : QObject::tr("Fold all"),
               TimelineAction::foldAll);
  }
  filler.orders();
  menu.addSeparator();
  if (window.canBack()) filler.act(QObject::tr("Undo the last zoom"), TimelineAction::undoZoom);
  if (!model.rows().empty()) filler.act(QObject::tr("Whole run"), TimelineAction::home);
}

}  // namespace halo
