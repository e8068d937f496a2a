#include "app/window/runs/run_status.h"

#include <QLabel>
#include <QStatusBar>

#include "views/look/figure_text.h"
#include "views/look/units.h"

namespace halo {

namespace {

constexpr std::int64_t kBehindNs = 500'000'000;  // so far spans may be behind their epochs without a word

QLabel* add(QStatusBar& bar, const char* toolTip) {
  auto* label = new QLabel;
  label->setToolTip(toolTip);
  label->setMinimumWidth(1);  // a small window cuts its words rather than grow beyond the screen
  bar.addPermanentWidget(label);
  return label;
}

}  // namespace

RunStatus::RunStatus(Session& session, const StartedRuns& started, QStatusBar& bar)
    : session_(session),
      started_(started),
      state_(add(bar, "State of the shown run")),
      ranks_(add(bar, "Workers of the shown run")),
      spans_(add(bar, "Spans recorded, and while a run goes on how far they are behind its epochs")),
      dropped_(add(bar, "Spans that did not fit into a worker's ring")),
      recorder_(add(bar, "What recording cost, as a share of the epoch")),
      selection_(add(bar, "Visible or selected time")) {
  state_->setContentsMargins(12, 0, 0, 0);  // a message that is cut ends before it
  connect(&session.window(), &TimeWindow::visibleChanged, this, &RunStatus::showTime);
  connect(&session.window(), &TimeWindow::selectionChanged, this, &RunStatus::showTime);
}

void RunStatus::setRecording(const QString& file) {
  state_->setToolTip(plainRich("State of the shown run of " + file));
}

void RunStatus::show() {
  if (const RunRow& run = session_.run().run; run.id != 0) return showRun(run);
  state_->setText(session_.state().file ? "No run chosen" : "No recording");
  for (QLabel* label : {ranks_, spans_, dropped_, recorder_}) label->clear();
}

void RunStatus::showRun(const RunRow& run) {
  const bool live = run.status == "running";
  state_->setText(QString::fromStdString(run.status) + (live ? started_.stopping(run.id) : QString()));
  ranks_->setText(QString("· %1 %2%3")
                      .arg(run.workers)
                      .arg(run.kind == "simulation" ? "lane" : "worker", run.workers == 1 ? "" : "s"));
  const std::int64_t end = session_.lanes().extent().endNs,
                     behind = live ? end - session_.lanes().newestNs().value_or(end) : 0;
  spans_->setText("· " + formatCount(session_.run().spans) + " spans" +
                  (behind > kBehindNs ? ", " + formatNs(behind, 2) + " behind" : QString()));
  std::int64_t dropped = 0;
  for (const WorkerRow& worker : session_.run().workers) dropped += worker.droppedSpans;
  dropped_->setText("· dropped " + formatCount(dropped));
  const auto cost = session_.run().latest.find("recorder_share");
  recorder_->setText(cost == session_.run().latest.end() ? "" : "· recorder " + formatShare(cost->second));
}

void RunStatus::showTime() {
  const TimeRange selected = session_.window().selection(), visible = session_.window().visible();
  selection_->setText(selected.empty() ? (visible.empty() ? "" : "· visible " + formatNs(visible.lengthNs()))
                                       : "· selected Δ " + formatNs(selected.lengthNs()));
}

}  // namespace halo
