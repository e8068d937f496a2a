#include "views/breakdown_view.h"
#include "views/view_registry.h"

namespace halo {
namespace {

QString whatIsMeasured(const TimeWindow& window, const RunData& run) {
  const QString what = window.epoch() ? QString("Epoch %1").arg(*window.epoch()) : QString("The whole run");
  const auto left = run.breakdown.leftOut.size();
  if (left == 0) return what;
  return QString("%1 worker%2 left out, whose spans cannot be read (see Problems). %3")
      .arg(left)
      .arg(left == 1 ? "" : "s", what);
}

QWidget* make(Session& session) {
  auto* model = new BreakdownModel;
  auto* view = new BreakdownView(*model);
  model->setParent(view);
  QObject::connect(&session, &Session::breakdownRead, view, [view, &session](const RunData& run) {
    view->show(run, whatIsMeasured(session.window(), run));
  });
  return view;
}

const Registered<ViewEntry> self{{{"Breakdown", "where the time of every worker went", ""},
                                  "Breakdown",
                                  ViewArea::bottom,
                                  10,
                                  kEveryPerspective,
                                  {Perspective::observe},
                                  make}};

}  // namespace
}  // namespace halo
