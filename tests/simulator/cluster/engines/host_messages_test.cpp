#include "simulator/cluster/engines/host_messages.h"

#include <catch2/catch.hpp>

#include "simulator/cluster/engines/as_messages.h"
#include "simulator/cluster/engines/events.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

constexpr Looks kLooks{20, 10, /*smallBytes=*/4096, /*fragmentBytes=*/32768, /*fragments=*/3};

Plan oneMessage(std::int64_t bytes) {
  Plan plan;
  plan.ranks = 2;
  exchangeNow(plan, trafficOf(2, {{1, 0, 1, bytes}}));
  return plan;
}

/// A whole look; the bytes that it copied.
std::int64_t look(HostMessages& messages, int rank) {
  const std::int64_t copied = messages.beginLook(rank);
  messages.endLook(rank);
  return copied;
}

TEST_CASE("a small message is copied in at once and out at a look", "[cluster][looks]") {
  const Plan plan = oneMessage(1000);
  HostMessages messages(plan, kLooks);
  CHECK(messages.post(0, 0, 0) == 0);
  CHECK(look(messages, 0) == 0);  // nothing is there
  CHECK(messages.post(1, 0, 0) == 1000);
  CHECK(messages.complete(1, 0, 0));
  CHECK_FALSE(messages.any(1));
  CHECK_FALSE(messages.complete(0, 0, 0));
  CHECK(look(messages, 0) == 1000);
  CHECK(messages.complete(0, 0, 0));
}

TEST_CASE("a large message goes by fragments, look by look of both", "[cluster][looks]") {
  constexpr std::int64_t kWindow = 3 * 32768;
  const Plan plan = oneMessage(kWindow + 100);
  HostMessages messages(plan, kLooks);
  CHECK(messages.post(1, 0, 0) == 0);
  CHECK(look(messages, 1) == 0);  // nobody has answered
  messages.post(0, 0, 0);
  CHECK(look(messages, 0) == 0);  // answers
  CHECK(look(messages, 1) == kWindow);
  CHECK(look(messages, 1) == 0);  // all that may be under way is
  CHECK(look(messages, 0) == kWindow);
  CHECK(look(messages, 1) == 100);
  CHECK(look(messages, 0) == 100);
  CHECK(messages.complete(0, 0, 0));
  CHECK_FALSE(messages.complete(1, 0, 0));  // does not know yet that all is out
  CHECK(look(messages, 1) == 0);
  CHECK(messages.complete(1, 0, 0));
}

TEST_CASE("a large message that the receiver may read is copied once, whole", "[cluster][looks]") {
  constexpr std::int64_t kBytes = 10'000'000;
  Looks looks = kLooks;
  looks.singleCopy = true;
  const Plan plan = oneMessage(kBytes);
  HostMessages messages(plan, looks);
  CHECK(messages.post(0, 0, 0) == 0);
  CHECK(look(messages, 0) == 0);  // nothing to read yet
  CHECK(messages.post(1, 0, 0) == 0);
  CHECK(look(messages, 1) == 0);  // the sender does nothing
  CHECK(messages.beginLook(0) == kBytes);
  CHECK(look(messages, 1) == 0);
  CHECK_FALSE(messages.complete(1, 0, 0));
  messages.endLook(0);
  CHECK(messages.complete(0, 0, 0));
  CHECK_FALSE(messages.complete(1, 0, 0));  // learns it at its next look
  CHECK(look(messages, 1) == 0);
  CHECK(messages.complete(1, 0, 0));
  CHECK_FALSE(messages.any(0));
  CHECK_FALSE(messages.any(1));
}

TEST_CASE("looks that overlap see what was there when they began", "[cluster][looks]") {
  const Plan plan = oneMessage(50'000);
  HostMessages messages(plan, kLooks);
  messages.post(0, 0, 0);
  messages.post(1, 0, 0);
  look(messages, 0);
  CHECK(messages.beginLook(1) == 50'000);
  CHECK(messages.beginLook(0) == 0);
  messages.endLook(1);
  messages.endLook(0);
  CHECK_FALSE(messages.complete(0, 0, 0));
  CHECK(look(messages, 0) == 50'000);
  CHECK(messages.complete(0, 0, 0));
}

TEST_CASE("messages of nothing are through when both have posted them", "[cluster][looks]") {
  const Plan plan = oneMessage(0);
  HostMessages messages(plan, kLooks);
  messages.post(0, 0, 0);
  look(messages, 0);
  CHECK_FALSE(messages.complete(0, 0, 0));
  messages.post(1, 0, 0);
  look(messages, 0);
  CHECK(messages.complete(0, 0, 0));
}

/// Links of 1 GB/s without latency; all ranks on one host.
Machine host(std::int64_t cores) {
  Machine machine = machineOf({"x", 8, 0, 0}, cores);
  machine.looks = kLooks;
  return machine;
}

TEST_CASE("who waits sleeps and looks until its messages are moved", "[cluster][looks]") {
  Plan plan;
  plan.ranks = 2;
  plan.steps.push_back(work(Op::sparse, {0, 100'000}));
  exchangeNow(plan, trafficOf(2, {{1, 0, 1, 1000}}));
  // looks end at 0, 30, 60, 90 us; the next begins at 110, when the message is there
  CHECK(simulateEvents(plan, host(2)).epochNs == Approx(120'000));
  Machine slow = host(2);
  slow.within.wireUs = 500;  // moved at 120 us, and the link brings it at 601: one more sleep, and waking up
  CHECK(simulateEvents(plan, slow).epochNs == Approx(100'000 + 500'000 + 1000 + 10'000));
}

TEST_CASE("looks take the cores of those who compute", "[cluster][looks]") {
  Plan plan;
  plan.ranks = 4;
  plan.steps.push_back(work(Op::sparse, {0, 0, 0, 1'000'000}));
  exchangeNow(plan, trafficOf(4, {{3, 0, 1, 1000}, {3, 1, 1, 1000}, {3, 2, 1, 1000}}));
  Machine still = host(1);
  still.looks = {};
  const double alone = simulateEvents(plan, still).epochNs;
  CHECK(alone == Approx(1'000'000 + 3000));
  const double disturbed = simulateEvents(plan, host(1)).epochNs;
  // each of three looks for 10 of 30 us where it has the core at once, and later where it has not
  CHECK(disturbed > 1.3 * alone);
  CHECK(disturbed < 2.1 * alone);
  CHECK(simulateEvents(plan, host(4)).epochNs < alone + 50'000);  // a core each
}

TEST_CASE("a sum is moved up a tree and down again, and the link takes its time", "[cluster][looks]") {
  Plan plan;
  plan.ranks = 3;
  plan.steps.push_back(work(Op::dense, {1000, 1000, 1000}));
  sumGradients(plan, 900'000);
  const Plan laid = *asMessages(plan, host(2));
  REQUIRE(laid.steps.size() == 1 + 8 + 1);
  CHECK(laid.bytesSent() == plan.bytesSent());
  CHECK(laid.messagesSent() == plan.messagesSent());
  const auto flows = [&](std::size_t step) {
    return laid.traffics[static_cast<std::size_t>(laid.steps[step].traffic)].flows;
  };
  CHECK(flows(1) == std::vector<Flow>{{1, 0, 1, 900'000}});
  CHECK(flows(3) == std::vector<Flow>{{2, 0, 1, 900'000}});
  CHECK(flows(5) == std::vector<Flow>{{0, 2, 1, 900'000}});
  CHECK(flows(7) == std::vector<Flow>{{0, 1, 1, 900'000}});
  for (std::size_t step = 2; step < laid.steps.size(); step += 2)
    CHECK(laid.steps[step].exchange == static_cast<int>(step) - 1);
  Machine still = host(2);
  still.looks = {};
  CHECK_FALSE(asMessages(plan, still).has_value());
  const ClusterResult result = simulateEvents(plan, host(2));
  CHECK(result.epochNs >= simulateEvents(plan, still).epochNs);
  CHECK(result.shares.reduceNs > 0);
  CHECK(result.shares.waitNs == Approx(0).margin(1));
}

}  // namespace
}  // namespace halo::cluster
