#include "views/widgets/convergence_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"

namespace halo {

ConvergenceView::ConvergenceView(QWidget* parent)
    : QWidget(parent), along_(new QComboBox), loss_(new FigureView), score_(new FigureView) {
  along_->addItems({"epoch", "time"});
  along_->setAccessibleName("Horizontal axis");
  auto* bar = new QHBoxLayout;
  auto* label = new QLabel("&Along");
  label->setBuddy(along_);
  bar->addWidget(label);
  bar->addWidget(along_);
  bar->addStretch(1);
  auto* figures = new QHBoxLayout;
  figures->addWidget(loss_);
  figures->addWidget(score_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addLayout(figures, 1);
  clear(0);
  connect(along_, &QComboBox::currentIndexChanged, this, &ConvergenceView::draw);
}

void ConvergenceView::show(const std::vector<RunData>& runs) {
  runs_ = runs;
  draw();
}

void ConvergenceView::setChips(const RunChips& chips) {
  if (chips == chips_) return;
  chips_ = chips;
  draw();
}

void ConvergenceView::clear(std::int64_t run) {
  runs_.clear();
  loss_->setFigure(nothingYet("Training loss", run));
  score_->setFigure(nothingYet("Score", run));
}

void ConvergenceView::draw() {
  if (runs_.empty()) return;
  const RunsData none;
  Values values;
  values["along"] = along_->currentText().toStdString();
  loss_->setFigure(makeFigure("convergence-loss", {none, runs_, {}, nullptr, chips_}, values));
  score_->setFigure(makeFigure("convergence-score", {none, runs_, {}, nullptr, chips_}, values));
}

}  // namespace halo
