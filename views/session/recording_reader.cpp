#include "views/session/recording_reader.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/base/give_way.h"
#include "engine/base/problem.h"
#include "engine/record/tables/shown_recording.h"

namespace halo {

/// Touched by the background thread only.
struct RecordingReader::Background : QObject {
  std::optional<ShownRecording> recording;
  RunData last;              // the run read last
  std::uint64_t lastOf = 0;  // the generation of the recording that it was read of

  void begin(const std::string& path) {
    recording.emplace(path);
    last = {};
  }

  /// Of the file as it is now, whatever stood there when it was opened before.
  SharedRuns openAndReadRuns(const RunsReached& reached = {}) {
    Database& database = recording->openAnew();
    recording->markRead();  // opening alone may change the log
    return std::make_shared<const RunsData>(readRuns(database, reached));
  }

  /// A run that goes on for days is read from where it was left.
  const RunData& read(std::int64_t run) {
    Database& database = recording->database();
    const std::uint64_t now = recording->generation();
    if (std::exchange(lastOf, now) != now) last = {};
    last = readRun(database, run, &last);
    return last;
  }

  /// By a fresh connection where it looks damaged: the file may have been replaced.
  template <class Work>
  auto twice(const Work& work) {
    try {
      return work(*this);
    } catch (const RecordDamaged&) {
      if (!recording || !recording->isOpen()) throw;
      recording->openAnew();
      return work(*this);
    }
  }
};

RecordingReader::RecordingReader(QObject* parent) : QObject(parent), background_(new Background) {
  qRegisterMetaType<SharedRuns>();
  qRegisterMetaType<RunData>();
  qRegisterMetaType<BreakdownData>();
  background_->moveToThread(&thread_);
  connect(&thread_, &QThread::started, background_, &giveWay);
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
  QMetaObject::invokeMethod(background_, [this, work, generation = generation(), background = background_] {
    try {
      auto answer = background->twice(work);
      QMetaObject::invokeMethod(this, [this, generation, answer = std::move(answer)] {
        if (generation == generation_) answer();
      });
    } catch (const std::exception& error) {
      report(generation, error);
    }
  });
}

void RecordingReader::report(quint64 generation, const std::exception& error) {
  const QString message = QString::fromUtf8(error.what());
  QMetaObject::invokeMethod(this, [this, generation, message] {
    refreshing_ = false;
    if (generation != generation_) return;
    const bool needed = isOpening() || isReading();
    forgetQuestions();
    emit failed(file_, message, needed);
  });
}

void RecordingReader::forgetQuestions() {
  opened_ = generation_;
  runAnswered_ = runQuestion_;
  breakdownAnswered_ = breakdownQuestion_;
  figureAnswered_ = figureQuestion_;
}

void RecordingReader::begin(const QString& file) {
  file_ = file;
  run_ = -1;
  ++generation_;
  forgetQuestions();
  refreshing_ = false;
}

void RecordingReader::leave() { begin({}); }

void RecordingReader::open(const QString& file) {
  begin(file);
  opened_ = 0;
  ask([this, path = file.toStdString(), opening = generation()](Background& back) {
    back.begin(path);
    const auto reached = [&](std::int64_t runs, std::int64_t total) {
      if (opening != generation_) throw std::runtime_error("another recording is wanted");  // told to nobody
      QMetaObject::invokeMethod(this, [this, opening, runs, total] {
        if (opening == generation_ && isOpening()) emit openingReached(runs, total);
      });
    };
    return std::function<void()>([this, data = back.openAndReadRuns(reached)] {
      opened_ = generation_;
      emit runsRead(data);
    });
  });
}

void RecordingReader::refresh() {
  if (file_.isEmpty() || refreshing_) return;
  refreshing_ = true;
  ask([this, run = run_](Background& back) -> std::function<void()> {
    if (!back.recording->changed())
      return [this] {
        refreshing_ = false;
        emit looked();
      };
    SharedRuns runs = back.openAndReadRuns();  // opening costs less than a millisecond
    const bool exists = std::ranges::any_of(runs->runs, [run](const RunRow& row) { return row.id == run; });
    std::optional<RunData> details;
    if (exists) details = back.read(run);
    return [this, run, runs = std::move(runs), details = std::move(details)] {
      refreshing_ = false;
      opened_ = generation_;
      emit runsRead(runs);
      if (details && run == run_) {
        runAnswered_ = runQuestion_;
        emit runRead(*details);
      }
      emit looked();
    };
  });
}

void RecordingReader::askRun(std::int64_t run) {
  run_ = run;
  ask([this, run, question = ++runQuestion_](Background& back) -> std::function<void()> {
    return [this, question, data = back.read(run)] {
      if (question != runQuestion_) return;
      runAnswered_ = question;
      emit runRead(data);
    };
  });
}

void RecordingReader::askBreakdown(std::int64_t run, std::int64_t ranks, TimeRange range) {
  ask([this, run, ranks, range, question = ++breakdownQuestion_](Background& back) -> std::function<void()> {
    const auto overtaken = [this, question] { return question != breakdownQuestion_; };
    if (overtaken()) return [] {};
    BreakdownData data = readBreakdown(back.recording->database(), run, ranks, range, overtaken);
    if (!overtaken()) ++breakdownsMeasured_;
    return [this, run, overtaken, data = std::move(data)] {
      if (overtaken()) return;
      breakdownAnswered_ = breakdownQuestion_;
      emit breakdownRead(run, data);
    };
  });
}

void RecordingReader::askFigureData(const std::string& figure, std::int64_t run, const FigureRanges& ranges) {
  ask([this, figure, run, ranges, question = ++figureQuestion_](Background& back) -> std::function<void()> {
    RunData data = back.read(run);
    loadFigureData(figure, back.recording->database(), data, ranges);
    return [this, question, data = std::move(data)] {
      if (question != figureQuestion_) return;
      figureAnswered_ = question;
      emit figureDataRead(data);
    };
  });
}

}  // namespace halo
