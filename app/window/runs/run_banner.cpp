#include "app/window/runs/run_banner.h"

namespace halo {

RunBanner::RunBanner(Session& session) {
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextBrowserInteraction);
  setContentsMargins(8, 4, 8, 4);
  hide();
  connect(&session, &Session::runRead, this, [this](const RunData& run) { showRun(run.run); });
  connect(&session, &Session::runChosen, this, [this](std::int64_t run) {
    ofStart_ = false;
    if (run == 0) hide();
  });
}

void RunBanner::showFailedStart(const QString& why, bool elsewhere) {
  ofStart_ = true;
  setText("✗ Not started: " + why.toHtmlEscaped() + " <a href=\"log\">Show the log</a>");
  setVisible(!elsewhere);
}

void RunBanner::forgetFailedStart() {
  ofStart_ = false;
  hide();
}

void RunBanner::showRun(const RunRow& run) {
  if (ofStart_) return;
  const bool bad = run.status == "failed" || run.status == "interrupted";
  QString why = QString::fromStdString(run.error).trimmed().toHtmlEscaped();
  if (!why.isEmpty() && !why.endsWith('.')) why += '.';
  if (bad)
    setText(QString("✗ Run %1 %2: %3 <a href=\"log\">Show its log</a>")
                .arg(run.id)
                .arg(QString::fromStdString(run.status), why));
  setVisible(bad);
}

void RunBanner::setTheme(Theme theme) {
  const Palette& colors = halo::palette(theme);
  setStyleSheet(
      QString("background: %1; color: %2;").arg(QColor(colors.header).name(), QColor(colors.failure).name()));
}

}  // namespace halo
