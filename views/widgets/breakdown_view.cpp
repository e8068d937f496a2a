#include "views/widgets/breakdown_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/index.h"
#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {

BreakdownView::BreakdownView(BreakdownModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      figure_(new FigureView),
      caption_(new QLabel),
      table_(new QTableView),
      splitter_(new QSplitter) {
  table_->setModel(&model);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setShowGrid(false);
  table_->setAlternatingRowColors(true);
  table_->setAccessibleName("Time of every worker");
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 4, 4, 0);
  caption_->setWordWrap(true);
  column->addWidget(caption_);
  column->addWidget(table_, 1);
  splitter_->addWidget(figure_);
  splitter_->addWidget(side);
  splitter_->setSizes({600, 400});
  splitter_->setChildrenCollapsible(false);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 1);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { dividedByHand_ = true; });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter_);
  clear(0);
  connect(figure_, &FigureView::categoryChosen, this, [this](int rank) { emit rankChosen(rank); });
}

void BreakdownView::show(const RunData& run, const QString& subject, TimeClock clock) {
  const RunClock recorded = run.clock();
  const BreakdownData shown = divided(run.breakdown, recorded.divisor(clock));
  model_.setBreakdown(shown, engineNames(run, shown.ranks.size()), ofDevices(run));
  const RunsData noOthers;
  const std::string word(kTimeClocks[at(clock)]);
  figure_->setFigure(makeFigure("breakdown", {noOthers, {&run, 1}}, {{"clock", word}}));
  const bool measured = shown.measured, devices = ofDevices(run);
  const QString time =
      run.run.kind == "simulation" ? QString("simulated time") : clockText(recorded.shown(clock));
  caption_->setText(measured ? QString("%1: %2 of %5 on %3 %6%4; the parts add up to it to the nanosecond.")
                                   .arg(subject, formatNs(shown.range.lengthNs()))
                                   .arg(shown.ranks.size())
                                   .arg(shown.ranks.size() == 1 ? "" : "s")
                                   .arg(time, devices ? "engine" : "worker")
                             : "");
  table_->setVisible(measured);
  const auto& ranks = run.breakdown.ranks;
  const auto none = [&](std::int64_t Breakdown::*part) {
    return std::ranges::all_of(ranks, [part](const Breakdown& r) { return r.*part == 0; });
  };
  table_->setColumnHidden(BreakdownModel::Quantise, none(&Breakdown::quantiseNs));
  for (const auto& [column, part] : {std::pair{BreakdownModel::Exchanges, &Breakdown::exchangeWaitNs},
                                     {BreakdownModel::Synchronise, &Breakdown::synchroniseNs},
                                     {BreakdownModel::Other, &Breakdown::otherNs},
                                     {BreakdownModel::Hidden, &Breakdown::hiddenNs}})
    table_->setColumnHidden(column, devices && none(part));
  divide();
}

void BreakdownView::clear(std::int64_t run) {
  figure_->setFigure(nothingYet("Time of every worker", run));
  caption_->clear();
  table_->hide();
}

void BreakdownView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  divide();
}

/// The table gets what all its columns need, the chart the rest, but never less than a third. Wall time is
/// the same for all and stands above: its column is the one to go where they are too many.
void BreakdownView::divide() {
  if (dividedByHand_ || width() <= 0) return;
  const auto needed = [this] {
    return table_->horizontalHeader()->length() + 2 * table_->frameWidth() +
           table_->verticalScrollBar()->sizeHint().width() + 8;
  };
  table_->setColumnHidden(BreakdownModel::Total, false);
  if (needed() > width() * 2 / 3) table_->setColumnHidden(BreakdownModel::Total, true);
  const int columns = needed();
  const int half = width() / 2;
  const int side = std::min(std::max(columns, std::min(half, 2 * columns)), width() * 2 / 3);
  splitter_->setSizes({width() - side, side});
}

}  // namespace halo
