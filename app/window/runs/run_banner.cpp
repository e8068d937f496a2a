#include "app/window/runs/run_banner.h"

#include "views/look/figure_text.h"

namespace halo {
namespace {

/// The strip is rich text, which takes line ends for blanks.
QString rich(const QString& why) {
  return drawable(why.trimmed(), /*lines=*/true).toHtmlEscaped().replace('\n', QStringLiteral("<br>"));
}

}  // namespace

RunBanner::RunBanner(Session& session) : session_(session) {
  setObjectName("banner");
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextBrowserInteraction);
  setContentsMargins(8, 4, 8, 4);
  hide();
  connect(&session, &Session::runRead, this, [this](const RunData& run) { showRun(run.run); });
  connect(&session, &Session::runChosen, this, [this](std::int64_t run) {
    if (tells_ == Tells::failedStart) tells_ = Tells::nothing;
    if (run == 0) tellNothing();
  });
}

void RunBanner::tell(Tells what, const QString& words, const char* link, const QString& linkWords) {
  tells_ = what;
  words_ = words;
  link_ = QString("<a href=\"%1\" style=\"color: %3\">%2</a>").arg(link, linkWords);
  dress();
}

void RunBanner::tellNothing() {
  tells_ = Tells::nothing;
  hide();
}

void RunBanner::showFailedStart(const QString& why, bool elsewhere) {
  tell(Tells::failedStart, "✗ Not started: " + rich(why), kLogLink, "Show the log");
  setVisible(!elsewhere);
}

void RunBanner::forgetFailedStart() { tellNothing(); }

void RunBanner::showPaused(bool paused) {
  if (tells_ == Tells::failedStart) return;
  if (!paused) {
    if (tells_ == Tells::pause) showRun(session_.run().run);
    return;
  }
  tell(Tells::pause, "❚❚ Drawing is paused; runs go on, and all of them are recorded.", kResumeLink,
       "Go on drawing");
  show();
}

void RunBanner::showRun(const RunRow& run) {
  if (tells_ == Tells::failedStart) return;
  const bool bad = run.status == "failed" || run.status == "interrupted";
  if (!bad) return tellNothing();
  QString why = rich(QString::fromStdString(run.error));
  if (!why.isEmpty() && !why.endsWith('.')) why += '.';
  tell(Tells::failedRun, QString("✗ Run %1 %2: %3").arg(run.id).arg(QString::fromStdString(run.status), why),
       kLogLink, "Show its log");
  show();
}

void RunBanner::setTheme(Theme theme) {
  theme_ = theme;
  dress();
}

void RunBanner::dress() {
  const BannerColors colors = bannerColors(theme_, tells_ != Tells::pause);
  if (tells_ != Tells::nothing) setText(words_ + ' ' + link_.arg(QColor(colors.link).name()));
  setStyleSheet(
      QString("background: %1; color: %2; border-left: 4px solid %3;")
          .arg(QColor(colors.strip).name(), QColor(colors.text).name(), QColor(colors.edge).name()));
}

BannerColors bannerColors(Theme theme, bool failed) {
  constexpr double kTint = 0.2;
  const Palette& colors = halo::palette(theme);
  const QRgb edge = failed ? colors.failure : colors.warning;
  return {mix(colors.header, edge, kTint), edge, colors.text, colors.text};
}

}  // namespace halo
