#pragma once

#include <functional>
#include <string>

#include "engine/methods/worker/resumable.h"
#include "engine/methods/worker/worker_parts.h"
#include "engine/run/protocol/checkpoint.h"
#include "engine/run/worker/between_iterations.h"

namespace halo {

/// What a run could go on from, kept while it trains, and taken over where it goes on.
class Checkpoints final : public Keeper {
 public:
  struct Parts {
    WorkerParts& worker;
    Method& method;
    Reporter& reporter;
    HiddenTime& hidden;
    std::string dataDigest;
    std::function<void(FrameType, const std::string&)> send;
  };
  /// All outlive this.
  explicit Checkpoints(Parts parts);

  /// Whether the method can go on with a run.
  bool keeps() const { return resumable_ != nullptr; }
  /// Goes on from there; before the first epoch. Collective. Throws EndsTogether for other data.
  void goOn(const Checkpoint& from);
  /// An epoch begins now; when it did, before the run was stopped in it.
  std::int64_t epochBegins(std::int32_t epoch, std::int64_t nowNs);
  /// It ended, after so much training.
  void epochEnded(std::int64_t beginNs, std::int64_t endNs) { trainedNs_ += endNs - beginNs; }
  /// Training in all epochs, by this machine's clock.
  std::int64_t trainedNs() const { return trainedNs_; }
  /// Keeps what is there before an epoch, once everything up to `untilNs` was sent. Collective.
  void keepBefore(std::int32_t epoch, std::int64_t untilNs);

  bool keepsAfter(const Iteration& iteration) const override;
  bool isDue(std::int64_t nowNs) const override;
  void settle() override { resumable_->settle(); }
  void keepAfter(const Iteration& iteration, std::int64_t untilNs) override;

 private:
  void keep(ResumePoint next, std::int64_t clockNs);
  std::string state(const ResumePoint& next, std::int64_t nowNs) const;
  void restore(const std::string& state, const ResumePoint& next);
  bool isVirtual() const { return parts_.method.modelledEpoch().has_value(); }

  Parts parts_;
  Resumable* resumable_;  // the method, if it can
  std::int64_t everyNs_, lastNs_;
  std::int64_t beginNs_ = 0, trainedNs_ = 0;  // beginNs_: of the present epoch
  // of the epoch that the run goes on with; iteration 0: none
  ResumePoint resumed_;
  std::int64_t resumedBeginNs_ = 0, resumedElapsedNs_ = 0;
};

}  // namespace halo
