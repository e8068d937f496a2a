#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"

using namespace halo;

namespace {

struct Way {
  std::int64_t departsNs = 0, arrivesNs = 0;
};

/// One message from each rank to that which `to` gives for it, or −1, all posted at once; the ways of what
/// every rank got, told to all, by rank; of no message 0.
template <class To>
std::vector<Way> sendAll(const LinkModel& link, Index rows, const To& to) {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  comm.emulate(link);
  const auto count = at(rows);
  const std::vector<Scalar> out(count, static_cast<Scalar>(comm.rank()));
  std::vector<std::vector<Scalar>> in(at(comm.size()), std::vector<Scalar>(count, -1));
  std::vector<Transfer> transfers;
  for (int peer = 0; peer < comm.size(); ++peer)
    if (to(peer) == comm.rank()) transfers.push_back(comm.startReceive(peer, 3, std::span(in[at(peer)]), 1));
  comm.barrier();
  if (to(comm.rank()) >= 0)
    transfers.push_back(comm.startSend(to(comm.rank()), 3, std::span<const Scalar>(out), 1));
  comm.waitAll(transfers);
  for (int peer = 0; peer < comm.size(); ++peer)
    if (to(peer) == comm.rank()) CHECK(in[at(peer)] == std::vector<Scalar>(count, static_cast<Scalar>(peer)));
  std::vector<std::int64_t> times(2 * at(comm.size()), 0);  // by sender
  for (const Span& span : tracer.spans())
    if (span.lane == Lane::link) {
      times[2 * at(span.peer)] = span.beginNs;
      times[2 * at(span.peer) + 1] = span.endNs();
    }
  comm.sum(times);
  std::vector<Way> ways;
  for (std::size_t i = 0; i < times.size(); i += 2) ways.push_back({times[i], times[i + 1]});
  return ways;
}

int ranksHere() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

constexpr Index kRows = 12'500;
const std::int64_t kTransferNs = Link({0.1, 0}).transferNs(kRows * Index{sizeof(Scalar)});

}  // namespace

TEST_CASE("messages of two ranks take twice as long through one card as through two", "[communicator]") {
  if (ranksHere() != 4) return;
  const auto across = [](int rank) { return rank < 2 ? rank + 2 : -1; };
  constexpr std::int64_t kLatencyNs = 300'000;
  const auto took = [](const Way& way) { return way.arrivesNs - way.departsNs; };
  for (const std::int64_t own : {0, 1}) {  // each its own card
    const std::vector<Way> ways = sendAll({0.1, kLatencyNs * 1e-3, 0, own}, kRows, across);
    for (const int sender : {0, 1}) CHECK(took(ways[at(sender)]) == kLatencyNs + kTransferNs);
  }
  std::vector<Way> ways = sendAll({0.1, kLatencyNs * 1e-3, 0, 2}, kRows, across);
  const auto [first, second] = std::minmax(ways[0].departsNs, ways[1].departsNs);
  CHECK(second - first >= kTransferNs);  // the outgoing side
  CHECK(std::max(ways[0].arrivesNs, ways[1].arrivesNs) - first >= kLatencyNs + 2 * kTransferNs);
  // and the incoming side, where the senders are of two hosts
  const auto together = [](int rank) { return rank < 3 ? 3 : -1; };
  ways = sendAll({0.1, kLatencyNs * 1e-3, 0, 1}, kRows, together);
  std::ranges::sort(ways.begin(), ways.begin() + 3, {}, &Way::departsNs);
  std::int64_t freeNs = 0;
  for (int i = 0; i < 3; ++i) {
    const Way& way = ways[at(i)];
    freeNs = std::max(way.departsNs + kLatencyNs, freeNs) + kTransferNs;
    CHECK(way.arrivesNs == freeNs);
  }
}

TEST_CASE("ranks of one host are served by its card in the order of departure", "[communicator]") {
  if (ranksHere() != 4) return;
  constexpr std::int64_t kLatencyNs = 300'000;
  const auto across = [](int rank) { return 3 - rank; };
  const std::vector<Way> ways = sendAll({0.1, kLatencyNs * 1e-3, 0, 2}, kRows, across);
  for (const std::size_t host : {0U, 1U}) {
    std::vector<Way> waysOfHost(ways.begin() + static_cast<std::ptrdiff_t>(2 * host),
                                ways.begin() + static_cast<std::ptrdiff_t>(2 * host + 2));
    std::ranges::sort(waysOfHost, {}, &Way::departsNs);
    std::int64_t freeNs = 0;
    for (const Way& way : waysOfHost) {
      freeNs = std::max(way.departsNs + kLatencyNs, freeNs) + kTransferNs;
      CHECK(way.arrivesNs == freeNs);
    }
  }
}

TEST_CASE("messages within a host take no link, and are counted", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const int size = comm.size();
  if (size % 2 != 0) return;
  constexpr double kNeverUs = 1e9;  // a quarter of an hour
  comm.emulate({1e-6, kNeverUs, 0, 2});
  const int other = comm.rank() ^ 1;
  std::vector<Scalar> in(1000, 0);
  const std::vector<Scalar> out(1000, static_cast<Scalar>(comm.rank()));
  for (const bool any : {false, true}) {
    std::vector<Transfer> receives, sends;
    receives.push_back(comm.startReceive(other, 3, std::span(in), 1));
    sends.push_back(comm.startSend(other, 3, std::span<const Scalar>(out), 1));
    if (any)
      CHECK(comm.waitAny(receives) == 0);
    else
      comm.waitAll(receives);
    comm.waitAll(sends);
    CHECK(in == std::vector<Scalar>(1000, static_cast<Scalar>(other)));
  }
  std::int64_t bytes = 0;
  for (const Flow& flow : comm.takeFlows()) bytes += flow.bytes;
  CHECK(bytes == 2 * 1000 * static_cast<std::int64_t>(sizeof(Scalar)));
  for (const Span& span : tracer.spans()) CHECK(span.name != Name::queued);
}

TEST_CASE("a sum takes no link where all ranks are one host's", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  comm.emulate({1e-6, 1e9, 0, comm.size()});
  std::vector<Scalar> values(10, 1);
  comm.sumGradients(values);
  CHECK(values == std::vector<Scalar>(10, static_cast<Scalar>(comm.size())));
  std::vector<std::uint8_t> flags(at(comm.size()), 1);
  comm.shareFlags(flags);
}

TEST_CASE("a sum over several hosts takes the time of its ring, whoever shares a card", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() != 4) return;
  comm.emulate({0.1, 300.0, 0, GENERATE(1, 2, 3)});
  std::vector<Scalar> values(kRows, 1);
  const std::int64_t begin = wallNs();
  comm.sumGradients(values);
  CHECK(wallNs() - begin >= comm.link().allReduceNs(kRows * Index{sizeof(Scalar)}, 4));
  CHECK(values == std::vector<Scalar>(kRows, 4));
}

TEST_CASE("what has come from the own host is taken before what is under way on the link", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() != 4) return;
  comm.emulate({0.1, 20'000.0, 0, 2});  // 20 ms
  const std::vector<Scalar> out(10, static_cast<Scalar>(comm.rank()));
  std::vector<std::vector<Scalar>> in(2, std::vector<Scalar>(10, 0));
  std::vector<Transfer> receives, sends;
  if (comm.rank() == 0)
    for (const int peer : {2, 1})
      receives.push_back(comm.startReceive(peer, 3, std::span(in[at(2 - peer)]), 1));
  for (const int sender : {2, 1}) {
    comm.barrier();
    if (comm.rank() == sender) sends.push_back(comm.startSend(0, 3, std::span<const Scalar>(out), 1));
  }
  comm.barrier();
  comm.waitAll(sends);
  if (comm.rank() != 0) return;
  CHECK(comm.waitAny(receives) == 1);
  CHECK(comm.waitAny(receives) == 0);
  CHECK(comm.waitAny(receives) == -1);
  CHECK(in[0] == std::vector<Scalar>(10, 2));
  CHECK(in[1] == std::vector<Scalar>(10, 1));
}
