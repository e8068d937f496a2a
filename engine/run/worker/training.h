#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/ends_together.h"
#include "engine/methods/contract/method.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/methods/worker/worker_parts.h"
#include "engine/record/analysis/hidden_time.h"
#include "engine/run/worker/backlog.h"
#include "engine/run/worker/between_iterations.h"
#include "engine/run/worker/checkpoints.h"
#include "engine/run/worker/distribute.h"
#include "engine/run/worker/pipe.h"
#include "engine/run/worker/reporter.h"
#include "engine/run/worker/stretch.h"

namespace halo {

/// One rank's training, once its share is there.
class Training {
 public:
  /// Collective. `pipe`: rank 0's way to the supervisor, nullptr elsewhere. Throws InputError for what the
  /// method refuses.
  /// goneOn: what the run goes on from (GoOn), the same on every rank; empty: it begins.
  Training(Communicator& comm, const RunSettings& run, Prepared prepared, Pipe* pipe,
           const std::string& goneOn = {});
  /// Trains, evaluates and reports, until the last epoch or an order to stop. Collective. Throws
  /// EndsTogether.
  void run();

 private:
  void send(FrameType type, const std::string& payload) const {
    if (pipe_ != nullptr) pipe_->send(type, payload);
  }
  std::vector<WorkerRow> workers();
  std::vector<ActorRow> actors();
  void announce();
  bool epoch(std::int32_t number);
  bool fills(std::int64_t tookNs);
  enum Verdict : std::int64_t { kStop = 1, kRows = 2, kSpans = 4, kDiverged = 8, kPause = 16, kKeep = 32 };
  std::int64_t judge(bool isNumber, bool last, bool probed);
  void pause(std::int64_t verdict);
  void checkReplicas();
  std::int64_t iterationsEvery() const;
  void endMethod();
  void noteLate(std::int64_t epoch);
  void finish(bool stoppedEarly);
  std::int64_t recordingCost(std::span<const WorkerRow> workers);
  std::map<std::string, double> aggregationMetrics();
  VolumeRequest volumeRequest();

  Communicator& comm_;
  RunSettings run_;
  Prepared prepared_;
  Pipe* pipe_;  // rank 0 only
  int threads_ = 1, cores_ = 1;
  bool oversubscribed_ = false;
  Communicator::ClockOffset clock_;
  const MethodEntry* entry_ = nullptr;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<WorkerParts> parts_;
  std::unique_ptr<Method> method_;
  std::unique_ptr<Reporter> reporter_;
  std::optional<HiddenTime> hidden_;
  std::optional<BetweenIterations> between_;
  bool pipelined_ = false;  // whether messages travel on over the end of an epoch
  // Whether no one can stop them there, as an emulated link can. Then the ranks do nothing between two epochs
  // but at the end of a stretch.
  bool carriesOn_ = false;
  int depth_ = 0;               // epochs that they may travel
  std::int64_t lastEndNs_ = 0;  // of the last epoch
  std::optional<Checkpoints> checkpoints_;
  std::int32_t firstEpoch_ = 0;
  Stretch stretch_{0, 0};
  bool filled_ = false;  // on an emulated link: whether epochs take what their bytes take
  Backlog backlog_;
};

}  // namespace halo
