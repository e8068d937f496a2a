#include "engine/run/supervisor/supervisor.h"

#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/clock.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/analysis/below_wire.h"
#include "engine/record/analysis/card_load.h"
#include "engine/record/analysis/iteration_summary.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/lost_scores.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "engine/run/launch/cause.h"
#include "engine/run/launch/hearing.h"
#include "engine/run/launch/launch_log.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/launch/process.h"
#include "engine/run/launch/silence.h"
#include "engine/run/protocol/beat.h"
#include "engine/run/protocol/frame.h"
#include "engine/run/protocol/lost_numbers.h"
#include "engine/run/supervisor/ballast.h"
#include "engine/run/supervisor/unrecorded.h"
#include "engine/run/supervisor/wait_recorder.h"

namespace halo {
namespace {

constexpr int kPollMs = 100;
constexpr int kLooksBetween = 10, kDesertedLooks = 15;  // polls without a word; some seconds
constexpr std::int64_t kPatienceNs = 3'000'000'000;     // from asking the workers to end to killing them
constexpr std::size_t kLogLines = 10'000;

/// One run under supervision: takes the worker's frames and lines, knows how it ended.
class Supervision {
 public:
  Supervision(Database& database, RunRow row, const RunSettings& settings, const SuperviseOptions& options,
              RunObserver& observer)
      : db_(database),
        runs_(database),
        row_(std::move(row)),
        settings_(settings),
        options_(options),
        observer_(observer),
        ballast_(database.file()),
        summary_(settings.cluster.workers),
        waits_(database, row_.id, settings.cluster.workers),
        hearing_(settings.cluster.workers, wallNs()) {}

  RunOutcome supervise();

 private:
  ChildProcess::Exit train();
  RunOutcome endUnrecorded(const RecordError& error);
  bool isThere() const;
  void follow(ChildProcess& child);
  void askToStop(ChildProcess& child);
  void endIfSilent();
  void endIfDeserted(ChildProcess& child);
  void tellOfSilence();
  void take(const Frame& frame);
  void takeStarted(const nlohmann::json& started);
  void takeEpochs(const EpochBatch& batch);
  void takeFinished(const nlohmann::json& finished);
  void takeLine(const std::string& line);
  void takeErrorOutput(std::string_view bytes);
  void takeBeat(const Beat& beat);
  void finishWaits();
  void markTimes();
  void updateLatest();
  RunOutcome outcome(const ChildProcess::Exit& exit) const;
  void saveLog();

  Database& db_;
  Runs runs_;
  RunRow row_;
  const RunSettings& settings_;
  const SuperviseOptions& options_;
  RunObserver& observer_;
  Ballast ballast_;
  FrameReader frames_;
  BeatReader errors_;
  LaunchLog log_{kLogLines};
  Summary summary_;
  WaitRecorder waits_;
  Hearing hearing_;
  LostNumbers lost_;
  BusiestCard busiest_{{}};
  IterationSummary iterations_;
  std::vector<SpanBatch> spans_;  // of the flush whose epochs are still to come, as the next
  BatchRows batches_;
  std::vector<WorkerRow> workers_;
  std::map<std::string, double> extraLatest_;
  bool finished_ = false, stoppedEarly_ = false;
  int stopAsked_ = 0;
  std::int64_t killAtNs_ = 0;
  int quietLooks_ = 0, desertedLooks_ = 0;
  Silence silence_{wallNs()};
  std::string failure_;
  int failureExit_ = 0;
  bool endsAtOnce_ = false;  // no rank ends by itself for this failure
};

RunOutcome Supervision::supervise() {
  RunOutcome result;
  try {
    result = outcome(train());
    finishWaits();
    if (result.status != "failed") result.remark = lost_.remark();
    if (result.status == "completed" && result.remark.empty()) result.remark = summary_.untimed();
    saveLog();
    runs_.setStatus(row_.id, result.status, result.error);
    if (const auto row = runs_.find(row_.id)) row_ = *row;
    requireRecorded(db_, row_);
  } catch (const RecordError& error) {
    result = endUnrecorded(error);
  }
  observer_.onFinish(row_, result);
  return result;
}

/// How the launcher ended. What keeps the workers from starting becomes the run's failure.
ChildProcess::Exit Supervision::train() {
  try {
    const Launch launch = launchWorkers(settings_, options_.worker);
    ChildProcess child(launch);
    child.write(encode(FrameType::job, toJson(settings_)));
    for (const std::string& remark : launch.remarks) takeLine(remark);
    try {
      runs_.addArtifact(row_.id, {"launch", "text/plain", commandLine(launch) + "\n"});
      follow(child);
    } catch (const RecordError&) {
      child.signalGroup(SIGTERM);
      throw;
    }
    return child.wait();
  } catch (const EnvironmentError& error) {
    failure_ = error.what();
    failureExit_ = 5;
  } catch (const InputError& error) {
    failure_ = error.what();
    failureExit_ = 2;
  } catch (const RecordError&) {
    throw;
  } catch (const std::exception& error) {  // a bug of ours: the row must not say "running" for ever
    failure_ = error.what();
    failureExit_ = 1;
  }
  return {};
}

/// What was recorded of the run is kept, where it can be, with the reason why it is not more.
RunOutcome Supervision::endUnrecorded(const RecordError& error) {
  if (!isThere()) return deletedOutcome(row_.id);
  ballast_.release();
  writeDown(db_, row_.id, error.what());
  return unrecordedOutcome(db_, row_.id, error);
}

bool Supervision::isThere() const {
  try {
    return runs_.find(row_.id).has_value();
  } catch (const RecordError&) {  // not to be read is not to be deleted
    return true;
  }
}

void Supervision::follow(ChildProcess& child) {
  const auto onOutput = [&](std::string_view bytes) {
    silence_.heard(wallNs());
    quietLooks_ = 0;
    for (const Frame& frame : frames_.feed(bytes)) take(frame);
    for (const std::string& line : frames_.takeText()) takeLine(line);
  };
  const auto onError = [&](std::string_view bytes) { takeErrorOutput(bytes); };
  while (child.read(kPollMs, onOutput, onError)) {
    hearing_.tick(wallNs());
    endIfSilent();
    endIfDeserted(child);
    askToStop(child);
    tellOfSilence();
  }
  if (const std::string rest = errors_.takeRest(); !rest.empty()) takeLine(rest);
}

void Supervision::askToStop(ChildProcess& child) {
  const int asked = options_.stop == nullptr ? 0 : options_.stop->load();
  if (asked >= 1 && stopAsked_ == 0) {
    child.write(encode(FrameType::stop, ""));
    stopAsked_ = 1;
  }
  if (asked >= 2 && stopAsked_ == 1) {
    child.signalGroup(SIGTERM);
    killAtNs_ = wallNs() + kPatienceNs;
    stopAsked_ = 2;
  }
  if (!failure_.empty() && killAtNs_ == 0) {  // ranks left behind by a failed one
    if (endsAtOnce_) child.signalGroup(SIGTERM);
    killAtNs_ = wallNs() + kPatienceNs;
  }
  if (killAtNs_ != 0 && wallNs() > killAtNs_) child.killAll();
}

/// A rank that is stopped or cut off keeps all others waiting, and the runs after this one.
void Supervision::endIfSilent() {
  if (!failure_.empty()) return;
  const auto lost = hearing_.lost(settings_.cluster.silenceS, wallNs());
  if (!lost) return;
  failure_ = *lost;
  failureExit_ = 1;
  endsAtOnce_ = true;
}

/// mpirun may wait for ever for a lock that a dead rank holds. Looks are counted, not time: a program that
/// was stopped itself has not looked. A rank may have come and gone between two of them.
void Supervision::endIfDeserted(ChildProcess& child) {
  if (settings_.cluster.launcher != "local" || ++quietLooks_ < kLooksBetween) return;
  quietLooks_ = 0;
  if (child.hasLivingChildren()) {
    desertedLooks_ = 0;
  } else if (child.hasEnded() && ++desertedLooks_ == kDesertedLooks) {
    takeLine(kDeserted);
    child.killAll();
  }
}

/// Not kept: it is nothing that the workers said.
void Supervision::tellOfSilence() {
  if (const auto lasted = silence_.worthTelling(wallNs()))
    observer_.onLog(
        row_, fmt::format("no epoch has ended for {:.0f} s (the longest before: {:.1f} s). "
                          "Its workers work on something long, or one is stopped or cut off; the "
                          "run waits for it. {}. Ctrl-C twice ends the run",
                          static_cast<double>(*lasted) * 1e-9,
                          static_cast<double>(silence_.longestNs()) * 1e-9, hearing_.lastWords(wallNs())));
}

void Supervision::take(const Frame& frame) {
  switch (frame.type) {
    case FrameType::progress: {
      const auto progress = nlohmann::json::parse(frame.payload);
      observer_.onProgress(row_, progress.at("what"), progress.at("share"));
      return;
    }
    case FrameType::started:
      takeStarted(nlohmann::json::parse(frame.payload));
      return;
    case FrameType::epochs:
      takeEpochs(decodeEpochs(frame.payload));
      return;
    case FrameType::iterations:
      batches_ = decodeBatches(frame.payload);
      return;
    case FrameType::spans:
      spans_.push_back(decodeSpans(frame.payload));
      return;
    case FrameType::artifact:
      runs_.addArtifact(row_.id, decodeArtifact(frame.payload));
      return;
    case FrameType::finished:
      takeFinished(nlohmann::json::parse(frame.payload));
      return;
    case FrameType::failed: {
      const auto failed = nlohmann::json::parse(frame.payload);
      failure_ = failed.at("message");
      failureExit_ = failed.at("exit");
      return;
    }
    case FrameType::job:
    case FrameType::stop:
      return;  // ours, never the worker's
  }
}

void Supervision::takeStarted(const nlohmann::json& started) {
  workers_ = workersFromJson(started.at("workers").dump());
  std::vector<std::string> marks = started.at("marks");
  if (settings_.cluster.link.emulated() && workers_.size() > 1) marks.insert(marks.begin(), "emulated link");
  row_.marks.clear();
  for (const std::string& mark : marks) row_.marks += (row_.marks.empty() ? "" : ", ") + mark;
  row_.dataset = started.at("dataset");
  waits_.start(started.at("late_epochs"), settings_.cluster.link.emulated(), workers_);
  busiest_ = BusiestCard(cardsOfRanks(settings_.flat(), workers_));
  const auto remarks = started.value("remarks", std::vector<std::string>());
  Transaction transaction(db_);
  if (const auto now = runs_.find(row_.id)) row_.tags = now->tags;  // changed while the workers started
  runs_.update(row_);
  runs_.setWorkers(row_.id, workers_);
  runs_.setParameters(row_.id, {{kLayerOrders, started.at("layer_orders")}});
  if (started.contains("iterations_every"))
    runs_.setParameters(row_.id, {{kIterationsEvery, started.at("iterations_every").dump()},
                                  {kTrainingVertices, started.at("training_vertices").dump()}});
  if (!remarks.empty())
    runs_.addArtifact(row_.id, {"remarks", "text/plain", fmt::format("{}\n", fmt::join(remarks, "\n"))});
  transaction.commit();
  for (const std::string& remark : remarks) observer_.onRemark(row_, row_.dataset + ": " + remark);
  observer_.onStart(row_);
}

void Supervision::takeEpochs(const EpochBatch& batch) {
  {
    Transaction transaction(db_);
    Epochs table(db_);
    table.append(row_.id, batch.epochs);
    table.append(row_.id, batch.layers);
    table.append(row_.id, batch.messages);
    Iterations(db_).append(row_.id, batches_);
    iterations_.add(std::exchange(batches_, {}));
    for (const SpanBatch& spans : spans_) {
      Spans(db_).append(row_.id, spans.rank, spans.spans);
      waits_.add(spans.rank, spans.spans);
    }
    spans_.clear();
    waits_.add(batch.epochs);
    summary_.add(batch.epochs, batch.layers);
    busiest_.add(batch.epochs, batch.messages);
    if (lost_.add(batch.epochs))
      runs_.setParameters(row_.id, {{kLostScoreEpochs, std::to_string(lost_.epochs())}});
    updateLatest();
    transaction.commit();
  }
  for (const EpochRow& epoch : batch.epochs) observer_.onEpoch(row_, epoch, settings_.training.epochs);
}

/// Of a run that ended before its end, too.
void Supervision::finishWaits() {
  if (!summary_.last()) return;
  Transaction transaction(db_);
  waits_.finish();
  updateLatest();
  markTimes();
  transaction.commit();
}

/// Whoever reads the median is to know where bytes contradict it.
void Supervision::markTimes() {
  auto now = runs_.find(row_.id);  // its tags may have changed
  if (!now) return;
  const std::string mark = belowWire({*now, settings_.flat(), now->workers}, runs_.latest(row_.id));
  if (mark.empty()) return;
  now->marks += (now->marks.empty() ? "" : ", ") + mark;
  runs_.update(*now);
}

void Supervision::updateLatest() {
  std::map<std::string, double> latest = summary_.metrics(workers_);
  latest.merge(iterations_.metrics());
  latest.merge(waits_.metrics());
  latest.merge(busiest_.metrics());
  latest.insert(extraLatest_.begin(), extraLatest_.end());
  runs_.setLatest(row_.id, latest);
}

void Supervision::takeFinished(const nlohmann::json& finished) {
  workers_ = workersFromJson(finished.at("workers").dump());
  for (const auto& [name, value] : finished.at("metrics").items()) extraLatest_[name] = value.get<double>();
  lost_.setWeights(finished.at("lost_weights"));
  Transaction transaction(db_);
  runs_.setWorkers(row_.id, workers_);
  updateLatest();
  transaction.commit();
  finished_ = true;
  stoppedEarly_ = finished.at("stopped_early");
}

void Supervision::takeErrorOutput(std::string_view bytes) {
  errors_.feed(bytes);
  for (const Beat& beat : errors_.takeBeats()) takeBeat(beat);
  for (const std::string& line : errors_.takeLines()) takeLine(line);
}

void Supervision::takeBeat(const Beat& beat) {
  hearing_.take(beat, wallNs());
  if (beat.last) takeLine(fmt::format("rank {} on {}: {}", beat.rank, beat.host, beat.words));
  if (beat.version == HALO_VERSION || !failure_.empty()) return;
  failure_ = fmt::format(
      "haloscope-worker on {} is version {}, and this is version {}; install the same version on every host",
      beat.host, beat.version, HALO_VERSION);
  failureExit_ = 5;
  endsAtOnce_ = true;
}

void Supervision::takeLine(const std::string& line) {
  log_.add(line);
  observer_.onLog(row_, line);
}

RunOutcome Supervision::outcome(const ChildProcess::Exit& exit) const {
  if (!failure_.empty()) return {row_.id, "failed", failure_, failureExit_};
  if (finished_ && !stoppedEarly_ && exit.status == 0) return {row_.id, "completed", "", 0};
  const auto lastEpoch = summary_.last() ? std::optional(summary_.last()->epoch) : std::nullopt;
  if (stopAsked_ > 0) {
    const std::string when =
        lastEpoch ? "after epoch " + std::to_string(*lastEpoch) : "before the first epoch was done";
    return {row_.id, "cancelled", "stopped on request " + when + "; what was recorded is kept", 130};
  }
  const Cause cause = causeOfDeath(log_.lines(), exit, settings_.cluster, lastEpoch);
  const std::string rest =
      log_.empty() ? ""
                   : "; the run's log has the rest (haloscope show " + std::to_string(row_.id) + " --log)";
  const std::string words = hearing_.partingWords();
  return {row_.id, "failed", cause.message + (words.empty() ? "" : ". Last words: " + words) + rest,
          cause.exitStatus};
}

void Supervision::saveLog() {
  std::string text = log_.text();
  if (const std::string remark = lost_.remark(); !remark.empty()) text += remark + "\n";
  if (!text.empty()) runs_.addArtifact(row_.id, {"log", "text/plain", text});
}

}  // namespace

RunOutcome superviseRun(Database& database, std::int64_t experimentId, const RunSettings& run,
                        const SuperviseOptions& options, RunObserver& observer) {
  ::signal(SIGPIPE, SIG_IGN);  // a worker that dies must not take its supervisor along
  Runs runs(database);
  RunRow row = plannedRun(experimentId, run);
  row.tags = options.tags;
  {
    Transaction transaction(database);
    row.id = runs.add(row);
    runs.setParameters(row.id, plannedKeys(run));
    runs.setStatus(row.id, "running");
    transaction.commit();
  }
  if (const auto stored = runs.find(row.id)) row = *stored;
  return Supervision(database, row, run, options, observer).supervise();
}

}  // namespace halo
