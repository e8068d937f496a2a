#include "engine/run/launch/answer.h"

#include <signal.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "engine/run/launch/cause.h"
#include "engine/run/launch/hearing.h"
#include "engine/run/launch/launch_log.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/launch/process.h"
#include "engine/run/protocol/beat.h"
#include "engine/run/protocol/frame.h"

namespace halo {
namespace {

constexpr int kPollMs = 100;

/// What the workers over there answer, and what the launcher says meanwhile.
class Answer {
 public:
  Answer(const Progress& progress, std::int64_t ranks) : progress_(progress), hearing_(ranks, wallNs()) {}

  void takeOutput(std::string_view bytes) {
    for (const Frame& frame : frames_.feed(bytes)) take(frame);
    for (const std::string& line : frames_.takeText()) takeError(line + "\n");
  }
  void takeError(std::string_view bytes) {
    errors_.feed(bytes);
    for (const Beat& beat : errors_.takeBeats()) hearing_.take(beat, wallNs());
    for (const std::string& line : errors_.takeLines()) log_.add(line);
  }
  void takeRest() {
    if (const std::string rest = errors_.takeRest(); !rest.empty()) log_.add(rest);
  }
  /// Why it will not be heard any more, if so.
  std::optional<std::string> lost(std::int64_t silenceS) {
    hearing_.tick(wallNs());
    return hearing_.lost(silenceS, wallNs());
  }
  const std::optional<std::string>& payload() const { return payload_; }
  const std::string& failure() const { return failure_; }
  bool anyHeard() const { return hearing_.anyHeard(); }
  const LaunchLog& log() const { return log_; }

 private:
  void take(const Frame& frame) {
    if (frame.type == FrameType::finished) {
      payload_ = frame.payload;
      return;
    }
    const auto report = nlohmann::json::parse(frame.payload);
    if (frame.type == FrameType::failed) failure_ = report.at("message");
    if (frame.type == FrameType::progress && progress_) progress_(report.at("what"), report.at("share"));
  }

  const Progress& progress_;
  FrameReader frames_;
  BeatReader errors_;
  Hearing hearing_;
  std::optional<std::string> payload_;
  std::string failure_;
  LaunchLog log_{400};
};

}  // namespace

std::string answerOf(const RunSettings& place, const std::filesystem::path& worker, const std::string& option,
                     std::string_view input, const Progress& progress) {
  ::signal(SIGPIPE, SIG_IGN);  // a worker that dies must not take us along
  Launch launch = launchWorkers(place, worker);
  launch.arguments.push_back(option);
  ChildProcess child(launch);
  child.write(input);
  Answer answer(progress, place.cluster.workers);
  while (child.read(
      kPollMs, [&](std::string_view bytes) { answer.takeOutput(bytes); },
      [&](std::string_view bytes) { answer.takeError(bytes); })) {
    if (const auto lost = answer.lost(place.cluster.silenceS)) throw EnvironmentError(*lost);
  }
  answer.takeRest();
  const ChildProcess::Exit exit = child.wait();
  if (answer.payload()) return *answer.payload();
  if (!answer.failure().empty()) throw EnvironmentError(answer.failure());
  const Cause cause =
      causeOfDeath(answer.log().lines(), exit, place.cluster, std::nullopt, answer.anyHeard());
  constexpr int kKnown = 5;
  throw EnvironmentError(cause.exitStatus == kKnown ? cause.message
                                                    : cause.message + "\n" + answer.log().text());
}

}  // namespace halo
