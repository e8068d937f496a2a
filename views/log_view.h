#pragma once

#include <QFile>
#include <QPlainTextEdit>
#include <QTimer>

namespace halo {

/// What a run wrote: the log kept in the recording, or the file it is writing, followed while it grows. At
/// most 10,000 lines are kept.
class LogView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit LogView(QWidget* parent = nullptr);

  void showText(const QString& text);
  /// Reads the file and what is appended to it until something else is shown.
  void follow(const QString& file);
  /// The last lines that say something went wrong; for the failed state.
  QString tail(int lines) const;

 private:
  void readMore();

  QFile file_;
  QTimer timer_;
  QByteArray rest_;  // an unfinished line
};

}  // namespace halo
