#pragma once

#include <functional>

#include "engine/base/rehearsal.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/iteration.h"
#include "engine/record/analysis/hidden_time.h"
#include "engine/run/worker/reporter.h"

namespace halo {

/// Training ends between two iterations, as was asked for. Thrown on every rank after the same iteration,
/// once everything before it was sent.
struct StopsBetween {};

/// Who keeps what training could go on from, between two iterations.
class Keeper {
 public:
  virtual ~Keeper() = default;
  /// Whether it can after this one; the same on every rank.
  virtual bool keepsAfter(const Iteration& iteration) const = 0;
  /// Whether it is time to. Asked on rank 0 alone.
  virtual bool isDue(std::int64_t nowNs) const = 0;
  /// Ends what is under way. Collective.
  virtual void settle() = 0;
  /// Once everything up to `untilNs` was sent. Collective.
  virtual void keepAfter(const Iteration& iteration, std::int64_t untilNs) = 0;
};

/// What a rank does between the iterations of an epoch. It notes them, keeps its ring of spans from filling,
/// and sends what is due. It also has kept what the run could go on from. So an epoch of any number of
/// iterations holds bounded memory and loses no span.
class BetweenIterations final : public IterationListener {
 public:
  /// All outlive this.
  /// stopAsked: asked on rank 0 alone. keeper: nullptr: nothing is kept.
  BetweenIterations(Communicator& comm, Reporter& reporter, HiddenTime& hidden,
                    std::function<bool()> stopAsked, Keeper* keeper = nullptr)
      : comm_(comm),
        reporter_(reporter),
        hidden_(hidden),
        stopAsked_(std::move(stopAsked)),
        keeper_(keeper) {}

  void epochBegins(std::int64_t nowNs);
  /// Throws StopsBetween.
  void onIteration(const Iteration& iteration) override;
  /// What was due in the epoch and is left to its end.
  struct Left {
    bool keep = false, stop = false;
  };
  Left left() const { return left_; }
  /// From when on the tracer has what was not taken yet.
  std::int64_t takenUntilNs() const { return takenUntilNs_; }

 private:
  void take(std::int64_t epoch, std::int64_t nowNs);
  void look(const Iteration& iteration);
  std::int64_t decide(const Iteration& iteration);
  void flush(const Iteration& iteration, bool keeps);

  Communicator& comm_;
  Reporter& reporter_;
  HiddenTime& hidden_;
  std::function<bool()> stopAsked_;
  Keeper* keeper_;
  Rehearsal rehearsal_;
  Left left_;
  std::int64_t takenUntilNs_ = 0;
  // until rank 0 is asked again what is due; the same on every rank
  std::int64_t untilLook_ = 1, sinceLook_ = 0, lookedNs_ = 0;
};

}  // namespace halo
