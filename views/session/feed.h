#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/record/rows/rows.h"
#include "views/recording/shown_time.h"
#include "views/spans/timeline_model.h"

namespace halo {

class Database;

/// What the reading thread hands over, in the order read. What is absent has not changed.
struct FeedMessage {
  struct Batch {
    std::int64_t rank = 0;
    Lane lane = Lane::main;
    SpanColumns spans;
  };
  std::optional<std::vector<SpanBlockInfo>> directory;
  std::unique_ptr<TimelineLane> lane;
  std::vector<Batch> batches;
  std::vector<EpochRow> epochs;
  std::vector<WorkerRow> workers;
  std::map<std::int64_t, double> clocks;  // with them, as clocksOf
  std::map<std::int64_t, QString> parts;  // with them, as partsOfRanks
  std::optional<ShownTime> time;
  std::optional<RunRow> run;
  std::int64_t spansRead = 0;  // since the last message
  bool complete = false;       // all that stood in the recording when it was opened is here
  std::string problem;
  bool ended = false;     // the last message: the thread needs nothing any more
  bool replaced = false;  // it ended because another file stands in the place of the one it read
};

/// How far a run's times are moved on the axis.
struct Shifted {
  std::int64_t ns = 0;
  std::string problem;  // why not as far as was asked; empty: it is
};

/// Follows one run of a recording and fills `model`; signals are for the others. A thread of its own reads
/// what is there, lane by lane. It then asks 20 times a second for new blocks and epochs until the run has
/// ended. Results come to this object's thread by queued calls that carry the number of the opening they
/// belong to. Results of an earlier opening are dropped, and its thread ends in its own time: nobody waits
/// for a slow read. A recording replaced by another file is opened anew.
class Feed : public QObject {
  Q_OBJECT
 public:
  explicit Feed(TimelineModel& model, QObject* parent = nullptr);
  ~Feed() override;

  /// Of the run in its recording; asked once, on the reading thread. Throws as Database.
  using Shift = std::function<Shifted(Database&)>;

  /// Times are told by `clock` where the run recorded it, and then moved; without `shift` they aren't.
  void open(const std::filesystem::path& file, std::int64_t run, Shift shift = {},
            TimeClock clock = TimeClock::wall);
  /// Nobody waits for a slow read: see rests().
  void close();
  /// No thread reads any more: the feed can go without waiting.
  bool rests() const { return retired_.empty() && !reader_.joinable(); }
  /// What is read meanwhile waits, and comes once it goes on.
  void setPaused(bool paused);
  std::uint64_t generation() const { return generation_; }
  std::int64_t run() const { return run_; }
  const std::filesystem::path& file() const { return file_; }
  /// Between two looks at the recording.
  void setInterval(int milliseconds) { intervalMs_ = milliseconds; }

 signals:
  void opened(quint64 generation);
  void directoryRead();  // lanes are known, their spans not yet
  void progressed(qint64 spans, qint64 total);
  void complete();  // what stood in the recording at opening is shown
  void ended();     // nothing more comes: it could not be read, or not further
  void rested();    // rests() has become true after close()
  void epochsAdded(const std::vector<halo::EpochRow>& epochs);
  void runChanged(const halo::RunRow& run);
  /// One sentence with place and cause; what could be read is shown all the same.
  void failed(const QString& problem);

 private:
  void post(std::uint64_t generation, FeedMessage message);  // from the reading threads
  void drain();
  void apply(FeedMessage& message);
  void stop();
  void end(std::uint64_t generation, bool replaced);

  TimelineModel& model_;
  std::filesystem::path file_;
  std::int64_t run_ = 0;
  Shift shift_;
  TimeClock clock_ = TimeClock::wall;
  std::uint64_t generation_ = 0;
  int intervalMs_ = 50;
  bool paused_ = false;
  std::int64_t read_ = 0, total_ = 0;

  std::mutex mutex_;  // guards what follows, down to scheduled_
  std::vector<std::pair<std::uint64_t, FeedMessage>> waiting_;
  bool gathering_ = false;  // lanes are waited for, to be shown together
  bool scheduled_ = false;
  std::jthread reader_;
  std::map<std::uint64_t, std::jthread> retired_;  // asked to stop, by the opening they read for
};

}  // namespace halo
