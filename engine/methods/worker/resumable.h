#pragma once

#include <cstdint>

#include "engine/comm/communicator/bytes.h"

namespace halo {

/// Where a run goes on: with an iteration of an epoch; 0: as the epoch begins.
struct ResumePoint {
  std::int32_t epoch = 0;
  std::int64_t iteration = 0;
  /// What to add to this rank's clock to get the run's: times that are kept are the run's.
  std::int64_t shiftNs = 0;
};

/// A method that can go on with an interrupted run. Between two iterations its state is the weights of the
/// model, the optimizer's, and what it says here. All else is made anew, or drawn by keys.
class Resumable {
 public:
  virtual ~Resumable() = default;
  /// Whether it can between two iterations of an epoch, too; the same on every rank.
  virtual bool resumesWithin() const { return true; }
  /// Ends what is under way for iterations to come, and puts all weights into the model. Collective, between
  /// two iterations, before keep().
  virtual void settle() {}
  /// What this rank summed up until that point, which comes next.
  virtual void keep(ByteWriter& out, const ResumePoint& next) const = 0;
  /// Goes on from there; before the first epoch.
  virtual void resume(ByteReader& in, const ResumePoint& next) = 0;
  /// Decisions that were recorded and will not be told again.
  virtual std::int64_t toldDecisions() const { return 0; }
};

}  // namespace halo
