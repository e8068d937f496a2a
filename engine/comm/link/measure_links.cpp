#include "engine/comm/link/measure_links.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/clock.h"

namespace halo {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kChunkBytes = 60 << 10;  // sent at once: below what Open MPI asks the receiver for
constexpr int kRoundTrips = 200, kRepeats = 5;
constexpr std::int64_t kLongEnoughNs = 200'000'000;  // beside which a round trip and a slow start are little
constexpr int kLeastBytes = 1 << 16, kMostBytes = 1 << 28;

double median(std::vector<std::int64_t> times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return static_cast<double>(times[times.size() / 2]);
}

/// One end of the link; both ends call the same.
class End {
 public:
  End(MPI_Comm ranks, int peer, bool leads) : ranks_(ranks), peer_(peer), leads_(leads) {}

  /// Of so many bytes there, or both ways at once, and 8 bytes back; on the end that leads.
  std::int64_t timeNs(int bytes, bool bothWays) {
    out_.resize(static_cast<std::size_t>(bytes));
    in_.resize(static_cast<std::size_t>(bytes));
    std::int64_t word = 0;
    MPI_Sendrecv(&word, 1, MPI_INT64_T, peer_, kTag, in_.data(), 8, MPI_BYTE, peer_, kTag, ranks_,
                 MPI_STATUS_IGNORE);  // both are here
    const std::int64_t begin = wallNs();
    travel(bothWays || leads_, bothWays || !leads_);
    if (leads_)
      MPI_Recv(&word, 1, MPI_INT64_T, peer_, kTag, ranks_, MPI_STATUS_IGNORE);
    else
      MPI_Send(&word, 1, MPI_INT64_T, peer_, kTag, ranks_);
    return wallNs() - begin;
  }
  /// The leader's word on both ends.
  int agree(int bytes) {
    if (leads_)
      MPI_Send(&bytes, 1, MPI_INT, peer_, kTag, ranks_);
    else
      MPI_Recv(&bytes, 1, MPI_INT, peer_, kTag, ranks_, MPI_STATUS_IGNORE);
    return bytes;
  }

 private:
  /// In chunks, as messages of training travel between hosts: of one long message each way Open MPI moves the
  /// one, then the other.
  void travel(bool sends, bool receives) {
    requests_.clear();
    for (std::size_t at = 0; at < out_.size(); at += kChunkBytes) {
      const int bytes = static_cast<int>(std::min<std::size_t>(kChunkBytes, out_.size() - at));
      if (receives)
        MPI_Irecv(in_.data() + at, bytes, MPI_BYTE, peer_, kTag, ranks_, &requests_.emplace_back());
      if (sends) MPI_Isend(out_.data() + at, bytes, MPI_BYTE, peer_, kTag, ranks_, &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  MPI_Comm ranks_;
  int peer_;
  bool leads_;
  std::vector<char> out_, in_;
  std::vector<MPI_Request> requests_;
};

/// Bits a ns, each way, of messages that take long enough.
double bandwidth(End& end, bool bothWays, double latencyNs) {
  int bytes = kLeastBytes;
  for (bool grows = true; grows;) {
    const std::int64_t ns = end.timeNs(bytes, bothWays);
    const int next = end.agree(ns < kLongEnoughNs && bytes < kMostBytes ? 2 * bytes : bytes);
    grows = next != bytes;
    bytes = next;
  }
  std::vector<std::int64_t> times;
  for (int i = 0; i < kRepeats; ++i) times.push_back(end.timeNs(bytes, bothWays));
  return 8.0 * bytes / (median(times) - latencyNs);  // without the way of the 8 bytes back
}

/// On both of the ranks.
LinkSpeed measureLink(MPI_Comm ranks, int one, int other, int rank) {
  End end(ranks, rank == one ? other : one, rank == one);
  std::vector<std::int64_t> trips;
  for (int i = 0; i < kRoundTrips; ++i) trips.push_back(end.timeNs(8, /*bothWays=*/false));
  const double latencyNs = median(trips) / 2;
  const double oneWay = bandwidth(end, false, latencyNs), bothWays = bandwidth(end, true, latencyNs);
  return {one, other, latencyNs * 1e-3, oneWay, bothWays};
}

}  // namespace

std::vector<LinkSpeed> measureLinks(MPI_Comm ranks) {
  int rank = 0, size = 1;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  std::vector<LinkSpeed> speeds;
  for (int one = 0; one < size; ++one)
    for (int other = one + 1; other < size; ++other) {
      LinkSpeed speed{one, other};
      if (rank == one || rank == other) speed = measureLink(ranks, one, other, rank);
      MPI_Bcast(&speed.latencyUs, 1, MPI_DOUBLE, one, ranks);
      MPI_Bcast(&speed.oneWayGbit, 1, MPI_DOUBLE, one, ranks);
      MPI_Bcast(&speed.bothWaysGbit, 1, MPI_DOUBLE, one, ranks);
      speeds.push_back(speed);
    }
  return speeds;
}

}  // namespace halo
