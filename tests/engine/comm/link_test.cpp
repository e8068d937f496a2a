#include "engine/comm/link.h"

#include <catch2/catch.hpp>

#include "engine/base/clock.h"

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

TEST_CASE("a ring all-reduce takes two steps for every rank but one", "[link]") {
  const Link link({8.0, 1.0});  // 1 byte/ns
  CHECK(link.allReduceNs(4000, 4) == 6 * (1000 + 1000));
  CHECK(link.allReduceNs(4000, 1) == 0);
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
