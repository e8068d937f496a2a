#pragma once

#include <QDateTime>
#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

#include "views/figures/figure_registry.h"

namespace halo {

/// Reads one recording at a time on one background thread, whether its runs go on or are over. Every opening
/// is a generation, and every question has a number: an answer that was overtaken is dropped. Signals arrive
/// on the thread of the receiver.
class RecordingReader : public QObject {
  Q_OBJECT
 public:
  explicit RecordingReader(QObject* parent = nullptr);
  ~RecordingReader() override;

  /// Forgets the recording before. Answers runsRead or failed.
  void open(const QString& file);
  /// Gives up what is being opened or read: there is no recording, as before the first.
  void leave();
  QString file() const { return file_; }
  /// Grows with every opening.
  quint64 generation() const { return generation_; }
  /// Reads runs, and the asked-for run, again if the file changed since; cheap otherwise.
  void refresh();
  /// Answers runRead; a newer question wins.
  void askRun(std::int64_t run);
  /// Answers breakdownRead; a newer question wins, and one overtaken is not worked out to its end.
  void askBreakdown(std::int64_t run, std::int64_t ranks, TimeRange range);
  quint64 breakdownsMeasured() const { return breakdownsMeasured_; }
  /// Answers figureDataRead with what `figure` is drawn from; a newer question wins.
  void askFigureData(const std::string& figure, std::int64_t run, const FigureRanges& ranges);

  // which answers are still to come; after a failure none is waited for
  bool isOpening() const { return opened_ != generation_; }
  bool isReading() const { return runAnswered_ != runQuestion_; }
  /// No answer is still to come.
  bool settled() const {
    return !isOpening() && !isReading() && breakdownAnswered_ == breakdownQuestion_ &&
           figureAnswered_ == figureQuestion_;
  }

 signals:
  void openingReached(qint64 runs, qint64 total);  // while a recording is opened, now and then
  void runsRead(const halo::SharedRuns& data);
  void runRead(const halo::RunData& data);
  void breakdownRead(std::int64_t run, const halo::BreakdownData& data);
  void figureDataRead(const halo::RunData& data);
  /// A refresh is over that did not fail; what it read was told before.
  void looked();
  /// One sentence. `needed`: the runs or the asked-for run were being read, so there is nothing to show.
  void failed(const QString& file, const QString& message, bool needed);

 private:
  struct Background;  // what lives on the other thread
  template <class Work>
  void ask(Work work);
  void report(quint64 generation, const std::exception& error);
  void begin(const QString& file);
  void forgetQuestions();

  QString file_;
  std::int64_t run_ = -1;
  std::atomic<quint64> generation_ = 0;  // read on both threads
  quint64 opened_ = 0;                   // of this generation the runs are known
  quint64 runQuestion_ = 0, runAnswered_ = 0, figureQuestion_ = 0, figureAnswered_ = 0,
          breakdownAnswered_ = 0;
  std::atomic<quint64> breakdownQuestion_ = 0, breakdownsMeasured_ = 0;  // read on both threads
  bool refreshing_ = false;
  QThread thread_;
  Background* background_;
};

}  // namespace halo

Q_DECLARE_METATYPE(halo::SharedRuns)
Q_DECLARE_METATYPE(halo::RunData)
Q_DECLARE_METATYPE(halo::BreakdownData)
