#include <QHeaderView>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTreeView>

#include "views/look/empty_note.h"
#include "views/look/ticked_view.h"
#include "views/recording/experiments_model.h"
#include "views/view_registry.h"

namespace halo {
namespace {

constexpr std::size_t kFewExperiments = 20;  // so many are shown with their runs

/// Shortens the parts of a run's name that are longest: what tells runs apart may stand in any of them.
class PartsDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const QStyle& style = *option->widget->style();
    int margin = 2 * (style.pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
    if (option->features.testFlag(QStyleOptionViewItem::HasCheckIndicator))
      margin += style.pixelMetric(QStyle::PM_IndicatorWidth) + margin;
    option->text = shortenedParts(option->text, option->fontMetrics, option->rect.width() - margin);
  }
};

QTreeView* makeTree(ExperimentsModel* model) {
  auto* tree = new TickedView<QTreeView>;
  model->setParent(tree);
  tree->setModel(model);
  new EmptyNote(*tree, "There are no runs yet: open a recording, or start an experiment.");
  tree->setUniformRowHeights(true);
  tree->setAccessibleName("Experiments");
  tree->setTextElideMode(Qt::ElideMiddle);
  tree->setItemDelegateForColumn(ExperimentsModel::Name, new PartsDelegate(tree));
  tree->header()->setStretchLastSection(false);
  tree->header()->setSectionResizeMode(ExperimentsModel::Name, QHeaderView::Stretch);
  // a sign or a short number: what it does not take is the names'
  tree->header()->setMinimumSectionSize(tree->fontMetrics().horizontalAdvance("000"));
  tree->header()->setSectionResizeMode(ExperimentsModel::State, QHeaderView::ResizeToContents);
  tree->setIndentation(tree->fontMetrics().horizontalAdvance("00"));
  return tree;
}

QWidget* make(Session& session) {
  auto* model = new ExperimentsModel;
  QTreeView* tree = makeTree(model);
  QObject::connect(&session, &Session::runsRead, tree, [tree, model, &session](const RunsData& runs) {
    model->setRuns(runs);
    if (runs.experiments.size() <= kFewExperiments) tree->expandAll();
    if (!tree->currentIndex().isValid()) tree->setCurrentIndex(model->indexOf(session.run().run.id));
  });
  QObject::connect(&session, &Session::runChosen, tree,
                   [tree, model](std::int64_t run) { tree->setCurrentIndex(model->indexOf(run)); });
  const auto tick = [model, &session] { model->setTicked(session.comparedHere()); };
  QObject::connect(&session.scene(), &Scene::changed, tree, tick);
  QObject::connect(&session.sceneLanes(), &SceneLanes::changed, tree, tick);
  QObject::connect(model, &ExperimentsModel::ticked, &session, &Session::runTicked);
  QObject::connect(tree->selectionModel(), &QItemSelectionModel::currentChanged, &session,
                   [&session](const QModelIndex& at) {
                     const auto run = at.data(ExperimentsModel::kRunRole).toLongLong();
                     if (at.isValid() && run >= 0) emit session.runWanted(run);
                   });
  return tree;
}

const Registered<ViewEntry> self{{{"Experiments", "experiments and their runs", ""},
                                  "Experiments",
                                  ViewArea::left,
                                  10,
                                  kEveryPerspective,
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
