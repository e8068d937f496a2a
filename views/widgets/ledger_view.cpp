#include "views/widgets/ledger_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"

namespace halo {

LedgerView::LedgerView(QWidget* parent) : QWidget(parent), matrix_(new FigureView), volume_(new FigureView) {
  auto* splitter = new QSplitter;
  splitter->addWidget(matrix_);
  splitter->addWidget(volume_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(matrix_, &FigureView::pointChosen, this, [this](int, int place) {
    const auto workers = static_cast<int>(matrix_->figure().x.categories.size());
    if (workers > 0) emit transfersChosen(place / workers, place % workers);
  });
  clear(0);
}

void LedgerView::clear(std::int64_t run) {
  matrix_->setFigure(nothingYet("Bytes between workers", run));
  volume_->setFigure(nothingYet("Measured and predicted volume", run));
}

void LedgerView::show(const RunData& run) {
  const RunsData none;
  matrix_->setFigure(makeFigure("ledger", {none, {&run, 1}}));
  volume_->setFigure(makeFigure("volume", {none, {&run, 1}}));
}

}  // namespace halo
