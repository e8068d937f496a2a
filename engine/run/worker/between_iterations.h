#pragma once

#include <functional>

#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/iteration.h"
#include "engine/record/analysis/hidden_time.h"
#include "engine/run/worker/reporter.h"

namespace halo {

/// Training ends between two iterations, as was asked for. Thrown on every rank after the same iteration,
/// once everything before it was sent.
struct StopsBetween {};

/// What a rank does between the iterations of an epoch: it notes them, keeps its ring of spans from filling,
/// and sends what is due. So an epoch of any number of iterations holds bounded memory and loses no span.
class BetweenIterations final : public IterationListener {
 public:
  /// All outlive this.
  /// stopAsked: asked on rank 0 alone.
  BetweenIterations(Communicator& comm, Reporter& reporter, HiddenTime& hidden,
                    std::function<bool()> stopAsked)
      : comm_(comm), reporter_(reporter), hidden_(hidden), stopAsked_(std::move(stopAsked)) {}

  void epochBegins(std::int64_t nowNs);
  /// Throws StopsBetween.
  void onIteration(const Iteration& iteration) override;
  /// From when on the tracer has what was not taken yet.
  std::int64_t takenUntilNs() const { return takenUntilNs_; }

 private:
  void take(std::int64_t epoch, std::int64_t nowNs);
  void look(std::int64_t epoch);
  void flush(std::int64_t epoch);

  Communicator& comm_;
  Reporter& reporter_;
  HiddenTime& hidden_;
  std::function<bool()> stopAsked_;
  std::int64_t takenUntilNs_ = 0;
  // until rank 0 is asked again what is due; the same on every rank
  std::int64_t untilLook_ = 1, sinceLook_ = 0, lookedNs_ = 0;
};

}  // namespace halo
