// Communicator's control traffic: what is neither timed nor counted.
#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/comm/communicator/element.h"

namespace halo {
namespace {

constexpr int kBytesTag = 1 << 14;  // above every halo tag

}  // namespace

template <class Number>
Number Communicator::reduced(Number value, MPI_Datatype type, MPI_Op how, const char* doing) {
  await(doing, [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, &value, 1, type, how, comm_, request);
  });
  return value;
}

double Communicator::sum(double value) { return reduced(value, MPI_DOUBLE, MPI_SUM, "summing"); }
std::int64_t Communicator::sum(std::int64_t value) { return reduced(value, MPI_INT64_T, MPI_SUM, "summing"); }
std::int64_t Communicator::max(std::int64_t value) {
  return reduced(value, MPI_INT64_T, MPI_MAX, "taking the maximum");
}
std::int64_t Communicator::min(std::int64_t value) {
  return reduced(value, MPI_INT64_T, MPI_MIN, "taking the minimum");
}
void Communicator::sum(std::span<std::int64_t> values) {
  await("summing", [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                          comm_, request);
  });
}
bool Communicator::anywhere(bool value) { return max(std::int64_t{value}) != 0; }
void Communicator::barrier() {
  await("meeting at a barrier", [&](MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
  trickle_.reset();
}

std::int64_t Communicator::broadcast(std::int64_t value, int root) {
  await(
      "broadcasting",
      [&](MPI_Request* request) { return MPI_Ibcast(&value, 1, MPI_INT64_T, root, comm_, request); },
      root == rank_ ? -1 : root);
  return value;
}

void Communicator::broadcast(std::span<std::uint8_t> bytes, int root) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  for (std::int64_t at = 0; at < size; at += kPiece)
    await(
        "broadcasting",
        [&](MPI_Request* request) {
          return MPI_Ibcast(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, root,
                            comm_, request);
        },
        root == rank_ ? -1 : root);
}

std::string Communicator::broadcast(std::string bytes, int root) {
  const std::int64_t size = broadcast(static_cast<std::int64_t>(bytes.size()), root);
  bytes.resize(at(size));
  broadcast({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}, root);
  return bytes;
}

void Communicator::sendPieces(int peer, const void* from, std::int64_t count, MPI_Datatype type,
                              std::int64_t size) {
  for (std::int64_t at = 0; at < count; at += kPiece)
    await(
        "sending",
        [&](MPI_Request* request) {
          return MPI_Isend(static_cast<const char*>(from) + at * size,
                           static_cast<int>(std::min(kPiece, count - at)), type, peer, kBytesTag, comm_,
                           request);
        },
        peer);
}

void Communicator::receivePieces(int peer, void* to, std::int64_t count, MPI_Datatype type,
                                 std::int64_t size) {
  for (std::int64_t at = 0; at < count; at += kPiece)
    await(
        "receiving",
        [&](MPI_Request* request) {
          return MPI_Irecv(static_cast<char*>(to) + at * size, static_cast<int>(std::min(kPiece, count - at)),
                           type, peer, kBytesTag, comm_, request);
        },
        peer);
}

void Communicator::gather(std::span<const double> own, std::span<double> all,
                          std::span<const std::int64_t> counts) {
  if (rank_ != 0)
    return sendPieces(0, own.data(), static_cast<std::int64_t>(own.size()), MPI_DOUBLE, sizeof(double));
  std::ranges::copy(own, all.begin());
  double* to = all.data() + own.size();
  for (int peer = 1; peer < size_; ++peer) {
    const std::int64_t count = counts[at(peer)];
    receivePieces(peer, to, count, MPI_DOUBLE, sizeof(double));
    to += count;
  }
}

void Communicator::sendBytes(int peer, const std::string& bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  sendPieces(peer, &size, 1, MPI_INT64_T, sizeof size);
  sendPieces(peer, bytes.data(), size, MPI_BYTE, 1);
}

std::string Communicator::receiveBytes(int peer) {
  std::int64_t size = 0;
  receivePieces(peer, &size, 1, MPI_INT64_T, sizeof size);
  std::string bytes(at(size), '\0');
  receivePieces(peer, bytes.data(), size, MPI_BYTE, 1);
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
  char host[MPI_MAX_PROCESSOR_NAME] = {}, root[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(host, &length);
  std::copy(std::begin(host), std::end(host), std::begin(root));
  await("comparing clocks", [&](MPI_Request* request) {
    return MPI_Ibcast(root, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, comm_, request);
  });
  const bool sameHost = std::string(host) == root;
  const Waiting waiting(tracer_.whereabouts(), wallNs(), "comparing clocks");
  const auto guard = hold();  // nothing may come between a question and its answer
  ClockOffset best{0, std::numeric_limits<std::int64_t>::max()};
  for (int peer = 1; peer < size_; ++peer) {
    for (int round = 0; round < kRounds; ++round) {
      std::int64_t remoteNs = 0;
      if (rank_ == 0) {
        check(MPI_Recv(&remoteNs, 1, MPI_INT64_T, peer, kTag, comm_, MPI_STATUS_IGNORE), "comparing clocks",
              peer);
        std::int64_t localNs = wallNs();
        check(MPI_Send(&localNs, 1, MPI_INT64_T, peer, kTag, comm_), "comparing clocks", peer);
      } else if (rank_ == peer) {
        std::int64_t sent = wallNs();
        check(MPI_Send(&sent, 1, MPI_INT64_T, 0, kTag, comm_), "comparing clocks", 0);
        check(MPI_Recv(&remoteNs, 1, MPI_INT64_T, 0, kTag, comm_, MPI_STATUS_IGNORE), "comparing clocks", 0);
        const std::int64_t received = wallNs(), half = (received - sent) / 2;
        if (half < best.uncertaintyNs) best = {remoteNs - (sent + half), half};
      }
    }
  }
  // ranks of one host share one monotonic clock: no estimate is better than knowing
  return rank_ == 0 || sameHost ? ClockOffset{} : best;
}

int Communicator::ranksOnThisHost() const { return static_cast<int>(neighbours().size()); }

std::vector<int> Communicator::neighbours() const {
  constexpr const char* kDoing = "finding the ranks of this host";
  const auto guard = hold();
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host), kDoing);
  int size = 1;
  check(MPI_Comm_size(host, &size), kDoing);
  std::vector<int> ranks(at(size));
  check(MPI_Allgather(&rank_, 1, MPI_INT, ranks.data(), 1, MPI_INT, host), kDoing);
  check(MPI_Comm_free(&host), kDoing);
  return ranks;
}

}  // namespace halo
