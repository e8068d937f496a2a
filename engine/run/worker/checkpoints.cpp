#include "engine/run/worker/checkpoints.h"

#include <utility>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/methods/contract/ends_together.h"

namespace halo {

Checkpoints::Checkpoints(Parts parts)
    : parts_(std::move(parts)),
      resumable_(dynamic_cast<Resumable*>(&parts_.method)),
      everyNs_(parts_.worker.settings.record.checkpointS * 1'000'000'000),
      lastNs_(wallNs()) {}

void Checkpoints::goOn(const Checkpoint& from) {
  Communicator& comm = parts_.worker.comm;
  if (from.experiment != parts_.worker.settings.fingerprint())
    throw EndsTogether(
        "the run's checkpoint is of another experiment, whose settings are not this run's; run it without "
        "--resume");
  HALO_CHECK(std::ssize(from.ranks) == comm.size());
  if (!comm.broadcast(std::int64_t{from.dataDigest == parts_.dataDigest}))  // rank 0 read the data
    throw EndsTogether(
        "the data set holds something else than when the run was stopped; run it without "
        "--resume");
  restore(from.ranks[at(comm.rank())],
          {static_cast<std::int32_t>(from.epoch), from.iteration, parts_.reporter.shiftNs()});
}

std::int64_t Checkpoints::epochBegins(std::int32_t epoch, std::int64_t nowNs) {
  beginNs_ = nowNs;
  if (resumed_.iteration > 0 && resumed_.epoch == epoch)
    beginNs_ = isVirtual() ? nowNs - resumedElapsedNs_ : resumedBeginNs_;
  return beginNs_;
}

bool Checkpoints::isDue(std::int64_t nowNs) const { return everyNs_ > 0 && nowNs - lastNs_ > everyNs_; }

bool Checkpoints::keepsAfter(const Iteration& iteration) const {
  return resumable_->resumesWithin() && iteration.number + 1 < parts_.method.iterations();
}

void Checkpoints::keepAfter(const Iteration& iteration, std::int64_t untilNs) {
  keep({static_cast<std::int32_t>(iteration.epoch), iteration.number + 1},
       isVirtual() ? iteration.endNs : untilNs);
}

void Checkpoints::keepBefore(std::int32_t epoch, std::int64_t untilNs) {
  beginNs_ = untilNs;
  keep({epoch, 0}, isVirtual() ? parts_.method.modelledEpoch()->endNs : untilNs);
}

void Checkpoints::keep(ResumePoint next, std::int64_t clockNs) {
  next.shiftNs = parts_.reporter.shiftNs();
  Communicator& comm = parts_.worker.comm;
  Checkpoint checkpoint{HALO_VERSION, sizeof(Scalar), next.epoch, next.iteration};
  checkpoint.step = next.epoch * parts_.method.iterations() + next.iteration;
  checkpoint.clockNs = comm.max(clockNs + next.shiftNs);
  checkpoint.decisions = resumable_->toldDecisions();
  checkpoint.dataDigest = parts_.dataDigest;
  checkpoint.experiment = parts_.worker.settings.fingerprint();
  checkpoint.ranks = comm.gather(state(next, wallNs()));
  lastNs_ = wallNs();
  if (comm.rank() == 0)
    parts_.send(FrameType::artifact,
                encodeArtifact({kCheckpoint, "application/octet-stream", encodeCheckpoint(checkpoint)}));
}

std::string Checkpoints::state(const ResumePoint& next, std::int64_t nowNs) const {
  ByteWriter out;
  for (const auto& [name, weight] : parts_.worker.model.weights()) out.matrix(weight->value);
  const Optimizer& optimizer = parts_.worker.optimizer;
  out.value(optimizer.steps());
  out.value(static_cast<std::int64_t>(optimizer.first().size()));
  for (const Matrix& moment : optimizer.first()) out.matrix(moment);
  for (const Matrix& moment : optimizer.second()) out.matrix(moment);
  out.array(parts_.worker.comm.flows());
  out.array(parts_.worker.comm.messageNumbers().counts());
  parts_.reporter.keep(out);
  out.value(parts_.hidden.totals());
  for (const std::int64_t value : {trainedNs_, beginNs_ + next.shiftNs, nowNs - beginNs_}) out.value(value);
  resumable_->keep(out, next);
  return out.take();
}

void Checkpoints::restore(const std::string& state, const ResumePoint& next) {
  ByteReader in(state);
  for (const auto& [name, weight] : parts_.worker.model.weights()) in.matrix(weight->value);
  const auto steps = in.value<std::int64_t>();
  std::vector<Matrix> first(at(in.value<std::int64_t>())), second(first.size());
  for (auto* moments : {&first, &second})
    for (Matrix& moment : *moments) in.matrix(moment);
  parts_.worker.optimizer.resume(steps, std::move(first), std::move(second));
  std::vector<Flow> flows;
  std::vector<MessageNumbers::Count> numbers;
  in.array(flows);
  in.array(numbers);
  parts_.worker.comm.goOnFrom(flows, numbers);
  parts_.reporter.resume(in);
  parts_.hidden.goOnFrom(in.value<std::array<std::int64_t, 3>>());
  resumed_ = next;
  trainedNs_ = in.value<std::int64_t>();
  resumedBeginNs_ = in.value<std::int64_t>() - next.shiftNs;
  resumedElapsedNs_ = in.value<std::int64_t>();
  resumable_->resume(in, next);
}

}  // namespace halo
