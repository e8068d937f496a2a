#include "views/session/recording_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/host_name.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"

namespace halo {

/// Touched by the background thread only.
struct RecordingReader::Background : QObject {
  std::string path;
  std::unique_ptr<Database> database;
  RecordingState told;  // when its runs, or its failing, were last told of; looked at before, so that no
                        // change is missed. Other questions open it too, and tell nothing of its runs.

  bool deathUntold = false;  // perhaps: a run is interrupted since its runs were told of

  RunData last;  // read last, of the file that `place` is
  std::optional<FileIdentity> place;

  void open() {
    const RecordingState before = std::exchange(told, stateOf(path));  // stays where it cannot be opened
    database.reset();
    const auto now = identityOf(path);
    if (std::exchange(place, now) != now) last = {};
    database = std::make_unique<Database>(path, Access::readOnly);
    lookForDeaths();
    told = before;
  }

  /// The death of a supervisor changes no file.
  void lookForDeaths() {
    if (database && Runs(*database).showInterrupted(hostName()) > 0) deathUntold = true;
  }

  /// Whether what was told of its runs still holds.
  bool isAsTold() {
    lookForDeaths();
    return stateOf(path) == told && !deathUntold;
  }

  /// Of the file as it is now, whatever stood there when it was opened before.
  RunsData openAndReadRuns() {
    open();
    told = stateOf(path);  // of what is read from here on; opening alone may change the log
    deathUntold = false;
    return readRuns(*database);
  }

  /// A run that goes on for days is read from where it was left.
  const RunData& read(std::int64_t run) {
    last = readRun(opened(), run, &last);
    return last;
  }

  /// Throws what keeps the recording from being read, once more where that was said before.
  Database& opened() {
    if (!database) open();
    return *database;
  }

  /// What looks damaged may be a sound file that was replaced, or changed under a connection that took it for
  /// unchanging: a fresh connection tells.
  template <class Work>
  auto twice(const Work& work) {
    try {
      return work(*this);
    } catch (const RecordDamaged&) {
      if (!database) throw;
      open();
      return work(*this);
    }
  }
};

RecordingReader::RecordingReader(QObject* parent) : QObject(parent), background_(new Background) {
  qRegisterMetaType<RunsData>();
  qRegisterMetaType<RunData>();
  qRegisterMetaType<BreakdownData>();
  background_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, background_, &QObject::deleteLater);
  thread_.start();
}

RecordingReader::~RecordingReader() {
  thread_.quit();
  thread_.wait();
}

/// Runs `work(background)` there; `work` returns what to do here with its result.
template <class Work>
void RecordingReader::ask(Work work) {
  QMetaObject::invokeMethod(background_, [this, work, opening = opening_, background = background_] {
    try {
      auto answer = background->twice(work);
      QMetaObject::invokeMethod(this, [this, opening, answer = std::move(answer)] {
        if (opening == opening_) answer();
      });
    } catch (const std::exception& error) {
      report(opening, error);
    }
  });
}

void RecordingReader::report(quint64 opening, const std::exception& error) {
  const bool damaged = dynamic_cast<const RecordDamaged*>(&error) != nullptr;
  const QString message = QString::fromUtf8(error.what());
  QMetaObject::invokeMethod(this, [this, opening, message, damaged] {
    refreshing_ = false;
    if (opening == opening_) emit failed(file_, message, damaged);
  });
}

void RecordingReader::open(const QString& file) {
  file_ = file;
  run_ = -1;
  ++opening_;
  refreshing_ = false;
  ask([this, path = file.toStdString()](Background& back) {
    back.path = path;
    return std::function<void()>([this, data = back.openAndReadRuns()] { emit runsRead(data); });
  });
}

void RecordingReader::refresh() {
  if (file_.isEmpty() || refreshing_) return;
  refreshing_ = true;
  ask([this, run = run_](Background& back) -> std::function<void()> {
    if (back.isAsTold())
      return [this] {
        refreshing_ = false;
        emit looked();
      };
    RunsData runs = back.openAndReadRuns();  // opening costs less than a millisecond
    const bool there = std::ranges::any_of(runs.runs, [run](const RunRow& row) { return row.id == run; });
    std::optional<RunData> details;
    if (there) details = back.read(run);
    return [this, run, runs = std::move(runs), details = std::move(details)] {
      refreshing_ = false;
      emit runsRead(runs);
      if (details && run == run_) emit runRead(*details);
      emit looked();
    };
  });
}

void RecordingReader::askRun(std::int64_t run) {
  run_ = run;
  ask([this, run, question = ++runQuestion_](Background& back) -> std::function<void()> {
    return [this, question, data = back.read(run)] {
      if (question == runQuestion_) emit runRead(data);
    };
  });
}

void RecordingReader::askBreakdown(std::int64_t run, std::int64_t ranks, TimeRange range) {
  ask([this, run, ranks, range, question = ++breakdownQuestion_](Background& back) -> std::function<void()> {
    const auto overtaken = [this, question] { return question != breakdownQuestion_; };
    if (overtaken()) return [] {};
    BreakdownData data = readBreakdown(back.opened(), run, ranks, range, overtaken);
    if (!overtaken()) ++breakdownsMeasured_;
    return [this, run, overtaken, data = std::move(data)] {
      if (!overtaken()) emit breakdownRead(run, data);
    };
  });
}

void RecordingReader::askFigureData(const std::string& figure, std::int64_t run, const FigureRanges& ranges) {
  ask([this, figure, run, ranges](Background& back) -> std::function<void()> {
    RunData data = back.read(run);
    loadFigureData(figure, *back.database, data, ranges);
    return [this, data = std::move(data)] { emit figureDataRead(data); };
  });
}

}  // namespace halo
