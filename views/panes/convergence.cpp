#include "views/view_registry.h"
#include "views/widgets/convergence_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new ConvergenceView;
  QObject::connect(&session, &Session::runChosen, view, &ConvergenceView::clear);
  QObject::connect(&session, &Session::runRead, view, [view](const RunData& run) { view->show({run}); });
  const auto takeChips = [view, &session] { view->setChips(session.runChips()); };
  QObject::connect(&session, &Session::sceneRead, view, takeChips);
  QObject::connect(&session, &Session::runChosen, view, takeChips);
  return view;
}

const Registered<ViewEntry> self{{{"Convergence", "loss and scores over epochs or time", ""},
                                  "Convergence",
                                  ViewArea::bottom,
                                  20,
                                  kEveryPerspective,
                                  {Perspective::decide},
                                  make}};

}  // namespace
}  // namespace halo
