#pragma once

#include <functional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/iteration.h"
#include "engine/methods/contract/method.h"
#include "engine/methods/contract/predictions.h"
#include "engine/methods/laws/volume.h"
#include "engine/run/protocol/frame.h"
#include "engine/run/worker/layer_sums.h"

namespace halo {

/// Collects what the ranks did and sends it to the supervisor through rank 0. Outside the epochs' timed
/// windows.
class Reporter {
 public:
  using Send = std::function<void(FrameType, const std::string&)>;
  /// What all ranks send in an epoch by the method's closed form (asked on rank 0 only).
  /// What all ranks send in an epoch in which the method decided what Method::decided says.
  using Predict =
      std::function<std::vector<PredictedVolume>(std::int64_t epoch, std::vector<RowTable> decided)>;

  /// What recording is timed with.
  struct Clocks {
    std::int64_t (*wall)() = wallNs;
    std::int64_t (*cpu)() = threadCpuNs;
  };

  /// originNs: rank 0's clock at time 0 of the run.
  Reporter(Communicator& comm, Communicator::ClockOffset offset, std::int64_t originNs,
           std::int64_t spansEvery, Predict predict, Send send, Clocks clocks = {wallNs, threadCpuNs});

  /// Of mini-batches: every how-manieth is recorded; 0: none.
  void recordIterations(std::int64_t iterationsEvery) { iterationsEvery_ = iterationsEvery; }
  /// What to add to this rank's clock to get the run's.
  std::int64_t shiftNs() const { return offset_.offsetNs - originNs_; }
  /// Sums of the epoch that goes on and of the run, for one that goes on. Everything noted was sent.
  void keep(ByteWriter& out) const;
  void resume(ByteReader& in);
  /// Notes an iteration that just ended on this rank.
  void add(const Iteration& iteration);
  /// Takes this rank's spans of an epoch that goes on.
  void takeSpans(std::int64_t epoch);
  /// Takes, after the last epoch, spans of transfers that came since and had begun before `endNs`, its end.
  /// They count as far as they were under way until then.
  void takeLate(std::int64_t epoch, std::int64_t endNs);
  /// Notes a finished epoch of this rank: its spans, flows and work. `scores` and `loss` are the same on
  /// every rank.
  void add(const EpochRow& scores, std::int64_t beginNs, std::int64_t endNs, Method& method,
           std::span<const Staleness> staleness);
  /// Scores of noted epochs that were evaluated later, and this rank's spans of that; before these epochs are
  /// sent.
  void addScores(std::span<const EpochRow> scores);
  /// What should be sent now; rank 0 decides. Rows of finished epochs never wait long; spans, some hundred
  /// times their size, until enough have gathered to be worth a block.
  enum class Due { nothing, rows, everything };
  Due due(std::int64_t nowNs) const;
  /// Collective: the rows, and if wished the spans, noted since they were last sent go to rank 0 and from
  /// there to the supervisor.
  void flush(bool withSpans = true);

  /// Spent on noting, encoding, gathering and sending, once all ranks have met.
  std::int64_t recordingNs() const { return recordingNs_; }
  /// Of it, the CPU time: without what was waited for a core or for the supervisor, but with what MPI polled
  /// for other ranks.
  std::int64_t recordingCpuNs() const { return recordingCpuNs_; }
  std::int64_t epochNs() const { return epochNs_; }
  /// On rank 0: of the epochs reported so far, without those that fill a pipeline, each by its slowest rank.
  std::int64_t timedNs() const { return timedNs_; }

  /// What this rank's aggregations were in all epochs so far: FLOP and bytes as in WorkRow, time measured.
  struct Aggregations {
    std::int64_t epochs = 0, ns = 0, flop = 0, leastBytes = 0, mostBytes = 0;
  };
  const Aggregations& aggregations() const { return aggregations_; }

 private:
  struct OwnEpoch {
    EpochRow row;
    std::int64_t beginNs = 0, endNs = 0;
  };
  bool keepsSpans(std::int64_t epoch) const { return spansEvery_ > 0 && epoch % spansEvery_ == 0; }
  void keepSpans(std::int64_t epoch);
  void keep(const Span& span);
  void keepBatches(std::int64_t epoch, BatchSums sums);
  void keepIteration(const Iteration& iteration);
  void keepActors(const ActorSpans& actorSpans);
  void addAggregations(std::span<const LayerRow> rows, std::span<const WorkRow> work);
  std::string encodeOwn(bool withSpans);
  void merge(const std::vector<std::string>& parts);
  void mergeIterations(const std::vector<IterationRow>& own, std::vector<IterationRow>& all) const;
  void addPredictions(EpochBatch& batch);

  Communicator& comm_;
  Communicator::ClockOffset offset_;
  std::int64_t originNs_, spansEvery_;
  Predict predict_;
  Send send_;
  Clocks clocks_;
  std::vector<OwnEpoch> epochs_;
  std::vector<LayerRow> layers_;
  std::vector<MessageRow> messages_;
  LayerSums sums_;  // of the epoch that goes on
  BatchRows batches_;
  std::int64_t iterationsEvery_ = 0;
  Communicator::Sent sentBefore_;                          // the iteration that goes on
  std::map<std::int64_t, std::vector<RowTable>> decided_;  // by epoch, of those not sent yet; rank 0 only
  std::vector<Span> spans_;
  std::map<std::int64_t, std::vector<Span>> actorSpans_;  // by actor
  std::size_t actorSpanCount_ = 0;
  std::int64_t lastRowsNs_ = 0, lastSpansNs_ = 0, lastSpansCostNs_ = 0, recordingNs_ = 0, epochNs_ = 0,
               timedNs_ = 0;
  std::int64_t recordingCpuNs_ = 0;
  Aggregations aggregations_;
};

}  // namespace halo
