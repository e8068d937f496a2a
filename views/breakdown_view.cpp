#include "views/breakdown_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "views/figure_registry.h"
#include "views/figure_view.h"
#include "views/units.h"

namespace halo {

BreakdownView::BreakdownView(BreakdownModel& model, QWidget* parent)
    : QWidget(parent), model_(model), figure_(new FigureView), caption_(new QLabel), table_(new QTableView) {
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
  auto* splitter = new QSplitter;
  splitter->addWidget(figure_);
  splitter->addWidget(side);
  splitter->setSizes({600, 400});
  splitter->setChildrenCollapsible(false);
  side->setMinimumWidth(fontMetrics().averageCharWidth() * 34);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  table_->hide();
  figure_->setFigure(nothingYet("Time of every worker"));
  connect(figure_, &FigureView::categoryChosen, this, [this](int rank) { emit rankChosen(rank); });
}

void BreakdownView::show(const RunData& run, const QString& what) {
  model_.setBreakdown(run.breakdown);
  const RunsData none;
  figure_->setFigure(makeFigure("breakdown", {none, {&run, 1}}));
  const bool measured = run.breakdown.measured;
  caption_->setText(
      measured ? QString("%1: %2 of wall time on %3 workers; the parts add up to it to the nanosecond.")
                     .arg(what, formatNs(run.breakdown.range.lengthNs()))
                     .arg(run.breakdown.ranks.size())
               : "");
  table_->setVisible(measured);
}

}  // namespace halo
