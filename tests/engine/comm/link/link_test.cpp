#include "engine/comm/link/link.h"
#include "engine/base/index.h"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "engine/base/clock.h"
#include "engine/comm/link/stamps.h"

using namespace halo;

TEST_CASE("a message on an idle link takes latency plus bytes over bandwidth", "[link]") {
  Link sender({10.0, 20.0}), receiver({10.0, 20.0});  // 10 Gbit/s = 1.25 bytes/ns, 20 µs
  const std::int64_t departs = sender.send(1000, 125'000);
  CHECK(departs == 1000);
  CHECK(receiver.receive(departs, 125'000) == 1000 + 20'000 + 100'000);
}

TEST_CASE("messages queue at the sender's side", "[link]") {
  Link sender({10.0, 20.0});
  CHECK(sender.send(0, 125'000) == 0);
  CHECK(sender.send(10, 125'000) == 100'000);
  CHECK(sender.send(500'000, 125'000) == 500'000);  // idle again
}

TEST_CASE("messages from two senders queue at the receiver's side", "[link]") {
  Link a({10.0, 0.0}), b({10.0, 0.0}), receiver({10.0, 0.0});
  const std::int64_t fromA = a.send(0, 125'000), fromB = b.send(0, 125'000);
  CHECK(receiver.receive(fromA, 125'000) == 100'000);
  CHECK(receiver.receive(fromB, 125'000) == 200'000);
}

TEST_CASE("what departed together is taken by waits in the order in which it is served", "[link]") {
  const std::array<std::int64_t, 4> departs = {300, 200, 200, 100};
  const std::array<std::int32_t, 4> peers = {0, 2, 1, 3};
  Stamps stamps;
  std::vector<Stamps::Stamp*> posted;
  for (std::size_t i = 0; i < peers.size(); ++i)
    posted.push_back(
        &stamps.add({.departsNs = departs[i], .bytes = 1000, .peer = peers[i], .tag = 5, .receives = true}));
  std::vector<const Stamps::Stamp*> candidates(posted.begin(), posted.end());
  std::vector<int> order;
  for (int first = firstToServe(candidates); first >= 0; first = firstToServe(candidates)) {
    order.push_back(first);
    candidates[at(first)] = nullptr;
  }
  CHECK(order == std::vector<int>{3, 2, 1, 0});
  Link link({8.0, 1.0});  // 1 byte/ns, 1 µs
  stamps.serve(link, *posted[0], [](const Stamps::Stamp&) { return true; });
  for (std::size_t i = 0; i < order.size(); ++i)
    CHECK(posted[at(order[i])]->arrivesNs == 100 + 1000 + 1000 * static_cast<std::int64_t>(i + 1));
}

TEST_CASE("what departed together from one peer is served as it was posted, whatever its tags", "[link]") {
  Stamps stamps;
  Stamps::Stamp& flag = stamps.add({.departsNs = 100, .bytes = 4, .peer = 1, .tag = 5, .receives = true});
  Stamps::Stamp& rows = stamps.add({.departsNs = 100, .bytes = 1000, .peer = 1, .tag = 3, .receives = true});
  const std::array<const Stamps::Stamp*, 2> candidates = {&rows, &flag};
  CHECK(firstToServe(candidates) == 1);
  Link link({8.0, 0.0});  // 1 byte/ns
  stamps.serve(link, rows, [](const Stamps::Stamp&) { return true; });
  CHECK(flag.arrivesNs == 104);
  CHECK(rows.arrivesNs == 1104);
}

TEST_CASE("a stamp that is here is served though an older one of its queue is not", "[link]") {
  Stamps stamps;
  Stamps::Stamp& older = stamps.add({.bytes = 1000, .peer = 1, .tag = 5, .receives = true});
  Stamps::Stamp& newer = stamps.add({.departsNs = 9, .bytes = 500, .peer = 1, .tag = 5, .receives = true});
  Link link({8.0, 0.0});  // 1 byte/ns
  stamps.serve(link, newer, [&](const Stamps::Stamp& stamp) { return &stamp != &older; });
  CHECK(newer.arrivesNs == 509);
  CHECK(older.arrivesNs == 0);
  stamps.remove(newer);
  stamps.serve(link, older, [](const Stamps::Stamp&) { return true; });
  CHECK(older.arrivesNs == 1509);
}

TEST_CASE("with staging, copies are taken together before they depart and after they arrive", "[link]") {
  Link sender({8.0, 1.0, 4.0}), receiver({8.0, 1.0, 4.0});  // 1 byte/ns on the network, half of that to copy
  sender.copyOut(100, 3000);
  const std::int64_t first = sender.send(120, 1000), second = sender.send(130, 2000);
  CHECK(first == 100 + 6000);  // all of it is out
  CHECK(second == first + 1000);
  const std::int64_t arrived = receiver.receive(second, 2000);
  CHECK(arrived == second + 1000 + 2000);
  CHECK(receiver.copyIn(arrived, 3000) == arrived + 6000);
  CHECK(receiver.copyIn(arrived, 500) == arrived + 6000 + 1000);  // queues behind it
  // not announced: by itself, behind what is being copied
  CHECK(sender.send(6200, 500) == 6200 + 1000 + 1900);
}

TEST_CASE("copies, network and copies of messages in flight together run at once", "[link]") {
  Link sender({8.0, 0.0, 8.0}), receiver({8.0, 0.0, 8.0});  // 1 byte/ns each
  std::int64_t arrival = 0;
  for (int message = 0; message < 10; ++message) {
    sender.copyOut(0, 1000);
    arrival = receiver.copyIn(receiver.receive(sender.send(0, 1000), 1000), 1000);
  }
  CHECK(arrival == 12'000);  // ten through the slowest of three stages, and two stages more
}

TEST_CASE("a block that goes to several peers is copied out once", "[link]") {
  Link link({8.0, 0.0, 4.0});  // 1 byte/ns, copies half as fast
  link.copyOut(0, 1000, 3);
  CHECK(link.send(0, 1000) == 2000);
  CHECK(link.send(0, 1000) == 3000);
  CHECK(link.send(0, 1000) == 4000);
  CHECK(link.send(4000, 1000) == 6000);  // the fourth was not announced
}

TEST_CASE("without staging nothing is copied", "[link]") {
  Link link({8.0, 1.0});
  CHECK_FALSE(link.staged());
  link.copyOut(0, 1000);
  CHECK(link.send(5, 1000) == 5);
  CHECK(link.copyIn(77, 1000) == 77);
  CHECK(Link({8.0, 1.0, 8.0}).allReduceNs(4000, 4) == link.allReduceNs(4000, 4) + 8000);
}

TEST_CASE("a ring all-reduce takes two steps for every rank but one", "[link]") {
  const Link link({8.0, 1.0});  // 1 byte/ns
  CHECK(link.allReduceNs(4000, 4) == 6 * (1000 + 1000));
  CHECK(link.allReduceNs(4000, 1) == 0);
}

TEST_CASE("a sum goes before what is under way, which then takes longer by its bytes", "[link]") {
  Link sender({8.0, 0.0}), receiver({8.0, 0.0});  // 1 byte/ns
  const std::int64_t first = sender.send(0, 10'000);
  for (Link* link : {&sender, &receiver}) CHECK(link->allReduce(4000, 1000, 2) == 5000);
  const std::int64_t second = sender.send(4500, 10'000);
  CHECK(first == 0);
  CHECK(second == 11'000);
  CHECK(receiver.receive(first, 10'000) == 11'000);
  CHECK(receiver.receive(second, 10'000) == 21'000);
}

TEST_CASE("a sum does not delay what arrived before it, whenever that is waited for", "[link]") {
  Link receiver({8.0, 0.0});
  receiver.allReduce(4000, 1000, 2);
  receiver.allReduce(9000, 1000, 2);
  CHECK(receiver.receive(0, 3000) == 3000);
  CHECK(receiver.receive(4200, 2000) == 7000);    // behind the first sum
  CHECK(receiver.receive(7000, 2500) == 10'500);  // the second comes in between
}

TEST_CASE("as long as nothing is received sums are passed by and by", "[link]") {
  Link receiver({8.0, 0.0});
  for (std::int64_t sum = 0; sum < 1000; ++sum) receiver.allReduce(0, 10, 2);
  CHECK(receiver.receive(0, 10) == 10'010);
}

TEST_CASE("a ring all-gather takes a step for every rank but one", "[link]") {
  const Link link({8.0, 1.0});  // 1 byte/ns
  CHECK(link.allGatherNs(500, 4) == 3 * (1000 + 500));
  CHECK(link.allGatherNs(500, 1) == 0);
}

TEST_CASE("no link is emulated unless it has a bandwidth", "[link]") {
  CHECK_FALSE(Link().emulated());
  CHECK(Link({1.0, 0.0}).emulated());
}

TEST_CASE("sleeping until a time does not return before it and costs no CPU", "[link]") {
  const std::int64_t deadline = wallNs() + 20'000'000, cpu = threadCpuNs();
  sleepUntil(deadline);
  CHECK(wallNs() >= deadline);
  CHECK(threadCpuNs() - cpu < 10'000'000);
  sleepUntil(deadline - 1);  // the past: returns at once
}
