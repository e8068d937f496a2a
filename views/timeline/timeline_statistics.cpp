#include "views/timeline/timeline_statistics.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/look/without_type_ahead.h"

namespace halo {
namespace {

constexpr std::size_t kStretch = 100'000;  // spans read between two events: a few ms
constexpr int kLines = 10;

}  // namespace

TimelineStatistics::TimelineStatistics(const TimelineBlocks& blocks, const TimeWindow& window,
                                       const TimelineSelection& selection, QWidget* parent)
    : QWidget(parent),
      blocks_(blocks),
      window_(window),
      selection_(selection),
      words_(new QLabel),
      table_(new WithoutTypeAhead<QTableView>),
      histogram_(new DurationHistogram) {
  makeTable();
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setToolTip(tr("Close (Esc in the table, I in the timeline)"));
  close->setAccessibleName(tr("Close the statistics"));
  close->setAutoRaise(true);
  connect(close, &QToolButton::clicked, this, &TimelineStatistics::left);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(8, 2, 4, 2);
  layout->setSpacing(2);
  layout->addWidget(words_, 0, 0, 1, 2);
  layout->addWidget(close, 0, 2);
  layout->addWidget(table_, 1, 0);
  layout->addWidget(histogram_, 1, 1, 1, 2);
  layout->setColumnStretch(0, 5);
  layout->setColumnStretch(1, 2);
  setFixedHeight(kLines * (fontMetrics().height() + 6));
  next_.setInterval(0);
  connect(&next_, &QTimer::timeout, this, &TimelineStatistics::readMore);
  connect(&window, &TimeWindow::visibleChanged, this, &TimelineStatistics::takeScope);
  connect(&selection, &TimelineSelection::changed, this, &TimelineStatistics::takeScope);
  connect(&blocks, &TimelineBlocks::spansChanged, this, &TimelineStatistics::beginAgain);
  // rows that were read may be gone
  connect(&blocks, &TimelineBlocks::rowsChanged, this, &TimelineStatistics::begin);
}

void TimelineStatistics::makeTable() {
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(Qt::EditRole);
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("Statistics by name and layer"));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setAlternatingRowColors(true);
  table_->setTabKeyNavigation(false);
  table_->setSortingEnabled(true);
  table_->sortByColumn(SpanGroupsModel::Total, Qt::DescendingOrder);
  connect(table_, &QTableView::clicked, this, &TimelineStatistics::step);
  table_->installEventFilter(this);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &TimelineStatistics::showHistogram);
}

TimelineStatistics::Scope TimelineStatistics::scope() const {
  const std::set<RowId>& rows = selection_.areaRows();
  if (!window_.selection().empty()) return {window_.selection(), blocks_.topmostOf(rows), rows};
  return {window_.visible(), selection_.currentRow().value_or(RowId{}).block, {}};
}

/// Of the row of all transfers of a rank those of every peer.
std::vector<RowEntry> TimelineStatistics::rowsIn(const Scope& scope) const {
  std::vector<RowEntry> rows = blocks_.modelOf(RowId{.block = scope.block}).everyRow();
  std::erase_if(rows, [&](const RowEntry& row) {
    RowId together = row.id;
    if (together.lane == Lane::link) together.sub = 0;
    return !scope.rows.empty() && !scope.rows.contains(row.id) && !scope.rows.contains(together);
  });
  return rows;
}

void TimelineStatistics::begin() {
  again_ = false;
  if (!isVisible()) return;
  counted_ = scope();
  grouping_.begin(rowsIn(counted_), counted_.range);
  next_.start();
}

/// What is being counted is counted to its end first: else nothing would be told while a window moves.
void TimelineStatistics::beginAgain() {
  if (settled())
    begin();
  else
    again_ = true;
}

void TimelineStatistics::takeScope() {
  if (scope() != counted_) beginAgain();
}

void TimelineStatistics::readMore() {
  if (grouping_.advance(kStretch)) return;
  next_.stop();
  const QModelIndex before = sorted_.mapToSource(table_->currentIndex());
  SpanGroupKey chosen;
  if (before.isValid()) chosen = model_.groups()[at(before.row())].key;
  model_.setGroups(grouping_.groups());
  const auto& groups = model_.groups();
  if (before.isValid() && !table_->currentIndex().isValid())
    if (const auto at = std::ranges::find(groups, chosen, &SpanGroup::key); at != groups.end())
      table_->setCurrentIndex(sorted_.mapFromSource(model_.index(static_cast<int>(at - groups.begin()), 0)));
  words_->setText(text());
  words_->setToolTip(text() + tr("\nA click on a row goes to the next such span."));
  showHistogram();
  if (std::exchange(again_, false)) begin();
}

QString TimelineStatistics::text() const {
  std::set<std::int64_t> ranks;
  std::int64_t spans = 0;
  for (const RowEntry& row : rowsIn(counted_)) ranks.insert(row.id.rank);
  for (const SpanGroup& group : model_.groups()) spans += group.count;
  const bool area = !window_.selection().empty();
  const std::int32_t block = blocks_.modelOf(RowId{.block = counted_.block}).block();
  const QString run = blocks_.several() ? tr(" of %1").arg(blocks_.all()[at(block)].name) : QString();
  const auto count = std::ssize(ranks);
  return tr("%1: %2 × %3%4, %5 by name and layer")
      .arg(area ? tr("Selected") : tr("In view"), formatNs(counted_.range.lengthNs()),
           count == 1 ? tr("1 rank") : tr("%1 ranks").arg(formatCount(count)), run,
           spans == 1 ? tr("1 span") : tr("%1 spans").arg(formatCount(spans)));
}

void TimelineStatistics::step(const QModelIndex& row) {
  if (!row.isValid()) return;
  const auto place = at(sorted_.mapToSource(row).row());
  const SpanGroupKey key = model_.groups()[place].key;
  if (const auto span = nextOf(key, rowsIn(counted_), counted_.range, selection_.current()))
    emit spanWanted(*span);
}

void TimelineStatistics::showHistogram() {
  const QModelIndex current = table_->currentIndex();
  const int row = sorted_.mapToSource(current.isValid() ? current : sorted_.index(0, 0)).row();
  histogram_->setGroup(row < 0 ? std::nullopt : std::optional(model_.groups()[at(row)]));
}

bool TimelineStatistics::eventFilter(QObject* watched, QEvent* event) {
  if (watched != table_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      step(table_->currentIndex());
      return true;
    case Qt::Key_Escape:
      emit left();
      return true;
    default:
      return false;
  }
}

void TimelineStatistics::showEvent(QShowEvent*) { begin(); }

void TimelineStatistics::hideEvent(QHideEvent*) {
  next_.stop();
  grouping_.begin({}, {});
}

}  // namespace halo
