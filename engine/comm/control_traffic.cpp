// Communicator's control traffic: what is neither timed nor counted.
#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/comm/communicator.h"
#include "engine/comm/element.h"

namespace halo {
namespace {

constexpr int kBytesTag = 1 << 14;  // above every halo tag

}  // namespace

double Communicator::sum(double value) {
  const Waiting waiting(tracer_.whereabouts(), "summing");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_), "summing");
  return value;
}
std::int64_t Communicator::sum(std::int64_t value) {
  const Waiting waiting(tracer_.whereabouts(), "summing");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm_), "summing");
  return value;
}
std::int64_t Communicator::max(std::int64_t value) {
  const Waiting waiting(tracer_.whereabouts(), "taking the maximum");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_), "taking the maximum");
  return value;
}
std::int64_t Communicator::min(std::int64_t value) {
  const Waiting waiting(tracer_.whereabouts(), "taking the minimum");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MIN, comm_), "taking the minimum");
  return value;
}
void Communicator::sum(std::span<std::int64_t> values) {
  const Waiting waiting(tracer_.whereabouts(), "summing");
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                      comm_),
        "summing");
}
bool Communicator::anywhere(bool value) { return max(std::int64_t{value}) != 0; }
void Communicator::barrier() {
  const Waiting waiting(tracer_.whereabouts(), "meeting at a barrier");
  check(MPI_Barrier(comm_), "meeting at a barrier");
}

std::int64_t Communicator::broadcast(std::int64_t value, int root) {
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "broadcasting",
                        root == rank_ ? Awaited{} : Awaited::only(root));
  check(MPI_Bcast(&value, 1, MPI_INT64_T, root, comm_), "broadcasting");
  return value;
}

void Communicator::broadcast(std::span<std::uint8_t> bytes, int root) {
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "broadcasting",
                        root == rank_ ? Awaited{} : Awaited::only(root));
  const auto size = static_cast<std::int64_t>(bytes.size());
  for (std::int64_t at = 0; at < size; at += kPiece)
    check(MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, root, comm_),
          "broadcasting");
}

std::string Communicator::broadcast(std::string bytes, int root) {
  const std::int64_t size = broadcast(static_cast<std::int64_t>(bytes.size()), root);
  bytes.resize(static_cast<std::size_t>(size));
  broadcast({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}, root);
  return bytes;
}

void Communicator::gather(std::span<const double> own, std::span<double> all,
                          std::span<const std::int64_t> counts) {
  const auto mine = static_cast<std::int64_t>(own.size());
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "gathering",
                        rank_ == 0 ? Awaited{} : Awaited::only(0));
  if (rank_ != 0) {
    for (std::int64_t at = 0; at < mine; at += kPiece)
      check(MPI_Send(own.data() + at, static_cast<int>(std::min(kPiece, mine - at)), MPI_DOUBLE, 0, kBytesTag,
                     comm_),
            "gathering", 0);
    return;
  }
  std::ranges::copy(own, all.begin());
  double* to = all.data() + mine;
  for (int peer = 1; peer < size_; ++peer) {
    const std::int64_t theirs = counts[static_cast<std::size_t>(peer)];
    for (std::int64_t at = 0; at < theirs; at += kPiece)
      check(MPI_Recv(to + at, static_cast<int>(std::min(kPiece, theirs - at)), MPI_DOUBLE, peer, kBytesTag,
                     comm_, MPI_STATUS_IGNORE),
            "gathering", peer);
    to += theirs;
  }
}

void Communicator::sendBytes(int peer, const std::string& bytes) {
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "sending", Awaited::only(peer));
  auto size = static_cast<std::int64_t>(bytes.size());
  check(MPI_Send(&size, 1, MPI_INT64_T, peer, kBytesTag, comm_), "sending", peer);
  for (std::int64_t at = 0; at < size; at += kPiece)
    check(MPI_Send(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, peer,
                   kBytesTag, comm_),
          "sending", peer);
}

std::string Communicator::receiveBytes(int peer) {
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "receiving", Awaited::only(peer));
  std::int64_t size = 0;
  check(MPI_Recv(&size, 1, MPI_INT64_T, peer, kBytesTag, comm_, MPI_STATUS_IGNORE), "receiving", peer);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::int64_t at = 0; at < size; at += kPiece)
    check(MPI_Recv(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, peer,
                   kBytesTag, comm_, MPI_STATUS_IGNORE),
          "receiving", peer);
  return bytes;
}

std::vector<std::string> Communicator::gather(const std::string& bytes) {
  std::vector<std::string> all;
  if (rank_ != 0) {
    sendBytes(0, bytes);
    return all;
  }
  all.push_back(bytes);
  for (int peer = 1; peer < size_; ++peer) all.push_back(receiveBytes(peer));
  return all;
}

Communicator::ClockOffset Communicator::clockOffset() {
  constexpr int kRounds = 21, kTag = kBytesTag + 1;
  const Waiting waiting(tracer_.whereabouts(), "comparing clocks");
  char here[MPI_MAX_PROCESSOR_NAME] = {}, root[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(here, &length);
  std::copy(std::begin(here), std::end(here), std::begin(root));
  check(MPI_Bcast(root, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, comm_), "comparing clocks");
  const bool sameHost = std::string(here) == root;
  ClockOffset best{0, std::numeric_limits<std::int64_t>::max()};
  for (int peer = 1; peer < size_; ++peer) {
    for (int round = 0; round < kRounds; ++round) {
      std::int64_t theirs = 0;
      if (rank_ == 0) {
        check(MPI_Recv(&theirs, 1, MPI_INT64_T, peer, kTag, comm_, MPI_STATUS_IGNORE), "comparing clocks",
              peer);
        std::int64_t mine = wallNs();
        check(MPI_Send(&mine, 1, MPI_INT64_T, peer, kTag, comm_), "comparing clocks", peer);
      } else if (rank_ == peer) {
        std::int64_t sent = wallNs();
        check(MPI_Send(&sent, 1, MPI_INT64_T, 0, kTag, comm_), "comparing clocks", 0);
        check(MPI_Recv(&theirs, 1, MPI_INT64_T, 0, kTag, comm_, MPI_STATUS_IGNORE), "comparing clocks", 0);
        const std::int64_t received = wallNs(), half = (received - sent) / 2;
        if (half < best.uncertaintyNs) best = {theirs - (sent + half), half};
      }
    }
  }
  // ranks of one host share one monotonic clock: no estimate is better than knowing
  return rank_ == 0 || sameHost ? ClockOffset{} : best;
}

int Communicator::ranksOnThisHost() const {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host),
        "finding the ranks of this host");
  int size = 1;
  check(MPI_Comm_size(host, &size), "finding the ranks of this host");
  check(MPI_Comm_free(&host), "finding the ranks of this host");
  return size;
}

}  // namespace halo
