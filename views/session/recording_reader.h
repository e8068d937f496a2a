#pragma once

#include <QDateTime>
#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

#include "views/figures/figure_registry.h"

namespace halo {

class Database;

/// Reads one recording at a time on one background thread. Every answer carries the number of its question,
/// so that one overtaken by a newer question is dropped; signals arrive on the thread of the receiver.
class RecordingReader : public QObject {
  Q_OBJECT
 public:
  explicit RecordingReader(QObject* parent = nullptr);
  ~RecordingReader() override;

  /// Forgets the recording before. Answers runsRead or failed.
  void open(const QString& file);
  QString file() const { return file_; }
  /// Reads runs, and the asked-for run, again if the file changed since; cheap otherwise.
  void refresh();
  /// Answers runRead; a newer question wins.
  void askRun(std::int64_t run);
  /// Answers breakdownRead; a newer question wins, and one overtaken is not worked out to its end.
  void askBreakdown(std::int64_t run, std::int64_t ranks, TimeRange range);
  quint64 breakdownsMeasured() const { return breakdownsMeasured_; }
  /// Answers figureDataRead with what `figure` is drawn from.
  void askFigureData(const std::string& figure, std::int64_t run, const FigureRanges& ranges);

 signals:
  void runsRead(const halo::RunsData& data);
  void runRead(const halo::RunData& data);
  void breakdownRead(std::int64_t run, const halo::BreakdownData& data);
  void figureDataRead(const halo::RunData& data);
  /// A refresh is over that did not fail; what it read was told before.
  void looked();
  /// One sentence; `damaged`: opening it again will not help.
  void failed(const QString& file, const QString& message, bool damaged);

 private:
  struct Background;  // what lives on the other thread
  template <class Work>
  void ask(Work work);
  void report(quint64 opening, const std::exception& error);

  QString file_;
  std::int64_t run_ = -1;
  quint64 opening_ = 0, runQuestion_ = 0;
  std::atomic<quint64> breakdownQuestion_ = 0, breakdownsMeasured_ = 0;  // read on both threads
  bool refreshing_ = false;
  QThread thread_;
  Background* background_;
};

}  // namespace halo

Q_DECLARE_METATYPE(halo::RunsData)
Q_DECLARE_METATYPE(halo::RunData)
Q_DECLARE_METATYPE(halo::BreakdownData)
