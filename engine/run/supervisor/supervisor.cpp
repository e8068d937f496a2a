#include "engine/run/supervisor/supervisor.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/host_name.h"
#include "engine/base/matrix.h"
#include "engine/base/rehearsal.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/cut_back.h"
#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"
#include "engine/run/launch/cause.h"
#include "engine/run/launch/hearing.h"
#include "engine/run/launch/launch_log.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/launch/process.h"
#include "engine/run/launch/silence.h"
#include "engine/run/protocol/beat.h"
#include "engine/run/protocol/checkpoint.h"
#include "engine/run/protocol/frame.h"
#include "engine/run/protocol/last_spans.h"
#include "engine/run/supervisor/ballast.h"
#include "engine/run/supervisor/extent.h"
#include "engine/run/supervisor/run_recorder.h"
#include "engine/run/supervisor/unrecorded.h"

namespace halo {
namespace {

constexpr int kPollMs = 100;
constexpr int kLooksBetween = 10, kDesertedLooks = 15;  // polls without a word; some seconds
constexpr std::int64_t kPatienceNs = 3'000'000'000;     // from asking the workers to end to killing them
constexpr std::size_t kLogLines = 10'000, kHeldLines = 200;

/// Where the run's clock goes on from a checkpoint: as if what was recorded after it were gone. Changes
/// nothing.
std::int64_t clockBefore(Database& database, std::int64_t run, const Checkpoint& from) {
  const Transaction tried(database);  // not committed
  return cutBack(database, run, {from.epoch, from.iteration, from.decisions, from.clockNs});
}

/// One run under supervision: takes the worker's frames and lines, knows how it ended.
class Supervision {
 public:
  Supervision(Database& database, RunRow row, const RunSettings& settings, const SuperviseOptions& options,
              RunObserver& observer, const std::optional<Checkpoint>& from)
      : db_(database),
        settings_(settings),
        options_(options),
        observer_(observer),
        recorder_(database, std::move(row), settings, observer),
        ballast_(database.file()),
        extent_(database.file()),
        hearing_(settings.cluster.workers, wallNs()) {
    if (!from) return;
    recorder_.goOn({from->epoch, from->iteration, from->decisions, from->clockNs});
    goOn_ = encodeGoOn({clockBefore(database, recorder_.row().id, *from), encodeCheckpoint(*from)});
  }

  RunOutcome supervise();

 private:
  ChildProcess::Exit train();
  RunOutcome endUnrecorded(const RecordError& error);
  void follow(ChildProcess& child);
  void askToStop(ChildProcess& child);
  void endIfSilent();
  void endIfDeserted(ChildProcess& child);
  void tellOfSilence();
  void take(const Frame& frame);
  void rehearse(const Frame& frame);
  void takeLine(const std::string& line);
  void takeErrorOutput(std::string_view bytes);
  void takeBeat(const Beat& beat);
  RunOutcome outcome(const ChildProcess::Exit& exit);
  void tellHeld();
  void saveLog();

  const RunRow& row() const { return recorder_.row(); }

  Database& db_;
  const RunSettings& settings_;
  const SuperviseOptions& options_;
  RunObserver& observer_;
  RunRecorder recorder_;
  Ballast ballast_;
  Extent extent_;
  FrameReader frames_;
  BeatReader errors_;
  LastSpansReader lastSpans_;
  LaunchLog log_{kLogLines};
  std::vector<std::string> held_;
  Hearing hearing_;
  std::string goOn_;  // what the workers are told to go on from; empty: the run begins
  int stopAsked_ = 0;
  std::int64_t killAtNs_ = 0;
  int quietLooks_ = 0, desertedLooks_ = 0;
  Silence silence_{wallNs()};
  std::string failure_;
  int failureExit_ = 0;
  bool endsAtOnce_ = false;  // no rank ends by itself for this failure
  Rehearsal rehearsal_;
  bool kills_ = false;  // the workers, as was rehearsed
};

RunOutcome Supervision::supervise() {
  RunOutcome result;
  try {
    result = outcome(train());
    recorder_.finish();
    if (result.status != "failed") result.remark = recorder_.lost().remark();
    if (result.status == "completed" && result.remark.empty()) result.remark = recorder_.summary().untimed();
    saveLog();
    recorder_.end(result, lastSpans_.batches());
    requireRecorded(db_, row());
  } catch (const RecordError& error) {
    result = endUnrecorded(error);
  }
  tellHeld();
  observer_.onFinish(row(), result);
  return result;
}

/// How the launcher ended. What keeps the workers from starting becomes the run's failure.
ChildProcess::Exit Supervision::train() {
  try {
    const Launch launch = launchWorkers(settings_, options_.worker);
    ChildProcess child(launch);
    if (!goOn_.empty()) child.write(encode(FrameType::goOn, goOn_));
    child.write(encode(FrameType::job, toJson(settings_)));
    for (const std::string& remark : launch.remarks) takeLine(remark);
    try {
      recorder_.addArtifact({"launch", "text/plain", commandLine(launch) + "\n"});
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
  if (!recorder_.isThere()) return deletedOutcome(row().id);
  ballast_.release();
  return halo::endUnrecorded(db_, row().id, error, extent_);
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
    if (kills_) child.killAll();
    tellOfSilence();
  }
  if (const std::string rest = errors_.takeRest(); !rest.empty()) takeLine(rest);
}

void Supervision::askToStop(ChildProcess& child) {
  const int stops = options_.stop == nullptr ? 0 : options_.stop->load();
  if (stops >= 1 && stopAsked_ == 0) {
    child.write(encode(FrameType::stop, ""));
    stopAsked_ = 1;
  }
  if (stops >= 2 && stopAsked_ == 1) {
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
  if (const auto lasted = silence_.worthTelling(wallNs())) {
    tellHeld();
    observer_.onLog(
        row(), fmt::format("no epoch has ended for {:.0f} s (the longest before: {:.1f} s). "
                           "Its workers work on something long, or one is stopped or cut off; the "
                           "run waits for it. {}. Ctrl-C twice ends the run",
                           static_cast<double>(*lasted) * 1e-9,
                           static_cast<double>(silence_.longestNs()) * 1e-9, hearing_.lastWords(wallNs())));
  }
}

void Supervision::take(const Frame& frame) {
  if (kills_) return;  // a worker that was killed at once would not have said it
  extent_.look();
  if (frame.type != FrameType::failed) {
    recorder_.take(frame);
    return rehearse(frame);
  }
  if (recorder_.started()) recorder_.dropArtifact(kCheckpoint);  // gone on with, it would fail again
  const auto failed = nlohmann::json::parse(frame.payload);
  failure_ = failed.at("message");
  failureExit_ = failed.at("exit");
}

/// For tests: what comes of a checkpoint that was just recorded.
void Supervision::rehearse(const Frame& frame) {
  if (rehearsal_.empty() || frame.type != FrameType::artifact) return;
  const ArtifactRow artifact = decodeArtifact(frame.payload);
  if (artifact.name != kCheckpoint) return;
  const std::int64_t last = decodeCheckpoint(artifact.bytes).step - 1;
  if (rehearsal_.diesAfter(last)) ::raise(SIGKILL);
  if (rehearsal_.killsAfter(last)) kills_ = true;
}

void Supervision::takeErrorOutput(std::string_view bytes) {
  errors_.feed(bytes);
  for (const Beat& beat : errors_.takeBeats()) takeBeat(beat);
  for (const std::string& line : errors_.takeLines())
    if (!lastSpans_.take(line)) takeLine(line);
}

void Supervision::takeBeat(const Beat& beat) {
  hearing_.take(beat, wallNs());
  tellHeld();
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
  const bool begins = !hearing_.anyHeard() && isMpisOwn(line);
  if (held_.empty() && !begins) return observer_.onLog(row(), line);
  held_.push_back(line);
  if (held_.size() > kHeldLines) tellHeld();
}

/// What was held back because the run's failure might say it in fewer words.
void Supervision::tellHeld() {
  for (const std::string& line : std::exchange(held_, {})) observer_.onLog(row(), line);
}

RunOutcome Supervision::outcome(const ChildProcess::Exit& exit) {
  if (!failure_.empty()) return {row().id, "failed", failure_, failureExit_};
  if (recorder_.finished() && !recorder_.stoppedEarly() && exit.status == 0)
    return {row().id, "completed", "", 0};
  const auto lastEpoch =
      recorder_.summary().last() ? std::optional(recorder_.summary().last()->epoch) : std::nullopt;
  if (stopAsked_ > 0 || (recorder_.stoppedEarly() && !rehearsal_.empty())) {
    const std::string when =
        lastEpoch ? "after epoch " + std::to_string(*lastEpoch) : "before the first epoch was done";
    return {row().id, "cancelled", "stopped on request " + when + "; what was recorded is kept",
            options_.cancelledStatus()};
  }
  const Cause cause = causeOfDeath(log_.lines(), exit, settings_.cluster, lastEpoch, hearing_.anyHeard());
  if (cause.saysAll) held_.clear();
  const std::string rest =
      log_.empty() ? ""
                   : "; the run's log has the rest (haloscope show " + std::to_string(row().id) + " --log)";
  const std::string words = hearing_.partingWords();
  return {row().id, "failed", cause.message + (words.empty() ? "" : ". Last words: " + words) + rest,
          cause.exitStatus};
}

void Supervision::saveLog() {
  std::string text = log_.text();
  if (const std::string remark = recorder_.lost().remark(); !remark.empty()) text += remark + "\n";
  if (!text.empty()) recorder_.addArtifact({"log", "text/plain", text});
}

}  // namespace

namespace {

std::optional<Checkpoint> checkpointOf(const Runs& runs, std::int64_t run) {
  const auto artifact = runs.artifact(run, kCheckpoint);
  if (!artifact) return std::nullopt;
  try {
    return decodeCheckpoint(artifact->bytes);
  } catch (const std::runtime_error&) {  // then it begins anew
    return std::nullopt;
  }
}

}  // namespace

std::int64_t resumableRun(Database& database, const RunSettings& run) {
  const Runs runs(database);
  const std::string fingerprint = run.fingerprint();
  std::int64_t resumableId = 0;
  for (const RunRow& row : runs.all()) {
    if (row.fingerprint != fingerprint ||
        (row.status != "cancelled" && row.status != "interrupted" && row.status != "failed"))
      continue;
    const auto checkpoint = checkpointOf(runs, row.id);
    if (checkpoint && checkpoint->version == HALO_VERSION && checkpoint->elementBytes == sizeof(Scalar))
      resumableId = row.id;
  }
  return resumableId;
}

int SuperviseOptions::cancelledStatus() const {
  const int signal = stopSignal == nullptr ? 0 : stopSignal->load();
  return 128 + (signal == 0 ? SIGINT : signal);
}

RunOutcome superviseRun(Database& database, std::int64_t experimentId, const RunSettings& run,
                        const SuperviseOptions& options, RunObserver& observer) {
  ::signal(SIGPIPE, SIG_IGN);  // a worker that dies must not take its supervisor along
  Runs runs(database);
  RunRow row = plannedRun(experimentId, run);
  row.tags = options.tags;
  std::optional<Checkpoint> from;
  {
    Transaction transaction(database);
    if (const auto before = runs.find(options.goesOn)) {
      row = *before;
      from = checkpointOf(runs, row.id);
      HALO_CHECK(from.has_value());
      row.supervisorPid = ::getpid();
      row.host = hostName();
      runs.update(row);
    } else {
      row.id = runs.add(row);
      runs.setParameters(row.id, plannedKeys(run));
    }
    runs.setStatus(row.id, "running");
    if (from) {  // its clock goes on from when it began
      RunRow now = runs.find(row.id).value();
      now.startedAt = row.startedAt;
      now.finishedAt.clear();
      runs.update(now);
    }
    transaction.commit();
  }
  if (const auto stored = runs.find(row.id)) row = *stored;
  return Supervision(database, row, run, options, observer, from).supervise();
}

}  // namespace halo
