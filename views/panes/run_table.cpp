#include "views/panes/runs_view.h"
#include "views/view_registry.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new RunsView(session.runs());
  QObject::connect(&session, &Session::runChosen, view, &RunsView::chooseRun);
  QObject::connect(view, &RunsView::runChosen, &session, &Session::runWanted);
  QObject::connect(view, &RunsView::runOpened, &session, &Session::runOpened);
  QObject::connect(view, &RunsView::chosenChanged, &session, &Session::compareRuns);
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
