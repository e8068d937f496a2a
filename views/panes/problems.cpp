#include "views/experiment/problems_view.h"
#include "views/view_registry.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new ProblemsView;
  QObject::connect(&session, &Session::problemsFound, view, [view](const std::vector<Problem>& problems) {
    view->showProblems(problems);
    view->setWindowTitle(problems.empty() ? QString("Problems")
                                          : QString("Problems (%1)").arg(problems.size()));
  });
  return view;
}

const Registered<ViewEntry> self{{{"Problems", "what is wrong with the experiment or the recording", ""},
                                  "Problems",
                                  ViewArea::bottom,
                                  50,
                                  kEveryPerspective,
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
