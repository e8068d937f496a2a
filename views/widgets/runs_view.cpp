#include "views/widgets/runs_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QResizeEvent>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "views/look/empty_note.h"
#include "views/look/figure_text.h"
#include "views/look/ticked_view.h"
#include "views/recording/compared_runs.h"

namespace halo {

namespace {

/// Every word must occur in some column of the row.
class WordFilter : public QSortFilterProxyModel {
 public:
  /// It forgets what it knows of the runs before it hears itself that they change.
  WordFilter(RunsModel& model, QObject* parent) : QSortFilterProxyModel(parent), model_(model) {
    const auto forget = [this] {
      keys_.clear();
      texts_.clear();
    };
    connect(&model, &QAbstractItemModel::dataChanged, this, forget);
    connect(&model, &QAbstractItemModel::rowsInserted, this, forget);
    connect(&model, &QAbstractItemModel::modelReset, this, forget);
    setSourceModel(&model);
  }

  void setWords(const QString& text) {
    words_ = text.toCaseFolded().split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
  }

 protected:
  /// As the model's values compare, each of which is asked for once and not for every other.
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    if (keys_.empty() || keyed_ != left.column()) {
      keyed_ = left.column();
      keys_.clear();
      for (int row = 0; row < sourceModel()->rowCount(); ++row)
        keys_.push_back(sourceModel()->index(row, keyed_).data(sortRole()));
    }
    const QVariant &a = keys_[at(left.row())], &b = keys_[at(right.row())];
    if (!a.isValid() || !b.isValid()) return a.isValid();  // at the end
    if (a.typeId() == QMetaType::QString) return a.toString() < b.toString();
    if (a.typeId() == QMetaType::LongLong && b.typeId() == QMetaType::LongLong)
      return a.toLongLong() < b.toLongLong();
    return QVariant::compare(a, b) == QPartialOrdering::Less;
  }

  bool filterAcceptsRow(int row, const QModelIndex&) const override {
    if (words_.isEmpty()) return true;
    const auto place = at(row);
    if (texts_.size() <= place) texts_.resize(place + 1);
    if (texts_[place].isNull()) texts_[place] = model_.textOf(row);
    return std::ranges::all_of(words_, [&](const QString& word) { return texts_[place].contains(word); });
  }

 private:
  const RunsModel& model_;
  QStringList words_;                   // in folded case
  mutable std::vector<QString> texts_;  // of the rows that words were looked for in
  mutable int keyed_ = -1;              // the column of
  mutable std::vector<QVariant> keys_;  // all rows
};

/// Behind the metrics that people compare runs by: wide, and mostly alike.
constexpr int kAfterMetrics[] = {RunsModel::Marks, RunsModel::Started};
constexpr int kWidestName = 260;    // pixels: in a window 1280 wide epochs are in sight
constexpr int kMostMeasured = 500;  // rows; further ones hardly widen a column
constexpr int kUsuallyHidden[] = {RunsModel::Seed, RunsModel::Tags, RunsModel::Experiment, RunsModel::Error};

}  // namespace

RunsView::RunsView(RunsModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filter_(new QLineEdit),
      count_(new QLabel),
      unlike_(new QLabel),
      table_(new TickedView<QTableView>) {
  auto* proxy = new WordFilter(model, this);
  proxy_ = proxy;
  proxy_->setSortRole(Qt::EditRole);
  filter_->setPlaceholderText("Filter: words that must occur, such as  vanilla cora failed");
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName("Filter runs");
  connect(proxy_, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this] { rowsGo_ = true; });
  table_->setModel(proxy_);  // after the line before: so it hears of it first
  empty_ = new EmptyNote(*table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(RunsModel::Id, Qt::AscendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
  table_->setAccessibleName("Runs");
  table_->viewport()->installEventFilter(this);
  table_->installEventFilter(this);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 8);
  table_->horizontalHeader()->setSectionsMovable(true);
  table_->horizontalHeader()->setHighlightSections(false);
  connect(table_->horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { moved_ = true; });
  table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  unlike_->setObjectName("unlike");
  unlike_->setWordWrap(true);
  unlike_->setTextFormat(Qt::PlainText);
  unlike_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a key may be any length
  auto* top = new QHBoxLayout;
  top->addWidget(filter_, 1);
  top->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(top);
  layout->addWidget(unlike_);
  layout->addWidget(table_, 1);

  connect(filter_, &QLineEdit::textChanged, this, [this, proxy](const QString& text) {
    proxy->setWords(text);
    tellCount();
  });
  connect(table_->horizontalHeader(), &QHeaderView::customContextMenuRequested, this, &RunsView::columnMenu);
  connect(&model, &QAbstractItemModel::modelAboutToBeReset, this, &RunsView::keepColumns);
  connect(&model, &QAbstractItemModel::modelReset, this, &RunsView::showColumns);
  connect(&model, &QAbstractItemModel::rowsInserted, this, &RunsView::tellCount);
  connect(&model, &QAbstractItemModel::dataChanged, this, &RunsView::tellUnlikeSoon);
  connect(proxy_, &QAbstractItemModel::rowsRemoved, this, [this] {
    rowsGo_ = false;
    markShown();
  });
  connect(proxy_, &QAbstractItemModel::rowsInserted, this, &RunsView::markShown);
  connect(proxy_, &QAbstractItemModel::modelReset, this, &RunsView::markShown);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& at) { emit runOpened(at.data(RunsModel::kRunRole).toLongLong()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& at) {
            if (at.isValid() && !rowsGo_) emit runChosen(at.data(RunsModel::kRunRole).toLongLong());
          });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    tellUnlikeSoon();
    emit chosenChanged(chosen());
  });
  unlikeSoon_.setSingleShot(true);
  connect(&unlikeSoon_, &QTimer::timeout, this, &RunsView::tellUnlike);
  showColumns();
}

void RunsView::chooseRun(std::int64_t run) {
  shown_ = run;
  markShown();
}

/// No row where the filter hides it.
void RunsView::markShown() {
  const int row = model_.rowOf(shown_);
  const QModelIndex at = row < 0 ? QModelIndex() : proxy_->mapFromSource(model_.index(row, 0));
  if (at.row() == table_->currentIndex().row()) return;
  table_->setCurrentIndex(at);
  if (!at.isValid()) table_->clearSelection();
}

std::vector<std::int64_t> RunsView::chosen() const {
  std::vector<std::int64_t> runs;
  for (const QModelIndex& at : table_->selectionModel()->selectedRows())
    runs.push_back(at.data(RunsModel::kRunRole).toLongLong());
  return runs;
}

void RunsView::focusFilter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

void RunsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange)
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 8);
  QWidget::changeEvent(event);
}

/// A row in sight stays so where the table gets smaller.
bool RunsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::Resize) {
    const QRect before(QPoint(0, 0), static_cast<QResizeEvent*>(event)->oldSize());
    const QModelIndex at = table_->currentIndex();
    const auto show = [this] { table_->scrollTo(table_->currentIndex()); };
    // once the table knows how far it scrolls at its new height
    if (at.isValid() && table_->visualRect(at).intersects(before))
      QMetaObject::invokeMethod(table_, show, Qt::QueuedConnection);
  }
  if (watched == table_ && event->type() == QEvent::KeyPress)
    return takeEnter(*static_cast<QKeyEvent*>(event)) || QWidget::eventFilter(watched, event);
  return QWidget::eventFilter(watched, event);
}

/// Enter compares the chosen runs; with Ctrl it opens the current one.
bool RunsView::takeEnter(const QKeyEvent& key) {
  if (key.key() != Qt::Key_Return && key.key() != Qt::Key_Enter) return false;
  if (key.modifiers().testFlag(Qt::ControlModifier)) {
    if (const QModelIndex at = table_->currentIndex(); at.isValid())
      emit runOpened(at.data(RunsModel::kRunRole).toLongLong());
  } else {
    emit comparisonWanted(chosen());
  }
  return true;
}

/// Before the model has other columns.
void RunsView::keepColumns() {
  const QHeaderView& header = *table_->horizontalHeader();
  for (int column = 0; column < columns_.size(); ++column) {
    Kept& columnState = kept_[columns_[column]];
    columnState.place = header.visualIndex(column);
    columnState.hidden = table_->isColumnHidden(column);
    if (const int width = table_->columnWidth(column); !columnState.hidden && width != columnState.usualWidth)
      columnState.width = width;
  }
}

void RunsView::showColumns() {
  tellCount();
  QStringList columns;
  for (int column = 0; column < model_.columnCount(); ++column)
    columns << (column < RunsModel::FixedColumns ? QString::number(column) : model_.metric(column));
  if (columns == columns_) return;
  columns_ = columns;
  for (int column = 0; column < columns_.size(); ++column) {
    const bool isNew = !kept_.contains(columns_[column]);
    Kept& columnState = kept_[columns_[column]];
    if (isNew) columnState.hidden = std::ranges::find(kUsuallyHidden, column) != std::end(kUsuallyHidden);
    columnState.usualWidth = usualWidth(column);
    table_->setColumnHidden(column, columnState.hidden);
    table_->setColumnWidth(column, columnState.width.value_or(columnState.usualWidth));
  }
  orderColumns();
}

int RunsView::usualWidth(int column) const {
  const QFontMetrics metrics = table_->fontMetrics();
  int widest = metrics.horizontalAdvance(model_.headerData(column, Qt::Horizontal).toString()) + 28;
  const bool name = column == RunsModel::Name;
  const int measured = std::min(model_.rowCount(), name ? kMostMeasured : 60),
            most = name ? kWidestName : 320;
  for (int row = 0; row < measured && widest < most; ++row)
    widest = std::max(widest, metrics.horizontalAdvance(model_.index(row, column).data().toString()) + 16);
  const int box = column == RunsModel::Id ? style()->pixelMetric(QStyle::PM_IndicatorWidth) + 8 : 0;
  return std::min(widest + box, most);
}

/// What a run is, what it is compared by, and only then what else is known of it. Or as somebody has put
/// them, with new ones behind.
void RunsView::orderColumns() {
  QHeaderView& header = *table_->horizontalHeader();
  std::vector<int> order(at(columns_.size()));
  std::iota(order.begin(), order.end(), 0);
  const bool byHand = moved_;
  if (byHand) std::ranges::stable_sort(order, {}, [&](int column) { return kept_[columns_[column]].place; });
  for (std::size_t place = 0; place < order.size(); ++place)
    header.moveSection(header.visualIndex(order[place]), static_cast<int>(place));
  if (byHand) return;
  int last = RunsModel::FixedColumns - 1;
  while (last + 1 < columns_.size() && metricRank(model_.metric(last + 1).toStdString()) < kWantedMetrics)
    ++last;
  for (const int column : kAfterMetrics) header.moveSection(header.visualIndex(column), last);
  moved_ = false;
}

void RunsView::tellCount() {
  const int all = model_.rowCount(), visible = proxy_->rowCount();
  count_->setText(visible == all ? QString("%1 run%2").arg(all).arg(all == 1 ? "" : "s")
                                 : QString("%1 of %2 runs").arg(visible).arg(all));
  empty_->setText(all == 0 ? QString("There are no runs yet: open a recording, or start an experiment.")
                           : QString("No run has all these words: clear the filter to see all %1.").arg(all));
  tellUnlikeSoon();
}

void RunsView::tellUnlikeSoon() { unlikeSoon_.start(); }

void RunsView::tellUnlike() {
  QModelIndexList rows = table_->selectionModel()->selectedRows();
  if (rows.size() < 2) {
    rows.clear();
    for (int row = 0; row < proxy_->rowCount(); ++row) rows << proxy_->index(row, 0);
  }
  std::vector<const RunRow*> runs;
  for (const QModelIndex& row : rows)
    if (const QModelIndex run = proxy_->mapToSource(row); run.isValid())
      runs.push_back(&model_.runs().runs[at(run.row())]);
  unlike_->setText(drawable(unlikeSentence(model_.runs(), runs)));
  unlike_->setVisible(!unlike_->text().isEmpty());
}

void RunsView::columnMenu(const QPoint& at) {
  QMenu menu(this);
  for (int column = 0; column < model_.columnCount(); ++column) {
    auto* action = menu.addAction(model_.headerData(column, Qt::Horizontal).toString());
    action->setCheckable(true);
    action->setChecked(!table_->isColumnHidden(column));
    connect(action, &QAction::toggled, this,
            [this, column](bool on) { table_->setColumnHidden(column, !on); });
  }
  menu.exec(table_->horizontalHeader()->mapToGlobal(at));
}

}  // namespace halo
