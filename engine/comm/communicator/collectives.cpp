// Communicator's collectives that carry payload: counted, and under the emulated link's model.
#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/comm/communicator/element.h"
#include "engine/comm/link/host_cards.h"
#include "engine/comm/link/shared_memory.h"

namespace halo {

namespace {

/// Bytes of a rank's part of a sum below which fewer trips are worth more than fewer bytes.
constexpr std::size_t kShortPart = 4 << 10;

}  // namespace

void Communicator::sumByMpi(std::span<Scalar> values) {
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(kPiece)) {
    const std::size_t piece = std::min(values.size() - at, static_cast<std::size_t>(kPiece));
    await("summing gradients", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, values.data() + at, static_cast<int>(piece), kElement, MPI_SUM,
                            comm_, request);
    });
  }
}

void Communicator::sumGradients(std::span<Scalar> values) {
  if (size_ == 1) return;
  const Aside polling(tracer_);
  const std::int64_t begin = wallNs();
  lookAfterTransfers(begin);
  std::int64_t entered = linkClock_.toLink(begin);
  if (engine_ == nullptr) {
    sumByMpi(values);
  } else {
    // Each of the sum's trips would wait behind a window of whole messages, and so would the barrier after
    // it.
    if (!trickle_) trickle_.emplace(*engine_);
    const bool isShort = values.size_bytes() < kShortPart * static_cast<std::size_t>(size_);
    isShort ? sumByMpi(values) : sumRoundRing(values);
  }
  if (emulating()) {
    check(MPI_Allreduce(MPI_IN_PLACE, &entered, 1, MPI_INT64_T, MPI_MAX, stamps_), "summing gradients");
    const auto bytes = static_cast<std::int64_t>(values.size_bytes());
    letPass(cards_ == nullptr ? link_.allReduce(entered, bytes, size_)
                              : cards_->allReduce(link_, entered, bytes));
  }
  const auto elements = static_cast<std::int64_t>(values.size());
  const auto chunk = [&](int i) { return elements * (i + 1) / size_ - elements * i / size_; };
  const std::int64_t sent = 2 * elements - chunk((rank_ + 1) % size_) - chunk((rank_ + 2) % size_);
  count(-1, size_ - 1, sent * static_cast<std::int64_t>(sizeof(Scalar)));
  tracer_.add(Kind::synchronise, Name::allReduce, Lane::main, begin, wallNs(), -1,
              sent * static_cast<std::int64_t>(sizeof(Scalar)));
}

void Communicator::shareFlags(std::span<std::uint8_t> flags) {
  HALO_CHECK(static_cast<int>(flags.size()) == size_);
  if (size_ == 1) return;
  const Aside polling(tracer_);
  const std::int64_t begin = wallNs();
  await("sharing decisions", [&](MPI_Request* request) {
    return MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, flags.data(), 1, MPI_BYTE, comm_, request);
  });
  if (emulating()) {
    std::int64_t entered = linkClock_.toLink(begin);
    check(MPI_Allreduce(MPI_IN_PLACE, &entered, 1, MPI_INT64_T, MPI_MAX, stamps_), "sharing decisions");
    letPass(entered + (cards_ == nullptr ? link_.allGatherNs(1, size_) : cards_->allGatherNs(link_, 1)));
  }
  count(-1, size_ - 1, size_ - 1);
  const std::int64_t end = wallNs();
  if (counting_) flowTo(-1)->transferNs += end - begin;
  tracer_.add(Kind::communication, Name::collective, Lane::main, begin, end, -1, size_ - 1);
}

std::unique_ptr<SharedMemory> Communicator::shareMemory(std::size_t bytes) {
  const auto guard = hold();
  return std::make_unique<SharedMemory>(comm_, bytes);
}

}  // namespace halo
