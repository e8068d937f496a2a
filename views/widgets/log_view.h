#pragma once

#include <QFile>
#include <QPlainTextEdit>
#include <QTimer>

#include "views/recording/run_data.h"

namespace halo {

/// What a run did and wrote: its events and the log kept in the recording, or the file it is writing,
/// followed while it grows. At most 10,000 lines are kept.
class LogView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit LogView(QWidget* parent = nullptr);

  /// Its start, the launcher's command line, what its workers wrote, and how it ended, as recorded.
  void showRun(const RunData& runData);
  /// Reads the file and what is appended to it until something else is shown.
  void follow(const QString& file);
  bool follows() const { return timer_.isActive(); }
  /// The last lines that say something went wrong; for the failed state.
  QString tail(int lines) const;

 private:
  void showText(const QString& text);
  void readMore();

  QFile file_;
  QTimer timer_;
  QByteArray unfinishedLine_;  // an unfinished line
};

}  // namespace halo
