#include "views/view_registry.h"
#include "views/widgets/inspector_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new InspectorView;
  QObject::connect(&session, &Session::runRead, view, &InspectorView::showRun);
  QObject::connect(&session, &Session::runChosen, view, [view](std::int64_t run) {
    view->showSpan(-1, nullptr, 0);
    view->clearRun(run);
  });
  QObject::connect(&session.window(), &TimeWindow::spanChanged, view, [view, &session] {
    const auto span = session.window().selectedSpan();
    const TimelineBlock* other = session.sceneLanes().at(session.window().selectedBlock());
    const TimelineModel& lanes = other == nullptr ? session.lanes() : *other->model;
    view->showSpan(session.window().selectedRank(), span ? &*span : nullptr, lanes.extent().beginNs,
                   other == nullptr ? QString() : other->name);
  });
  return view;
}

const Registered<ViewEntry> self{{{"Inspector", "facts of what is selected", ""},
                                  "Inspector",
                                  ViewArea::right,
                                  10,
                                  {Perspective::observe, Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
