#include "views/widgets/log_view.h"

#include <QFontDatabase>
#include <QScrollBar>

namespace halo {

LogView::LogView(QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setMaximumBlockCount(10'000);
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setFrameShape(QFrame::NoFrame);
  setPlaceholderText("What a run started here writes appears in this pane.");
  setAccessibleName("Log");
  timer_.setInterval(300);
  connect(&timer_, &QTimer::timeout, this, &LogView::readMore);
}

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }

/// "2026-11-21T08:09:10Z  text", or `text` alone where the moment is not known.
QString eventLine(const std::string& moment, const QString& text) {
  return moment.empty() ? text : q(moment) + "  " + text;
}

QString endOf(const RunRow& run) {
  if (run.status == "queued") return "waits to be started";
  if (run.status == "running") return "is under way";
  return q(run.status) + (run.error.empty() ? "" : ": " + q(run.error));
}

}  // namespace

void LogView::showRun(const RunData& runData) {
  const RunRow& run = runData.run;
  QStringList lines;
  QString begin = QString("run %1, %2").arg(run.id).arg(q(run.name));
  if (!run.host.empty()) begin += ", on " + q(run.host);
  if (!run.version.empty()) begin += ", by haloscope " + q(run.version);
  lines << eventLine(run.startedAt, begin);
  if (!runData.launch.empty()) lines << "$ " + q(runData.launch).trimmed();
  const QString log = q(runData.log).trimmed();
  const bool over = run.status != "running" && run.status != "queued";
  if (!log.isEmpty())
    lines << log;
  else if (over)
    lines << "(the run wrote nothing else)";
  lines << eventLine(run.finishedAt, endOf(run));
  showText(lines.join('\n'));
}

void LogView::showText(const QString& text) {
  timer_.stop();
  file_.close();
  if (text != toPlainText()) setPlainText(text);
}

void LogView::follow(const QString& file) {
  if (file == file_.fileName() && file_.isOpen()) return;
  timer_.stop();
  file_.close();
  clear();
  unfinishedLine_.clear();
  file_.setFileName(file);
  if (!file_.open(QIODevice::ReadOnly)) return;
  readMore();
  timer_.start();
}

void LogView::readMore() {
  const QByteArray bytes = unfinishedLine_ + file_.read(1 << 20);
  const qsizetype lineEnd = bytes.lastIndexOf('\n') + 1;
  unfinishedLine_ = bytes.mid(lineEnd);
  if (lineEnd == 0) return;
  const bool atEnd = verticalScrollBar()->value() == verticalScrollBar()->maximum();
  appendPlainText(QString::fromUtf8(bytes.left(lineEnd - 1)));
  if (atEnd) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

QString LogView::tail(int lines) const {
  QStringList all = toPlainText().split('\n', Qt::SkipEmptyParts);
  return all.mid(std::max<qsizetype>(0, all.size() - lines)).join('\n');
}

}  // namespace halo
