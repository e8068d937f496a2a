// Communicator's sum round a ring. MPI's own non-blocking sum in place is a binomial tree, whose root
// receives and sends all values log2 P times. A ring moves each value less than twice through every rank.
#include <algorithm>
#include <functional>

#include "engine/base/clock.h"
#include "engine/comm/communicator/awaited.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/comm/communicator/element.h"

namespace halo {
namespace {

constexpr int kRingTag = (1 << 14) + 2;  // beyond those of rows and of control traffic

}  // namespace

/// A reduce-scatter, then an all-gather, of P parts: O(E/P) values further on in each of 2(P−1) trips.
void Communicator::sumRoundRing(std::span<Scalar> values) {
  const auto elements = static_cast<std::int64_t>(values.size());
  const auto part = [&](int number) {
    const std::int64_t at = (number + 2 * size_) % size_;
    const std::int64_t begin = elements * at / size_, end = elements * (at + 1) / size_;
    return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  addend_.resize(static_cast<std::size_t>(elements / size_ + 1));
  for (int trip = 0; trip < size_ - 1; ++trip) {
    const std::span<Scalar> grown = part(rank_ - trip - 1);
    const std::span<Scalar> addend = std::span(addend_).first(grown.size());
    passOn(part(rank_ - trip), addend);
    std::ranges::transform(grown, addend, grown.begin(), std::plus());
  }
  for (int trip = 0; trip < size_ - 1; ++trip) passOn(part(rank_ + 1 - trip), part(rank_ - trip));
}

/// To the next rank, and from the one before, in pieces that TCP takes without a handshake.
void Communicator::passOn(std::span<const Scalar> right, std::span<Scalar> left) {
  constexpr std::size_t kAtOnce = FlowWindow::kChunk / sizeof(Scalar);
  const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "summing gradients", Awaited::only(before));
  waited_.clear();
  const auto pieces = [&](auto values, auto start) {
    for (std::size_t at = 0; at < values.size(); at += kAtOnce) {
      const auto piece = values.subspan(at, std::min(values.size() - at, kAtOnce));
      start(piece.data(), static_cast<int>(piece.size()), &waited_.emplace_back(MPI_REQUEST_NULL));
    }
  };
  {
    const auto guard = hold();
    pieces(left, [&](Scalar* to, int count, MPI_Request* request) {
      check(MPI_Irecv(to, count, kElement, before, kRingTag, comm_, request), "summing gradients", before);
    });
    pieces(right, [&](const Scalar* from, int count, MPI_Request* request) {
      check(MPI_Isend(from, count, kElement, next, kRingTag, comm_, request), "summing gradients", next);
    });
  }
  waitPolitely(waited_);
}

}  // namespace halo
