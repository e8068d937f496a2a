#include "engine/comm/link/measure_links.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/comm/link/long_enough.h"

namespace halo {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kChunkBytes = 60 << 10;  // sent at once: below what Open MPI asks the receiver for
constexpr int kRounds = 9, kRoundTrips = 40;   // of a round
constexpr std::int64_t kLongEnoughNs = 200'000'000;  // beside which a round trip and a slow start are little
constexpr int kLeastBytes = 1 << 16, kMostBytes = 1 << 28;

Rounds roundsOf(std::vector<double> figures) {
  std::ranges::sort(figures);
  const std::size_t last = figures.size() - 1;
  return {figures[last / 2], figures[last / 4], figures[last - last / 4]};
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
  std::int64_t agree(std::int64_t ns) {
    if (leads_)
      MPI_Send(&ns, 1, MPI_INT64_T, peer_, kTag, ranks_);
    else
      MPI_Recv(&ns, 1, MPI_INT64_T, peer_, kTag, ranks_, MPI_STATUS_IGNORE);
    return ns;
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

int longEnough(End& end, bool bothWays) {
  const auto timeNs = [&](int bytes) { return end.agree(end.timeNs(bytes, bothWays)); };
  return longEnoughBytes(timeNs, kLongEnoughNs, kLeastBytes, kMostBytes);
}

/// Half a round trip of 8 bytes.
double latencyNs(End& end) {
  std::vector<std::int64_t> trips;
  for (int i = 0; i < kRoundTrips; ++i) trips.push_back(end.timeNs(8, /*bothWays=*/false));
  return median(trips) / 2;
}

/// On both of the ranks. All three figures in each round: what changes meanwhile shows in all.
LinkSpeed measureLink(MPI_Comm ranks, int leader, int other, int rank) {
  End end(ranks, rank == leader ? other : leader, rank == leader);
  const int oneWay = longEnough(end, false), bothWays = longEnough(end, true);
  std::vector<double> latencies, oneWayGbit, bothWaysGbit;
  for (int round = 0; round < kRounds; ++round) {
    const double latency = latencyNs(end);
    const auto gbit = [&](int bytes, bool both) {  // without the way of the 8 bytes back
      return 8.0 * bytes / (static_cast<double>(end.timeNs(bytes, both)) - latency);
    };
    latencies.push_back(latency * 1e-3);
    oneWayGbit.push_back(gbit(oneWay, false));
    bothWaysGbit.push_back(gbit(bothWays, true));
  }
  return {leader, other, roundsOf(latencies), roundsOf(oneWayGbit), roundsOf(bothWaysGbit)};
}

}  // namespace

std::vector<LinkSpeed> measureLinks(MPI_Comm ranks) {
  int rank = 0, size = 1;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  std::vector<LinkSpeed> speeds;
  for (int leader = 0; leader < size; ++leader)
    for (int other = leader + 1; other < size; ++other) {
      LinkSpeed speed{leader, other};
      if (rank == leader || rank == other) speed = measureLink(ranks, leader, other, rank);
      for (Rounds* figure : {&speed.latencyUs, &speed.oneWayGbit, &speed.bothWaysGbit})
        for (double* value : {&figure->median, &figure->low, &figure->high})
          MPI_Bcast(value, 1, MPI_DOUBLE, leader, ranks);
      speeds.push_back(speed);
    }
  return speeds;
}

}  // namespace halo
