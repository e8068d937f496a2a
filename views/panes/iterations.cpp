#include "views/view_registry.h"
#include "views/widgets/iterations_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new IterationsView;
  QObject::connect(&session, &Session::runChosen, view, &IterationsView::clear);
  QObject::connect(&session, &Session::runRead, view, &IterationsView::show);
  view->setClock(session.scene().state().clock);
  QObject::connect(view, &IterationsView::clockWanted, &session.scene(), &Scene::setClock);
  QObject::connect(&session.scene(), &Scene::changed, view,
                   [view](const SceneState& state) { view->setClock(state.clock); });
  TimeWindow& window = session.window();
  view->setVisibleTime(window.visible());
  QObject::connect(&window, &TimeWindow::visibleChanged, view, &IterationsView::setVisibleTime);
  QObject::connect(view, &IterationsView::timeWanted, &window,
                   [&window](TimeRange time) { window.setVisible(time); });
  return view;
}

const Registered<ViewEntry> self{{{"Iterations", "iterations of mini-batches, and what they read", ""},
                                  "Iterations",
                                  ViewArea::bottom,
                                  25,
                                  {Perspective::observe},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
