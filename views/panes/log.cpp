#include "views/view_registry.h"
#include "views/widgets/log_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new LogView;
  QObject::connect(&session, &Session::stateChanged, view, [view, &session](const OpenState& state) {
    if (!state.log.isEmpty())
      view->follow(state.log);
    else if (view->follows() && session.run().run.id != 0)
      view->showRun(session.run());
  });
  QObject::connect(&session, &Session::runChosen, view, [view] {
    if (!view->follows()) view->clear();
  });
  QObject::connect(&session, &Session::runRead, view, [view, &session](const RunData& run) {
    if (session.state().log.isEmpty()) view->showRun(run);
  });
  return view;
}

const Registered<ViewEntry> self{{{"Log", "what a run did and wrote", ""},
                                  "Log",
                                  ViewArea::bottom,
                                  40,
                                  kEveryPerspective,
                                  {Perspective::setUp},
                                  make}};

}  // namespace
}  // namespace halo
