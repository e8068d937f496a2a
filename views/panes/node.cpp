// A run on a node of processors and cards: how seeds and threads are shared out over iterations, what the
// manager decided, what stages take by model, plan and measurement, and what waits before them.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/view_registry.h"

namespace halo {
namespace {

class NodeView : public QWidget {
 public:
  NodeView()
      : shared_(new QComboBox), shares_(new FigureView), stages_(new FigureView), queues_(new FigureView) {
    shared_->addItems({"seeds", "threads", "sampling"});
    shared_->setAccessibleName("What is shared out");
    auto* bar = new QHBoxLayout;
    auto* label = new QLabel("S&hares of");
    label->setBuddy(shared_);
    bar->addWidget(label);
    bar->addWidget(shared_);
    bar->addStretch(1);
    auto* above = new QHBoxLayout;
    above->addWidget(shares_, 3);
    above->addWidget(stages_, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 0);
    layout->addLayout(bar);
    layout->addLayout(above, 3);
    layout->addWidget(queues_, 2);
    clear(0);
    connect(shared_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  }

  void show(const RunData& run) {
    runs_ = {run};
    draw();
  }

  /// run: whose data are still to come; 0: none.
  void clear(std::int64_t run) {
    runs_.clear();
    shares_->setFigure(nothingYet("Seeds of processors and cards", run));
    stages_->setFigure(nothingYet("Stages of a mini-batch", run));
    queues_->setFigure(nothingYet("Mini-batches that wait", run));
  }

 private:
  void draw() {
    if (runs_.empty()) return;
    const RunsData none;
    shares_->setFigure(makeFigure("shares", {none, runs_}, {{"show", shared_->currentText().toStdString()}}));
    stages_->setFigure(makeFigure("stages", {none, runs_}));
    queues_->setFigure(makeFigure("queues", {none, runs_}));
  }

  std::vector<RunData> runs_;  // the chosen one, or none
  QComboBox* shared_;
  FigureView *shares_, *stages_, *queues_;
};

QWidget* make(Session& session) {
  auto* view = new NodeView;
  QObject::connect(&session, &Session::runChosen, view, [view](std::int64_t run) { view->clear(run); });
  QObject::connect(&session, &Session::runRead, view, [view](const RunData& run) { view->show(run); });
  return view;
}

const Registered<ViewEntry> self{{{"Node", "shares, decisions and stages on processors and cards", ""},
                                  "Node",
                                  ViewArea::centre,
                                  60,
                                  {Perspective::observe},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
