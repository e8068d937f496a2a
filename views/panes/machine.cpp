// The machine that the chips ran on, or are simulated on: layers measured and simulated, what the engines of
// devices do, the memory of rows. Where nothing is compared it shows the run that the window shows.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/view_registry.h"
#include "views/widgets/lone_scene.h"
#include "views/widgets/show_choice.h"

namespace halo {
namespace {

class MachineView : public QWidget {
 public:
  explicit MachineView(Session& session) : session_(session), scene_(session, *this) {
    show_->setAccessibleName("What of every layer");
    label_->setBuddy(show_);
    auto* line = new QHBoxLayout;
    line->addWidget(label_);
    line->addWidget(show_);
    line->addStretch(1);
    auto* simulate = new QPushButton("Si&mulate this…");
    simulate->setToolTip("An experiment that simulates what the shown run trained, on as many workers");
    connect(simulate, &QPushButton::clicked, &session_, &Session::simulationWanted);
    line->addWidget(simulate);
    auto* column = new QWidget;
    auto* rows = new QVBoxLayout(column);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addLayout(line);
    rows->addWidget(layers_, 1);
    auto* beside = new QSplitter(Qt::Vertical);
    beside->addWidget(engines_);
    beside->addWidget(memory_);
    auto* splitter = new QSplitter;
    splitter->addWidget(column);
    splitter->addWidget(beside);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({640, 560});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 0);
    layout->addWidget(splitter);
    connect(&scene_, &LoneScene::changed, this, [this] { draw(); });
    connect(show_, &QComboBox::currentIndexChanged, this, [this] { draw(); });
    draw();
  }

 protected:
  void showEvent(QShowEvent* event) override {
    QWidget::showEvent(event);
    scene_.ask();
  }

 private:
  void draw() {
    const SceneData* scene = scene_.scene();
    label_->setVisible(scene != nullptr);
    show_->setVisible(scene != nullptr);
    if (scene == nullptr && session_.run().run.id != 0) {
      for (const auto& [view, title] :
           {std::pair(layers_, "Layers"), {engines_, "Engines"}, {memory_, "Memory"}})
        view->setFigure(nothingYet(title, session_.run().run.id));
      return;
    }
    const FigureInput input{session_.runs().runs(), {}, {}, scene};
    layers_->setFigure(
        makeFigure("layers", input, {{"show", show_->currentData().toString().toStdString()}}));
    Figure engines = makeFigure("engines", input);
    engines_->setVisible(scene != nullptr && !engines.empty());  // only simulated devices have some
    engines_->setFigure(std::move(engines));
    memory_->setFigure(makeFigure("memory", input));
  }

  Session& session_;
  LoneScene scene_;
  QLabel* label_ = new QLabel("&Layers show");
  QComboBox* show_ = showChoice("layers");
  FigureView *layers_ = new FigureView, *engines_ = new FigureView, *memory_ = new FigureView;
};

QWidget* make(Session& session) { return new MachineView(session); }

const Registered<ViewEntry> self{
    {{"Machine", "layers measured and simulated, engines of devices, memory of rows", ""},
     "Machine",
     ViewArea::centre,
     28,
     {Perspective::observe, Perspective::decide},
     {},
     make}};

}  // namespace
}  // namespace halo
