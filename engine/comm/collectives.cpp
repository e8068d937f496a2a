// Communicator's collectives that carry payload: counted, and under the emulated link's model.
#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/comm/communicator.h"
#include "engine/comm/element.h"

namespace halo {

void Communicator::sumGradients(std::span<Scalar> values) {
  if (size_ == 1) return;
  const Aside polling(tracer_);
  const std::int64_t begin = wallNs();
  const Waiting waiting(tracer_.whereabouts(), begin, "summing gradients");
  check(outstanding_.look(begin), "looking after transfers");
  std::int64_t entered = linkClock_.toLink(begin);
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(kPiece)) {
    const std::size_t piece = std::min(values.size() - at, static_cast<std::size_t>(kPiece));
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data() + at, static_cast<int>(piece), kElement, MPI_SUM, comm_,
                         &request),
          "summing gradients");
    waitPolitely({&request, 1});
  }
  if (emulating()) {
    check(MPI_Allreduce(MPI_IN_PLACE, &entered, 1, MPI_INT64_T, MPI_MAX, stamps_), "summing gradients");
    letPass(link_.allReduce(entered, static_cast<std::int64_t>(values.size_bytes()), size_));
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
  const Waiting waiting(tracer_.whereabouts(), begin, "sharing decisions");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, flags.data(), 1, MPI_BYTE, comm_, &request),
        "sharing decisions");
  waitPolitely({&request, 1});
  if (emulating()) {
    std::int64_t entered = linkClock_.toLink(begin);
    check(MPI_Allreduce(MPI_IN_PLACE, &entered, 1, MPI_INT64_T, MPI_MAX, stamps_), "sharing decisions");
    letPass(entered + link_.allGatherNs(1, size_));
  }
  count(-1, size_ - 1, size_ - 1);
  const std::int64_t end = wallNs();
  if (counting_) flowTo(-1)->transferNs += end - begin;
  tracer_.add(Kind::communication, Name::collective, Lane::main, begin, end, -1, size_ - 1);
}

}  // namespace halo
