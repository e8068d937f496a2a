#include "engine/run/worker/between_iterations.h"

#include <algorithm>

namespace halo {
namespace {

constexpr std::int64_t kLookEveryNs = 100'000'000;
constexpr std::int64_t kMostIterations = 10'000;  // between two looks, however short they are

// What rank 0 decides, beside how many iterations come before it looks again.
constexpr std::int64_t kSend = 1, kKeep = 2, kStop = 4, kIteration = 8;

/// Iterations until the next look, by how long the last ones took.
std::int64_t iterationsUntil(std::int64_t iterations, std::int64_t tookNs) {
  return std::clamp(iterations * kLookEveryNs / std::max<std::int64_t>(tookNs, 1), std::int64_t{1},
                    kMostIterations);
}

}  // namespace

void BetweenIterations::epochBegins(std::int64_t nowNs) {
  takenUntilNs_ = lookedNs_ = nowNs;
  left_ = {};
}

void BetweenIterations::onIteration(const Iteration& iteration) {
  reporter_.add(iteration);
  if (comm_.tracer().halfFull()) take(iteration.epoch, wallNs());
  ++sinceLook_;
  if (--untilLook_ == 0 || !rehearsal_.empty()) look(iteration);
}

void BetweenIterations::take(std::int64_t epoch, std::int64_t nowNs) {
  hidden_.add(comm_.tracer().spans(), takenUntilNs_, nowNs, /*timed=*/true);
  reporter_.takeSpans(epoch);
  takenUntilNs_ = nowNs;
}

// Rank 0's: clocks differ among the ranks, and it alone hears the supervisor.
std::int64_t BetweenIterations::decide(const Iteration& iteration) {
  const std::int64_t now = wallNs();
  const bool stops = stopAsked_() || rehearsal_.stopsAfter(iteration.step);
  const bool keeps = keeper_ != nullptr && (keeper_->isDue(now) || rehearsal_.keepsAfter(iteration.step));
  const bool sends = reporter_.due(now) == Reporter::Due::everything;
  const std::int64_t until = stops ? 1 : iterationsUntil(sinceLook_, now - lookedNs_);
  return until * kIteration + std::int64_t{sends} * kSend + std::int64_t{keeps} * kKeep +
         std::int64_t{stops} * kStop;
}

void BetweenIterations::look(const Iteration& iteration) {
  const std::int64_t next = comm_.broadcast(comm_.rank() == 0 ? decide(iteration) : 0);
  sinceLook_ = 0;
  untilLook_ = next / kIteration;
  const bool stops = (next & kStop) != 0, due = stops || (next & kKeep) != 0;
  const bool keeps = due && keeper_ != nullptr && keeper_->keepsAfter(iteration);
  if (keeps || (next & kSend) != 0 || (stops && keeper_ == nullptr)) flush(iteration, keeps);
  if (stops && (keeps || keeper_ == nullptr)) throw StopsBetween();
  left_ = {left_.keep || (due && !keeps), left_.stop || stops};
  lookedNs_ = wallNs();
}

void BetweenIterations::flush(const Iteration& iteration, bool keeps) {
  if (keeps) keeper_->settle();
  const std::int64_t begin = comm_.stopLink();
  take(iteration.epoch, begin);
  reporter_.flush();
  if (keeps) keeper_->keepAfter(iteration, begin);
  const std::int64_t end = comm_.startLink();
  comm_.tracer().setLayer(-1, Pass::none);
  comm_.tracer().add(Kind::other, Name::record, Lane::main, begin, end);
}

}  // namespace halo
