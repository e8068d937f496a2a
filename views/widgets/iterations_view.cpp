#include "views/widgets/iterations_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"

namespace halo {

IterationsView::IterationsView(QWidget* parent)
    : QWidget(parent), quantity_(new QComboBox), iterations_(new FigureView), blocks_(new FigureView) {
  quantity_->addItems({"time", "modelled", "seeds", "arcs", "bytes", "loss"});
  quantity_->setAccessibleName("What of every iteration");
  auto* bar = new QHBoxLayout;
  auto* label = new QLabel("&Show");
  label->setBuddy(quantity_);
  bar->addWidget(label);
  bar->addWidget(quantity_);
  bar->addStretch(1);
  auto* figures = new QHBoxLayout;
  figures->addWidget(iterations_, 2);
  figures->addWidget(blocks_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addLayout(figures, 1);
  clear(0);
  connect(quantity_, &QComboBox::currentIndexChanged, this, &IterationsView::draw);
}

void IterationsView::show(const RunData& run) {
  runs_ = {run};
  draw();
}

void IterationsView::clear(std::int64_t run) {
  runs_.clear();
  iterations_->setFigure(nothingYet("Iterations", run));
  blocks_->setFigure(nothingYet("Vertices that batches read", run));
}

void IterationsView::draw() {
  if (runs_.empty()) return;
  const RunsData none;
  iterations_->setFigure(
      makeFigure("iterations", {none, runs_}, {{"show", quantity_->currentText().toStdString()}}));
  blocks_->setFigure(makeFigure("blocks", {none, runs_}));
}

}  // namespace halo
