#include "views/look/units.h"
#include "views/view_registry.h"
#include "views/widgets/breakdown_view.h"

namespace halo {
namespace {

constexpr std::int64_t kNoticeable = 100;  // a part so small makes no difference

QString whatIsMeasured(const TimeWindow& window, const RunData& run, double divisor) {
  QString subject = window.epoch() ? QString("Epoch %1").arg(*window.epoch()) : QString("The whole run");
  if (const std::string extent = simulatedExtent(run); !extent.empty())
    subject = "The whole simulation, " + QString::fromStdString(extent);
  // epochs go on where spans are lost, or come later
  if (!window.epoch() && !run.epochs.empty()) {
    const TimeRange range = run.breakdown.range;
    const std::int64_t end = run.epochs.back().beginNs + run.epochs.back().wallNs;
    if (end - range.endNs > range.lengthNs() / kNoticeable)
      subject = QString("The part of the run that has spans, up to %1 of %2")
                    .arg(formatNs(dividedNs(range.lengthNs(), divisor)),
                         formatNs(dividedNs(end - range.beginNs, divisor)));
  }
  const auto left = run.breakdown.leftOut.size();
  if (left == 0) return subject;
  return QString("%1 worker%2 left out, whose spans cannot be read (see Problems). %3")
      .arg(left)
      .arg(left == 1 ? "" : "s", subject);
}

QWidget* make(Session& session) {
  auto* model = new BreakdownModel;
  auto* view = new BreakdownView(*model);
  model->setParent(view);
  QObject::connect(&session, &Session::runChosen, view, &BreakdownView::clear);
  QObject::connect(view, &BreakdownView::rankChosen, &session,
                   [&session](std::int64_t rank) { session.window().chooseLane(LaneChoice{.rank = rank}); });
  const auto show = [view, &session] {
    const RunData& run = session.run();
    const TimeClock clock = session.scene().state().clock;
    view->show(run, whatIsMeasured(session.window(), run, run.clock().divisor(clock)), clock);
  };
  QObject::connect(&session, &Session::breakdownRead, view, show);
  QObject::connect(&session.scene(), &Scene::changed, view, [&session, show] {
    if (session.run().breakdown.measured && session.run().clock().hasBoth()) show();
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
