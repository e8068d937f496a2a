#include <QAction>

#include "views/view_registry.h"
#include "views/widgets/runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new RunsView(session.runs());
  QObject::connect(&session, &Session::runChosen, view, &RunsView::chooseRun);
  QObject::connect(view, &RunsView::runChosen, &session, &Session::runWanted);
  QObject::connect(view, &RunsView::runOpened, &session, &Session::runOpened);
  QObject::connect(view, &RunsView::comparisonWanted, &session, &Session::comparisonWanted);
  const auto tick = [&session] { session.runs().setTicked(session.comparedHere()); };
  QObject::connect(&session.scene(), &Scene::changed, view, tick);
  QObject::connect(&session.sceneLanes(), &SceneLanes::changed, view, tick);
  QObject::connect(&session.runs(), &RunsModel::ticked, &session, &Session::runTicked);
  QObject::connect(view, &RunsView::chosenChanged, &session, &Session::compareRuns);
  auto* compare = new QAction("&Compare the chosen runs", view);
  compare->setShortcut(QKeySequence(Qt::Key_C));
  compare->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  compare->setStatusTip("Adds them to what is compared; runs that differ in their seeds alone as one");
  QObject::connect(compare, &QAction::triggered, &session,
                   [view, &session] { emit session.comparisonWanted(view->chosen()); });
  view->addAction(compare);
  return view;
}

const Registered<ViewEntry> self{{{"Run table", "every run with its latest metrics", ""},
                                  "Run table",
                                  ViewArea::centre,
                                  20,
                                  {Perspective::decide},
                                  {Perspective::decide},
                                  make}};

}  // namespace
}  // namespace halo
