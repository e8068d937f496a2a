#include "engine/run/worker/between_iterations.h"

#include <algorithm>
#include <limits>

namespace halo {
namespace {

constexpr std::int64_t kLookEveryNs = 100'000'000;
constexpr std::int64_t kMostIterations = 10'000;  // between two looks, however short they are
constexpr std::int64_t kStop = std::numeric_limits<std::int64_t>::min();

/// Iterations until the next look, by how long the last ones took.
std::int64_t iterationsUntil(std::int64_t iterations, std::int64_t tookNs) {
  return std::clamp(iterations * kLookEveryNs / std::max<std::int64_t>(tookNs, 1), std::int64_t{1},
                    kMostIterations);
}

}  // namespace

void BetweenIterations::epochBegins(std::int64_t nowNs) { takenUntilNs_ = lookedNs_ = nowNs; }

void BetweenIterations::onIteration(const Iteration& iteration) {
  reporter_.add(iteration);
  if (comm_.tracer().halfFull()) take(iteration.epoch, wallNs());
  ++sinceLook_;
  if (--untilLook_ == 0) look(iteration.epoch);
}

void BetweenIterations::take(std::int64_t epoch, std::int64_t nowNs) {
  hidden_.add(comm_.tracer().spans(), takenUntilNs_, nowNs, /*timed=*/true);
  reporter_.takeSpans(epoch);
  takenUntilNs_ = nowNs;
}

// Rank 0 decides: clocks differ among the ranks, and it alone hears the supervisor.
void BetweenIterations::look(std::int64_t epoch) {
  std::int64_t next = 0;  // below 0: after what is due was sent
  if (comm_.rank() == 0) {
    const std::int64_t now = wallNs();
    next = iterationsUntil(sinceLook_, now - lookedNs_);
    if (stopAsked_())
      next = kStop;
    else if (reporter_.due(now) == Reporter::Due::everything)
      next = -next;
  }
  next = comm_.broadcast(next);
  sinceLook_ = 0;
  const bool stops = next == kStop;
  untilLook_ = stops ? 1 : std::abs(next);
  if (next < 0) flush(epoch);
  // what is fetched ahead comes first: the method's memory goes with it
  if (stops && !comm_.anywhere(comm_.underWay() > 0)) throw StopsBetween();
  lookedNs_ = wallNs();
}

void BetweenIterations::flush(std::int64_t epoch) {
  const std::int64_t begin = comm_.stopLink();
  take(epoch, begin);
  reporter_.flush();
  const std::int64_t end = comm_.startLink();
  comm_.tracer().setLayer(-1, Pass::none);
  comm_.tracer().add(Kind::other, Name::record, Lane::main, begin, end);
}

}  // namespace halo
